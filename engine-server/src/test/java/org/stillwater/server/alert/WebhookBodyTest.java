package org.stillwater.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.AlertSubject;

@DisplayName("The body of a webhook")
class WebhookBodyTest {

    private static final Instant SINCE = Instant.parse("2026-11-20T03:10:00Z");
    private static final Instant FIRED = SINCE.plusSeconds(600);

    private static WebhookBody.Alert sent(Instant fired, double value) {
        AlertRule rule =
                new AlertRule(
                        new UUID(5, 5),
                        1,
                        "Busy",
                        "vm.usageCpuPercent > 90",
                        Duration.ofMinutes(10),
                        AlertScope.ALL,
                        AlertSeverity.WARNING,
                        Map.of("team", "web", "shift", ""),
                        Map.of(),
                        true,
                        20);
        Alert alert =
                Alert.fired(
                        rule,
                        new AlertSubject(AlertSubject.Kind.VM, new UUID(8, 1), "web-1"),
                        value,
                        fired.minusSeconds(600),
                        fired,
                        1);
        return WebhookBody.of(List.of(Notice.of(alert)), "https://engine.example")
                .alerts()
                .getFirst();
    }

    @Test
    @DisplayName("a fingerprint is Prometheus' hash of the labels")
    void fingerprint() {
        assertThat(WebhookBody.fingerprint(Map.of())).isEqualTo("cbf29ce484222325");
        // A published vector of prometheus/common: 5799056148416392346.
        assertThat(
                        WebhookBody.fingerprint(
                                Map.of("name", "garland, briggs", "fear", "love is not enough")))
                .isEqualTo("507a62d79ee76c9a");
    }

    @Test
    @DisplayName("an alert that fires again has the fingerprint of before")
    void firesAgain() {
        assertThat(sent(FIRED.plusSeconds(9_000), 99).fingerprint())
                .isEqualTo(sent(FIRED, 95).fingerprint());
    }

    @Test
    @DisplayName("an alert starts when it fired, not when its condition began to hold")
    void starts() {
        assertThat(sent(FIRED, 95).startsAt()).isEqualTo(FIRED.toString());
        assertThat(sent(FIRED, 95).endsAt()).isEqualTo("0001-01-01T00:00:00Z");
    }

    @Test
    @DisplayName("an empty label is none")
    void emptyLabel() {
        assertThat(sent(FIRED, 95).labels())
                .containsEntry("team", "web")
                .doesNotContainKey("shift");
    }
}
