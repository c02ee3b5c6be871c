package org.stillwater.monitoring.host;

import java.time.Duration;
import org.stillwater.core.report.VmReport;

/**
 * Compares the stamps of a host's messages with their arrival. The smallest difference is that of
 * the quickest message; an event that differs more was delayed. Written by the host's thread, read
 * by any.
 */
final class EventDelays {

    /**
     * Clocks drift apart, a few milliseconds a day: the quickest message counts for two of these.
     */
    private static final long MEMORY_NANOS = Duration.ofHours(1).toNanos();

    /** A larger delay belongs to a clock that was restarted. */
    private static final long LONGEST_NANOS = Duration.ofMinutes(10).toNanos();

    private static final long NANOS_PER_MILLISECOND = 1_000_000;

    private boolean known;
    private int boot;
    private long sinceNanos;
    private long quickest;
    private long quickestBefore;
    private long events;
    private long totalNanos;
    private volatile EventDelay delay = EventDelay.NONE;

    /**
     * A report of the host arrived.
     *
     * @param isEvent whether the host sent it by itself
     * @param ofBoot number of the host's boot
     * @param stampMillis the host's stamp, {@link VmReport#NO_STAMP} without one
     * @param receivedNanos when it arrived, monotonic
     */
    void received(boolean isEvent, int ofBoot, long stampMillis, long receivedNanos) {
        if (stampMillis == VmReport.NO_STAMP) {
            return;
        }
        long difference = receivedNanos - stampMillis * NANOS_PER_MILLISECOND;
        if (!known || ofBoot != boot || difference - quickest() > LONGEST_NANOS) {
            known = true;
            boot = ofBoot;
            sinceNanos = receivedNanos;
            quickest = difference;
            quickestBefore = difference;
        } else if (receivedNanos - sinceNanos > MEMORY_NANOS) {
            sinceNanos = receivedNanos;
            quickestBefore = quickest;
            quickest = difference;
        } else {
            quickest = Math.min(quickest, difference);
        }
        if (isEvent) {
            events++;
            totalNanos += difference - quickest();
            delay = new EventDelay(events, Duration.ofNanos(totalNanos));
        }
    }

    private long quickest() {
        return Math.min(quickest, quickestBefore);
    }

    /** Delays so far. Any thread. */
    EventDelay delay() {
        return delay;
    }
}
