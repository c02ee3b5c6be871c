package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.server.security.GuessLimiter.Turn;
import org.stillwater.testkit.VirtualClock;

class GuessLimiterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration FORGOTTEN = Duration.ofMinutes(15);

    private final VirtualClock clock = new VirtualClock();
    private final GuessLimiter limiter =
            new GuessLimiter(2, Duration.ofSeconds(1), Duration.ofSeconds(4), FORGOTTEN, clock);

    private Turn take() {
        return limiter.take("a", PATIENCE);
    }

    @Test
    void pausesDoubleUpToTheLongest() {
        assertThat(take().slows()).isFalse();
        assertThat(take().slows()).isTrue();
        assertThat(take().pause()).isZero();
        for (int seconds : new int[] {1, 2, 4, 4, 4}) {
            Turn turn = take();
            assertThat(turn.pause()).hasSeconds(seconds);
            clock.advance(turn.pause());
        }
        assertThat(limiter.take("b", PATIENCE).pause()).as("another").isZero();
    }

    @Test
    void aGuessThatWouldWaitForTooLongTakesNoTurn() {
        for (int i = 0; i < 5; i++) {
            Turn _ = take(); // the next one may be looked at in 7 s
        }
        Turn refused = take();
        assertThat(refused.refused()).isTrue();
        assertThat(refused.pause()).hasSeconds(7);
        assertThat(take()).isEqualTo(refused);
        clock.advance(Duration.ofSeconds(2));
        assertThat(take().refused()).isFalse();
    }

    @Test
    void aTurnThatIsGivenBackCostsNothing() {
        for (int i = 0; i < 3; i++) {
            Turn _ = take();
        }
        for (int i = 0; i < 100; i++) {
            Turn turn = take();
            assertThat(turn.pause()).hasSeconds(1);
            limiter.giveBack(turn);
        }
        assertThat(limiter.failures("a")).isEqualTo(3);
    }

    @Test
    void failuresAreForgottenDespiteRightPasswords() {
        Turn _ = take();
        Turn _ = take();
        assertThat(limiter.isSlowed("a")).isTrue();
        clock.advance(FORGOTTEN.minusSeconds(1));
        limiter.giveBack(take());
        clock.advance(Duration.ofSeconds(1));
        assertThat(limiter.isSlowed("a")).isFalse();
        assertThat(take().failures()).isZero();
    }
}
