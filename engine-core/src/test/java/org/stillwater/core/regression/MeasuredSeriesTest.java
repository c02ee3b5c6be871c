package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The values of a series")
class MeasuredSeriesTest {

    private static final SeriesOwner OWNER =
            new SeriesOwner("vm/vda", List.of(new SeriesOwner.Shared(SeriesOwner.DISK, "vm/vda")));

    private final FleetSeries fleet = new FleetSeries(40, 10, 100, 3, 0);

    private MeasuredSeries of(RegressionMetric metric) {
        MeasuredSeries one = fleet.get(metric, OWNER);
        assertThat(one).isNotNull();
        return one;
    }

    @Test
    @DisplayName("an interval with too few samples is a gap, except of single events")
    void samples() {
        MeasuredSeries latency = of(RegressionMetric.DISK_READ_LATENCY);
        MeasuredSeries starts = of(RegressionMetric.BOOT_TIME);
        latency.sample(2);
        latency.sample(4);
        starts.sample(7);
        assertThat(latency.present()).isEqualTo(3);
        fleet.close(101);
        latency.sample(2);
        latency.sample(4);
        latency.sample(9);
        latency.sample(Double.NaN);
        fleet.close(102);

        assertThat(latency.value(100)).isNaN();
        assertThat(latency.value(101)).isEqualTo(5);
        assertThat(starts.value(100)).isEqualTo(7);
        assertThat(starts.value(101)).isNaN();
        assertThat(starts.silent()).isEqualTo(1);
    }

    @Test
    @DisplayName("a value is the mean of its operations, of which there must be enough")
    void operations() {
        MeasuredSeries latency = of(RegressionMetric.DISK_WRITE_LATENCY);
        latency.sample(1, 90);
        latency.sample(5, 5);
        latency.sample(5, 5);
        latency.sample(8, 0);
        assertThat(latency.present()).isCloseTo(1.4, within(1e-9));
        fleet.close(101);
        for (int i = 0; i < 10; i++) {
            latency.sample(3, 2);
        }
        fleet.close(102);

        assertThat(latency.value(100)).isCloseTo(1.4, within(1e-6));
        assertThat(latency.value(101)).as("20 operations").isNaN();
        assertThat(latency.silent()).isEqualTo(1);
    }

    @Test
    @DisplayName("a new one takes little memory: its arrays grow with its points")
    void memory() {
        FleetSeries large = new FleetSeries(288, 2_000, 0, 3, 288);
        SeriesOwner[] owners = new SeriesOwner[2_000];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = new SeriesOwner("vm/" + i, OWNER.shared());
        }
        large.get(RegressionMetric.DISK_READ_LATENCY, owners[0]);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (SeriesOwner owner : owners) {
            large.get(RegressionMetric.DISK_READ_LATENCY, owner);
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / owners.length;

        assertThat(large.size()).isEqualTo(owners.length);
        assertThat(each).as("bytes for each series").isLessThan(600);
    }
}
