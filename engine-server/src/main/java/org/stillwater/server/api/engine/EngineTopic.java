package org.stillwater.server.api.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.profile.EngineProfile;
import org.stillwater.server.profile.ProfileReport;

/**
 * The stream's readings of the engine itself, once a second while they have a reader. A reading is
 * made for the first reader of a second and shared with the others; without readers it costs
 * nothing. Thread-safe.
 */
@Component
public final class EngineTopic implements Supplier<EngineTopic.Reading> {

    /** Time between two messages. */
    public static final Duration INTERVAL = Duration.ofSeconds(1);

    /** Window of the figures, in whole intervals of the profile. */
    private static final int WINDOW_SECONDS = 60;

    private final EngineProfile profile;
    private final EngineStructures structures;
    private final EngineClock clock;

    // Guarded by this object's monitor.
    private @Nullable Reading newest;
    private long madeNanos;

    EngineTopic(EngineProfile profile, EngineStructures structures, EngineClock clock) {
        this.profile = profile;
        this.structures = structures;
        this.clock = clock;
    }

    /**
     * The engine at a moment.
     *
     * @param at when
     * @param heapUsedBytes heap in use
     * @param heapMaxBytes largest heap
     * @param since start of the profile's window, null while the profile is off or empty
     * @param seconds length of that window
     * @param cpuMillis CPU time of the process in it
     * @param stages stages with their share of it, the largest first
     * @param statements statements in it
     * @param monitoringStatements those of monitoring
     * @param structures fill of bounded structures
     */
    public record Reading(
            String at,
            long heapUsedBytes,
            long heapMaxBytes,
            @Nullable String since,
            double seconds,
            long cpuMillis,
            List<ProfileReport.StageItem> stages,
            long statements,
            long monitoringStatements,
            List<Object> structures) {}

    /** The newest reading, not older than {@link #INTERVAL}. */
    @Override
    public synchronized Reading get() {
        long nanos = clock.nanoTime();
        Reading known = newest;
        if (known == null || nanos - madeNanos >= INTERVAL.toNanos()) {
            known = made(clock.now());
            newest = known;
            madeNanos = nanos;
        }
        return known;
    }

    private Reading made(Instant now) {
        boolean on = profile.isEnabled();
        int window = (int) Math.min(WINDOW_SECONDS, profile.span().toSeconds());
        ProfileReport.Cpu cpu = on ? profile.cpu(window, false) : null;
        ProfileReport.Statements statements = on ? profile.statements(window) : null;
        Runtime runtime = Runtime.getRuntime();
        return new Reading(
                now.toString(),
                runtime.totalMemory() - runtime.freeMemory(),
                runtime.maxMemory(),
                cpu == null ? null : cpu.since().toString(),
                cpu == null ? 0 : cpu.seconds(),
                cpu == null ? 0 : cpu.cpuMillis(),
                cpu == null ? List.of() : cpu.items(),
                statements == null ? 0 : statements.calls(),
                statements == null ? 0 : statements.monitoringCalls(),
                List.copyOf(structures.all()));
    }
}
