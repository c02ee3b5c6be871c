package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.regression.SeriesValues;

/** Series whose values a test sets. */
final class FakeSeries implements SeriesValues {

    /** No VM or host has a number of history. */
    static final HistorySource NO_NUMBERS =
            new HistorySource() {
                @Override
                public int vmCount() {
                    return 0;
                }

                @Override
                public void vms(HistorySource.Visitor visitor) {}

                @Override
                public void hosts(HistorySource.Visitor visitor) {}
            };

    record Key(RegressionMetric metric, String owner) {}

    record One(SeriesOwner owner, double value) {}

    final Map<Key, One> series = new LinkedHashMap<>();
    long newest = UNKNOWN;

    void put(RegressionMetric metric, SeriesOwner owner, double value) {
        series.put(new Key(metric, owner.name()), new One(owner, value));
    }

    @Override
    public Duration interval() {
        return Duration.ofMinutes(5);
    }

    @Override
    public Duration reach() {
        return Duration.ofDays(1);
    }

    @Override
    public long newest() {
        return newest;
    }

    @Override
    public void visit(RegressionMetric metric, long interval, SeriesValues.Visitor visitor) {
        assertThat(interval).isEqualTo(newest);
        series.forEach((key, one) -> {
            if (key.metric() == metric) {
                visitor.look(one.owner(), one.value());
            }
        });
    }

    @Override
    public Map<String, float[]> past(
            RegressionMetric metric,
            Collection<String> owners,
            long from,
            int count,
            BooleanSupplier goesOn) {
        return Map.of();
    }
}
