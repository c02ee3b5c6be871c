package org.stillwater.server.takeover;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.TagStore;
import org.stillwater.core.store.UserStore;

/**
 * Writes the objects of a plan that refer to VMs, hosts and clusters: pools, tags, and users with
 * their roles. Written last. Used by one thread.
 */
public final class ReferenceWriter {

    private static final String USER = "user";

    private final PoolStore pools;
    private final TagStore tags;
    private final UserStore users;

    /** A writer into these stores. */
    public ReferenceWriter(PoolStore pools, TagStore tags, UserStore users) {
        this.pools = pools;
        this.tags = tags;
        this.users = users;
    }

    /** Writes the pools, tags and users of a plan whose other objects are written. */
    void write(ImportPlan plan, Refusals refusals) throws StoreUnavailable {
        writePools(plan.pools(), refusals);
        writeTags(plan, refusals);
        writeUsers(plan.users(), refusals);
    }

    /** Templates of pools are set here: the other engine's are not kept. */
    private void writePools(List<VmPool> planned, Refusals refusals) throws StoreUnavailable {
        Map<UUID, VmPool> here = new HashMap<>();
        for (VmPool each : pools.load()) {
            here.put(each.id(), each);
        }
        for (VmPool each : planned) {
            VmPool known = here.get(each.id());
            Set<VmId> present = refusals.present("pool", each.name(), each.members().keySet());
            boolean _ =
                    refusals.save(
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

    private void writeTags(ImportPlan plan, Refusals refusals) throws StoreUnavailable {
        for (Tag each : plan.tags()) {
            boolean _ = refusals.save("tag", each.name(), () -> tags.save(each));
        }
        for (Map.Entry<UUID, Set<VmId>> each : plan.taggedVms().entrySet()) {
            for (VmId vm : each.getValue()) {
                if (!refusals.isMissing(vm)) { // listed as a VM
                    boolean _ =
                            refusals.save(
                                    "tag of VM",
                                    vm.toString(),
                                    () -> attached(tags.attach(each.getKey(), vm)));
                }
            }
        }
        for (Map.Entry<UUID, Set<HostId>> each : plan.taggedHosts().entrySet()) {
            for (HostId host : each.getValue()) {
                boolean _ =
                        refusals.save(
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
    private void writeUsers(List<User> planned, Refusals refusals) throws StoreUnavailable {
        Map<UUID, User> here = new HashMap<>();
        for (User each : users.users()) {
            here.put(each.id(), each);
        }
        boolean administered = here.values().stream().anyMatch(each -> each.passwordHash() != null);
        for (User each : planned) {
            User known = here.get(each.id());
            if (!administered) {
                refusals.add(
                        new Loss(
                                USER,
                                each.name(),
                                "the engine has no administrator yet: start it once, stop it and"
                                        + " import again"));
            } else if (known == null) {
                User present = withPresent(each, refusals);
                boolean _ = refusals.save(USER, each.name(), () -> users.save(present));
            } else if (!known.grants().equals(each.grants())) {
                refusals.add(
                        new Loss(
                                USER,
                                each.name(),
                                "it is here already, with other roles, and keeps these"));
            }
        }
    }

    private static User withPresent(User user, Refusals refusals) {
        Set<Grant> grants = new HashSet<>();
        for (Grant each : user.grants()) {
            String name =
                    each.scope() instanceof Scope.OfVm(VmId vm) ? refusals.nameOfMissing(vm) : null;
            if (name == null) {
                grants.add(each);
            } else {
                refusals.add(
                        new Loss(
                                USER,
                                user.name(),
                                "a role on the VM " + name + ", which is not kept"));
            }
        }
        return user.with(user.enabled(), grants);
    }

    private static Saved attached(boolean whether) {
        return whether ? Saved.SAVED : Saved.UNKNOWN;
    }
}
