package org.stillwater.core.host;

import org.jspecify.annotations.Nullable;

/**
 * An interface of a host, as two samples in a row show it. Null stands for "not known".
 *
 * @param up whether it has a link
 * @param speedMegabitsPerSecond speed that the rates are percent of
 * @param receivedBytes counter plus offset: never goes back while the host is watched
 * @param sentBytes as {@code receivedBytes}
 * @param receivedOffsetBytes total that the host forgot when its counter began again
 * @param sentOffsetBytes as {@code receivedOffsetBytes}
 * @param receiveRatePercent 0–100 of the speed; null without two samples
 * @param sendRatePercent as {@code receiveRatePercent}
 * @param receiveDropped packets
 * @param sendDropped packets
 * @param sampleTimeSeconds when, on the host's wall clock, since the epoch
 */
public record HostNicUsage(
        @Nullable Boolean up,
        @Nullable Integer speedMegabitsPerSecond,
        @Nullable Long receivedBytes,
        @Nullable Long sentBytes,
        long receivedOffsetBytes,
        long sentOffsetBytes,
        @Nullable Double receiveRatePercent,
        @Nullable Double sendRatePercent,
        @Nullable Long receiveDropped,
        @Nullable Long sendDropped,
        @Nullable Double sampleTimeSeconds) {

    /** The larger of the two rates; NaN when neither is known. */
    public double ratePercent() {
        if (receiveRatePercent == null) {
            return sendRatePercent == null ? Double.NaN : sendRatePercent;
        }
        return sendRatePercent == null
                ? receiveRatePercent
                : Math.max(receiveRatePercent, sendRatePercent);
    }

    /** The same interface while nothing is known of its traffic. */
    public HostNicUsage withoutRates() {
        return new HostNicUsage(
                up,
                speedMegabitsPerSecond,
                receivedBytes,
                sentBytes,
                receivedOffsetBytes,
                sentOffsetBytes,
                null,
                null,
                receiveDropped,
                sendDropped,
                sampleTimeSeconds);
    }
}
