package org.stillwater.xapi.client;

import java.util.List;

/**
 * A column of {@code rrd_updates}, from its entry in the legend.
 *
 * @param function how rows were made of samples: {@code AVERAGE} and so on
 * @param type {@code vm}, {@code host} or {@code sr}
 * @param uuid of that object
 * @param name of the source
 * @param factor from the server's unit to bytes, bytes per second and seconds
 */
public record RrdColumn(String function, String type, String uuid, String name, double factor) {

    /** States of a VM in which one of its virtual CPUs waits; a VM is in one state at a time. */
    public static final List<String> CONTENDED =
            List.of(
                    "runstate_full_contention",
                    "runstate_concurrency_hazard",
                    "runstate_partial_contention");

    private static final double KIB = 1024;
    private static final double MIB = 1024 * 1024;
    private static final double MICROSECOND = 1e-6;

    /** {@code AVERAGE:vm:<uuid>:cpu0}. */
    static RrdColumn parse(String entry) throws XapiException.Protocol {
        String[] parts = entry.split(":", 4);
        if (parts.length != 4) {
            throw new XapiException.Protocol("not an entry of a legend: " + entry, null);
        }
        return new RrdColumn(parts[0], parts[1], parts[2], parts[3], factor(parts[3]));
    }

    /** Whether the engine shows or watches it; hosts measure ten times as much. */
    boolean isShown() {
        if (!function.equals("AVERAGE")) {
            return false;
        }
        return switch (type) {
            case "host" ->
                    switch (name) {
                        case "cpu_avg", "loadavg", "memory_free_kib", "memory_total_kib" -> true;
                        default ->
                                (name.startsWith("pif_") && isTraffic())
                                        || name.startsWith("latency_");
                    };
            case "vm" ->
                    switch (name) {
                        case "memory", "memory_internal_free" -> true;
                        default ->
                                CONTENDED.contains(name)
                                        || (name.startsWith("cpu")
                                                && isNumber(name, "cpu".length()))
                                        || (name.startsWith("vif_") && isTraffic())
                                        || (name.startsWith("vbd_") && isDisk());
                    };
            default -> false;
        };
    }

    private static boolean isNumber(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return text.length() > from;
    }

    private boolean isTraffic() {
        return name.endsWith("_rx") || name.endsWith("_tx");
    }

    /** Rates in bytes and latencies; {@code vbd_xvda_io_throughput_read} is none of them. */
    private boolean isDisk() {
        int device = name.indexOf('_', "vbd_".length());
        return device > 0
                && switch (name.substring(device)) {
                    case "_read", "_write", "_read_latency", "_write_latency" -> true;
                    default -> false;
                };
    }

    /**
     * Units of the protocol page, §1.8: memory of hosts and free memory of guests are KiB,
     * reclaimed memory is bytes; throughput is MiB/s; latencies are µs, waiting is seconds already.
     */
    static double factor(String name) {
        if (name.endsWith("_kib") || name.equals("memory_internal_free")) {
            return KIB;
        }
        if (name.contains("io_throughput_")) {
            return MIB;
        }
        return name.contains("latency") ? MICROSECOND : 1;
    }
}
