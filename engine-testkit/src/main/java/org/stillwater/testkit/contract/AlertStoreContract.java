package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertResolution;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.Silence;
import org.stillwater.core.store.AlertStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Contract of every {@link AlertStore}. A subclass hands out an empty store before each test. */
public abstract class AlertStoreContract {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private AlertStore store;

    /** A store with nothing in it. */
    protected abstract AlertStore emptyAlerts() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyAlerts();
    }

    private static AlertRule rule(int number, String name) {
        return new AlertRule(
                new UUID(5, number),
                1,
                name,
                "vm.usageCpuPercent > 90.5",
                Duration.ofMinutes(5),
                new AlertScope(
                        Set.of(new UUID(1, 1)), Set.of("prod"), Set.of(), Set.of(new UUID(2, 2))),
                AlertSeverity.CRITICAL,
                Map.of("team", "storage \"A\""),
                Map.of("summary", "too busy"),
                true,
                7);
    }

    private static Alert alert(int number) {
        return Alert.fired(
                rule(1, "Busy"),
                new AlertSubject(AlertSubject.Kind.VM, new UUID(8, number), "web" + number),
                93.25,
                BEGIN.minusSeconds(300),
                BEGIN.plusSeconds(number),
                1);
    }

    private static Silence silence(int number) {
        return new Silence(
                new UUID(9, number),
                List.of(new Silence.Matcher("alertname", "Busy", true)),
                BEGIN,
                BEGIN.plusSeconds(100L * number),
                "eve@internal",
                "maintenance");
    }

    @Test
    @DisplayName("rules are read as they were written, by name; a name is taken once")
    void rules() throws StoreUnavailable {
        assertThat(store.save(rule(1, "Busy"))).isTrue();
        assertThat(store.save(rule(2, "Away"))).isTrue();
        assertThat(store.save(rule(3, "Busy"))).isFalse();

        assertThat(store.rules()).containsExactly(rule(2, "Away"), rule(1, "Busy"));

        assertThat(store.save(rule(1, "Busier"))).isTrue();
        assertThat(store.removeRule(rule(2, "Away").id())).isTrue();
        assertThat(store.removeRule(rule(2, "Away").id())).isFalse();
        assertThat(store.rules()).containsExactly(rule(1, "Busier"));
    }

    @Test
    @DisplayName("silences are read as they were written, by their end")
    void silences() throws StoreUnavailable {
        store.save(silence(2));
        store.save(silence(1));

        assertThat(store.silences()).containsExactly(silence(1), silence(2));
        assertThat(store.removeSilence(silence(1).id())).isTrue();
        assertThat(store.removeSilence(silence(1).id())).isFalse();
    }

    @Test
    @DisplayName("alerts that fire come first; one that is saved again replaces its former state")
    void alerts() throws StoreUnavailable {
        Alert known =
                alert(1).acknowledged(
                                new Alert.Acknowledgement("eve", BEGIN.plusSeconds(9), "known"));
        Alert over = alert(2).resolved(BEGIN.plusSeconds(60), AlertResolution.GONE);
        store.saveAlerts(List.of(alert(1), alert(2)));

        assertThat(store.saveAlerts(List.of(known, over)))
                .isEqualTo(new WriteOutcome.Written(2, List.of()));

        assertThat(store.alerts(10)).containsExactly(known, over);
        assertThat(store.alerts(1)).containsExactly(known);
    }

    @Test
    @DisplayName("only what ended long ago is removed")
    void removed() throws StoreUnavailable {
        store.save(silence(1));
        store.save(silence(9));
        store.saveAlerts(
                List.of(alert(1), alert(2).resolved(BEGIN.plusSeconds(60), AlertResolution.RULE)));

        assertThat(store.removeEndedBefore(BEGIN.plusSeconds(200))).isEqualTo(2);

        assertThat(store.alerts(10)).containsExactly(alert(1));
        assertThat(store.silences()).containsExactly(silence(9));
    }
}
