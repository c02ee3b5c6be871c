package org.stillwater.command.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.command.operation.CommandLab;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;

class FenceRetriesTest {

    private final FenceRetries retries = new FenceRetries(3, Duration.ofMinutes(2));

    private static HostWork work(long episode) {
        return new HostWork(CommandLab.hostId(1), HostWorkKind.FENCE, episode, 0, "silent");
    }

    @Test
    void pausesDoubleUntilItIsGivenUp() {
        assertThat(retries.hasFailed(work(1))).isFalse();
        assertThat(retries.failed(work(1)))
                .isEqualTo(new FenceRetries.Retry(1, Duration.ofMinutes(2)));
        assertThat(retries.failed(work(1)))
                .isEqualTo(new FenceRetries.Retry(2, Duration.ofMinutes(4)));
        assertThat(retries.failed(work(1))).isEqualTo(new FenceRetries.Retry(3, null));
        assertThat(retries.hasFailed(work(1))).isTrue();
    }

    @Test
    void anotherOutageBeginsAnewAndMakesTheLastOnesPauseNeedless() {
        assertThat(retries.failed(work(1)).count()).isEqualTo(1);
        assertThat(retries.isDue(work(1), 1)).isTrue();
        assertThat(retries.failed(work(2)).count()).isEqualTo(1);
        assertThat(retries.isDue(work(1), 1)).isFalse();
        assertThat(retries.hasFailed(work(1))).isFalse();
        retries.forget(CommandLab.hostId(1));
        assertThat(retries.isDue(work(2), 1)).isFalse();
    }

    @Test
    void manyAttemptsDoNotOverflowThePause() {
        FenceRetries patient = new FenceRetries(1_000, Duration.ofSeconds(1));
        FenceRetries.Retry last = patient.failed(work(1));
        for (int i = 0; i < 100; i++) {
            last = patient.failed(work(1));
        }
        assertThat(last.after()).isEqualTo(Duration.ofSeconds(1 << 20));
    }
}
