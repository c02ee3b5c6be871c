package org.stillwater.benchmarks.api;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.Distribution;
import org.stillwater.benchmarks.scale.HarnessClock;

/**
 * One kind of request, sent repeatedly on one connection.
 *
 * @param name name of the request
 * @param perSecond how many were answered in a second
 * @param latency of those, in milliseconds
 * @param bytes of one answer
 */
public record Requests(String name, double perSecond, Distribution latency, long bytes) {

    private static final int MOST = 1_000_000;

    /** Measures for a time, after a warm-up in which the JVM compiles it. */
    public static Requests measure(
            String name, int port, String path, String headers, int status, Duration time)
            throws IOException {
        HarnessClock clock = new HarnessClock();
        double[] millis = new double[1_024];
        int count = 0;
        long bytes = 0;
        try (HttpLoadConnection wire = new HttpLoadConnection(port)) {
            long warm = clock.nanoTime() + time.toNanos() / 2;
            do {
                check(path, status, wire.get(path, headers));
            } while (clock.nanoTime() - warm < 0);
            long begun = clock.nanoTime();
            long end = begun + time.toNanos();
            long now = begun;
            while (now - end < 0 && count < MOST) {
                long asked = now;
                HttpLoadConnection.Answer answer = wire.get(path, headers);
                now = clock.nanoTime();
                check(path, status, answer);
                bytes = answer.bytes();
                if (count == millis.length) {
                    millis = Arrays.copyOf(millis, 2 * count);
                }
                millis[count++] = (now - asked) / 1e6;
            }
            return new Requests(
                    name,
                    count / ((now - begun) / 1e9),
                    Distribution.ofMillis(Arrays.copyOf(millis, count)),
                    bytes);
        }
    }

    private static void check(String path, int status, HttpLoadConnection.Answer answer) {
        if (answer.status() != status) {
            throw new BenchFailure(path + " answered " + answer.status());
        }
    }

    /** The head of a table of such rows. */
    public static String header() {
        return String.format(
                Locale.ROOT,
                "%-52s %10s %9s %9s %9s %12s%n",
                "request",
                "per s",
                "p50 ms",
                "p99 ms",
                "max ms",
                "bytes");
    }

    /** One row of the table. */
    public String row() {
        return String.format(
                Locale.ROOT,
                "%-52s %10.1f %9.2f %9.2f %9.2f %12d%n",
                name,
                perSecond,
                latency.p50(),
                latency.p99(),
                latency.max(),
                bytes);
    }
}
