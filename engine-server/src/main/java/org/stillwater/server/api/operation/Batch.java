package org.stillwater.server.api.operation;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationState;

/** The operations of one batch as they are now, and their followers. Thread-safe. */
final class Batch {

    private static final Comparator<Operation> IN_ORDER =
            Comparator.<Operation>comparingInt(operation -> operation.origin().position())
                    .thenComparing(Operation::id);

    private final UUID id;
    private final Map<UUID, Operation> operations = new HashMap<>(); // guarded by itself
    private final List<Follower> followers = new CopyOnWriteArrayList<>();

    Batch(UUID id) {
        this.id = id;
    }

    UUID id() {
        return id;
    }

    /** An operation continued. */
    void told(Operation operation) {
        synchronized (operations) {
            operations.put(operation.id(), operation);
        }
        followers.forEach(follower -> follower.changed(operation.id()));
    }

    /** Adds the operations that the database has; reports that came meanwhile are newer. */
    void loaded(Collection<Operation> all) {
        synchronized (operations) {
            all.forEach(operation -> operations.putIfAbsent(operation.id(), operation));
        }
    }

    /** Every operation, in the order in which they were requested. */
    List<Operation> all() {
        synchronized (operations) {
            return operations.values().stream().sorted(IN_ORDER).toList();
        }
    }

    int size() {
        synchronized (operations) {
            return operations.size();
        }
    }

    /** How many are in each state; none is left out. */
    Map<OperationState, Integer> counts() {
        Map<OperationState, Integer> counts = new EnumMap<>(OperationState.class);
        for (OperationState state : OperationState.values()) {
            counts.put(state, 0);
        }
        synchronized (operations) {
            operations.values().forEach(each -> counts.merge(each.state(), 1, Integer::sum));
        }
        return counts;
    }

    boolean isEnded() {
        synchronized (operations) {
            return operations.values().stream().allMatch(Operation::isEnded);
        }
    }

    Follower follow() {
        Follower follower = new Follower();
        followers.add(follower);
        return follower;
    }

    /**
     * A follower of changes: which operations did is remembered, each once, so that the slowest
     * reader costs no more than the batch is large.
     */
    final class Follower implements AutoCloseable {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition news = lock.newCondition();
        private final Set<UUID> changed = new LinkedHashSet<>(); // guarded by lock
        private volatile boolean closed;

        private void changed(UUID operation) {
            lock.lock();
            try {
                changed.add(operation);
                news.signal();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Operations that changed since the last call; waits up to this time for one, else empty.
         */
        List<Operation> next(Duration patience) throws InterruptedException {
            List<UUID> ids;
            lock.lock();
            try {
                long left = patience.toNanos();
                while (changed.isEmpty() && !closed && left > 0) {
                    left = news.awaitNanos(left);
                }
                ids = List.copyOf(changed);
                changed.clear();
            } finally {
                lock.unlock();
            }
            synchronized (operations) {
                return ids.stream().map(operations::get).toList();
            }
        }

        boolean isClosed() {
            return closed;
        }

        /** Stops following, and wakes the waiting thread. */
        @Override
        public void close() {
            followers.remove(this);
            closed = true;
            lock.lock();
            try {
                news.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
