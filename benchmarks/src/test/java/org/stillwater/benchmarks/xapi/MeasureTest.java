package org.stillwater.benchmarks.xapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeasureTest {

    private static Measure measure(double value, @Nullable Double target) {
        return Measure.of(XapiSection.SYNC, "all listed", "ms", value, target);
    }

    @Test
    void aMissedTargetIsPrintedWithItsDistance() {
        assertThat(measure(700, 600.0).verdict()).isEqualTo("missed by 100 ms (1.2 times)");
        assertThat(measure(700, 600.0).line()).endsWith("missed by 100 ms (1.2 times)");
        assertThat(measure(3, 0.0).verdict()).isEqualTo("missed by 3 ms");
        assertThat(measure(600, 600.0).verdict()).isEqualTo("reached");
        assertThat(measure(600, null).verdict()).isEmpty();
        assertThat(measure(Double.NaN, 600.0).verdict()).isEqualTo("not measured");
    }

    @Test
    void theRatioIsThePeersTimeByOurs() {
        assertThat(measure(500, null).beside(1_500.0).ratio()).isEqualTo(3.0);
        assertThat(measure(500, null).ratio()).isNull();
        assertThat(measure(0, null).beside(1_500.0).ratio()).isNull();
    }

    @Test
    void theSummaryHasMissedTargetsAndTheFileHasTheSameFigures() {
        Measures measures =
                new Measures(
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        measures.add(measure(700, 600.0).beside(1_400.0));
        measures.add(measure(Double.NaN, 600.0));
        measures.add(measure(10, null));
        assertThat(measures.summary())
                .contains("Missed:", "missed by 100 ms", "2 of 2 targets missed")
                .doesNotContain("10 ms");
        List<Map<String, Object>> json = measures.json();
        assertThat(json.getFirst())
                .containsEntry("section", "sync")
                .containsEntry("value", 700.0)
                .containsEntry("target", 600.0)
                .containsEntry("reached", false)
                .containsEntry("xenApi", 1_400.0)
                .containsEntry("ratio", 2.0);
        assertThat(json.getLast()).doesNotContainKeys("target", "reached", "xenApi", "ratio");
    }

    @Test
    void percentilesAreValuesThatWereMeasured() {
        Sorted sorted = Sorted.of(List.of(4.0, 1.0, 3.0, 2.0));
        assertThat(sorted.median()).isEqualTo(2);
        assertThat(sorted.at(0.99)).isEqualTo(4);
        assertThat(sorted.least()).isEqualTo(1);
        assertThat(Sorted.of(List.of()).median()).isNaN();
    }

    @Test
    void thePageHasTheNumberOfMeasures() {
        assertThat(PoolBed.total("{\"items\":[],\"total\":5000,\"next\":null}")).isEqualTo(5_000);
        assertThat(PoolBed.total("{\"items\":[],\"total\":null}")).isEqualTo(-1);
        assertThat(PoolBed.total(null)).isEqualTo(-1);
    }

    @Test
    void aPlanThatCannotBeIsRefused() {
        assertThatThrownBy(() -> plan(1, 100)).hasMessageContaining("--hosts");
        assertThatThrownBy(() -> plan(4, 5)).hasMessageContaining("--vms");
        assertThat(plan(4, 100).watched()).isLessThan(plan(4, 1_000).watched());
    }

    private static XapiPlan plan(int hosts, int vms) {
        return new XapiPlan(
                10,
                hosts,
                vms,
                1,
                0,
                1,
                10,
                100,
                null,
                1,
                "1g",
                List.of(),
                "1g",
                true,
                List.of("-version"),
                Path.of("folder"));
    }
}
