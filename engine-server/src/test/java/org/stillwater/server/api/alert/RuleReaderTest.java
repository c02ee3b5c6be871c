package org.stillwater.server.api.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
