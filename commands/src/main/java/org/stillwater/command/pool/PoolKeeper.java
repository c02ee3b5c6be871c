package org.stillwater.command.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;

/**
 * Keeps as many VMs of each pool up and free as it wants (monitoring specification §8), and gives
 * VMs to users. It counts in memory: while no VM is missing, it does not access the database.
 *
 * <p>Any thread may call it; the command layer's deciding thread starts VMs.
 */
public final class PoolKeeper {

    private final PoolSettings settings;
    private final CommandEngine commands;
    private final CommandContext context;
    private final PoolStore store;
    private final Map<UUID, VmPool> pools = new ConcurrentHashMap<>();
    private final ReturnedVms returned;
    private final PoolPrestart prestart;

    /** A keeper that knows no pool yet. */
    public PoolKeeper(PoolSettings settings, CommandEngine commands, PoolStore store) {
        this.settings = settings;
        this.commands = commands;
        this.context = commands.context();
        this.store = store;
        this.returned = new ReturnedVms(commands);
        this.prestart = new PoolPrestart(settings, commands, pools.values(), returned);
    }

    /**
     * Reads every pool, by one statement, and begins to keep them; once, when the command layer was
     * started.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void start() throws StoreUnavailable {
        for (VmPool pool : store.load()) {
            pools.put(pool.id(), pool);
        }
        commands.follow(this::followed);
        context.post(this::lookRegularly);
    }

    /** Every pool, in no order. */
    public List<VmPool> pools() {
        return List.copyOf(pools.values());
    }

    /** The pool of this id, or null. */
    public @Nullable VmPool pool(UUID id) {
        return pools.get(id);
    }

    /** The pool that a VM belongs to, or null. */
    public @Nullable VmPool poolOf(VmId vm) {
        for (VmPool pool : pools.values()) {
            if (pool.members().containsKey(vm)) {
                return pool;
            }
        }
        return null;
    }

    /**
     * Adds a pool, or changes one; its VMs stay unchanged.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saved save(VmPool pool) throws StoreUnavailable {
        return save(pool, null);
    }

    /**
     * Adds a pool, or changes one, together with its VMs: both or neither.
     *
     * @param wanted its VMs from now on, which keep their users; VMs of other pools stay there.
     *     Null leaves its VMs unchanged
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public synchronized Saved save(VmPool pool, @Nullable List<VmId> wanted)
            throws StoreUnavailable {
        List<VmId> free = wanted == null ? null : freeFor(pool.id(), wanted);
        Saved saved = store.save(pool, free);
        if (saved == Saved.SAVED) {
            pools.compute(
                    pool.id(),
                    (_, before) -> {
                        NavigableMap<VmId, @Nullable String> members =
                                new TreeMap<>(before == null ? Map.of() : before.members());
                        if (free != null) {
                            members.keySet().retainAll(free);
                            free.forEach(vm -> members.putIfAbsent(vm, null));
                        }
                        return pool.with(members);
                    });
            context.post(prestart::look);
        }
        return saved;
    }

    /**
     * Adds a pool, or changes one, together with more VMs: both or neither. VMs of other pools stay
     * there.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public synchronized Saved saveWithMore(VmPool pool, List<VmId> added) throws StoreUnavailable {
        if (added.isEmpty()) {
            return save(pool, null);
        }
        VmPool before = pools.get(pool.id());
        List<VmId> all = new ArrayList<>(added);
        if (before != null) {
            all.addAll(before.members().keySet());
        }
        return save(pool, all);
    }

    private List<VmId> freeFor(UUID pool, List<VmId> vms) {
        return vms.stream().distinct().filter(vm -> isFreeFor(pool, vm)).sorted().toList();
    }

    private boolean isFreeFor(UUID pool, VmId vm) {
        VmPool other = poolOf(vm);
        return other == null || other.id().equals(pool);
    }

    /**
     * Removes a pool; its VMs stay, as ordinary ones.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public synchronized boolean remove(UUID pool) throws StoreUnavailable {
        boolean removed = store.remove(pool);
        pools.remove(pool);
        return removed;
    }

    /** Changes the VMs of a pool as it is now: one of them may be removed at the same time. */
    private void change(UUID id, Consumer<NavigableMap<VmId, @Nullable String>> change) {
        pools.computeIfPresent(
                id,
                (_, pool) -> {
                    NavigableMap<VmId, @Nullable String> members = new TreeMap<>(pool.members());
                    change.accept(members);
                    return pool.with(members);
                });
    }

    /**
     * Takes VMs out of a pool.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public synchronized void removeMembers(UUID id, List<VmId> vms) throws StoreUnavailable {
        VmPool pool = pools.get(id);
        if (pool == null) {
            return;
        }
        store.removeMembers(id, vms);
        change(id, members -> vms.forEach(members::remove));
        context.post(prestart::look);
    }

    /** Outcome of a user's request for a VM. */
    public sealed interface Assignment {

