package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.analysis.host.KdumpDetection.Verdict;
import org.stillwater.core.fence.KdumpListener.State;

/**
 * The time at which a silent host counts as one that writes a kernel dump, and the end of the dump.
 */
class KdumpDetectionTest {

    /** Below zero, so that comparing without subtraction shows. */
    private static final long BEGUN = Long.MAX_VALUE - Duration.ofSeconds(40).toNanos();

    private static final State LONG_AGO = new State.Listening(BEGUN - 1);
    private static final KdumpLimits LIMITS =
            new KdumpLimits(
                    Duration.ofSeconds(30), Duration.ofSeconds(90), Duration.ofSeconds(300));

    private static long at(int seconds) {
        return BEGUN + Duration.ofSeconds(seconds).toNanos();
    }

    @ParameterizedTest
    @CsvSource({"0, WAIT", "29, WAIT", "30, NOT_DUMPING", "60, NOT_DUMPING"})
    void aSilentHostIsAwaitedForAWhile(int seconds, Verdict verdict) {
        assertThat(KdumpDetection.begin(BEGUN).verdict(LIMITS, LONG_AGO, at(seconds)))
                .isEqualTo(verdict);
    }

    @Test
    void earlierMessagesDoNotCountForThisOutage() {
        KdumpDetection begun = KdumpDetection.begin(BEGUN);
        assertThat(begun.heard(null)).isEqualTo(begun);
        assertThat(begun.heard(BEGUN - 1)).isEqualTo(begun);
        assertThat(begun.heard(at(1)).isFound()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"20, DUMPING", "109, DUMPING", "110, OVER"})
    void aDumpIsOverWithoutFurtherMessages(int seconds, Verdict verdict) {
        KdumpDetection dumps = KdumpDetection.begin(BEGUN).heard(at(10)).heard(at(20));
        assertThat(dumps.verdict(LIMITS, LONG_AGO, at(seconds))).isEqualTo(verdict);
    }

    @Test
    void anOlderMessageTakesNothingBack() {
        KdumpDetection dumps = KdumpDetection.begin(BEGUN).heard(at(10)).heard(at(20));
        assertThat(dumps.heard(at(15))).isEqualTo(dumps);
    }

    @Test
    void aDumpThatDoesNotEndHoldsFencingBackForALimitedTime() {
        KdumpDetection dumps = KdumpDetection.begin(BEGUN).heard(at(10));
        for (int second = 15; second < 310; second += 5) {
            dumps = dumps.heard(at(second));
            assertThat(dumps.verdict(LIMITS, LONG_AGO, at(second))).isEqualTo(Verdict.DUMPING);
        }
        assertThat(dumps.heard(at(310)).verdict(LIMITS, LONG_AGO, at(310))).isEqualTo(Verdict.OVER);
    }

    @Test
    void aListenerThatBeganLaterHasHeardLess() {
        State late = new State.Listening(at(20));
        KdumpDetection begun = KdumpDetection.begin(BEGUN);
        assertThat(begun.verdict(LIMITS, late, at(49))).isEqualTo(Verdict.WAIT);
        assertThat(begun.verdict(LIMITS, late, at(50))).isEqualTo(Verdict.NOT_DUMPING);
    }

    @Test
    void withoutAListenerNothingIsAwaited() {
        State deaf = new State.Deaf("the port is taken");
        KdumpDetection begun = KdumpDetection.begin(BEGUN);
        assertThat(begun.verdict(LIMITS, deaf, BEGUN)).isEqualTo(Verdict.NOT_DUMPING);
        assertThat(begun.heard(at(1)).verdict(LIMITS, deaf, at(5)))
                .as("what was heard before counts")
                .isEqualTo(Verdict.DUMPING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void timesArePositive(int which) {
        Duration[] times = {Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1)};
        times[which] = Duration.ZERO;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KdumpLimits(times[0], times[1], times[2]));
    }
}
