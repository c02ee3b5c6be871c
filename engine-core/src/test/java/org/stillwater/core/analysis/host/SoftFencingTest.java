package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.stillwater.core.analysis.host.SoftFencing.Result;
import org.stillwater.core.fence.SoftFence.Answer;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;

class SoftFencingTest {

    private static final HostWork FENCE =
            new HostWork(new HostId(new UUID(1, 1)), HostWorkKind.FENCE, 3, 0, "it is silent");

    /** Below zero, so that comparing without subtraction shows. */
    private static final long NOW = -5_000_000_000L;

    /** A grace period far above the fixed wait: the terms per VM and for the SPM are large. */
    private static final HostPolicy LONG_GRACE =
            new HostPolicy(
                    2,
                    Duration.ofSeconds(60),
                    Duration.ofMinutes(10),
                    Duration.ofHours(1),
                    Duration.ofMinutes(3),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(300),
                    Duration.ofSeconds(600),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(300),
                    10,
                    101);

    @Test
    @DisplayName("T39 the wait for a host that never comes back ends after a fixed 60 s")
    void theWaitIsFixed() {
        SoftFencing restarted = restarted();
        for (HostPolicy policy : new HostPolicy[] {HostPolicy.DEFAULT, LONG_GRACE}) {
            assertThat(result(restarted, HostStatus.NON_RESPONSIVE, 59_999, policy)).isNull();
            assertThat(result(restarted, HostStatus.NON_RESPONSIVE, 60_000, policy))
                    .isEqualTo(
                            new Result.Failed(
                                    "its agent was restarted, but it did not come up within"
                                            + " 60 s"));
        }
    }

    @Test
    void aHostThatIsUpAfterTheRestartWasRecovered() {
        assertThat(result(restarted(), HostStatus.UP, 0, HostPolicy.DEFAULT))
                .isEqualTo(new Result.Recovered());
    }

    @ParameterizedTest
    @EnumSource
    void whileTheRestartIsUnderWayNothingIsConcluded(HostStatus status) {
        SoftFencing asked = SoftFencing.begin(FENCE);
        assertThat(asked.isAsked()).isTrue();
        assertThat(result(asked, status, 3_600_000, HostPolicy.DEFAULT)).isNull();
    }

    @Test
    void aRestartThatFailsIsGivenUpAtOnce() {
        SoftFencing failed = SoftFencing.begin(FENCE).answered(new Answer.Failed("no route"), NOW);
        assertThat(result(failed, HostStatus.NON_RESPONSIVE, 0, HostPolicy.DEFAULT))
                .isEqualTo(new Result.Failed("no route"));
        assertThat(result(failed, HostStatus.UP, 0, HostPolicy.DEFAULT))
                .as("it came back by itself")
                .isEqualTo(new Result.Overtaken());
    }

    @ParameterizedTest
    @EnumSource(
            names = {"MAINTENANCE", "DOWN", "REBOOT", "INSTALLING", "KDUMPING"},
            mode = Mode.INCLUDE)
    void aHostTakenOutOfServiceIsNotWaitedFor(HostStatus status) {
        assertThat(result(restarted(), status, 0, HostPolicy.DEFAULT))
                .isEqualTo(new Result.Overtaken());
    }

    @Test
    void aHostThatWasRemovedIsNotWaitedFor() {
        assertThat(restarted().result(null, NOW, HostPolicy.DEFAULT))
                .isEqualTo(new Result.Overtaken());
    }

    @Test
    void noHostIsFencedSoonAfterTheStartOrBeforeItIsSilent() {
        long delay = HostPolicy.DEFAULT.fencingDelay().toNanos();
        assertThat(mayBegin(HostStatus.NON_RESPONSIVE, delay - 1)).isFalse();
        assertThat(mayBegin(HostStatus.NON_RESPONSIVE, delay)).isTrue();
        assertThat(mayBegin(HostStatus.UNASSIGNED, delay)).isFalse();
        assertThat(mayBegin(HostStatus.CONNECTING, delay)).isFalse();
        assertThat(mayBegin(HostStatus.UP, delay)).isFalse();
    }

    @Test
    void otherWorkIsNoFencing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        SoftFencing.begin(
                                new HostWork(FENCE.host(), HostWorkKind.DRAIN, 1, 1, "")));
    }

    private static boolean mayBegin(HostStatus status, long sinceStart) {
        return SoftFencing.mayBegin(status, sinceStart, HostPolicy.DEFAULT);
    }

    private static SoftFencing restarted() {
        return SoftFencing.begin(FENCE).answered(new Answer.Restarted(), NOW);
    }

    private static Result result(
            SoftFencing attempt, HostStatus status, long millisLater, HostPolicy policy) {
        return attempt.result(status, NOW + millisLater * 1_000_000, policy);
    }
}
