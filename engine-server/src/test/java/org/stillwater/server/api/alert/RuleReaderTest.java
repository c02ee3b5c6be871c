package org.stillwater.server.api.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.server.api.web.ApiException;
import tools.jackson.databind.json.JsonMapper;

/** A refused rule names the member that is wrong, so that a form shows the reason at its field. */
class RuleReaderTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'expr':'vm.usageCpuPercent > 9'}|alert",
                "{'alert':7,'expr':'vm.usageCpuPercent > 9'}|alert",
                "{'alert':'A\\u0000','expr':'vm.usageCpuPercent > 9'}|alert",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','annotations':{'a':'\\u0000'}}"
                        + "|annotations.a",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9',"
                        + "'annotations':{'a':'{{ $labels.instance }}'}}|annotations",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9',"
                        + "'labels':{'a':'{{ humanize $value }}'}}|labels",
                "{'alert':'A'}|expr",
                "{'alert':'A','expr':'vm.usage > 9'}|expr",
                "{'alert':'A','expr':'vm.usageCpuPercent > x'}|expr",
                "{'alert':'A','expr':'regression(hosts)'}|expr",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','for':'soon'}|for",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','for':'8d'}|for",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','keep_firing_for':'8d'}"
                        + "|keep_firing_for",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','keep_firing_for':'x'}"
                        + "|keep_firing_for",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9',"
                        + "'scope':{'storageDomains':['00000000-0000-0000-0000-000000000001']}}"
                        + "|scope",
                "{'alert':'A','expr':'disk.readLatencyMilliseconds > 9',"
                        + "'scope':{'storageDomains':['x']}}|scope.storageDomains",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','severity':'bad'}|severity",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','flood':0}|flood",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','flood':'x'}|flood",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','labels':{'a b':'c'}}|labels",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','labels':{'severity':'c'}}|labels",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','annotations':{'a"
                        + " b':'c'}}|annotations",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','scope':{'vms':['x']}}|scope.vms",
                "{'alert':'A','expr':'vm.usageCpuPercent > 9','scope':{'tags':7}}|scope.tags",
                "{'alert':'A','expr':'host.usageCpuPercent > 9',"
                        + "'scope':{'vms':['00000000-0000-0000-0000-000000000001']}}|scope",
            })
    void aRefusedRuleNamesItsMember(String rule, String member) {
        String body = rule.replace('\'', '"');
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(
                        () -> RuleReader.read(new UUID(0, 1), 1, new JsonMapper().readTree(body)))
                .satisfies(refused -> assertThat(refused.member()).as(body).isEqualTo(member));
    }

    private static AlertRule read(String rule) {
        return RuleReader.read(
                new UUID(0, 1), 1, new JsonMapper().readTree(rule.replace('\'', '"')));
    }

    @Test
    @DisplayName("the label severity of Prometheus' rules is the severity of the rule")
    void labelOfSeverity() {
        AlertRule rule =
                read(
                        """
                        {'alert':'A','expr':'vm.usageCpuPercent > 9','for':'5m',
                         'labels':{'severity':'critical','team':'web'}}
                        """);
        assertThat(rule.severity()).isEqualTo(AlertSeverity.CRITICAL);
        assertThat(rule.labels()).isEqualTo(Map.of("team", "web"));

        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() ->
                        read(
                                """
                                {'alert':'A','expr':'vm.usageCpuPercent > 9',
                                 'severity':'info','labels':{'severity':'critical'}}
                                """))
                .withMessageContaining("labels.severity and severity differ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "{'groups':[{'name':'n','rules':[]}]}~\"groups\"",
                "{'record':'job:up:sum','expr':'sum(up)'}~\"record\"",
                "{'alert':'HostOutOfMemory','expr':'node_memory_MemAvailable_bytes /"
                        + " node_memory_MemTotal_bytes * 100 < 10'}"
                        + "~\"node_memory_MemAvailable_bytes\"",
                "{'alert':'InstanceDown','expr':'up == 0'}~\"up\"",
                "{'alert':'HighLatency','expr':'histogram_quantile(0.9, rate(x[5m])) > 1'}"
                        + "~\"histogram_quantile\"",
                "{'alert':'Cpu','expr':'100 - (avg by(instance) (rate(x[5m])) * 100) > 80'}"
                        + "~\"100\"",
                "{'alert':'Cpu','expr':'(host.cpuLoad) > 8'}~\"(host.cpuLoad) > 8\"",
                "{'alert':'Cpu','expr':'host.cpuLoad > 8 and vm.usageCpuPercent > 9'}"
                        + "~\"and vm.usageCpuPercent > 9\"",
                "{'alert':'Cpu','expr':'host.cpuLoad > 8','labels':{'severity':'page'}}"
                        + "~labels.severity",
                "{'alert':'Cpu','expr':'host.cpuLoad > 8','annotations':"
                        + "{'summary':'{{ $value | humanize }}'}}~{{ $value | humanize }}",
                "{'alert':'Cpu','expr':'host.cpuLoad > 8','annotations':"
                        + "{'summary':'{{ $labels.instance }}'}}~\"instance\"",
                "{'alert':'Cpu','expr':'host.cpuLoad > 8','query_offset':'1m'}~\"query_offset\"",
            })
    @DisplayName("what a rule of Prometheus has that this engine does not is refused by name")
    void refusedByName(String rule, String name) {
        assertThatExceptionOfType(ApiException.class)
                .as(rule)
                .isThrownBy(() -> read(rule))
                .withMessageContaining(name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "the engine itself sets the label severity|labels",
                "alert has 1 to 100 characters|alert",
                "there are at most 20 annotations|annotations",
                "for must be 0s to 7d|for",
            })
    void theFirstMemberOfASentenceCounts(String sentence, String member) {
        assertThat(RuleReader.named(sentence)).isEqualTo(member);
    }
}
