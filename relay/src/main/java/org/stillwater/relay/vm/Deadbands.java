package org.stillwater.relay.vm;

import org.stillwater.relay.state.Deadband;

/**
 * Deadbands of the numbers of VMs. Counters, sizes and times have none: rates are computed from
 * them.
 *
 * @param cpuPercent of processor time, % of one core
 * @param memoryKibibytes of memory in the guest
 * @param bytesPerSecond of the rates of disks
 * @param latencyNanos of the latencies of disks
 */
public record Deadbands(
        double cpuPercent, double memoryKibibytes, double bytesPerSecond, double latencyNanos)
        implements Deadband {

    @Override
    public double of(int key) {
        return switch (key) {
            case CellKey.CPU_USER, CellKey.CPU_SYSTEM -> cpuPercent;
            case CellKey.MEMORY_FREE,
                    CellKey.MEMORY_UNUSED,
                    CellKey.MEMORY_BUFFERED,
                    CellKey.MEMORY_CACHED ->
                    memoryKibibytes;
            default ->
                    switch (CellKey.ofDisk(key)) {
                        case CellKey.READ_RATE, CellKey.WRITE_RATE -> bytesPerSecond;
                        case CellKey.READ_LATENCY, CellKey.WRITE_LATENCY, CellKey.FLUSH_LATENCY ->
                                latencyNanos;
                        default -> 0;
                    };
        };
    }
}
