package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetersTest {

    private final Meters meters =
            Meters.parse(
                    """
                    # HELP sql_total Statements
                    # TYPE sql_total counter
                    sql_total{stage="write",kind="a b"} 3.0
                    sql_total{stage="recovery",kind="c"} 4.0
                    sql_total_other 100.0
                    plain 1.5E3
                    stamped{a="}"} 2.0 1700000000
                    """);

    @Test
    void aNameIsTheSumOverItsLabels() {
        assertThat(meters.sum("sql_total")).isEqualTo(7);
        assertThat(meters.sum("plain")).isEqualTo(1500);
        assertThat(meters.sum("stamped")).isEqualTo(2);
    }

    @Test
    void aLabelChooses() {
        assertThat(meters.sum("sql_total", "stage=\"write\"")).isEqualTo(3);
    }

    @Test
    void aMissingMeterIsZeroAndAbsent() {
        assertThat(meters.sum("sql")).isZero();
        assertThat(meters.has("sql")).isFalse();
        assertThat(meters.has("sql_total")).isTrue();
    }
}