        /** This VM is the user's. */
        record Given(VmId vm) implements Assignment {}

        /** There is none; with the reason, one clause for people. */
        record Refused(String reason) implements Assignment {}
    }

    /**
     * Gives a user a VM of a pool: one that is up, if there is, else one that is started; none with
     * an open console.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public synchronized Assignment assign(UUID id, String user, Operation.Origin origin)
            throws StoreUnavailable {
        VmPool pool = pools.get(id);
        if (pool == null) {
            return new Assignment.Refused("there is no such pool");
        }
        if (commands.settings().shadow()) {
            return new Assignment.Refused(CommandSettings.SHADOW);
        }
        long owned = owned(pool, user);
        if (owned >= pool.mostPerUser()) {
            return new Assignment.Refused(
                    "%s has %d of its VMs, which is the most".formatted(user, owned));
        }
        VmId chosen = null;
        boolean watched = false;
        for (Map.Entry<VmId, @Nullable String> member : pool.members().entrySet()) {
            VmId vm = member.getKey();
            VmStatus status = status(vm);
            boolean better = chosen == null || status == VmStatus.UP;
            boolean free = member.getValue() == null && !returned.isEnding(vm);
            if (free && isUsable(status) && PoolPrestart.hasOpenConsole(context.fleet().vm(vm))) {
                watched = true; // another user would see the screen of its next one
            } else if (free && isUsable(status) && better) {
                chosen = vm;
                if (status == VmStatus.UP) {
                    break;
                }
            }
        }
        if (chosen == null) {
            return new Assignment.Refused(
                    watched ? "each of its free VMs has an open console" : "it has no free VM");
        }
        if (!store.assign(chosen, user)) {
            return new Assignment.Refused("another user got the VM; ask again");
        }
        owner(pool, chosen, user);
        if (status(chosen) == VmStatus.DOWN) {
            List<CompletableFuture<Answer>> _ =
                    commands.submit(
                            List.of(
                                    new OperationRequest(
                                            chosen,
                                            OperationKind.RUN,
                                            OperationParameters.Run.DEFAULT)),
                            origin);
        }
        context.post(prestart::look);
        return new Assignment.Given(chosen);
    }

    /** A VM that a XAPI pool deleted is a member in memory only, until the next start. */
    private long owned(VmPool pool, String user) {
        return pool.members().entrySet().stream()
                .filter(member -> user.equals(member.getValue()))
                .filter(member -> context.fleet().vm(member.getKey()) != null)
                .count();
    }

    /**
     * Takes a VM back from its user. A VM of a stateless pool is powered off, and no other user
     * gets it before it has ended: its next user gets it in its original state.
     *
     * @return false if it has no user
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public synchronized boolean release(VmId vm, Operation.Origin origin) throws StoreUnavailable {
        VmPool pool = poolOf(vm);
        if (pool == null || pool.members().get(vm) == null) {
            return false;
        }
        boolean _ = store.assign(vm, null);
        owner(pool, vm, null);
        VmView view = context.fleet().vm(vm);
        if (!pool.stateful() && view != null) {
            returned.end(view, origin);
        }
        context.post(prestart::look);
        return true;
    }

    private void owner(VmPool pool, VmId vm, @Nullable String user) {
        change(pool.id(), members -> members.replace(vm, user));
    }

    private @Nullable VmStatus status(VmId id) {
        VmView vm = context.fleet().vm(id);
        return vm == null ? null : vm.state().runtime().status();
    }

    private static boolean isUsable(@Nullable VmStatus status) {
        return status == VmStatus.UP
                || status == VmStatus.POWERING_UP
                || status == VmStatus.WAIT_FOR_LAUNCH
                || status == VmStatus.DOWN;
    }

    // ------------------------------------------------------------------- on the deciding thread

    private void lookRegularly() {
        context.after(settings.interval(), this::lookRegularly); // also if a look fails
        prestart.forgetFailures();
        returned.look(this::isFree);
        prestart.look();
    }

    /** Whether a VM is one of a stateless pool and has no user. */
    private boolean isFree(VmId vm) {
        VmPool pool = poolOf(vm);
        return pool != null && !pool.stateful() && pool.members().get(vm) == null;
    }

    private void followed(Operation operation) {
        VmId vm = operation.vm();
        if (!operation.isEnded() || vm == null) {
            return;
        }
        VmPool pool = poolOf(vm);
        if (pool == null) {
            return;
        }
        if (operation.kind() == OperationKind.REMOVE_VM
                && operation.state() == OperationState.SUCCEEDED) {
            change(pool.id(), members -> members.remove(vm)); // as the database did
        }
        prestart.ended(pool, operation);
    }
}
