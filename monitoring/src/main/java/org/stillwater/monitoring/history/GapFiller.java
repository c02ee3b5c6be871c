package org.stillwater.monitoring.history;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.Samples;

/**
 * Repeats a sample until the next one, if that follows within the longest interval: a host with
 * rare polls has continuous values, and a silent host has a gap. Used once.
 */
final class GapFiller implements Samples.Visitor {

    private final long step;
    private final long longest;
    private final Samples.Visitor to;
    private long lastSeconds;
    private double @Nullable [] last;

    /**
     * Fills gaps.
     *
     * @param cadence time between two shown samples
     * @param longest longest time between two samples of a host that is not silent; a quarter more
     *     is tolerated
     */
    GapFiller(Duration cadence, Duration longest, Samples.Visitor to) {
        this.step = Math.max(1, cadence.toSeconds());
        this.longest = longest.plus(longest.dividedBy(4)).toSeconds();
        this.to = to;
    }

    /** Passes on every sample and the repeated values between them. */
    void read(Samples samples) {
        samples.each(this);
    }

    @Override
    public void sample(long epochSeconds, double[] values) {
        double[] before = last;
        if (before == null) {
            last = values.clone();
        } else {
            if (epochSeconds - lastSeconds <= longest) {
                // A sample that is nearly due takes the place of the one before.
                long end = epochSeconds - step / 2;
                for (long at = lastSeconds + step; at < end; at += step) {
                    to.sample(at, before);
                }
            }
            System.arraycopy(values, 0, before, 0, values.length);
        }
        lastSeconds = epochSeconds;
        to.sample(epochSeconds, values);
    }
}
