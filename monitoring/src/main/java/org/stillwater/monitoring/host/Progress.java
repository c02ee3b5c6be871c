package org.stillwater.monitoring.host;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;

/**
 * Progress of the monitoring of one host: written by the host's thread, read by the watchdog
 * (monitoring specification §3.9).
 */
final class Progress {

    /** Frames of a shown stack. */
    private static final int FRAMES = 40;

    private final EngineClock clock;

    // Written by the host's thread, read by any.
    private volatile @Nullable String task;
    private volatile long taskSinceNanos;
    private volatile long answerNanos;

    Progress(EngineClock clock) {
        this.clock = clock;
        this.answerNanos = clock.nanoTime();
    }

    /**
     * A task begins, perhaps within another task.
     *
     * @return the outer task, for {@link #end}
     */
    @Nullable String begin(String next) {
        String outer = task;
        if (outer == null) {
            taskSinceNanos = clock.nanoTime();
            task = next;
        }
        return outer;
    }

    /** The piece of work is done. */
    void end(@Nullable String outer) {
        task = outer;
    }

    /** The host answered, or failed to: either way calls to it are made. */
    void heard() {
        answerNanos = clock.nanoTime();
    }

    /**
     * The present stall; null without one.
     *
     * @param inContact whether the host is in contact and polled regularly
     * @param running the host's thread, for its stack
     */
    @Nullable Stall stall(boolean inContact, WatchdogSettings limits, @Nullable Thread running) {
        long now = clock.nanoTime();
        String stuck = task;
        long since = stuck == null ? answerNanos : taskSinceNanos;
        Duration time = Duration.ofNanos(now - since);
        if (stuck != null) {
            return time.compareTo(limits.task()) < 0
                    ? null
                    : new Stall(stuck, time, stack(running));
        }
        return !inContact || time.compareTo(limits.silence()) < 0
                ? null
                : new Stall("waiting for an answer", time, stack(running));
    }

    /**
     * Present work; its time is zero without work.
     *
     * @param running the host's thread, for its stack
     */
    Stall present(@Nullable Thread running) {
        String now = task;
        return now == null
                ? new Stall("nothing", Duration.ZERO, stack(running))
                : new Stall(
                        now, Duration.ofNanos(clock.nanoTime() - taskSinceNanos), stack(running));
    }

    private static String stack(@Nullable Thread running) {
        return running == null
                ? ""
                : Arrays.stream(running.getStackTrace())
                        .limit(FRAMES)
                        .map(frame -> "\tat " + frame)
                        .collect(Collectors.joining("\n"));
    }
}
