package org.stillwater.monitoring.dwh;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.ReaderSigns;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.Workers;

/**
 * Signals a data warehouse that the engine is alive, so that it does not treat the last samples of
 * a dead engine as new ones: one row, once per interval (monitoring specification §7.3). The same
 * statement returns the signs of readers. While the dump pauses without readers, one beat in each
 * of its intervals is enough.
 *
 * <p>It has its own thread: neither a cycle nor a long dump delays it.
 */
public final class Heartbeat {

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    private final StatisticsStore store;
    private final MonitoringMeters meters;
    private final ThrottledLog warnings;
    private final Metronome metronome;
    private final EngineClock clock;
    private final ReaderWatch readers;
    private final Runnable hasten;
    private final long tolerance;

    /** For the own thread; null before the first beat. */
    private @Nullable Long beatNanos;

    /**
     * A heartbeat that is not started.
     *
     * @param interval time between two beats, zero for never
     * @param readers records the signs of readers
     * @param hasten runs the dump before its next time
     * @param quietPeriod a repeated problem is logged once in this time
     */
    public Heartbeat(
            Duration interval,
            StatisticsStore store,
            ReaderWatch readers,
            Runnable hasten,
            EngineClock clock,
            MonitoringMeters meters,
            Duration quietPeriod) {
        this.clock = clock;
        this.readers = readers;
        this.hasten = hasten;
        this.tolerance = interval.toNanos() / 2;
        this.store = store;
        this.meters = meters;
        this.warnings = new ThrottledLog(LOG, clock, quietPeriod, "heartbeat");
        this.metronome = new Metronome("dwh-heartbeat", interval, clock, this::beat);
    }

    /** Counts the first interval from now. */
    public void begin() {
        metronome.begin();
    }

    /** Starts its thread, unless the interval is zero. */
    public void start(Workers workers) {
        metronome.start(workers);
    }

    /** Ends the thread; a beat under way is given this long. */
    public void stop(Duration patience) {
        metronome.stop(patience);
    }

    /**
     * Beats if it is time. For engines that are stepped.
     *
     * @return whether it was time
     */
    public boolean beatDue() {
        return metronome.runDue();
    }

    /** The thread's top frame counts and logs exceptions; the next beat follows. */
    private void beat() {
        long now = clock.nanoTime();
        if (beatNanos != null && now - beatNanos < readers.pause().toNanos() - tolerance) {
            return;
        }
        try {
            ReaderSigns signs = store.heartbeat();
            beatNanos = now;
            meters.heartbeat();
            if (readers.note(signs)) {
                hasten.run();
            }
        } catch (StoreUnavailable e) {
            warnings.about("left out", String.valueOf(e.getMessage()));
        }
    }
}
