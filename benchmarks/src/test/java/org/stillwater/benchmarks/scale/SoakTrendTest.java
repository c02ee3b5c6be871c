package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoakTrendTest {

    private static SoakTrend of(double... values) {
        return new SoakTrend("heap", java.util.Arrays.stream(values).boxed().toList(), 10, 4);
    }

    @Test
    void aFigureThatLevelsOffDoesNotGrow() {
        SoakTrend trend = of(10, 40, 80, 100, 101, 99, 103, 98, 102);
        assertThat(trend.before()).isEqualTo(100);
        assertThat(trend.after()).isEqualTo(102);
        assertThat(trend.grows()).isFalse();
    }

    @Test
    void aSteadilyRisingFigureGrows() {
        List<Double> leak = IntStream.range(0, 14).mapToObj(day -> 100.0 + 10 * day).toList();
        assertThat(new SoakTrend("heap", leak, 10, 4).grows()).isTrue();
    }

    @Test
    void oneReadingThatIsHighIsNoTrend() {
        assertThat(of(100, 100, 100, 100, 100, 100, 100, 400, 100).grows()).isFalse();
    }

    @Test
    void tooFewReadingsAreNoTrend() {
        assertThatThrownBy(() -> of(1, 2, 3)).hasMessageContaining("too seldom");
    }
}
