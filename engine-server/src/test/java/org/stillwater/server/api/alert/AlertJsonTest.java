package org.stillwater.server.api.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertResolution;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.AlertSubject;

@DisplayName("Alerts in answers")
class AlertJsonTest {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private static Alert fired(AlertSubject subject) {
        return Alert.fired(
                new AlertRule(
                        new UUID(5, 5),
                        1,
                        "Slow",
                        "disk.readLatencyMilliseconds > 20",
                        Duration.ZERO,
                        AlertScope.ALL,
                        AlertSeverity.WARNING,
                        Map.of(),
                        Map.of(),
                        true,
                        5),
                subject,
                40,
                BEGIN,
                BEGIN,
                1);
    }

    @Test
    @DisplayName("name the VM or host that the object is or belongs to")
    void owners() {
        UUID owner = new UUID(8, 1);
        AlertJson.AlertItem disk =
                AlertJson.alert(
                        fired(
                                new AlertSubject(
                                        AlertSubject.Kind.DISK,
                                        new UUID(9, 9),
                                        "disk vda of VM web1",
                                        owner,
                                        null)),
                        false);
        assertThat(disk.vmId()).isEqualTo(owner.toString());
        assertThat(disk.hostId()).isNull();
        assertThat(disk.kind()).isEqualTo("disk");

        AlertJson.AlertItem host =
                AlertJson.alert(
                        fired(new AlertSubject(AlertSubject.Kind.HOST, owner, "host1")), false);
        assertThat(host.hostId()).isEqualTo(owner.toString());
        assertThat(host.vmId()).isNull();
    }

    @Test
    @DisplayName("an alert that ended is not silenced: its end is delivered")
    void silenced() {
        Alert alert = fired(new AlertSubject(AlertSubject.Kind.VM, new UUID(8, 1), "web1"));
        assertThat(AlertJson.alert(alert, true).silenced()).isTrue();
        assertThat(
                        AlertJson.alert(
                                        alert.resolved(
                                                BEGIN.plusSeconds(60), AlertResolution.CONDITION),
                                        true)
                                .silenced())
                .isFalse();
    }
}
