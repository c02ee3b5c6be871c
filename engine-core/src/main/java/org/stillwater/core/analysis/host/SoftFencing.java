package org.stillwater.core.analysis.host;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;

/**
 * One attempt to bring a silent host back by restarting its agent (monitoring specification §3.6):
 * request the restart, then wait for the host to come up, for a time that depends on nothing. It
 * never takes the work over. A host that comes up ends the work with its episode, in the
 * transaction that saves that it is up; otherwise the work stays open for power management.
 *
 * @param work the work being done
 * @param answer how the restart ended, null until it did
 * @param answeredNanos when it did; meaningless until then
 */
public record SoftFencing(HostWork work, SoftFence.@Nullable Answer answer, long answeredNanos) {

    /** How often the host is checked while it is waited for (§3.6). */
    public static final Duration LOOK = Duration.ofSeconds(3);

    public SoftFencing {
        if (work.kind() != HostWorkKind.FENCE) {
            throw new IllegalArgumentException("not fencing: " + work);
        }
    }

    /** An attempt that requests a restart. */
    public static SoftFencing begin(HostWork work) {
        return new SoftFencing(work, null, 0);
    }

    /**
     * Whether an attempt may begin. Work that was found at the engine's start waits as long as any
     * fencing does, and until the host was found silent in this life of the engine too.
     *
     * @param status present status by the engine's belief
     * @param sinceEngineStartNanos how long the engine has been watching
     */
    public static boolean mayBegin(
            HostStatus status, long sinceEngineStartNanos, HostPolicy policy) {
        return status == HostStatus.NON_RESPONSIVE
                && sinceEngineStartNanos >= policy.fencingDelay().toNanos();
    }

    /** The same, now that the restart has ended. */
    public SoftFencing answered(SoftFence.Answer given, long nowNanos) {
        return new SoftFencing(work, given, nowNanos);
    }

    /** Whether the restart is still under way. */
    public boolean isAsked() {
        return answer == null;
    }

    /**
     * Result of the attempt; null while it continues.
     *
     * @param status present status by the engine's belief, null if the host was removed
     * @param nowNanos monotonic time
     */
    public @Nullable Result result(@Nullable HostStatus status, long nowNanos, HostPolicy policy) {
        return switch (answer) {
            case null -> null;
            case SoftFence.Answer.Failed(String reason) ->
                    status == HostStatus.NON_RESPONSIVE
                            ? new Result.Failed(reason)
                            : new Result.Overtaken();
            case SoftFence.Answer.Restarted _ -> afterRestart(status, nowNanos, policy.base());
        };
    }

    private @Nullable Result afterRestart(
            @Nullable HostStatus status, long nowNanos, Duration patience) {
        if (status == HostStatus.UP) {
            return new Result.Recovered();
        }
        if (status == null || !status.isRefreshed()) {
            return new Result.Overtaken();
        }
        if (nowNanos - answeredNanos < patience.toNanos()) {
            return null;
        }
        return new Result.Failed(
                "its agent was restarted, but it did not come up within "
                        + patience.toSeconds()
                        + " s");
    }

    /** Result of an attempt. */
    public sealed interface Result {

        /** The host is up again. */
        record Recovered() implements Result {}

        /**
         * The host stays silent; the work stays open.
         *
         * @param reason one clause for people
         */
        record Failed(String reason) implements Result {}

        /** The host came back without it, was taken out of service, or was removed. */
        record Overtaken() implements Result {}
    }
}
