package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.testkit.VirtualClock;

class FailureCountsTest {

    private static final Duration TIME = Duration.ofMinutes(5);

    private final VirtualClock clock = new VirtualClock();
    private final FailureCounts counts = new FailureCounts(3, TIME, clock);

    @Test
    void soManyFailuresBlockAndOnlyTheLastOneSaysSo() {
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.blocked("a")).isNull();
        clock.advance(Duration.ofSeconds(1));
        assertThat(counts.failed("a")).isTrue();
        assertThat(counts.blocked("a")).isEqualTo(TIME);
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.blocked("b")).as("another").isNull();
    }

    @Test
    void aBlockEndsAndFurtherFailuresDoNotMakeItLonger() {
        for (int i = 0; i < 3; i++) {
            counts.failed("a");
        }
        clock.advance(TIME.minusSeconds(1));
        counts.failed("a");
        assertThat(counts.blocked("a")).isEqualTo(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(1));
        assertThat(counts.blocked("a")).isNull();
    }

    @Test
    void afterABlockItCountsFromTheBeginning() {
        for (int i = 0; i < 3; i++) {
            counts.failed("a");
        }
        clock.advance(TIME);
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.blocked("a")).isNull();
        assertThat(counts.failed("a")).isTrue();
    }

    @Test
    void aFailureAfterABlockWasNotToldIsCountedToo() {
        for (int i = 0; i < 3; i++) {
            counts.failed("a");
        }
        clock.advance(TIME.minusNanos(1));
        counts.failed("a"); // while it is blocked
        clock.advance(Duration.ofNanos(1));
        counts.failed("a");
        counts.failed("a");
        assertThat(counts.failed("a")).as("the third one since").isTrue();
    }

    @Test
    void successForgetsFailures() {
        counts.failed("a");
        counts.failed("a");
        counts.succeeded("a");
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.failed("a")).isFalse();
        assertThat(counts.failed("a")).isTrue();
    }
}
