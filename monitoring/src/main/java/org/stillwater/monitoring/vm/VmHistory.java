package org.stillwater.monitoring.vm;

import static org.stillwater.monitoring.vm.StatisticsLayout.*;

import java.util.Arrays;
import java.util.List;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;

/**
 * Extracts the numbers with a history from a VM's statistics. Allocates nothing: it is called for
 * every VM in every cycle.
 *
 * <p>History contains values observed at a time. A value that the newest report lacks is therefore
 * unknown here, even if {@link VmStatistics} still holds the last one.
 */
final class VmHistory {

    private static final List<HistoryMetric> METRICS = HistoryMetric.of(Subject.VM);
    private static final HistoryMetric[] ORDER = METRICS.toArray(HistoryMetric[]::new);

    /** A million bits, in bytes, by a hundred percent. */
    private static final double BYTES_PER_MEGABIT_PERCENT = 1_000_000 / 8.0 / 100;

    private VmHistory() {}

    /**
     * Puts them in the order of the metrics.
     *
     * @param nics the interfaces that the numbers belong to
     * @param numbers laid out by {@link StatisticsLayout}
     * @param disks how many disks are in it
     * @return when they were observed, ms since the epoch; 0 for never
     */
    static long values(VmNic[] nics, long[] numbers, int disks, double[] into) {
        long observed = numbers[OBSERVED];
        if (observed == 0) {
            Arrays.fill(into, 0, ORDER.length, Double.NaN);
            return 0;
        }
        boolean hasNics = (numbers[FLAGS] & HAS_NICS) != 0;
        boolean hasDisks = (numbers[FLAGS] & HAS_DISKS) != 0;
        for (int i = 0; i < ORDER.length; i++) {
            into[i] =
                    switch (ORDER[i]) {
                        case VM_CPU_USAGE -> whole(numbers[CPU_USAGE]);
                        case VM_CPU_USER -> Double.longBitsToDouble(numbers[CPU_USER]);
                        case VM_CPU_SYSTEM -> Double.longBitsToDouble(numbers[CPU_SYSTEM]);
                        case VM_MEMORY_USAGE -> whole(numbers[MEMORY_USAGE]);
                        case VM_MEMORY_UNUSED -> whole(numbers[MEMORY_UNUSED]);
                        case VM_MEMORY_BUFFERED -> whole(numbers[MEMORY_BUFFERED]);
                        case VM_MEMORY_CACHED -> whole(numbers[MEMORY_CACHED]);
                        case VM_NETWORK_USAGE ->
                                hasNics ? whole(numbers[NETWORK_USAGE]) : Double.NaN;
                        case VM_NETWORK_RECEIVE ->
                                hasNics ? traffic(nics, numbers, NIC_RECEIVE_RATE) : Double.NaN;
                        case VM_NETWORK_SEND ->
                                hasNics ? traffic(nics, numbers, NIC_SEND_RATE) : Double.NaN;
                        case VM_DISK_READ ->
                                hasDisks
                                        ? transfer(nics.length, numbers, disks, DISK_READ_RATE)
                                        : Double.NaN;
                        case VM_DISK_WRITE ->
                                hasDisks
                                        ? transfer(nics.length, numbers, disks, DISK_WRITE_RATE)
                                        : Double.NaN;
                        case HOST_CPU_USAGE,
                                HOST_CPU_USER,
                                HOST_CPU_SYSTEM,
                                HOST_CPU_LOAD,
                                HOST_MEMORY_USAGE,
                                HOST_MEMORY_FREE,
                                HOST_SWAP_USED,
                                HOST_KSM_CPU,
                                HOST_NETWORK_USAGE,
                                HOST_NETWORK_RECEIVE,
                                HOST_NETWORK_SEND,
                                HOST_VMS_ACTIVE ->
                                throw new IllegalStateException(ORDER[i] + " is not of a VM");
                    };
        }
        return observed;
    }

    /**
     * Traffic of all interfaces together in one direction, B/s. An interface that the report lacks
     * is unplugged and does not count; an unknown rate leaves the sum unknown.
     */
    private static double traffic(VmNic[] nics, long[] numbers, int rate) {
        double sum = 0;
        boolean any = nics.length == 0;
        for (int i = 0; i < nics.length; i++) {
            int at = nic(i);
            double percent = Double.longBitsToDouble(numbers[at + rate]);
            if (!Double.isNaN(percent)) {
                any = true;
                sum += percent * nics[i].speedMegabitsPerSecond() * BYTES_PER_MEGABIT_PERCENT;
            } else if ((numbers[at + NIC_FLAGS] & REPORTED) != 0) {
                return Double.NaN;
            }
        }
        return any ? sum : Double.NaN;
    }

    /** Transfer of all disks together in one direction, B/s. */
    private static double transfer(int nics, long[] numbers, int disks, int rate) {
        double sum = 0;
        for (int i = 0; i < disks; i++) {
            sum += Double.longBitsToDouble(numbers[disk(nics, i) + rate]);
        }
        return sum;
    }

    private static double whole(long value) {
        return value == NONE ? Double.NaN : value;
    }
}
