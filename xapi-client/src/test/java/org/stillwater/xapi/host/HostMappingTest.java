package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.xapi.client.Records;

class HostMappingTest {

    private static final String HOST =
            """
            {"uuid":"11111111-2222-4333-8444-555555555555","name_label":"h","address":"192.0.2.1"}
            """;

    @Test
    @DisplayName("X7 numbers of an interface beyond 32 bits do not become others")
    void largeNumbers() {
        String pif =
                """
                {"device":"eth0","host":"OpaqueRef:h","VLAN":-1,"MTU":4294968796,
                 "metrics":"OpaqueRef:m"}
                """;
        PoolObjects objects =
                new PoolObjects(
                        Map.of(
                                PoolObjects.PIF,
                                Map.of("OpaqueRef:p", Records.of(PoolObjects.PIF, pif)),
                                PoolObjects.PIF_METRICS,
                                Map.of(
                                        "OpaqueRef:m",
                                        Records.of(
                                                PoolObjects.PIF_METRICS,
                                                "{\"speed\":4294967297}"))));
        PoolHost host = HostMapping.of("OpaqueRef:h", Records.of(PoolObjects.HOST, HOST), objects);
        HostNetworks.Nic nic =
                Objects.requireNonNull(host).capabilities().network().nics().get("eth0");
        assertThat(nic.speedMegabitsPerSecond()).isEqualTo(Integer.MAX_VALUE);
        assertThat(nic.ip().mtu()).isEqualTo(Integer.MAX_VALUE);
    }

    private static String revision(String software) {
        String record = HOST.strip().replaceFirst("}$", ",\"software_version\":" + software + "}");
        PoolHost host =
                HostMapping.of(
                        "OpaqueRef:h",
                        Records.of(PoolObjects.HOST, record),
                        new PoolObjects(Map.of()));
        return Objects.requireNonNull(host).capabilities().software().revision();
    }

    @Test
    @DisplayName("the revision of a host's software is that of XAPI, where the host reports it")
    void revisionOfXapi() {
        assertThat(
                        revision(
                                """
                                {"product_version":"8.3.0","build_number":"8.3.0",
                                 "xapi":"26.1","xapi_build":"26.1.3"}
                                """))
                .isEqualTo("26.1.3");
        assertThat(revision("{\"build_number\":\"8.3.0\",\"xapi\":\"26.1\"}")).isEqualTo("26.1");
        assertThat(revision("{\"build_number\":\"84700c\"}")).isEqualTo("84700c");
    }
}
