package org.stillwater.core.history;

import static org.stillwater.core.history.SampleRing.*;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Content of a ring at one moment. Immutable. */
public final class Samples {

    private final RingFormat format;
    private final byte[] bytes;

    /** Takes samples, oldest first. */
    public interface Visitor {

        /**
         * One sample.
         *
         * @param epochSeconds when it was taken
         * @param values in the order of {@link Samples#metrics()}, NaN for unknown values; used
         *     again for the next sample
         */
        void sample(long epochSeconds, double[] values);
    }

    Samples(RingFormat format, byte[] bytes) {
        this.format = format;
        this.bytes = bytes;
    }

    /** Metrics of the samples. */
    public List<HistoryMetric> metrics() {
        return format.metrics();
    }

    /** When the oldest sample was taken; null without any. */
    public @Nullable Instant oldest() {
        long time = time(bytes, OLDEST);
        return time == 0 ? null : Instant.ofEpochSecond(time);
    }

    /** Shows every sample, oldest first. */
    public void each(Visitor visitor) {
        if (oldest() == null) {
            return;
        }
        byte[] sample = Arrays.copyOfRange(bytes, OLDEST, OLDEST + sampleBytes(format));
        double[] values = new double[format.size()];
        show(sample, values, visitor);
        int records = records(format);
        int used = number(bytes, USED);
        int at = 0;
        while (at < used) {
            if (isRow(bytes, records, at)) {
                for (int left = rowLength(bytes, records, at); left > 0; left--) {
                    applyRow(sample);
                    visitor.sample(time(sample, 0), values);
                }
                at += ROW_BYTES;
            } else {
                at = apply(format, bytes, at, sample, 0);
                show(sample, values, visitor);
            }
        }
    }

    private void show(byte[] sample, double[] values, Visitor visitor) {
        for (int i = 0; i < values.length; i++) {
            values[i] = format.resolution(i).value(number(sample, codeAt(0, i)));
        }
        visitor.sample(time(sample, 0), values);
    }
}
