package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.KdumpLimits;

class KdumpSettingsTest {

    private static final String PREFIX = "stillwater.fencing.kdump.";

    @Test
    void theListenerIsOffByDefault() {
        KdumpLimits usual = KdumpLimits.DEFAULT;
        assertThat(Bound.bind(KdumpSettings.class, Map.of()))
                .isEqualTo(
                        new KdumpSettings(
                                null,
                                7410,
                                usual.first(),
                                usual.quiet(),
                                usual.longest(),
                                Duration.ofSeconds(30)));
    }

    @Test
    void everythingCanBeSet() {
        assertThat(
                        Bound.bind(
                                KdumpSettings.class,
                                Map.of(
                                        PREFIX + "address", "::1",
                                        PREFIX + "port", "7411",
                                        PREFIX + "first", "10s",
                                        PREFIX + "quiet", "11s",
                                        PREFIX + "longest", "12s",
                                        PREFIX + "retry", "13s")))
                .isEqualTo(
                        new KdumpSettings(
                                "::1",
                                7411,
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(11),
                                Duration.ofSeconds(12),
                                Duration.ofSeconds(13)));
    }

    @Test
    void nonsenseIsRefused() {
        assertThat(Bound.refusal(KdumpSettings.class, PREFIX + "address", "engine.example"))
                .contains("fencing.kdump.address", "an IP address");
        assertThat(Bound.refusal(KdumpSettings.class, PREFIX + "port", "0"))
                .contains("fencing.kdump.port");
        assertThat(Bound.refusal(KdumpSettings.class, PREFIX + "first", "1h"))
                .contains("fencing.kdump.first");
        assertThat(Bound.refusal(KdumpSettings.class, PREFIX + "quiet", "1s"))
                .contains("fencing.kdump.quiet");
        assertThat(Bound.refusal(KdumpSettings.class, PREFIX + "longest", "1m"))
                .contains("fencing.kdump.longest");
        assertThat(Bound.refusal(KdumpSettings.class, PREFIX + "retry", "0s"))
                .contains("fencing.kdump.retry");
    }

    @Test
    void aDumpIsOverBeforeItsHostIsWatchedAgain() {
        HostPolicySettings policy = Bound.bind(HostPolicySettings.class, Map.of());
        Map<String, String> late = Map.of(PREFIX + "address", "::1", PREFIX + "longest", "10m");
        KdumpSettings tooLong = Bound.bind(KdumpSettings.class, late);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tooLong.check(policy))
                .withMessageContaining("stillwater.host-policy.reboot");
        Bound.bind(KdumpSettings.class, Map.of(PREFIX + "longest", "10m")).check(policy);
    }
}
