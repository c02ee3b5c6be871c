package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.testkit.VirtualClock;

class RatesTest {

    private final VirtualClock clock = new VirtualClock();
    private final Rates rates = new Rates(10, 3, clock);

    @Test
    void aBurstIsAdmittedAndTheNextGetsItsTime() {
        for (int i = 0; i < 3; i++) {
            assertThat(rates.take("a")).isNull();
        }
        assertThat(rates.take("a")).isEqualTo(Duration.ofMillis(100));
        assertThat(rates.take("b")).as("another").isNull();
        clock.advance(Duration.ofMillis(60));
        assertThat(rates.take("a")).isEqualTo(Duration.ofMillis(40));
        clock.advance(Duration.ofMillis(40));
        assertThat(rates.take("a")).isNull();
        assertThat(rates.take("a")).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void aSteadyClientIsNeverRefused() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(rates.take("a")).isNull();
            clock.advance(Duration.ofMillis(100));
        }
    }

    @Test
    void repeatedRequestsGetNoMoreThanTheLimit() {
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            taken += rates.take("a") == null ? 1 : 0;
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(taken).isBetween(100, 103);
    }
}
