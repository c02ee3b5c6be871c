package org.stillwater.core.analysis.host;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostStatistics;

/** Derives a host's usage from its statistics (monitoring specification §1.8). Pure. */
public final class HostUsages {

    private static final double KIBIBYTES_PER_MEBIBYTE = 1024;

    private HostUsages() {}

    /**
     * Usage of a host after the newest statistics. An interface that they do not name is forgotten;
     * when they name none at all, as after a host's start, the interfaces are kept as they are.
     *
     * @param before usage of the answer before
     * @param roles roles of the interfaces
     * @param physicalMebibytes the host's memory, null when not known
     */
    public static HostUsage next(
            HostUsage before,
            HostStatistics statistics,
            HostNicRoles roles,
            @Nullable Long physicalMebibytes) {
        SortedMap<String, HostNicUsage> next = before.nics();
        if (!statistics.nics().isEmpty()) {
            TreeMap<String, HostNicUsage> seen = new TreeMap<>();
            statistics
                    .nics()
                    .forEach((name, nic) ->
                            seen.put(name, HostNicRates.next(before.nics().get(name), nic)));
            next = seen;
        }
        return new HostUsage(
                cpu(statistics.cpu()),
                memory(statistics.memory(), physicalMebibytes),
                network(next, roles),
                next);
    }

    private static @Nullable Integer cpu(HostStatistics.Cpu cpu) {
        return cpu.userPercent() == null || cpu.systemPercent() == null
                ? null
                : (Integer) (int) Math.clamp(cpu.userPercent() + cpu.systemPercent(), 0, 100);
    }

    private static @Nullable Integer memory(
            HostStatistics.Memory memory, @Nullable Long physicalMebibytes) {
        if (memory.freeMebibytes() == null || physicalMebibytes == null || physicalMebibytes <= 0) {
            return null;
        }
        double free = memory.freeMebibytes() + hugePagesMebibytes(memory.hugePages(), true);
        return Math.clamp(100 - Math.round(100 * free / physicalMebibytes), 0, 100);
    }

    /** Memory in static huge pages, all of them or the free ones. */
    static double hugePagesMebibytes(
            Map<String, HostStatistics.HugePages> hugePages, boolean onlyFree) {
        double mebibytes = 0;
        for (Map.Entry<String, HostStatistics.HugePages> size : hugePages.entrySet()) {
            Long pages = onlyFree ? size.getValue().free() : size.getValue().total();
            if (pages != null) {
                mebibytes += pages * (kibibytes(size.getKey()) / KIBIBYTES_PER_MEBIBYTE);
            }
        }
        return mebibytes;
    }

    private static long kibibytes(String size) {
        try {
            return Math.max(0, Long.parseLong(size));
        } catch (NumberFormatException notASize) {
            return 0;
        }
    }

    private static @Nullable Integer network(
            SortedMap<String, HostNicUsage> nics, HostNicRoles roles) {
        double most = Double.NaN;
        for (Map.Entry<String, HostNicUsage> nic : nics.entrySet()) {
            double rate = nic.getValue().ratePercent();
            if (roles.of(nic.getKey()).counted() && (Double.isNaN(most) || rate > most)) {
                most = rate;
            }
        }
        return Double.isNaN(most) ? null : (Integer) (int) most;
    }
}
