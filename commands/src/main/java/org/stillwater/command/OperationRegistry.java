package org.stillwater.command;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;

/**
 * Operations in memory: every open one, and the newest of those that ended. Thread-safe; readers do
 * not lock, except for ended ones.
 */
public final class OperationRegistry {

    /** The newest first; of equally old ones the greater id. */
    static final Comparator<Operation> NEWEST_FIRST =
            Comparator.comparing(Operation::createdAt).thenComparing(Operation::id).reversed();

    private final Map<UUID, VmTask> open = new ConcurrentHashMap<>();
    private final Map<UUID, Operation> ended;

    // Guarded by this.
    private final Map<VmId, List<UUID>> byVm = new HashMap<>();
    private final Map<HostId, List<UUID>> byHost = new HashMap<>();

    public OperationRegistry(int keptEnded) {
        this.ended =
                new LinkedHashMap<>(16, 0.75f, false) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<UUID, Operation> eldest) {
                        return size() > keptEnded;
                    }
                };
    }

    /** Number of open operations. */
    public int size() {
        return open.size();
    }

    /** Whether an operation on a VM is open, other than the opening of consoles. */
    public boolean isBusy(VmId vm) {
        synchronized (this) {
            for (UUID id : byVm.getOrDefault(vm, List.of())) {
                VmTask task = open.get(id);
                if (task != null && task.operation().kind() != OperationKind.CONSOLE_TICKET) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Whether an operation of this kind on a VM would conflict with an open one. */
    public boolean isBusyFor(VmId vm, OperationKind kind) {
        for (VmTask task : on(vm)) {
            if (!VmRules.mayJoin(kind, task)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds an operation, unless it conflicts with another one.
     *
     * @return the conflicting operation; null if it was added
     */
    public synchronized @Nullable Operation add(Operation operation) {
        VmId vm = operation.vm();
        if (vm != null) {
            List<UUID> others = byVm.computeIfAbsent(vm, _ -> new ArrayList<>(1));
            for (UUID id : others) {
                VmTask other = open.get(id);
                if (other != null && !VmRules.mayJoin(operation.kind(), other)) {
                    return other.operation();
                }
            }
            others.add(operation.id());
        }
        HostId host = operation.host();
        if (host != null) {
            List<UUID> others = byHost.computeIfAbsent(host, _ -> new ArrayList<>(1));
            for (UUID id : others) {
                VmTask other = open.get(id);
                if (other != null && other.operation().kind() == operation.kind()) {
                    return other.operation();
                }
            }
            others.add(operation.id());
        }
        open.put(operation.id(), VmTask.of(operation));
        return null;
    }

    /** Adds an operation that was open when the engine stopped, without regard to limits. */
    public synchronized void restore(Operation operation) {
        VmId vm = operation.vm();
        if (vm != null) {
            byVm.computeIfAbsent(vm, _ -> new ArrayList<>(1)).add(operation.id());
        }
        HostId host = operation.host();
        if (host != null) {
            byHost.computeIfAbsent(host, _ -> new ArrayList<>(1)).add(operation.id());
        }
        open.put(operation.id(), VmTask.of(operation));
    }

    /** Replaces the known state of an open operation. */
    public void put(VmTask task) {
        open.computeIfPresent(task.operation().id(), (_, _) -> task);
    }

    /** An open operation, or null. */
    public @Nullable VmTask open(UUID id) {
        return open.get(id);
    }

    /** Whether an operation is open and awaits reports of hosts. */
    public boolean isAwaiting(UUID id) {
        VmTask task = open.get(id);
        return task != null && task.phase() == VmTask.Phase.AWAITING;
    }

    /** Open operations on a VM. */
    public List<VmTask> on(VmId vm) {
        List<VmTask> tasks = new ArrayList<>(1);
        synchronized (this) {
            for (UUID id : byVm.getOrDefault(vm, List.of())) {
                VmTask task = open.get(id);
                if (task != null) {
                    tasks.add(task);
                }
            }
        }
        return tasks;
    }

    /** Open operations on a host. */
    public List<VmTask> on(HostId host) {
        List<VmTask> tasks = new ArrayList<>(1);
        synchronized (this) {
            for (UUID id : byHost.getOrDefault(host, List.of())) {
                VmTask task = open.get(id);
                if (task != null) {
                    tasks.add(task);
                }
            }
        }
        return tasks;
    }

    /** Every open operation, in no order. */
    public Collection<VmTask> open() {
        return open.values();
    }

    /** An operation that never became durable is forgotten. */
    public void remove(Operation operation) {
        synchronized (this) {
            drop(operation);
        }
    }

    /** An operation that ended no longer conflicts with others. */
    public void ended(Operation operation) {
        synchronized (this) {
            ended.put(operation.id(), operation);
            drop(operation);
        }
    }

    private void drop(Operation operation) {
        open.remove(operation.id());
        VmId vm = operation.vm();
        if (vm != null) {
            byVm.computeIfPresent(vm, (_, ids) -> without(ids, operation.id()));
        }
        HostId host = operation.host();
        if (host != null) {
            byHost.computeIfPresent(host, (_, ids) -> without(ids, operation.id()));
        }
    }

    private static @Nullable List<UUID> without(List<UUID> ids, UUID id) {
        ids.remove(id);
        return ids.isEmpty() ? null : ids;
    }

    /** The operation of this id, open or lately ended; null if memory has none. */
    public @Nullable Operation find(UUID id) {
        VmTask task = open.get(id);
        if (task != null) {
            return task.operation();
        }
        synchronized (this) {
            return ended.get(id);
        }
    }

    /** Operations of memory, the newest first. */
    public List<Operation> list(Predicate<Operation> wanted) {
        List<Operation> all = new ArrayList<>();
        open.values().stream().map(VmTask::operation).filter(wanted).forEach(all::add);
        synchronized (this) {
            Stream<Operation> rest = ended.values().stream();
            rest.filter(wanted).forEach(all::add);
        }
        all.sort(NEWEST_FIRST);
        return all;
    }
}
