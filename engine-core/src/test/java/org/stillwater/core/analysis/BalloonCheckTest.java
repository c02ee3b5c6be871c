package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.report.VmSample.NOT_REPORTED;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BalloonCheckTest {

    private static final long MAXIMUM = 2_097_152;
    private static final long TARGET = 1_500_000;
    private static final long MINIMUM = 1_048_576;

    @Test
    void aBalloonIsRequestedWhenItsTargetIsNotItsMaximum() {
        assertThat(BalloonCheck.isRequested(1_024, 2_048, MAXIMUM, MAXIMUM, TARGET)).isTrue();
        assertThat(BalloonCheck.isRequested(1_024, 2_048, MAXIMUM, MAXIMUM, MAXIMUM)).isFalse();
    }

    @Test
    void aVmWithGuaranteedMemoryHasNoRequestedBalloon() {
        assertThat(BalloonCheck.isRequested(2_048, 2_048, MAXIMUM, MAXIMUM, TARGET)).isFalse();
        assertThat(BalloonCheck.isRequested(2_047, 2_048, MAXIMUM, MAXIMUM, TARGET)).isTrue();
    }

    @Test
    void aBalloonIsNotRequestedWhereThereIsNone() {
        assertThat(BalloonCheck.isRequested(1, 2, NOT_REPORTED, MAXIMUM, TARGET)).isFalse();
        assertThat(BalloonCheck.isRequested(1, 2, MAXIMUM, NOT_REPORTED, TARGET)).isFalse();
        assertThat(BalloonCheck.isRequested(1, 2, MAXIMUM, MAXIMUM, NOT_REPORTED)).isFalse();
    }

    @ParameterizedTest(name = "last {0}, current {1}: {2}")
    @CsvSource({
        // nothing was ever given back
        "2097152, 2097152, true",
        // it went all the way back
        "1600000, 2097152, true",
        // it stands still
        "1800000, 1800000, true",
        // it went away from its target
        "1700000, 1800000, true",
        // it passed its target and is as far away on the other side
        "1600000, 1400000, true",
        // it came nearer
        "1800000, 1799999, false",
        // it passed its target and is nearer
        "1600000, 1400001, false",
        // it is there, and stays there
        "1800000, 1500000, false",
        "1500000, 1500000, false",
    })
    @DisplayName("T44 the driver ignores its target")
    void theDriverIgnoresItsTarget(long last, long current, boolean ignores) {
        assertThat(BalloonCheck.ignoresTarget(last, current, MAXIMUM, TARGET)).isEqualTo(ignores);
    }

    @Test
    void aFirstObservationCountsAsNotHavingMoved() {
        assertThat(BalloonCheck.ignoresTarget(NOT_REPORTED, 1_800_000, MAXIMUM, TARGET)).isTrue();
        assertThat(BalloonCheck.ignoresTarget(NOT_REPORTED, TARGET, MAXIMUM, TARGET)).isFalse();
    }

    @Test
    void aBalloonIsUncontrolledWhenMemoryIsGivenBackByAGuestWithoutAgent() {
        assertThat(BalloonCheck.isUncontrolled(0, 1_800_000, MAXIMUM, MINIMUM)).isTrue();
        assertThat(BalloonCheck.isUncontrolled(1, 1_800_000, MAXIMUM, MINIMUM)).isFalse();
        assertThat(BalloonCheck.isUncontrolled(NOT_REPORTED, 1_800_000, MAXIMUM, MINIMUM))
                .isFalse();
        assertThat(BalloonCheck.isUncontrolled(0, MAXIMUM, MAXIMUM, MINIMUM)).isFalse();
        assertThat(BalloonCheck.isUncontrolled(0, 1_800_000, MAXIMUM, NOT_REPORTED)).isFalse();
    }

    @Test
    void theHitAfterTheLimitIsReportedAndTheCountRestarts() {
        int count = 0;
        for (int poll = 1; poll <= 3; poll++) {
            assertThat(BalloonCheck.isDue(count, true, 3)).as("poll %d", poll).isFalse();
            count = BalloonCheck.counted(count, true, 3);
            assertThat(count).isEqualTo(poll);
        }
        assertThat(BalloonCheck.isDue(count, true, 3)).isTrue();
        assertThat(BalloonCheck.counted(count, true, 3)).isZero();
    }

    @Test
    void theOppositeClearsTheCount() {
        assertThat(BalloonCheck.isDue(3, false, 3)).isFalse();
        assertThat(BalloonCheck.counted(3, false, 3)).isZero();
        assertThat(BalloonCheck.counted(1, false, 3)).isZero();
    }

    @Test
    void aLimitOfZeroReportsEveryHit() {
        assertThat(BalloonCheck.isDue(0, true, 0)).isTrue();
        assertThat(BalloonCheck.counted(0, true, 0)).isZero();
    }
}
