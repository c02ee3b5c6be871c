package org.stillwater.core.report;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Wire;

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
        @Wire("(its key)") int index,
        @Wire(value = "memFree", unit = "MiB") @Nullable Long memoryFreeMebibytes,
        @Wire(value = "memPercent", unit = "%") @Nullable Integer memoryUsedPercent,
        @Wire(value = "(mean of its processors)", unit = "%") @Nullable Double cpuUserPercent,
        @Wire(value = "(mean of its processors)", unit = "%") @Nullable Double cpuSystemPercent,
        @Wire(value = "(mean of its processors)", unit = "%") @Nullable Double cpuIdlePercent,
        @Wire(value = "(user and system together)", unit = "%") @Nullable Integer cpuUsagePercent,
        @Wire(value = "hugepages.*.freePages", unit = "pages") Map<Integer, Long> freePages) {

    public NumaNodeStatistics {
        freePages = Map.copyOf(freePages);
    }
}
