package org.stillwater.server.api.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.server.api.web.ApiException;

@DisplayName("Pages of alerts")
class AlertPageTest {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private static final AlertRule RULE =
            new AlertRule(
                    new UUID(5, 5),
                    1,
                    "Busy",
                    "vm.usageCpuPercent > 90",
                    Duration.ZERO,
                    AlertScope.ALL,
                    AlertSeverity.WARNING,
                    Map.of(),
                    Map.of(),
                    true,
                    5);

    /** The alert of a VM that fired some milliseconds after the begin. */
    private static Alert alert(int vm, long millis) {
        return Alert.fired(
                RULE,
                new AlertSubject(AlertSubject.Kind.VM, new UUID(8, vm), "web" + vm),
                95,
                BEGIN,
                BEGIN.plusMillis(millis),
                1);
    }

    @Test
    @DisplayName("pages are disjoint and complete, also where alerts fired at one time")
    void pages() {
        List<Alert> all = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            all.add(alert(i, i / 10 * 500L));
        }
        List<Alert> read = new ArrayList<>();
        String cursor = "";
        do {
            AlertPage page = AlertPage.of(all, cursor, 4);
            assertThat(page.total()).isEqualTo(25);
            read.addAll(page.alerts());
            cursor = page.next();
        } while (cursor != null);

        assertThat(read).containsExactlyInAnyOrderElementsOf(all);
        assertThat(read).isSortedAccordingTo((a, b) -> b.firedAt().compareTo(a.firedAt()));
    }

    @Test
    @DisplayName("an alert that fires between two requests moves no other one")
    void newAlert() {
        List<Alert> all = new ArrayList<>(List.of(alert(1, 1), alert(2, 2), alert(3, 3)));
        AlertPage first = AlertPage.of(all, "", 2);
        assertThat(first.alerts()).containsExactly(alert(3, 3), alert(2, 2));

        all.add(alert(4, 4));
        all.remove(alert(2, 2));

        AlertPage second = AlertPage.of(all, String.valueOf(first.next()), 2);
        assertThat(second.alerts()).containsExactly(alert(1, 1));
        assertThat(second.next()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "_",
                "2026-11-20T03:10:00Z",
                "2026-11-20T03:10:00Z_1",
                "soon_00000000-0000-0008-0000-000000000001"
            })
    void anotherCursorIsRefused(String cursor) {
        assertThatThrownBy(() -> AlertPage.of(List.of(), cursor, 2))
                .isInstanceOf(ApiException.class)
                .hasMessage("cursor must be next of the previous page");
    }

    @Test
    void severitiesAreWordsByCommas() {
        assertThat(AlertPage.severities(" ")).containsExactly(AlertSeverity.values());
        assertThat(AlertPage.severities("critical,info"))
                .containsExactly(AlertSeverity.INFO, AlertSeverity.CRITICAL);
        assertThatThrownBy(() -> AlertPage.severities("warning,")).isInstanceOf(ApiException.class);
        assertThatThrownBy(() -> AlertPage.severities("error")).isInstanceOf(ApiException.class);
    }
}
