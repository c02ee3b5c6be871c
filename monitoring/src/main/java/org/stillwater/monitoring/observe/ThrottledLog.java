package org.stillwater.monitoring.observe;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.stillwater.core.time.EngineClock;

/**
 * Logs repeated trouble: the first occurrence of each subject at once, later ones counted and
 * summarised in one line for each quiet period. Subjects are constants of the code, so their number
 * is bounded. Thread-safe.
 */
public final class ThrottledLog {

    private static final int MOST_SUBJECTS = 64;

    /** Names the subject where logs are structured. */
    private static final String EVENT = "event";

    private final Logger log;
    private final EngineClock clock;
    private final long quietNanos;
    private final String owner;
    private final Map<String, Complaint> bySubject = new ConcurrentHashMap<>();

    /**
     * No complaints yet.
     *
     * @param log their destination
     * @param clock source of time
     * @param quietPeriod shortest time between two lines about one subject
     * @param owner the complainant, for the log line, for example {@code host=alpha}
     */
    public ThrottledLog(Logger log, EngineClock clock, Duration quietPeriod, String owner) {
        this.log = log;
        this.clock = clock;
        this.quietNanos = quietPeriod.toNanos();
        this.owner = owner;
    }

    /**
     * Something went wrong.
     *
     * @param subject subject, a constant
     * @param detail one clause
     */
    public void about(String subject, String detail) {
        about(subject, detail, null);
    }

    /**
     * Something went wrong that should not be possible.
     *
     * @param subject subject, a constant
     * @param detail one clause
     * @param bug its stack is logged with the first line
     */
    public void about(String subject, String detail, @Nullable Throwable bug) {
        Complaint complaint = bySubject.get(subject);
        if (complaint == null) {
            if (bySubject.size() >= MOST_SUBJECTS) {
                return;
            }
            complaint = bySubject.computeIfAbsent(subject, _ -> new Complaint());
        }
        complaint.add(subject, detail, bug);
    }

    /** How often each subject was complained about since the start. */
    public Map<String, Long> counts() {
        return bySubject.entrySet().stream()
                .collect(
                        Collectors.toUnmodifiableMap(
                                Map.Entry::getKey, entry -> entry.getValue().count()));
    }

    private final class Complaint {
        private long count;
        private long untold;
        private long toldNanos;

        synchronized long count() {
            return count;
        }

        synchronized void add(String subject, String detail, @Nullable Throwable bug) {
            count++;
            untold++;
            long now = clock.nanoTime();
            if (count > 1 && now - toldNanos < quietNanos) {
                return;
            }
            if (count == 1) {
                log.atWarn()
                        .addKeyValue(EVENT, subject)
                        .setCause(bug)
                        .log("{} {}: {}", owner, subject, detail);
            } else {
                log.atWarn()
                        .addKeyValue(EVENT, subject)
                        .log(
                                "{} {}: {} ({} times since the last line)",
                                owner,
                                subject,
                                detail,
                                untold);
            }
            untold = 0;
            toldNanos = now;
        }
    }
}
