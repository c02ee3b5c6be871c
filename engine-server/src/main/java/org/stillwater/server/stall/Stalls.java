package org.stillwater.server.stall;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.stillwater.core.time.EngineClock;

/** Counts stalls and writes an event of the flight recorder for each. Thread-safe. */
final class Stalls {

    /** Kinds of work that can stall. */
    enum What {
        /** The whole process: a pause of the collector, or no processor. */
        PROCESS,
        /** Virtual threads, which wait for a carrier. */
        VIRTUAL_THREADS,
        /** Reports of a host, which wait for its thread. */
        MAILBOX;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final EngineClock clock;
    private final long shortestNanos;
    private final Map<What, Meter> meters = new EnumMap<>(What.class);

    private record Meter(Counter counter, Newest newest) {}

    /** The longest stall of the present and of the last minute. */
    private static final class Newest {
        private static final long MINUTE = Duration.ofMinutes(1).toNanos();
        private long since;
        private long longest;
        private long before;

        synchronized void took(long now, long nanos) {
            turn(now);
            longest = Math.max(longest, nanos);
        }

        private void turn(long now) {
            if (now - since >= MINUTE) {
                before = now - since < 2 * MINUTE ? longest : 0;
                longest = 0;
                since = now;
            }
        }

        synchronized double nanos(long now) {
            turn(now);
            return Math.max(longest, before);
        }
    }

    /**
     * No stall yet.
     *
     * @param shortest a shorter wait is none
     */
    Stalls(EngineClock clock, Duration shortest, MeterRegistry registry) {
        this.clock = clock;
        this.shortestNanos = shortest.toNanos();
        for (What what : What.values()) {
            Newest waits = new Newest();
            Counter counter =
                    Counter.builder("stillwater.stalls")
                            .tag("what", what.label())
                            .description("Waits for a turn that were too long")
                            .register(registry);
            meters.put(what, new Meter(counter, waits));
            TimeGauge.builder(
                            "stillwater.stall.longest",
                            waits,
                            TimeUnit.NANOSECONDS,
                            each -> each.nanos(clock.nanoTime()))
                    .tag("what", what.label())
                    .description("Longest wait for a turn in the last one to two minutes")
                    .register(registry);
        }
    }

    /**
     * Something waited.
     *
     * @param host name of the host of a mailbox, else empty
     * @return whether that is a stall
     */
    boolean waited(What what, String host, long nanos) {
        if (nanos < shortestNanos) {
            return false;
        }
        Meter meter = meters.get(what);
        if (meter != null) {
            meter.counter().increment();
            meter.newest().took(clock.nanoTime(), nanos);
        }
        StallEvent event = new StallEvent();
        if (event.isEnabled()) {
            event.what = what.label();
            event.host = host;
            event.waited = nanos;
            event.commit();
        }
        return true;
    }
}
