package org.stillwater.core.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
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
                "storage-domain.delayMilliseconds >= 12.5",
                "absent(host.usageCpuPercent)",
                "regression(storage-domain) >= 20"
            })
    void anExpressionIsWrittenInTheFormRead(String expr) {
        assertThat(AlertExpression.parse("  " + expr + " ").toString()).isEqualTo(expr);
        for (String name : AlertExpression.metricNames()) {
            assertThat(AlertExpression.parse(name + ">1").toString()).isEqualTo(name + " > 1");
        }
        for (String name : AlertExpression.measureNames()) {
            assertThat(AlertExpression.parse(name + ">1").toString()).isEqualTo(name + " > 1");
            assertThat(AlertExpression.metricNames()).doesNotContain(name);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "vm.usageCpuPercnt > 90 | 1 | is \"vm.usageCpuPercent\" meant?",
                "absent(host.cpuLaod) | 8 | is \"host.cpuLoad\" meant?",
                "disk.readLatencyMillis > 3 | 1 | is \"disk.readLatencyMilliseconds\" meant?",
                "absent(interface.droppedRate) | 8 | no value whenever its object has no load",
                "regression(storage-domian) >= 20 | 12 | is \"storage-domain\" meant?",
                "vm.usageCpuPercent > many | 22 | \"many\" is no number",
                "vm.usageCpuPercent > 90d | 22 | \"90d\" is no number",
                "vm.usageCpuPercent > 0x1p3 | 22 | \"0x1p3\" is no number",
                "vm.usageCpuPercent > Infinity | 22 | is no finite number",
                "vm.usageCpuPercent > 1e400 | 22 | is no finite number",
                "vm.usageCpuPercent > | 21 | a number is missing",
                "vm.usageCpuPercent | 19 | the end is no comparison; >, >=, <, <= are",
                "vm.usageCpuPercent == 3 | 20 | \"==\" is no comparison; >, >=, <, <= are",
                "vm.usageCpuPercent => 3 | 20 | \"=>\" is no comparison",
                "vm.usageCpuPercent > 3 and 1 | 24 | \"and 1\" is too much",
                "vm.usageCpuPercent{a=\"b\"} > 3 | 19 | scope has the objects",
                "> 3 | 1 | begins no condition; METRIC > NUMBER, absent(METRIC) and",
                "rate(vm.usageCpuPercent) > 3 | 1 | \"rate\" is no function; absent and regression",
                "absent(host.cpuLoad | 20 | a closing bracket is missing before the end",
                "absent(host.cpuLoad) > 1 | 22 | is too much",
                "regression(vm) > 20 | 16 | \">\" does not compare a regression; only >= does",
                "regression(storage) >= 20 | 12 | the kinds are any, disk, interface, vm,"
                        + " storage-path",
                "regression(vm) >= -1 | 19 | no negative size"
            })
    void aWrongExpressionIsRefusedWithThePositionAndTheAllowedTokens(
            String expr, int position, String hint) {
        assertThatThrownBy(() -> AlertExpression.parse(expr))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expr, character " + position + ": ")
                .hasMessageContaining(hint);
    }

    @Test
    void durationsAreThoseOfPrometheus() {
        assertThat(AlertExpression.duration("1h30m")).isEqualTo(Duration.ofMinutes(90));
        assertThat(AlertExpression.duration("1w")).isEqualTo(Duration.ofDays(7));
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
    void contradictoryMembersAreRefused() {
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

    @ParameterizedTest
    @CsvSource(
            value = {
                "vm.cpuWaitPercent, DOMAIN, only a rule on disks or storage domains",
                "interface.droppedRate, DOMAIN, only a rule on disks or storage domains",
                "vm.usageCpuPercent, DOMAIN, only a rule on disks or storage domains",
                "host.answerMilliseconds, VM, a metric of hosts has no scope of VMs",
                "storage-domain.delayMilliseconds, VM, it has no scope of VMs"
            })
    void aScopeThatNoObjectCanMatchIsRefused(String metric, String what, String why) {
        assertThatThrownBy(() -> scoped(metric, what)).hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource({
        "disk.readLatencyMilliseconds, DOMAIN",
        "storage-domain.delayMilliseconds, DOMAIN",
        "storage-domain.readLatencyMilliseconds, VM",
        "disk.writeCapacityRate, VM",
        "interface.droppedRate, VM"
    })
    void aMeasuredNumberHasTheScopeOfItsObjects(String metric, String what) {
        assertThat(scoped(metric, what).scope().isAll()).isFalse();
    }

    private static AlertRule scoped(String metric, String what) {
        Set<UUID> ids = Set.of(new UUID(3, 3));
        return new AlertRule(
                new UUID(1, 1),
                1,
                "Slow",
                metric + " > 1",
                Duration.ZERO,
                what.equals("VM")
                        ? new AlertScope(Set.of(), Set.of(), ids, Set.of())
                        : new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(), ids),
                AlertSeverity.INFO,
                Map.of(),
                Map.of(),
                true,
                1);
    }

    @Test
    void textsOfAnAlertHaveItsValueAndItsLabels() {
        AlertRule rule =
                new AlertRule(
                        new UUID(1, 1),
                        1,
                        "Busy",
                        "vm.usageCpuPercent > 90",
                        Duration.ZERO,
                        AlertScope.ALL,
                        AlertSeverity.WARNING,
                        Map.of("team", "web of {{$labels.kind}}"),
                        Map.of(
                                "summary",
                                "{{ $labels.object }} ({{ $labels.team }}): {{ $value }} %",
                                "old",
                                "{{ $labels.instance }} {{ humanize $value }} {{"),
                        true,
                        20);
        AlertSubject subject = new AlertSubject(AlertSubject.Kind.VM, new UUID(2, 2), "a$1{{b}}");
        Instant now = Instant.parse("2026-11-20T03:10:00Z");

        Alert alert = Alert.fired(rule, subject, 95.5, now, now, 1);
        assertThat(alert.labels()).containsEntry("team", "web of vm");
        assertThat(alert.annotations())
                .containsEntry("summary", "a$1{{b}} (web of vm): 95.5 %")
                .containsEntry("old", "{{ $labels.instance }} {{ humanize $value }} {{");
        assertThat(Alert.fired(rule, subject, Double.NaN, now, now, 1).annotations().get("summary"))
                .endsWith(": none %");
        assertThat(Alert.fired(rule, subject, 95, now, now, 1).annotations().get("summary"))
                .endsWith(": 95 %");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{{ $value }} {{ $labels.objectId }} {{ $labels.team }} }}|",
                "{{ $labels.instance }}|annotations.a: there is no label \"instance\"",
                "{{ $labels.objct }}|is \"object\" meant?",
                "{{ printf $value }}|is not supported",
                "{{ $value|}} is missing after {{",
            })
    void aTemplateThatCannotBeFilledIsRefused(String text, String why) {
        Map<String, String> labels = Map.of("team", "web");
        if (why == null) {
            AlertRule.checkTemplates(labels, Map.of("a", text));
        } else {
            assertThatThrownBy(() -> AlertRule.checkTemplates(labels, Map.of("a", text)))
                    .hasMessageContaining(why);
        }
    }
}
