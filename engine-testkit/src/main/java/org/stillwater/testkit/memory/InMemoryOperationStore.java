package org.stillwater.testkit.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.HostWorkStore;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;

/**
 * Operations in memory, beside the stores of VMs and hosts with the work that they take over.
 * Counts calls; can be made unavailable, and to lose an answer. Thread-safe.
 */
public final class InMemoryOperationStore extends InMemoryStore implements OperationStore {

    /** By age, then by identity as PostgreSQL orders it: a {@link UUID} orders otherwise. */
    private static final Comparator<Operation> OLDEST_FIRST =
            Comparator.comparing(Operation::createdAt)
                    .thenComparing(operation -> VmId.of(operation.id()));

    private final InMemoryVmStore vms;
    private final HostWorkStore hostWork;
    private final Map<UUID, Operation> operations = new LinkedHashMap<>();
    private boolean answerLost;

    /** Operations on these VMs and hosts. */
    public InMemoryOperationStore(InMemoryVmStore vms, HostWorkStore hostWork) {
        this.vms = vms;
        this.hostWork = hostWork;
    }

    /** The next call that begins operations does so, and fails. */
    public synchronized void loseAnswer() {
        answerLost = true;
    }

    /** Every operation as stored, the oldest first. */
    public synchronized List<Operation> all() {
        return List.copyOf(operations.values());
    }

    @Override
    public synchronized Set<UUID> begin(List<Begun> begun) throws StoreUnavailable {
        reach();
        Set<UUID> done = new HashSet<>();
        for (Begun next : begun) {
            Operation operation = next.operation();
            VmId vm = operation.vm();
            boolean gone =
                    vm != null && operation.kind() != OperationKind.ADD_VM && vms.vm(vm) == null;
            boolean known = operations.containsKey(operation.id());
            if (known || (!gone && takes(next))) {
                operations.putIfAbsent(operation.id(), operation);
                done.add(operation.id());
            }
        }
        if (answerLost) {
            answerLost = false;
            throw new StoreUnavailable(
                    "the answer was lost", new IllegalStateException("connection broken"));
        }
        return done;
    }

    private boolean takes(Begun begun) throws StoreUnavailable {
        UUID owner = begun.operation().id();
        Instant at = begun.operation().createdAt();
        if (begun.work() != null && !vms.takeOver(begun.work(), owner, at)) {
            return false;
        }
        return begun.hostWork() == null || hostWork.takeOverHost(begun.hostWork(), owner, at);
    }

    @Override
    public synchronized Set<UUID> takeOver(List<Begun> taken) throws StoreUnavailable {
        reach();
        Set<UUID> done = new HashSet<>();
        for (Begun next : taken) {
            if (operations.containsKey(next.operation().id()) && takes(next)) {
                done.add(next.operation().id());
            }
        }
        return done;
    }

    @Override
    public synchronized void discharge(List<PendingWork> done, Instant at) throws StoreUnavailable {
        reach();
        for (PendingWork work : done) {
            boolean _ = vms.takeOver(work, new UUID(0, 0), at);
        }
    }

    @Override
    public synchronized WriteOutcome save(List<Operation> saved) {
        WriteOutcome.Unavailable refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int rows = 0;
        for (Operation operation : saved) {
            Operation before = operations.replace(operation.id(), operation);
            if (before != null && !before.equals(operation)) {
                rows++;
            }
        }
        return touched(rows);
    }

    @Override
    public synchronized void loadOpen(Consumer<Operation> receiver) throws StoreUnavailable {
        reach();
        operations.values().stream()
                .filter(operation -> !operation.isEnded())
                .sorted(OLDEST_FIRST)
                .forEach(receiver);
    }

    @Override
    public synchronized void loadFailedColdReboots(Consumer<Operation> receiver)
            throws StoreUnavailable {
        reach();
        operations.values().stream()
                .filter(operation ->
                        isColdStart(operation)
                                && operation.isEnded()
                                && operation.state() != OperationState.SUCCEEDED)
                .filter(operation ->
                        operations.values().stream().noneMatch(later -> replaces(later, operation)))
                .sorted(OLDEST_FIRST)
                .forEach(receiver);
    }

    private static boolean isColdStart(Operation operation) {
        return operation.parameters() instanceof OperationParameters.Run run
                && run.cause() == OperationParameters.Cause.COLD_REBOOT;
    }

    private static boolean replaces(Operation later, Operation start) {
        return Objects.equals(later.vm(), start.vm())
                && OLDEST_FIRST.compare(later, start) > 0
                && later.kind() != OperationKind.UPDATE_VM
                && later.kind() != OperationKind.CONSOLE_TICKET
                && !(isColdStart(later) && later.state() != OperationState.SUCCEEDED);
    }

    @Override
    public synchronized @Nullable Operation find(UUID id) throws StoreUnavailable {
        reach();
        return operations.get(id);
    }

    @Override
    public synchronized List<Operation> list(Filter filter) throws StoreUnavailable {
        reach();
        return operations.values().stream()
                .filter(operation -> meets(operation, filter))
                .sorted(OLDEST_FIRST.reversed())
                .limit(filter.limit())
                .toList();
    }

    private static boolean meets(Operation operation, Filter filter) {
        VmId vm = filter.vm();
        HostId host = filter.host();
        UUID batch = filter.batch();
        Instant before = filter.before();
        UUID beforeId = filter.beforeId();
        int order = before == null ? -1 : operation.createdAt().compareTo(before);
        return (vm == null || vm.equals(operation.vm()))
                && (host == null || host.equals(operation.host()))
                && (filter.kind() == null || filter.kind() == operation.kind())
                && (filter.state() == null || filter.state() == operation.state())
                && (batch == null || batch.equals(operation.origin().batch()))
                && (order < 0
                        || (order == 0
                                && beforeId != null
                                && VmId.of(operation.id()).compareTo(VmId.of(beforeId)) < 0));
    }

    @Override
    public synchronized int removeEndedBefore(Instant moment, int most) throws StoreUnavailable {
        reach();
        List<UUID> old =
                operations.values().stream()
                        .filter(operation -> endedBefore(operation, moment))
                        .limit(most)
                        .map(Operation::id)
                        .toList();
        old.forEach(operations::remove);
        return old.size();
    }

    private static boolean endedBefore(Operation operation, Instant moment) {
        Instant end = operation.endedAt();
        return end != null && end.isBefore(moment);
    }
}
