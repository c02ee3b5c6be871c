package org.stillwater.core.report;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How busy one NUMA node of a host is (monitoring specification §1.7). Null stands for "not
 * reported".
 *
 * @param index number of the node on its host
 * @param memoryFreeMebibytes free memory
 * @param memoryUsedPercent used memory, 0–100
 * @param cpuUserPercent mean over the node's processors, two decimals
 * @param cpuSystemPercent mean over the node's processors, two decimals
 * @param cpuIdlePercent mean over the node's processors, two decimals
 * @param cpuUsagePercent user and system together, 0–100, truncated
 * @param freePages free pages by page size in KiB; empty when not reported
 */
public record NumaNodeStatistics(
        int index,
        @Nullable Long memoryFreeMebibytes,
        @Nullable Integer memoryUsedPercent,
        @Nullable Double cpuUserPercent,
        @Nullable Double cpuSystemPercent,
        @Nullable Double cpuIdlePercent,
        @Nullable Integer cpuUsagePercent,
        Map<Integer, Long> freePages) {

    public NumaNodeStatistics {
        freePages = Map.copyOf(freePages);
    }
}
