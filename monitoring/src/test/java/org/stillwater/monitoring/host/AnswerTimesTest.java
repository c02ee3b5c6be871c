package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.monitoring.host.HostCalls.Call;

class AnswerTimesTest {

    private static final long START = Long.MAX_VALUE - 5_000_000_000L; // the clock may wrap

    private final AnswerTimes times = new AnswerTimes(Duration.ofSeconds(5));
    private final HostCalls calls = new HostCalls(Duration.ofMinutes(4), times);
    private long now = START;

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private void answered(Call call, Duration after) {
        long number = calls.asked(call, now);
        pass(after);
        assertThat(calls.arrived(call, number, now)).isTrue();
    }

    @Test
    void anUnpolledHostHasNoAnswerTime() {
        assertThat(times.at(now)).isEqualTo(AnswerTime.NONE);
    }

    @Test
    void theLastAndTheSlowestOfTheLastAnswersAreKept() {
        answered(Call.VMS, Duration.ofMillis(300));
        answered(Call.STATISTICS, Duration.ofMillis(20));
        assertThat(times.at(now))
                .isEqualTo(
                        new AnswerTime(Duration.ofMillis(20), Duration.ofMillis(300), null, null));
    }

    @Test
    void aSlowAnswerIsRememberedForEightAnswersAndDatedFromItsQuestion() {
        answered(Call.VMS, Duration.ofSeconds(6));
        pass(Duration.ofSeconds(9));
        assertThat(times.at(now).slowFor()).isEqualTo(Duration.ofSeconds(15));
        for (int i = 0; i < 7; i++) {
            answered(Call.STATISTICS, Duration.ofMillis(10));
        }
        assertThat(times.at(now).slowFor()).isNotNull();
        answered(Call.STATISTICS, Duration.ofMillis(10));
        assertThat(times.at(now).slowFor()).isNull();
        assertThat(times.at(now).slowest()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void aCallThatWaitsForTooLongIsSlowBeforeItIsAnswered() {
        calls.asked(Call.VMS, now);
        pass(Duration.ofSeconds(2));
        calls.asked(Call.STATISTICS, now);
        pass(Duration.ofSeconds(2));
        assertThat(times.at(now).waiting()).isEqualTo(Duration.ofSeconds(4));
        assertThat(times.at(now).slowFor()).isNull();
        pass(Duration.ofSeconds(1));
        assertThat(times.at(now).slowFor()).isEqualTo(Duration.ofSeconds(5));
        calls.forget();
        assertThat(times.at(now)).as("the connection is gone").isEqualTo(AnswerTime.NONE);
    }

    @Test
    void aHostWithAbandonedCallsIsNoLongerAwaited() {
        calls.asked(Call.VMS, now);
        pass(Duration.ofMinutes(4));
        assertThat(calls.giveUp(now)).isNotNull();
        assertThat(times.at(now).waiting()).isNull();
        assertThat(times.at(now).last()).as("that was no answer").isNull();
    }
}
