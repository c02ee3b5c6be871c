package org.stillwater.fake.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.TransportMetrics;

/** Counters that rewrite themselves in one line of a terminal, once a second. */
final class LiveLine implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final double MEBIBYTE = 1024.0 * 1024.0;

    private final Fleet fleet;
    private final PrintWriter out;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("fake-counters").factory());
    private TransportMetrics last;

    private LiveLine(Fleet fleet, PrintWriter out) {
        this.fleet = fleet;
        this.out = out;
        this.last = fleet.metrics();
    }

    /** Starts the line if standard output is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // since JDK 25 there is none without a terminal again
    static @Nullable LiveLine onTerminal(Fleet fleet, PrintWriter out) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            return null;
        }
        LiveLine line = new LiveLine(fleet, out);
        ScheduledFuture<?> _ =
                line.timer.scheduleAtFixedRate(
                        line::show, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return line;
    }

    private void show() {
        TransportMetrics now = fleet.metrics();
        out.print("\r\u001b[K" + text(last, now));
        out.flush();
        last = now;
    }

    /** Traffic between two moments one second apart. */
    static String text(TransportMetrics before, TransportMetrics now) {
        return String.format(
                Locale.ROOT,
                "%d connections  %d calls/s  %.1f MiB/s out  %d events/s  %d calls  %d events",
                now.connections(),
                calls(now) - calls(before),
                (now.bytesOut() - before.bytesOut()) / MEBIBYTE,
                now.events() - before.events(),
                calls(now),
                now.events());
    }

    private static long calls(TransportMetrics metrics) {
        return metrics.requests().values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        out.println();
        out.flush();
    }
}
