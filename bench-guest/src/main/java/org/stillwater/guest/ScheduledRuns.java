package org.stillwater.guest;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the benchmark again and again, each time with a permit of the engine. The engine knows when
 * the last run began and how much time runs took, so that the schedule survives a restart of this
 * program and needs no file. A result that cannot be posted waits for the next turn; there is at
 * most one.
 */
final class ScheduledRuns {

    /** Failures in a row after which it ends: an operator has to act. */
    static final int MOST_FAILURES = 10;

    private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(5);

    /** Asks whether a run may begin. */
    @FunctionalInterface
    interface Question {
        Permit ask() throws EngineRefused, EngineAway, InterruptedException;
    }

    /** Measures, and returns the report. */
    @FunctionalInterface
    interface Measuring {
        String run() throws BenchmarkFailed, IOException, InterruptedException;
    }

    /** Posts a report. */
    @FunctionalInterface
    interface Post {
        void send(String report) throws EngineRefused, EngineAway, InterruptedException;
    }

    private final Schedule schedule;
    private final Question question;
    private final Measuring measuring;
    private final Post post;
    private final Pause pause;
    private final Consumer<String> log;
    private @Nullable String unposted;

    ScheduledRuns(
            Schedule schedule,
            Question question,
            Measuring measuring,
            Post post,
            Pause pause,
            Consumer<String> log) {
        this.schedule = schedule;
        this.question = question;
        this.measuring = measuring;
        this.post = post;
        this.pause = pause;
        this.log = log;
    }

    /** Runs until the number of runs is reached, or until it makes no sense to continue. */
    void run() throws BenchmarkFailed, EngineRefused, InterruptedException {
        int runs = 0;
        int failures = 0;
        while (schedule.runs() == 0 || runs < schedule.runs()) {
            try {
                if (unposted == null) {
                    Permit permit = question.ask();
                    if (!permit.granted()) {
                        Duration wait = bounded(permit.retryAfter());
                        log.accept("waits for " + wait.toSeconds() + " s: " + permit.text());
                        failures = 0;
                        pause.of(wait);
                        continue;
                    }
                    unposted = measuring.run();
                }
                post.send(unposted);
                unposted = null;
                runs++;
                failures = 0;
                log.accept("posted run " + runs);
            } catch (EngineAway | BenchmarkFailed | IOException e) {
                failures++;
                if (failures == MOST_FAILURES) {
                    throw new BenchmarkFailed(
                            "ends after " + failures + " failures in a row: " + e.getMessage());
                }
                Duration wait = bounded(AFTER_FAILURE);
                log.accept("tries again in " + wait.toSeconds() + " s: " + e.getMessage());
                pause.of(wait);
            }
        }
    }

    /** The engine's advice, but neither at once nor later than the next run. */
    private Duration bounded(Duration asked) {
        Duration wait = asked.compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : asked;
        return wait.compareTo(schedule.every()) > 0 ? schedule.every() : wait;
    }
}
