package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Packed points of an interval")
class SeriesPointsTest {

    @Test
    @DisplayName("are split by slices, and each slice into parts of a limited size")
    void split() {
        SeriesPoints.Collector collector = new SeriesPoints.Collector(77);
        for (int i = 0; i < 10_000; i++) {
            collector.add(3 + 16L * i, (float) i, i % 8);
        }
        collector.add(-1, 2.5f, 0);

        List<SeriesPoints> points = collector.list();

        assertThat(points).extracting(SeriesPoints::interval).containsOnly(77L);
        assertThat(points).extracting(SeriesPoints::slice).containsExactly(3, 3, 3, 15);
        assertThat(points).extracting(SeriesPoints::part).containsExactly(0, 1, 2, 0);
        assertThat(points).extracting(SeriesPoints::size).containsExactly(4096, 4096, 1808, 1);
        SeriesPoints second = points.get(1);
        assertThat(second.key(4)).isEqualTo(3 + 16L * 4100);
        assertThat(second.value(4)).isEqualTo(4100f);
        assertThat(second.marks(4)).isEqualTo(4);
        assertThat(points.getLast().key(0)).isEqualTo(-1);
        assertThat(points.getLast().value(0)).isEqualTo(2.5f);
    }

    @Test
    @DisplayName("are the same after they were stored as bytes")
    void bytes() {
        SeriesPoints.Collector collector = new SeriesPoints.Collector(5);
        collector.add(Long.MIN_VALUE, Float.NaN, Mark.Kind.MIGRATION.bit());
        SeriesPoints points = collector.list().getFirst();

        SeriesPoints read =
                new SeriesPoints(points.interval(), points.slice(), points.part(), points.packed());

        assertThat(read.packed()).isEqualTo(points.packed()).hasSize(SeriesPoints.BYTES);
        assertThat(read.key(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(read.value(0)).isNaN();
        assertThat(read.marks(0)).isEqualTo(4);
        assertThatThrownBy(() -> new SeriesPoints(5, 0, 0, new byte[SeriesPoints.BYTES + 1]))
                .hasMessageContaining("14 bytes are no points");
        assertThatThrownBy(() -> new SeriesPoints(5, 16, 0, new byte[SeriesPoints.BYTES]))
                .hasMessageContaining("slice 16");
    }

    @Test
    @DisplayName("have a key for each series, spread over all slices")
    void keys() {
        Set<Long> keys = new HashSet<>();
        List<Integer> slices = new ArrayList<>();
        for (int i = 0; i < 16_000; i++) {
            for (RegressionMetric metric :
                    List.of(RegressionMetric.BOOT_TIME, RegressionMetric.HOST_SWAP)) {
                long key = SeriesPoints.key(metric, "host-" + i);
                keys.add(key);
                slices.add(SeriesPoints.slice(key));
            }
        }
        assertThat(keys).hasSize(32_000);
        for (int slice = 0; slice < SeriesPoints.SLICES; slice++) {
            int number = slice;
            assertThat(slices.stream().filter(each -> each == number).count())
                    .isBetween(1_800L, 2_200L);
        }
        assertThat(SeriesPoints.key(RegressionMetric.BOOT_TIME, "host-1"))
                .as("stored keys stay valid")
                .isEqualTo(-3_748_648_801_087_025_898L);
    }
}
