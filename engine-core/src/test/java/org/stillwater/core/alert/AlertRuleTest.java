package org.stillwater.core.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The language of alert rules")
class AlertRuleTest {

    static AlertRule rule(String expr, Duration lasting, int flood) {
        return new AlertRule(
                new UUID(1, 1),
                1,
                "Busy",
                expr,
                lasting,
                AlertScope.ALL,
                AlertSeverity.WARNING,
                Map.of(),
                Map.of(),
                true,
                flood);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vm.usageCpuPercent > 90",
                "host.cpuLoad <= 0.5",
                "absent(host.usageCpuPercent)",
                "regression(storage-domain) >= 20"
            })
    void anExpressionIsWrittenAsItIsRead(String expr) {
        assertThat(AlertExpression.parse("  " + expr + " ").toString()).isEqualTo(expr);
        for (String name : AlertExpression.metricNames()) {
            assertThat(AlertExpression.parse(name + ">1").toString()).isEqualTo(name + " > 1");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "vm.usageCpuPercnt > 90; is \"vm.usageCpuPercent\" meant?",
                "absent(host.cpuLaod); is \"host.cpuLoad\" meant?",
                "regression(storage-domian) >= 20; is \"storage-domain\" meant?",
                "vm.usageCpuPercent > many; is no number",
                "vm.usageCpuPercent > Infinity; is no finite number",
                "vm.usageCpuPercent == 3; expr must be",
                "regression(storage) >= 20; the kinds are any, disk, interface, vm, storage-path",
                "regression(vm) >= -1; no negative size"
            })
    void aWrongExpressionIsRefusedWithWhatMayBeMeant(String expr, String hint) {
        assertThatThrownBy(() -> AlertExpression.parse(expr))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(hint);
    }

    @Test
    void durationsAreThoseOfPrometheus() {
        assertThat(AlertExpression.duration("1h30m")).isEqualTo(Duration.ofMinutes(90));
        assertThat(AlertExpression.text(Duration.ofMinutes(90))).isEqualTo("1h30m");
        assertThat(AlertExpression.text(Duration.ZERO)).isEqualTo("0s");
        for (String wrong : List.of("", "5", "m5", "5m x", "5 m")) {
            assertThatThrownBy(() -> AlertExpression.duration(wrong))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anUnknownMemberIsRefusedByNameWithTheNearestOne() {
        assertThatThrownBy(() ->
                        AlertRule.checkMembers(
                                "a rule", List.of("alert", "anotations"), AlertRule.MEMBERS))
                .hasMessage(
                        "there is no member \"anotations\" in a rule; is \"annotations\" meant?");
    }

    @Test
    void whatMakesNoSenseTogetherIsRefused() {
        AlertScope vms = new AlertScope(Set.of(), Set.of(), Set.of(new UUID(3, 3)), Set.of());
        for (String expr : List.of("host.cpuLoad > 1", "regression(any) >= 1")) {
            assertThatThrownBy(() ->
                            new AlertRule(
                                    new UUID(1, 1),
                                    1,
                                    "Busy",
                                    expr,
                                    Duration.ZERO,
                                    vms,
                                    AlertSeverity.INFO,
                                    Map.of(),
                                    Map.of(),
                                    true,
                                    1))
                    .hasMessageContaining("scope");
        }
    }
}
