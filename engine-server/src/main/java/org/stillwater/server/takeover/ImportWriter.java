package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.access.User;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.TagStore;
import org.stillwater.core.store.UserStore;

/**
 * Writes a plan into the database of an engine that does not run. An existing object with the same
 * identity is replaced, so that an interrupted import can be repeated; no object is removed. An
 * object that the database refuses does not affect the others. Used by one thread.
 */
public final class ImportWriter {

    private final ClusterStore clusters;
    private final HostStore hosts;
    private final DefinitionStore definitions;
    private final PoolStore pools;
    private final TagStore tags;
    private final UserStore users;
    private final List<Loss> refused = new ArrayList<>();

    /** A writer into these stores. */
    public ImportWriter(
            ClusterStore clusters,
            HostStore hosts,
            DefinitionStore definitions,
            PoolStore pools,
            TagStore tags,
            UserStore users) {
        this.clusters = clusters;
        this.hosts = hosts;
        this.definitions = definitions;
        this.pools = pools;
        this.tags = tags;
        this.users = users;
    }

    /** One object for the database. */
    @FunctionalInterface
    private interface Saving {
        Saved save() throws StoreUnavailable;
    }

    /**
     * Writes everything.
     *
     * @return the refusals of the database
     * @throws StoreUnavailable if the database stops answering; written objects stay
     */
    public List<Loss> write(ImportPlan plan) throws StoreUnavailable {
        for (DataCentre each : plan.dataCentres()) {
            save(
                    "data centre",
                    each.name(),
                    () -> {
                        Saved added = clusters.update(each);
                        return added == Saved.UNKNOWN ? clusters.add(each) : added;
                    });
        }
        for (Cluster each : plan.clusters()) {
            save(
                    "cluster",
                    each.name(),
                    () -> {
                        Saved changed = clusters.update(each);
                        return changed == Saved.UNKNOWN ? clusters.add(each) : changed;
                    });
        }
        for (HostDefinition each : plan.hosts()) {
            save("host", each.name(), () -> saved(hosts.update(each) || hosts.add(each)));
        }
        for (Map.Entry<HostId, List<FenceAgent>> each : plan.agents().entrySet()) {
            save("fence agents of host", each.getKey().toString(), () -> saveAgents(each));
        }
        for (Map.Entry<VmId, Definition> each : plan.vms().entrySet()) {
            Definition vm = each.getValue();
            save("VM", vm.definition().name(), () -> save(each.getKey(), vm));
        }
        for (AffinityGroup each : plan.groups()) {
            save("affinity group", each.name(), () -> definitions.save(each));
        }
        for (VmPool each : plan.pools()) {
            save(
                    "pool",
                    each.name(),
                    () -> {
                        Saved saved = pools.save(each);
                        if (saved == Saved.SAVED) {
                            int _ =
                                    pools.addMembers(
                                            each.id(), List.copyOf(each.members().keySet()));
                        }
                        return saved;
                    });
        }
        writeTags(plan);
        writeUsers(plan.users());
        return List.copyOf(refused);
    }

    private void writeTags(ImportPlan plan) throws StoreUnavailable {
        for (Tag each : plan.tags()) {
            save("tag", each.name(), () -> tags.save(each));
        }
        for (Map.Entry<UUID, Set<VmId>> each : plan.taggedVms().entrySet()) {
            for (VmId vm : each.getValue()) {
                save("tag of VM", vm.toString(), () -> saved(tags.attach(each.getKey(), vm)));
            }
        }
        for (Map.Entry<UUID, Set<HostId>> each : plan.taggedHosts().entrySet()) {
            for (HostId host : each.getValue()) {
                save("tag of host", host.toString(), () -> saved(tags.attach(each.getKey(), host)));
            }
        }
    }

    /** The engine makes its first administrator only while there are no users. */
    private void writeUsers(List<User> planned) throws StoreUnavailable {
        boolean administered = users.users().stream().anyMatch(each -> each.passwordHash() != null);
        for (User each : planned) {
            if (administered) {
                save("user", each.name(), () -> users.save(each));
            } else {
                refused.add(
                        new Loss(
                                "user",
                                each.name(),
                                "the engine has no administrator yet: start it once, stop it and"
                                        + " import again"));
            }
        }
    }

    private Saved save(VmId vm, Definition definition) throws StoreUnavailable {
        if (definitions.add(vm, definition)) {
            return Saved.SAVED;
        }
        return saved(definitions.update(vm, definition));
    }

    private Saved saveAgents(Map.Entry<HostId, List<FenceAgent>> agents) throws StoreUnavailable {
        try {
            if (!definitions.fenceAgents(agents.getKey()).isEmpty()) {
                return Saved.SAVED; // with passwords that were set here meanwhile
            }
            return saved(definitions.saveFenceAgents(agents.getKey(), agents.getValue()));
        } catch (SecretBox.Unusable e) {
            throw new IllegalArgumentException(
                    "there is no key to encrypt them with: " + e.getMessage(), e);
        }
    }

    private static Saved saved(boolean whether) {
        return whether ? Saved.SAVED : Saved.TAKEN;
    }

    private void save(String kind, String name, Saving saving) throws StoreUnavailable {
        try {
            switch (saving.save()) {
                case SAVED -> {}
                case TAKEN ->
                        refused.add(
                                new Loss(
                                        kind,
                                        name,
                                        "another object here has its name or identity, and stays as"
                                                + " it is"));
                case UNKNOWN -> refused.add(new Loss(kind, name, "its owner does not exist"));
            }
        } catch (IllegalArgumentException e) { // a name or address that is taken, too
            refused.add(new Loss(kind, name, String.valueOf(e.getMessage())));
        }
    }
}
