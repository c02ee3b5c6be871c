package org.stillwater.server.health;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.Database;
import org.stillwater.server.settings.DatabaseSettings;

/**
 * Checks whether the database answers, when a client asks and at most once per interval; no caller
 * waits meanwhile. Thread-safe.
 */
@Component
public class DatabaseProbe {

    private final Database database;
    private final EngineClock clock;
    private final long intervalNanos;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Answer answer;

    private record Answer(long atNanos, @Nullable String problem) {}

    DatabaseProbe(Database database, EngineClock clock, DatabaseSettings settings) {
        this.database = database;
        this.clock = clock;
        this.intervalNanos = settings.probeInterval().toNanos();
        this.answer = new Answer(clock.nanoTime() - intervalNanos, null);
    }

    /** Null when the database answers, else why not. */
    public @Nullable String problem() {
        if (clock.nanoTime() - answer.atNanos() >= intervalNanos && asking.tryLock()) {
            try {
                String problem = database.problem();
                answer = new Answer(clock.nanoTime(), problem);
            } finally {
                asking.unlock();
            }
        }
        return answer.problem();
    }

    /** Problem of the last answer, without a new query. */
    @Nullable String lastProblem() {
        return answer.problem();
    }
}
