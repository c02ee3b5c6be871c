package org.stillwater.server.xapi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.text.SafeText;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.xapi.host.PoolInventory;
import org.stillwater.xapi.host.PoolMessage;
import org.stillwater.xapi.host.XapiPool;

/**
 * Applies the changes of pools that their hosts do not report. One supervised thread keeps their
 * inventories, and removes those of pools that are watched no longer; its queue is a set of pools,
 * which bounds it. Thread-safe.
 */
final class EngineInventory implements PoolInventory, SupervisedWorker.Work {

    private static final int LONGEST_MESSAGE = 1_000;

    private final PoolKeeping keeping;
    private final VmCommandAccess vms;
    private final PoolFile file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Set<XapiPool> waiting = new LinkedHashSet<>();
    private final Deque<Removal> removals = new ArrayDeque<>();

    /** Removals that wait for rows to be written. */
    private final List<Removal> parked = new ArrayList<>();

    /** Counts written rows of pools that are watched no longer. */
    private long written;

    private final PoolRemover remover;
    private boolean closed;

    /** So that pools which change all the time leave turns to removals. The worker's alone. */
    private boolean turnOfRemovals;

    /**
     * A pool that is watched no longer.
     *
     * @param pool its name
     */
    record Removal(ClusterId cluster, String pool, Ending ending) {}

    /** Takes the end of a removal. */
    @FunctionalInterface
    interface Ending {

        /**
         * No host or VM of the pool is left.
         *
         * @throws StoreUnavailable if the database cannot be written now; called again then
         */
        void removed() throws StoreUnavailable;
    }

    EngineInventory(PoolKeeping keeping, PoolRemover remover, VmCommandAccess vms, PoolFile file) {
        this.keeping = keeping;
        this.remover = remover;
        this.vms = vms;
        this.file = file;
    }

    @Override
    public void changed(XapiPool pool) {
        lock.lock();
        try {
            if (pool.isClosed()) {
                written++; // rows of it, perhaps
                removals.addAll(parked);
                parked.clear();
            } else {
                waiting.add(pool);
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Removes the hosts and VMs of a pool that is watched no longer. */
    void remove(Removal removal) {
        lock.lock();
        try {
            removals.add(removal);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the worker after its present task. */
    void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && removals.isEmpty() && !closed) {
                arrived.await();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void perform() throws InterruptedException {
        boolean isTurnOfRemovals = turnOfRemovals;
        turnOfRemovals = !isTurnOfRemovals;
        if (isTurnOfRemovals && removeNext()) {
            return;
        }
        XapiPool pool = next();
        if (pool == null) {
            boolean _ = removeNext();
            return;
        }
        if (pool.isClosed()) {
            return; // its last change came before its removal
        }
        boolean kept = false;
        try {
            keeping.keep(pool);
            kept = true;
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(
                    "pool %s waits for the database: %s".formatted(pool.name(), e.getMessage()), e);
        } finally {
            if (!kept) {
                changed(pool);
            }
            file.save();
        }
    }

    /** Whether there was a removal. */
    private boolean removeNext() throws InterruptedException {
        Removal removal;
        long before;
        lock.lock();
        try {
            removal = removals.poll();
            before = written;
        } finally {
            lock.unlock();
        }
        if (removal == null) {
            return false;
        }
        PoolRemover.Step left = PoolRemover.Step.MORE;
        try {
            left = remover.step(removal);
            if (left == PoolRemover.Step.DONE) {
                left = PoolRemover.Step.MORE; // until its end is durable
                removal.ending().removed();
                left = PoolRemover.Step.DONE;
            }
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(
                    "the removal of pool %s waits for the database: %s"
                            .formatted(removal.pool(), e.getMessage()),
                    e);
        } finally {
            again(removal, left, before);
        }
        return true;
    }

    private void again(Removal removal, PoolRemover.Step left, long before) {
        lock.lock();
        try {
            switch (left) {
                case MORE -> removals.add(removal);
                case WAITS -> {
                    boolean isOver = written != before; // what it waits for
                    boolean _ = isOver ? removals.add(removal) : parked.add(removal);
                }
                case DONE -> {
                    // Nothing is left of the pool.
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable XapiPool next() {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                return null;
            }
            XapiPool first = waiting.iterator().next();
            waiting.remove(first);
            return first;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void moving(VmId vm, HostId from, HostId to) {
        keeping.moving(vm, from, to);
    }

    @Override
    public void told(XapiPool pool, PoolMessage message, boolean old) {
        ClusterId cluster = pool.cluster();
        if (cluster == null) {
            return;
        }
        if (file.told(cluster, message.at(), old)) {
            vms.audit(
                    event(message.priority()),
                    message.about().equals("VM") ? vm(message.object()) : null,
                    message.about().equals("Host") ? host(message.object()) : null,
                    Map.of("message", words(pool, message)));
        }
        changed(pool);
    }

    @Override
    public void refused(XapiPool pool, String code) {
        vms.audit(
                AuditEvent.EXTERNAL_ALERT,
                null,
                null,
                Map.of(
                        "message",
                        "Pool %s refuses the engine: %s. Look at its user and its password"
                                .formatted(pool.name(), SafeText.of(code, LONGEST_MESSAGE))));
    }

    private static String words(XapiPool pool, PoolMessage message) {
        String body = message.body().isBlank() ? "" : ": " + message.body();
        return SafeText.of(
                "Pool %s: %s%s".formatted(pool.name(), message.name(), body), LONGEST_MESSAGE);
    }

    /** 1 is data loss, 2 service loss, 3 service degraded, 4 recovered, 5 informational. */
    private static AuditEvent event(long priority) {
        if (priority <= 2) {
            return AuditEvent.EXTERNAL_EVENT_ERROR;
        }
        return priority == 3 ? AuditEvent.EXTERNAL_EVENT_WARNING : AuditEvent.EXTERNAL_EVENT_NORMAL;
    }

    private @Nullable VmId vm(String uuid) {
        try {
            VmId id = VmId.parse(uuid);
            return vms.knows(id) ? id : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private @Nullable HostId host(String uuid) {
        try {
            HostId id = HostId.parse(uuid);
            return vms.host(id) == null ? null : id;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
