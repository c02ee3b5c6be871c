package org.stillwater.server.xapi;

import java.util.LinkedHashSet;
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
 * inventories; its queue is a set of pools, which bounds it. Thread-safe.
 */
final class EngineInventory implements PoolInventory, SupervisedWorker.Work {

    private static final int LONGEST_MESSAGE = 1_000;

    private final PoolKeeping keeping;
    private final VmCommandAccess vms;
    private final PoolFile file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Set<XapiPool> waiting = new LinkedHashSet<>();
    private boolean closed;

    EngineInventory(PoolKeeping keeping, VmCommandAccess vms, PoolFile file) {
        this.keeping = keeping;
        this.vms = vms;
        this.file = file;
    }

    @Override
    public void changed(XapiPool pool) {
        lock.lock();
        try {
            waiting.add(pool);
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
            while (waiting.isEmpty() && !closed) {
                arrived.await();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void perform() {
        XapiPool pool = next();
        if (pool == null) {
            return;
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
                        "Pool %s refuses the engine: %s. Look at its user and its password in the settings"
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
