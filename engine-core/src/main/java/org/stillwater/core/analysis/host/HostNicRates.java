package org.stillwater.core.analysis.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.NicRates;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.report.HostStatistics;

/**
 * How busy a host's interfaces are (monitoring specification §1.8, as for VMs in §4.9): the growth
 * of a counter over the time between two samples, in percent of the speed. Pure.
 *
 * <p>A host's counters begin at its boot; when one went back, the host booted or the interface was
 * created again, and its earlier total is kept as an offset. Such a sample has no rate.
 */
final class HostNicRates {

    private static final HostNicUsage NOTHING =
            new HostNicUsage(null, null, null, null, 0, 0, null, null, null, null, null);

    private HostNicRates() {}

    /**
     * Usage of an interface after the newest sample.
     *
     * @param before usage of the sample before, null for the first
     */
    static HostNicUsage next(@Nullable HostNicUsage before, HostStatistics.Nic now) {
        HostNicUsage last = before == null ? NOTHING : before;
        long receivedOffset =
                offset(now.receivedBytes(), last.receivedOffsetBytes(), last.receivedBytes());
        long sentOffset = offset(now.sentBytes(), last.sentOffsetBytes(), last.sentBytes());
        Long received = total(now.receivedBytes(), receivedOffset);
        Long sent = total(now.sentBytes(), sentOffset);
        boolean sameCounters =
                receivedOffset == last.receivedOffsetBytes()
                        && sentOffset == last.sentOffsetBytes();
        double seconds =
                sameCounters ? seconds(last.sampleTimeSeconds(), now.sampleTimeSeconds()) : 0;
        Integer speed = now.speedMegabitsPerSecond();
        return new HostNicUsage(
                now.up(),
                speed,
                received,
                sent,
                receivedOffset,
                sentOffset,
                percent(last.receivedBytes(), received, seconds, speed),
                percent(last.sentBytes(), sent, seconds, speed),
                now.receiveDropped(),
                now.sendDropped(),
                now.sampleTimeSeconds());
    }

    private static long offset(@Nullable Long reported, long offset, @Nullable Long previousTotal) {
        return reported == null || previousTotal == null
                ? offset
                : NicRates.nextOffset(reported, offset, previousTotal);
    }

    private static @Nullable Long total(@Nullable Long reported, long offset) {
        return reported == null ? null : (Long) NicRates.total(reported, offset);
    }

    private static double seconds(@Nullable Double before, @Nullable Double now) {
        return before == null || now == null ? 0 : now - before;
    }

    private static @Nullable Double percent(
            @Nullable Long before, @Nullable Long now, double seconds, @Nullable Integer speed) {
        if (before == null || now == null || speed == null) {
            return null;
        }
        double percent = NicRates.percent(now - before, seconds, speed);
        return Double.isNaN(percent) ? null : (Double) percent;
    }
}
