package org.stillwater.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.server.takeover.Comparison.Difference;

class ComparisonTest {

    private static ScriptedEngine engine(String vms, String hostStatus) {
        return new ScriptedEngine()
                .with("/clusters", "{\"cluster\": [{\"id\": \"c1\", \"name\": \"east\"}]}")
                .with(
                        "/hosts",
                        "{\"host\": [{\"id\": \"h1\", \"name\": \"node-01\", \"status\": \"%s\"}]}"
                                .formatted(hostStatus))
                .with("/vms", "{\"vm\": [" + vms + "]}");
    }

    private static String vm(String id, String status, String host) {
        return """
        {"id": "%s", "name": "vm-%s", "status": "%s", "memory": "1024", "cluster": {"id": "c1"}%s}
        """
                .formatted(
                        id,
                        id,
                        status,
                        host.isEmpty() ? "" : ", \"host\": {\"id\": \"%s\"}".formatted(host));
    }

    private static List<String> texts(Comparison comparison) {
        return comparison.differences().stream().map(Difference::toString).toList();
    }

    @Test
    void enginesThatBelieveTheSameAgree() throws Exception {
        Comparison comparison =
                Comparison.of(engine(vm("1", "up", "h1"), "up"), engine(vm("1", "up", "h1"), "up"));
        assertThat(comparison.vms()).isEqualTo(1);
        assertThat(comparison.differences()).isEmpty();
    }

    @Test
    void everyDifferenceIsListedByVmAndValue() throws Exception {
        Comparison comparison =
                Comparison.of(
                        engine(vm("1", "up", "h1") + "," + vm("2", "migrating", "h1"), "up"),
                        engine(
                                vm("1", "down", "")
                                        + ","
                                        + vm("2", "up", "h1")
                                        + ","
                                        + vm("3", "up", "h1"),
                                "non_responsive"));
        assertThat(comparison.vms()).isEqualTo(2);
        assertThat(texts(comparison))
                .containsExactly(
                        "VM vm-1 (1): host is node-01 there, none here",
                        "VM vm-1 (1): status is up there, down here",
                        "VM vm-2 (2): status is migrating there, up here (passing)",
                        "VM vm-3 (3): it is unknown there, known here",
                        "host node-01 (h1): status is up there, non_responsive here");
    }

    @Test
    void aDifferenceGoneAtTheSecondLookDoesNotCount() throws Exception {
        Comparison first =
                Comparison.of(engine(vm("1", "up", "h1"), "up"), engine(vm("1", "down", ""), "up"));
        Comparison second =
                Comparison.of(engine(vm("1", "up", "h1"), "up"), engine(vm("1", "up", ""), "up"));
        assertThat(texts(second.lasting(first)))
                .containsExactly("VM vm-1 (1): host is node-01 there, none here");
    }
}
