package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostPolicy;

class HostPolicySettingsTest {

    @Test
    void theDefaultsAreTheDocumentedOnes() {
        HostPolicySettings settings = Bound.bind(HostPolicySettings.class, Map.of());

        assertThat(settings.refresh()).isEqualTo(Duration.ofSeconds(3));
        assertThat(
                        new HostPolicy(
                                settings.forgivenFailures(),
                                settings.forgivenSilence(),
                                settings.forgivenSilencePerVm(),
                                settings.forgivenSilenceSpm(),
                                settings.recovery(),
                                settings.interfaceGrace(),
                                settings.drainRetry(),
                                settings.reboot(),
                                settings.autoRecovery(),
                                settings.fencingDelay(),
                                settings.leaseFirst(),
                                settings.leaseEvery()))
                .isEqualTo(HostPolicy.DEFAULT);
        assertThat(settings.watchdogSilence()).isEqualTo(Duration.ofMinutes(20));
        assertThat(settings.slowAnswer()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void wrongValuesAreRefusedByName() {
        assertThat(refusal("refresh", "0s"))
                .contains("stillwater.host-policy.refresh must be 10ms to 1h, not 0ms");
        assertThat(refusal("forgiven-failures", "-1")).contains("must be 0 to 1000, not -1");
        assertThat(refusal("recovery", "25h")).contains("must be 0ms to 24h, not 25h");
        assertThat(refusal("lease-first", "0")).contains("must be 1 to 1000000, not 0");
        assertThat(refusal("slow-answer", "0s")).contains("must be 10ms to 24h, not 0ms");
        assertThat(refusal("watchdog-task", "0s")).contains("must be 10ms to 24h, not 0ms");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(HostPolicySettings.class, "stillwater.host-policy." + name, value);
    }
}
