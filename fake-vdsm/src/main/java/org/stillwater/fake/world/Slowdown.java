package org.stillwater.fake.world;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Storage that slows down for a part of a world: latencies of disks and delays of storage domains
 * are multiplied. An engine has to find it out, so {@code /state} shows it. Immutable.
 *
 * @param level {@code disk}, {@code vm}, {@code storage-domain}, {@code host} or {@code cluster}
 * @param targets names of hosts, id of the VM or of the storage domain
 * @param disk device of the VM, null for all
 * @param shape how the factor changes over time
 * @param percent of the usual latency: 200 is twice as slow; of {@code noise} the spread
 * @param beginMillis virtual time of its begin
 * @param lastsMillis how long it lasts, or how long a drift or a period takes; 0 for no end
 */
record Slowdown(
        String level,
        List<String> targets,
        @Nullable String disk,
        LatencyCurve shape,
        int percent,
        long beginMillis,
        long lastsMillis) {

    private static final double PERCENT = 100;

    /** The course of the factor over time. */
    enum LatencyCurve {
        /** At once, without end. */
        STEP,
        /** Evenly over its time, then it stays. */
        DRIFT,
        /** At once, for a short time. */
        DIP,
        /** At once, and back after its time. */
        RECOVERY,
        /** Another factor for each sample, around the usual one. */
        NOISE,
        /** Up and down with its period, as the load of a day. */
        DIURNAL;

        static LatencyCurve ofCode(String code) {
            for (LatencyCurve shape : values()) {
                if (shape.code().equals(code)) {
                    return shape;
                }
            }
            throw new IllegalArgumentException(
                    "unknown shape '%s'; one of %s"
                            .formatted(
                                    code,
                                    Arrays.stream(values()).map(LatencyCurve::code).toList()));
        }

        String code() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Slowdown {
        targets = List.copyOf(targets);
        if (percent < 1 || percent > 100_000) {
            throw new IllegalArgumentException("'percent' is 1 to 100000, not " + percent);
        }
        if (lastsMillis == 0 && shape != LatencyCurve.STEP && shape != LatencyCurve.NOISE) {
            throw new IllegalArgumentException("'lasts' is missing: a duration");
        }
        if (lastsMillis != 0 && shape == LatencyCurve.STEP) {
            throw new IllegalArgumentException(
                    "'lasts' is for other shapes: a step stays; a recovery ends");
        }
    }

    boolean isOfDisk(FakeHost host, Machine machine, Disk of) {
        return switch (level) {
            case "host", "cluster" -> targets.contains(host.name.value());
            case "storage-domain" -> targets.contains(of.storage().toString());
            case "vm" -> targets.contains(machine.idText);
            default -> targets.contains(machine.idText) && of.device().equals(disk);
        };
    }

    boolean isOfDomain(FakeHost host, String domain) {
        return switch (level) {
            case "host", "cluster" -> targets.contains(host.name.value());
            case "storage-domain" -> targets.contains(domain);
            default -> false;
        };
    }

    /** The factor for latencies at a virtual time. */
    double factor(long now) {
        long since = now - beginMillis;
        if (since < 0) {
            return 1;
        }
        double full = percent / PERCENT;
        return switch (shape) {
            case STEP -> full;
            case DRIFT -> 1 + (full - 1) * Math.min(1, (double) since / lastsMillis);
            case DIP, RECOVERY -> since < lastsMillis ? full : 1;
            case NOISE ->
                    lastsMillis > 0 && since >= lastsMillis
                            ? 1
                            : Math.exp(
                                    full
                                            * new SplittableRandom(
                                                            Seeds.of(
                                                                    beginMillis,
                                                                    now / Meter.PERIOD_MILLIS))
                                                    .nextGaussian());
            case DIURNAL -> 1 + (full - 1) * (1 - Math.cos(2 * Math.PI * since / lastsMillis)) / 2;
        };
    }
}
