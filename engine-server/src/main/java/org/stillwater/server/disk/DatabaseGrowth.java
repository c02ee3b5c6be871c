package org.stillwater.server.disk;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.DatabaseSizes.Sizes;

/**
 * Size of the database and how it grows, embedded or external: one statement an hour. Growth is
 * that of the last day, or of the time since the start. Thread-safe.
 */
public final class DatabaseGrowth {

    private static final Logger log = LoggerFactory.getLogger(DatabaseGrowth.class);
    private static final Duration PAUSE = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final Source source;
    private final EngineClock clock;
    private final Deque<Look> looks = new ArrayDeque<>();
    private @Nullable Long triedNanos;

    /** Reader of the sizes; a database in operation. */
    @FunctionalInterface
    public interface Source {

        /** The present sizes. */
        Sizes sizes() throws StoreUnavailable;
    }

    private record Look(long atNanos, Sizes sizes) {}

    /** Growth of a database before its first check. */
    public DatabaseGrowth(Source source, EngineClock clock, MeterRegistry meters) {
        this.source = source;
        this.clock = clock;
        Gauge.builder("stillwater.database.size", this, each -> each.value(Sizes::bytes))
                .description("Disk space of the database")
                .baseUnit("bytes")
                .tag("part", "all")
                .register(meters);
        Gauge.builder("stillwater.database.size", this, each -> each.value(Sizes::historyBytes))
                .description("Disk space of the database")
                .baseUnit("bytes")
                .tag("part", "history")
                .register(meters);
        Gauge.builder("stillwater.database.growth", this, each -> number(each.growthBytesPerDay()))
                .description("Growth of the database in a day")
                .baseUnit("bytes")
                .register(meters);
    }

    /** The number of a size; bytes fit a double up to 8 PiB. */
    @FunctionalInterface
    private interface Part {
        long of(Sizes sizes);
    }

    private double value(Part part) {
        Sizes newest = sizes();
        return newest == null ? Double.NaN : part.of(newest);
    }

    private static double number(@Nullable Long value) {
        return value == null ? Double.NaN : value;
    }

    /** Asks the database if the last time was an hour ago. */
    public void look() {
        long now = clock.nanoTime();
        synchronized (this) {
            if (triedNanos != null && now - triedNanos < PAUSE.toNanos()) {
                return;
            }
            triedNanos = now;
        }
        Sizes sizes;
        try {
            sizes = source.sizes();
        } catch (StoreUnavailable e) {
            log.debug("The size of the database is unknown: {}", e.getMessage());
            return;
        }
        synchronized (this) {
            looks.addLast(new Look(now, sizes));
            while (now - looks.getFirst().atNanos() > DAY.toNanos()) {
                looks.removeFirst();
            }
        }
    }

    /** Sizes at the last look that was answered; null before it. */
    public synchronized @Nullable Sizes sizes() {
        Look newest = looks.peekLast();
        return newest == null ? null : newest.sizes();
    }

    /** Growth in a day, negative where it shrinks; null until there are two looks. */
    public synchronized @Nullable Long growthBytesPerDay() {
        if (looks.size() < 2) {
            return null;
        }
        Look first = looks.getFirst();
        Look last = looks.getLast();
        double share = (double) (last.atNanos() - first.atNanos()) / DAY.toNanos();
        return Math.round((last.sizes().bytes() - first.sizes().bytes()) / share);
    }

    /** Days until this size is added at the present growth; null if it does not grow. */
    public @Nullable Long daysFor(long bytes) {
        Long growth = growthBytesPerDay();
        return growth == null || growth <= 0 || bytes < 0 ? null : bytes / growth;
    }
}
