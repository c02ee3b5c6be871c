package org.stillwater.ovirt.action;

import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.ovirt.action.Operations.Subject;

/** Pools that are added, changed and removed, and VMs of them that are given to users. */
final class PoolChanges {

    private static final int MOST = 100_000;

    private final Access access;
    private final PoolKeeper pools;
    private final PoolVms vms;
    private final ActionLimits limits;
    private final KeyedLocks locks = new KeyedLocks("pools of VMs");

    PoolChanges(
            Access access, Operations operations, DefinitionServices services, PoolKeeper pools) {
        this.access = access;
        this.pools = pools;
        this.limits = operations.limits();
        this.vms = new PoolVms(access, operations, services);
    }

    /** A pool with as many VMs as its size, copies of the blank template. */
    Outcome add(Change change) {
        ClusterId named = access.cluster(change, null);
        ClusterId cluster = named == null ? ClusterId.DEFAULT : named;
        if (!change.caller().has(Role.ADMINISTRATOR, cluster)) {
            throw Refused.forbidden();
        }
        if (change.body().text("name") == null) {
            throw Refused.incomplete("VmPool [name] is required for add.");
        }
        PoolVms.refuseUnknownTemplate(change.body());
        UUID id = UUID.randomUUID();
        VmPool wanted =
                wanted(
                        change.body(),
                        new VmPool(id, "new", "", cluster, false, 0, 0, 1, null, new TreeMap<>()));
        // Its size is that of its VMs also if the engine ends in between.
        save(resized(wanted, 0), List.of(), "add");
        try {
            enlarge(change, wanted, wanted.size(), "add");
        } catch (Refused refused) {
            removed(id);
            throw refused;
        }
        return Outcome.showing(201, "vmpools/" + id);
    }

    /** One change of a pool at a time: two that enlarge it would each add all missing VMs. */
    Outcome update(Change change, String id) {
        VmPool known = pool(change, id, Role.ADMINISTRATOR);
        try (KeyedLocks.Held _ = locks.alone(known.id(), limits.ended())) {
            return updated(change, id);
        } catch (KeyedLocks.Busy _) {
            throw Refused.conflict("Cannot edit VM-Pool: another change of it is under way.");
        }
    }

    private Outcome updated(Change change, String id) {
        VmPool pool = pool(change, id, Role.ADMINISTRATOR);
        ClusterId cluster = access.cluster(change, pool.cluster());
        if (cluster != null && !cluster.equals(pool.cluster())) {
            throw Refused.conflict("Cannot edit VM-Pool: it stays in its cluster.");
        }
        PoolVms.refuseUnknownTemplate(change.body());
        VmPool wanted = wanted(change.body(), pool);
        refuseTakenName(wanted);
        int missing = 0;
        if (change.body().has("size")) {
            missing = wanted.size() - pool.members().size();
            if (missing < 0) {
                throw Refused.conflict(
                        "Cannot edit VM-Pool: it has %d VMs, and VMs are taken out of it with PUT"
                                        .formatted(pool.members().size())
                                + " /api/v1/pools/{id}.");
            }
        }
        enlarge(change, wanted, missing, "edit");
        return Outcome.showing(200, "vmpools/" + pool.id());
    }

    /** Before VMs are added for it; the database has the last word. */
    private void refuseTakenName(VmPool wanted) {
        for (VmPool other : pools.pools()) {
            if (!other.id().equals(wanted.id()) && other.name().equals(wanted.name())) {
                throw taken("edit");
            }
        }
    }

    private static Refused taken(String verb) {
        return Refused.conflict(
                "Cannot %s VM-Pool: there is already a pool of this name.".formatted(verb));
    }

    /** Its VMs become members when its size is stored: both or neither. */
    private void enlarge(Change change, VmPool wanted, int missing, String verb) {
        List<VmId> added = vms.add(change, wanted, missing);
        try {
            save(wanted, added, verb);
        } catch (Refused refused) {
            vms.remove(change, added);
            throw refused;
        }
    }

    Outcome remove(Change change, String id) {
        VmPool pool = pool(change, id, Role.ADMINISTRATOR);
        removed(pool.id());
        return Operations.removed(change, null);
    }

    private void removed(UUID pool) {
        try {
            boolean _ = pools.remove(pool);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }

    /** A pool of another size; saving it does not change its VMs. */
    private static VmPool resized(VmPool pool, int size) {
        return new VmPool(
                pool.id(),
                pool.name(),
                pool.description(),
                pool.cluster(),
                pool.stateful(),
                size,
                Math.min(size, pool.prestarted()),
                pool.mostPerUser(),
                pool.template(),
                new TreeMap<>());
    }

    private static VmPool wanted(Body body, VmPool before) {
        try {
            String name = body.name("a pool", before.name());
            String description = body.raw("description");
            Boolean stateful = body.flag("stateful");
            return new VmPool(
                    before.id(),
                    name == null ? before.name() : name,
                    description == null ? before.description() : description,
                    before.cluster(),
                    stateful == null ? before.stateful() : stateful,
                    number(body, "size", before.size(), 0),
                    number(body, "prestarted_vms", before.prestarted(), 0),
                    number(body, "max_user_vms", before.mostPerUser(), 1),
                    before.template(),
                    new TreeMap<>());
        } catch (IllegalArgumentException e) {
            throw Refused.invalid(Operations.sentence(e.getMessage() + ""));
        }
    }

    private void save(VmPool wanted, List<VmId> added, String verb) {
        try {
            switch (pools.saveWithMore(wanted, added)) {
                case SAVED -> {}
                case TAKEN -> throw taken(verb);
                case UNKNOWN -> throw Refused.notFound("Cluster", wanted.cluster().toString());
            }
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }

    private static int number(Body body, String name, int before, int least) {
        Long number = body.number(name);
        if (number == null) {
            return before;
        }
        if (number < least || number > MOST) {
            throw Refused.invalid("%s is %d to %d, not %d".formatted(name, least, MOST, number));
        }
        return number.intValue();
    }

    /** Gives the caller a VM, which is started if none is up. */
    Outcome allocate(Change change, String id) {
        VmPool pool = pool(change, id, Role.OPERATOR);
        try {
            return switch (pools.assign(pool.id(), change.caller().name(), change.origin())) {
                case PoolKeeper.Assignment.Given(VmId vm) ->
                        Operations.done(change, Subject.vm(vm), null);
                case PoolKeeper.Assignment.Refused(String reason) ->
                        throw Refused.conflict(
                                "Cannot allocate and run VM from VM-Pool: "
                                        + Operations.sentence(reason));
            };
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }

    private VmPool pool(Change change, String text, Role role) {
        UUID id = Access.uuid(text);
        @Nullable VmPool pool = id == null ? null : pools.pool(id);
        if (pool == null || !isSeen(change, pool)) {
            throw Refused.notFound("VmPool", text);
        }
        if (!change.caller().has(role, pool.cluster())) {
            throw Refused.forbidden();
        }
        return pool;
    }

    /** With its cluster, or with a VM of it. */
    private static boolean isSeen(Change change, VmPool pool) {
        return change.caller().has(Role.READER, pool.cluster())
                || pool.members().keySet().stream()
                        .anyMatch(vm -> change.caller().has(Role.READER, vm, pool.cluster()));
    }
}
