package org.stillwater.monitoring.vm;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One number of many VMs, copied from them into one array.
 *
 * <p>A pass that asks each VM follows three references to a number, and with a hundred thousand VMs
 * each of them is a wait for memory. Here a pass reads the version of each VM's numbers, one
 * reference away, and the number itself only of VMs with newer numbers. The values are those that
 * the VMs have at the time of the pass. Used by one thread at a time, which holds the column
 * between {@link #tryHold} and {@link #release}.
 */
public final class VmNumberColumn {

    /** No numbers that can be read have it: it is odd. */
    private static final int NEVER = -1;

    private final VmNumber number;
    private final VmStatistics[] sources;
    private final int[] versions;
    private final double[] values;
    private final ReentrantLock held = new ReentrantLock();

    private VmNumberColumn(VmNumber number, VmStatistics[] sources) {
        this.number = number;
        this.sources = sources;
        this.versions = new int[sources.length];
        this.values = new double[sources.length];
        Arrays.fill(versions, NEVER);
    }

    /**
     * A column for these VMs, in their order.
     *
     * @return null if one of them is not of the registry
     */
    public static @Nullable VmNumberColumn of(VmReading[] vms, VmNumber number) {
        VmStatistics[] sources = new VmStatistics[vms.length];
        for (int i = 0; i < vms.length; i++) {
            if (!(vms[i] instanceof VmManager vm)) {
                return null;
            }
            sources[i] = vm.statistics();
        }
        return new VmNumberColumn(number, sources);
    }

    /** The number in it. */
    public VmNumber number() {
        return number;
    }

    /** Begins a pass, unless another thread is in one. */
    public boolean tryHold() {
        return held.tryLock();
    }

    /** Ends the pass. */
    public void release() {
        held.unlock();
    }

    /** The number of a VM as it is now; NaN if it is not known. In a pass. */
    public double value(int index) {
        VmStatistics source = sources[index];
        if (source.version() != versions[index]) {
            read(index, source);
        }
        return values[index];
    }

    private void read(int index, VmStatistics source) {
        int before;
        double value;
        do {
            before = source.version();
            value = source.value(number);
        } while (before != source.version());
        values[index] = value;
        versions[index] = before;
    }
}
