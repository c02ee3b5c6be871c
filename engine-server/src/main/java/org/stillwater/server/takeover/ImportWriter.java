package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
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
 * identity is replaced, so that an interrupted import can be repeated; data that only this engine
 * has, such as passwords, stays; no object is removed. An object that the database refuses does not
 * affect the others. Used by one thread.
 */
public final class ImportWriter {

    private static final String USER = "user";

    private final ClusterStore clusters;
    private final HostStore hosts;
    private final DefinitionStore definitions;
    private final PoolStore pools;
    private final TagStore tags;
    private final UserStore users;
    private final List<Loss> refused = new ArrayList<>();

    /** Names of VMs that the database refused: no other object can refer to them. */
    private final Map<VmId, String> missing = new HashMap<>();

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
            boolean _ =
                    save(
                            "data centre",
                            each.name(),
                            () -> {
                                Saved added = clusters.update(each);
                                return added == Saved.UNKNOWN ? clusters.add(each) : added;
                            });
        }
        writeClusters(plan.clusters());
        for (HostDefinition each : plan.hosts()) {
            boolean _ =
                    save("host", each.name(), () -> saved(hosts.update(each) || hosts.add(each)));
        }
        for (Map.Entry<HostId, List<FenceAgent>> each : plan.agents().entrySet()) {
            boolean _ =
                    save("fence agents of host", each.getKey().toString(), () -> saveAgents(each));
        }
        Map<VmId, Definition> here = definitions.load(plan.vms().keySet());
        for (Map.Entry<VmId, Definition> each : plan.vms().entrySet()) {
            Definition vm = each.getValue();
            if (vm.equals(here.get(each.getKey()))) {
                continue;
            }
            String name = vm.definition().name();
            if (!save("VM", name, () -> save(each.getKey(), vm))) {
                missing.put(each.getKey(), name);
            }
        }
        for (AffinityGroup each : plan.groups()) {
            String kind = "affinity group";
            Set<VmId> present = present(kind, each.name(), each.members());
            boolean _ = save(kind, each.name(), () -> definitions.save(each.withMembers(present)));
        }
        writePools(plan.pools());
        writeTags(plan);
        writeUsers(plan.users());
        return List.copyOf(refused);
    }

    /** CPU types and thresholds of memory are set here: the other engine does not report them. */
    private void writeClusters(List<Cluster> planned) throws StoreUnavailable {
        Map<ClusterId, Cluster> here = new HashMap<>();
        for (Cluster each : clusters.loadClusters()) {
            here.put(each.id(), each);
        }
        for (Cluster each : planned) {
            Cluster known = here.get(each.id());
            boolean _ =
                    save(
                            "cluster",
                            each.name(),
                            () ->
                                    known == null
                                            ? clusters.add(each)
                                            : clusters.update(withOwn(each, known)));
        }
    }

    private static Cluster withOwn(Cluster planned, Cluster here) {
        HostRequirements theirs = planned.requirements();
        HostRequirements ours = here.requirements();
        return new Cluster(
                planned.id(),
                planned.dataCentre(),
                planned.name(),
                planned.description(),
                new HostRequirements(
                        theirs.version(),
                        ours.cpuType(),
                        theirs.architecture(),
                        ours.machineTypes(),
                        ours.emulatedMachine(),
                        theirs.rngSources(),
                        ours.features(),
                        theirs.fips(),
                        ours.uniformSystem(),
                        ours.hostedEngine(),
                        theirs.networks()),
                planned.migrateOnError(),
                planned.fencing(),
                here.memory(),
                here.hypervisor());
    }

    /** Templates of pools are set here: the other engine's are not kept. */
    private void writePools(List<VmPool> planned) throws StoreUnavailable {
        Map<UUID, VmPool> here = new HashMap<>();
        for (VmPool each : pools.load()) {
            here.put(each.id(), each);
        }
        for (VmPool each : planned) {
            VmPool known = here.get(each.id());
            Set<VmId> present = present("pool", each.name(), each.members().keySet());
            boolean _ =
                    save(
                            "pool",
                            each.name(),
                            () -> {
                                Saved saved =
                                        pools.save(
                                                known == null
                                                        ? each
                                                        : each.withTemplate(known.template()));
                                if (saved == Saved.SAVED) {
                                    int _ = pools.addMembers(each.id(), List.copyOf(present));
                                }
                                return saved;
                            });
        }
    }

    private void writeTags(ImportPlan plan) throws StoreUnavailable {
        for (Tag each : plan.tags()) {
            boolean _ = save("tag", each.name(), () -> tags.save(each));
        }
        for (Map.Entry<UUID, Set<VmId>> each : plan.taggedVms().entrySet()) {
            for (VmId vm : each.getValue()) {
                if (!missing.containsKey(vm)) { // listed as a VM
                    boolean _ =
                            save(
                                    "tag of VM",
                                    vm.toString(),
                                    () -> attached(tags.attach(each.getKey(), vm)));
                }
            }
        }
        for (Map.Entry<UUID, Set<HostId>> each : plan.taggedHosts().entrySet()) {
            for (HostId host : each.getValue()) {
                boolean _ =
                        save(
                                "tag of host",
                                host.toString(),
                                () -> attached(tags.attach(each.getKey(), host)));
            }
        }
    }

    /**
     * The engine makes its first administrator only while there are no users. A user that is here
     * keeps the password, the grants and the state that administrators gave it here.
     */
    private void writeUsers(List<User> planned) throws StoreUnavailable {
        Map<UUID, User> here = new HashMap<>();
        for (User each : users.users()) {
            here.put(each.id(), each);
        }
        boolean administered = here.values().stream().anyMatch(each -> each.passwordHash() != null);
        for (User each : planned) {
            User known = here.get(each.id());
            if (!administered) {
                refused.add(
                        new Loss(
                                USER,
                                each.name(),
                                "the engine has no administrator yet: start it once, stop it and"
                                        + " import again"));
            } else if (known == null) {
                User present = withPresent(each);
                boolean _ = save(USER, each.name(), () -> users.save(present));
            } else if (!known.grants().equals(each.grants())) {
                refused.add(
                        new Loss(
                                USER,
                                each.name(),
                                "it is here already, with other roles, and keeps these"));
            }
        }
    }

    private User withPresent(User user) {
        Set<Grant> grants = new HashSet<>();
        for (Grant each : user.grants()) {
            String name = each.scope() instanceof Scope.OfVm(VmId vm) ? missing.get(vm) : null;
            if (name == null) {
                grants.add(each);
            } else {
                refused.add(
                        new Loss(
                                USER,
                                user.name(),
                                "a role on the VM " + name + ", which is not kept"));
            }
        }
        return user.with(user.enabled(), grants);
    }

    /** VMs that the database has; the others are losses of this object, too. */
    private Set<VmId> present(String kind, String name, Set<VmId> members) {
        Set<VmId> present = new TreeSet<>();
        for (VmId each : members) {
            String lost = missing.get(each);
            if (lost == null) {
                present.add(each);
            } else {
                refused.add(new Loss(kind, name, "its VM " + lost + ", which is not kept"));
            }
        }
        return present;
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

    private static Saved attached(boolean whether) {
        return whether ? Saved.SAVED : Saved.UNKNOWN;
    }

    private static Saved saved(boolean whether) {
        return whether ? Saved.SAVED : Saved.TAKEN;
    }

    /** Saves an object; false if the database refuses it, which is noted. */
    private boolean save(String kind, String name, Saving saving) throws StoreUnavailable {
        try {
            switch (saving.save()) {
                case SAVED -> {
                    return true;
                }
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
        return false;
    }
}
