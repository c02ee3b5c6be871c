package org.stillwater.monitoring.dwh;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.StatisticsStore.ReaderSigns;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.MonitoringMeters;

/**
 * Detects by the database's counters whether a data warehouse reads, and whether the views show
 * samples now.
 *
 * <p>The first counters of an engine's run are a base for comparison; only a dump of an earlier run
 * is a sign of a reader. A counter below the last one was reset: all of it is new. Without counters
 * (the server's {@code track_counts} is off) a reader may exist at any time, so the dump continues.
 *
 * <p>Thread-safe: the heartbeat's thread records signs, the dump's thread uses them.
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
     * Time until the next heartbeat: while the dump pauses, one heartbeat per dump interval detects
     * readers early enough.
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
