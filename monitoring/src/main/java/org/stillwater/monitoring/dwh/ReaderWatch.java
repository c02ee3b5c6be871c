package org.stillwater.monitoring.dwh;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.StatisticsStore.ReaderSigns;
import org.stillwater.monitoring.observe.MonitoringMeters;

/**
 * Knows whether a data warehouse reads, by signs that the database counts, and whether the views
 * show samples now.
 *
 * <p>The first signs of an engine's life are a base to compare with; only an earlier engine that
 * dumped is a sign by itself, of the reader that it dumped for. A count below the last one was
 * reset: all of it is new. Without a count (the server's {@code track_counts} is off) there may be
 * a reader at any time, so the dump goes on.
 *
 * <p>Thread-safe: the heartbeat's thread notes signs, the dump's thread follows them.
 */
public final class ReaderWatch {

    private static final Logger LOG = LoggerFactory.getLogger(ReaderWatch.class);

    private final WarehouseSettings settings;
    private final EngineClock clock;
    private final MonitoringMeters meters;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable ReaderSigns last;
    private boolean counted = true;
    private boolean seen;
    private long seenNanos;
    private boolean dumped; // a dump of this life was whole
    private @Nullable Boolean shown;

    /** A watch that has seen no reader. */
    public ReaderWatch(WarehouseSettings settings, EngineClock clock, MonitoringMeters meters) {
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        meters.gauge(
                "stillwater.dwh.dumping",
                null,
                "Whether statistics are dumped for a data warehouse: 1 or 0",
                this,
                watch -> watch.isWanted() ? 1 : 0);
    }

    /**
     * Compares signs with the last ones.
     *
     * @return whether the dump has something to do before its next time
     */
    boolean note(ReaderSigns signs) {
        lock.lock();
        try {
            boolean before = isWanted();
            ReaderSigns base = last;
            last = signs;
            counted = signs.reads() != null;
            if (base == null) {
                if (!dumped) {
                    shown = signs.shown();
                }
                if (signs.shown()) {
                    seen();
                }
            } else if (hasRead(base, signs)) {
                seen();
                meters.readerSeen();
            }
            boolean after = isWanted();
            if (after != before) {
                LOG.info(
                        "{}: statistics are dumped every {}",
                        counted
                                ? "a data warehouse reads"
                                : "the database does not count readers (track_counts)",
                        settings.dumpInterval());
            }
            return isLeftOver() || (after && !before && base != null);
        } finally {
            lock.unlock();
        }
    }

    private static boolean hasRead(ReaderSigns base, ReaderSigns signs) {
        Long before = base.reads();
        Long now = signs.reads();
        boolean read =
                before != null
                        && now != null
                        && (now < before ? now > 0 : now > before.longValue());
        return read || !signs.progress().equals(base.progress());
    }

    private void seen() {
        seen = true;
        seenNanos = clock.nanoTime();
    }

    /** Whether statistics are to be dumped now. */
    boolean isWanted() {
        lock.lock();
        try {
            return switch (settings.mode()) {
                case ALWAYS -> true;
                case NEVER -> false;
                case AUTO -> !counted || (seen && !isLeft());
            };
        } finally {
            lock.unlock();
        }
    }

    private boolean isLeft() {
        return clock.nanoTime() - seenNanos - settings.idleAfter().toNanos() >= 0;
    }

    /**
     * How long a heartbeat may wait for the next: while the dump rests, one in an interval of dumps
     * looks for readers often enough.
     */
    Duration pause() {
        boolean rests =
                settings.mode() == DumpMode.AUTO
                        && !settings.dumpInterval().isZero()
                        && !isWanted();
        Duration beat = settings.heartbeatInterval();
        return rests && beat.compareTo(settings.dumpInterval()) < 0
                ? settings.dumpInterval()
                : beat;
    }

    /** Whether views show samples that an earlier engine dumped, and this one has none yet. */
    boolean isLeftOver() {
        lock.lock();
        try {
            return !dumped && Boolean.TRUE.equals(shown);
        } finally {
            lock.unlock();
        }
    }

    /** Whether views are known to show samples. */
    boolean isShown() {
        lock.lock();
        try {
            return Boolean.TRUE.equals(shown);
        } finally {
            lock.unlock();
        }
    }

    /** Views show samples from now on, after a whole dump; or no longer. */
    void told(boolean showing) {
        lock.lock();
        try {
            shown = showing;
            dumped |= showing;
            if (!showing && !isWanted()) {
                LOG.info("no data warehouse reads: statistics are not dumped until one does");
            }
        } finally {
            lock.unlock();
        }
    }
}
