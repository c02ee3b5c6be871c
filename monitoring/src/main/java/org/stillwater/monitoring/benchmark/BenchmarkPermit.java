package org.stillwater.monitoring.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkSubject;

/** Whether a benchmark may run now. */
public sealed interface BenchmarkPermit {

    /**
     * Request of an agent.
     *
     * @param subject the VM or host
     * @param lasts longest duration
     * @param every least time between the begins of two runs, null for any
     * @param budget time of runs in 24 hours, null for the engine's limit
     */
    record Request(
            BenchmarkSubject subject,
            Duration lasts,
            @Nullable Duration every,
            @Nullable Duration budget) {}

    /** Why a run is refused. The order is that of the checks. */
    enum Reason {
        /** The engine does not know the VM or host as running. */
        NOT_RUNNING("not-running"),
        /** The last run is too young. */
        TOO_SOON("too-soon"),
        /** Runs took, or would take, too much of 24 hours. */
        BUDGET("budget"),
        /** Another run on the same storage domain lasts. */
        OTHER_RUN("other-run"),
        /** The storage domain is slower than the guard allows. */
        STORAGE_BUSY("storage-busy"),
        /** Too many runs of 24 hours are posted, or too many runs last. */
        TOO_MANY("too-many");

        private final String label;

        Reason(String label) {
            this.label = label;
        }

        /** The name that clients know. */
        public String label() {
            return label;
        }
    }

    /** Text for people. */
    String text();

    /**
     * It may run.
     *
     * @param id identity of the permit
     * @param expiresAt until when it must have ended
     */
    record Granted(UUID id, Instant expiresAt, String text) implements BenchmarkPermit {}

    /**
     * It must not run.
     *
     * @param retryAt when it makes sense to ask again
     */
    record Refused(Reason reason, Instant retryAt, String text) implements BenchmarkPermit {}
}
