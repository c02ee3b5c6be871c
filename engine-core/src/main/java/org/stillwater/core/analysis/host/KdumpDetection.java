package org.stillwater.core.analysis.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.KdumpListener;

/**
 * Whether a silent host writes a kernel dump, by the messages that it sends meanwhile (monitoring
 * specification §3.6). Times are nanoseconds of the engine's clock.
 *
 * @param attendedNanos since when it is listened to: earlier messages do not concern this outage
 * @param firstNanos when its first message came; null while none did
 * @param lastNanos when its newest message came, or since when it is listened to
 */
public record KdumpDetection(long attendedNanos, @Nullable Long firstNanos, long lastNanos) {

    /** Next step for the host. */
    public enum Verdict {
        /** It is to be listened to for longer. */
        WAIT,
        /** It reports no dump: it may be fenced. */
        NOT_DUMPING,
        /** It writes a dump: its power must not be switched. */
        DUMPING,
        /** It has written its dump, or has had the time for it: it boots by itself. */
        OVER
    }

    /** A host that is listened to from now on. */
    public static KdumpDetection begin(long nowNanos) {
        return new KdumpDetection(nowNanos, null, nowNanos);
    }

    /**
     * The same after this message.
     *
     * @param messageNanos when the newest message came, null for none
     */
    public KdumpDetection heard(@Nullable Long messageNanos) {
        if (messageNanos == null || messageNanos - attendedNanos < 0) {
            return this;
        }
        if (firstNanos == null) {
            return new KdumpDetection(attendedNanos, messageNanos, messageNanos);
        }
        return messageNanos - lastNanos > 0
                ? new KdumpDetection(attendedNanos, firstNanos, messageNanos)
                : this;
    }

    /** Whether it ever reported a dump. */
    public boolean isFound() {
        return firstNanos != null;
    }

    /**
     * Next step now. A failed listener does not cancel a dump: earlier messages count as if the
     * host had fallen silent.
     *
     * @param listener whether its messages can be received
     */
    public Verdict verdict(KdumpLimits limits, KdumpListener.State listener, long nowNanos) {
        if (firstNanos != null) {
            boolean quiet = nowNanos - lastNanos >= limits.quiet().toNanos();
            boolean tooLong = nowNanos - firstNanos >= limits.longest().toNanos();
            return quiet || tooLong ? Verdict.OVER : Verdict.DUMPING;
        }
        return switch (listener) {
            case KdumpListener.State.Deaf _ -> Verdict.NOT_DUMPING;
            case KdumpListener.State.Listening(long sinceNanos) -> {
                long begun = sinceNanos - attendedNanos > 0 ? sinceNanos : attendedNanos;
                yield nowNanos - begun >= limits.first().toNanos()
                        ? Verdict.NOT_DUMPING
                        : Verdict.WAIT;
            }
        };
    }
}
