package org.stillwater.monitoring.lun;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.LunStore;
import org.stillwater.core.store.LunStore.LunSize;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.PendingRows;

/**
 * Keeps the sizes of direct LUNs current (monitoring specification §4.9). A host measures a LUN
 * when it opens it, so one check after the VM began to power up is enough. Mostly an event reports
 * that transition, without disks: the VM is recorded until a poll reports them.
 *
 * <p>Thread-safe; does not block.
 */
public final class LunSizes {

    private static final long BYTES_PER_GIBIBYTE = 1L << 30;

    private final PendingRows<Lun, LunSize> pending;
    private final Set<VmId> poweringUp = ConcurrentHashMap.newKeySet();

    private record Lun(VmId vmId, String lunId) {}

    /** Has no VMs to check. */
    public LunSizes(LunStore store, BatchWriter writer) {
        this.pending = new PendingRows<>(writer, store::saveSizes);
    }

    /** The VM began to power up. */
    public void poweredUp(VmId vm) {
        poweringUp.add(vm);
    }

    /** The VM stopped or was removed: no further check is needed. */
    public void forget(VmId vm) {
        if (!poweringUp.isEmpty()) {
            poweringUp.remove(vm);
        }
    }

    /** Whether the next disks reported for a VM are worth a look. */
    public boolean awaits(VmId vm) {
        return !poweringUp.isEmpty() && poweringUp.contains(vm);
    }

    /**
     * Applies a poll's disks of an {@link #awaits awaited} VM. The VM stays awaited after a report
     * without disks or with a LUN that its host has not measured yet.
     */
    public void reported(VmId vm, VmSample sample) {
        if (!sample.disksReported) {
            return;
        }
        boolean complete = true;
        for (int i = 0; i < sample.diskCount(); i++) {
            VmSample.Disk disk = sample.disk(i);
            String lunId = disk.lunId;
            if (lunId == null || lunId.isEmpty()) {
                continue;
            }
            int size = gibibytes(disk.actualSizeBytes);
            if (size > 0) {
                pending.put(new Lun(vm, lunId), new LunSize(vm, lunId, size));
            } else {
                complete = false;
            }
        }
        if (complete) {
            poweringUp.remove(vm);
        }
    }

    private static int gibibytes(long bytes) {
        return bytes <= 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, bytes / BYTES_PER_GIBIBYTE);
    }
}
