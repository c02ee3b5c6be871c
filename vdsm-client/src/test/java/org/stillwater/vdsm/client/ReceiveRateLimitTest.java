package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReceiveRateLimitTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final ReceiveRateLimit pace = new ReceiveRateLimit(10_000, 1_000, 0);

    @Test
    void bytesWithinTheLimitNeverWait() {
        pace.bytes(10_000);
        assertThat(pace.waitNanos(0)).isZero();
    }

    @Test
    void bytesBeyondTheLimitWaitForTheirShare() {
        pace.bytes(12_000);
        assertThat(pace.waitNanos(0)).isEqualTo(2 * SECOND);
        assertThat(pace.waitNanos(SECOND)).isEqualTo(SECOND);
        assertThat(pace.waitNanos(2 * SECOND)).isZero();
    }

    @Test
    void aFrameCostsMoreThanItsBytes() {
        for (int i = 0; i < 5; i++) {
            pace.frame();
        }
        assertThat(pace.waitNanos(0)).isEqualTo(240_000_000L);
    }

    @Test
    void anIdleHostSavesNoMoreThanComesAtOnce() {
        pace.waitNanos(3_600 * SECOND);
        pace.bytes(11_000);
        assertThat(pace.waitNanos(3_600 * SECOND)).isEqualTo(SECOND);
    }
}
