package org.stillwater.core.host;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How busy a host is, derived from its statistics (monitoring specification §1.8). Null stands for
 * "not known". Immutable.
 *
 * @param cpuPercent user and system time, truncated, 0–100
 * @param memoryPercent 100 − round(100 × (free memory + free static huge pages) / physical memory),
 *     0–100
 * @param networkPercent largest rate of any card or bond, truncated, 0–100
 * @param nics interfaces by name; must not be changed
 */
public record HostUsage(
        @Nullable Integer cpuPercent,
        @Nullable Integer memoryPercent,
        @Nullable Integer networkPercent,
        SortedMap<String, HostNicUsage> nics) {

    /** Nothing known. */
    public static final HostUsage UNKNOWN =
            new HostUsage(null, null, null, Collections.emptySortedMap());

    public HostUsage {
        nics = Collections.unmodifiableSortedMap(nics);
    }

    /**
     * The same host while it is given up or out of service (§3.4): how busy it is, is unknown. The
     * counters of its interfaces stay, so that their totals continue when it is back.
     */
    public HostUsage forgotten() {
        TreeMap<String, HostNicUsage> silent = new TreeMap<>(nics);
        silent.replaceAll((_, nic) -> nic.withoutRates());
        return new HostUsage(null, null, null, silent);
    }
}
