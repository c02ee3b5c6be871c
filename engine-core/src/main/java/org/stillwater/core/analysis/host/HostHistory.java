package org.stillwater.core.analysis.host;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostStatistics;

/** Takes the numbers of which history is kept out of all that is known of a host. Pure. */
public final class HostHistory {

    private static final List<HistoryMetric> METRICS = HistoryMetric.of(Subject.HOST);

    /** A million bits, in bytes, by a hundred percent. */
    private static final double BYTES_PER_MEGABIT_PERCENT = 1_000_000 / 8.0 / 100;

    private HostHistory() {}

    /**
     * The numbers in the order of {@link HistoryMetric#of} a host; NaN for those that the newest
     * answer lacks.
     *
     * @param usage usage by the newest answer and the one before it
     * @param roles roles of the interfaces
     */
    public static double[] values(HostStatistics newest, HostUsage usage, HostNicRoles roles) {
        // Without interfaces in the newest answer, those of the usage are older.
        boolean hasNics = !newest.nics().isEmpty();
        double[] values = new double[METRICS.size()];
        for (HistoryMetric metric : METRICS) {
            values[metric.index()] =
                    switch (metric) {
                        case HOST_CPU_USAGE -> known(usage.cpuPercent());
                        case HOST_CPU_USER -> known(newest.cpu().userPercent());
                        case HOST_CPU_SYSTEM -> known(newest.cpu().systemPercent());
                        case HOST_CPU_LOAD -> known(newest.cpu().load());
                        case HOST_MEMORY_USAGE -> known(usage.memoryPercent());
                        case HOST_MEMORY_FREE -> known(newest.memory().freeMebibytes());
                        case HOST_SWAP_USED ->
                                known(newest.memory().swapTotalMebibytes())
                                        - known(newest.memory().swapFreeMebibytes());
                        case HOST_KSM_CPU -> known(newest.ksm().cpuPercent());
                        case HOST_NETWORK_USAGE ->
                                hasNics ? known(usage.networkPercent()) : Double.NaN;
                        case HOST_NETWORK_RECEIVE ->
                                hasNics ? traffic(usage, roles, true) : Double.NaN;
                        case HOST_NETWORK_SEND ->
                                hasNics ? traffic(usage, roles, false) : Double.NaN;
                        case HOST_VMS_ACTIVE -> known(newest.vms().active());
                        case VM_CPU_USAGE,
                                VM_CPU_USER,
                                VM_CPU_SYSTEM,
                                VM_MEMORY_USAGE,
                                VM_MEMORY_UNUSED,
                                VM_MEMORY_BUFFERED,
                                VM_MEMORY_CACHED,
                                VM_NETWORK_USAGE,
                                VM_NETWORK_RECEIVE,
                                VM_NETWORK_SEND,
                                VM_DISK_READ,
                                VM_DISK_WRITE ->
                                throw new IllegalStateException(metric + " is not of a host");
                    };
        }
        return values;
    }

    /**
     * Traffic of all cards and bonds together in one direction, B/s; interfaces without a link
     * carry nothing, and an unknown rate leaves the sum unknown.
     */
    private static double traffic(HostUsage usage, HostNicRoles roles, boolean received) {
        double sum = 0;
        boolean any = false;
        for (Map.Entry<String, HostNicUsage> entry : usage.nics().entrySet()) {
            HostNicUsage nic = entry.getValue();
            if (roles.of(entry.getKey()).counted()) {
                any = true;
                if (!Boolean.FALSE.equals(nic.up())) {
                    sum +=
                            known(received ? nic.receiveRatePercent() : nic.sendRatePercent())
                                    * known(nic.speedMegabitsPerSecond())
                                    * BYTES_PER_MEGABIT_PERCENT;
                }
            }
        }
        return any ? sum : Double.NaN;
    }

    private static double known(@Nullable Number value) {
        return value == null ? Double.NaN : value.doubleValue();
    }
}
