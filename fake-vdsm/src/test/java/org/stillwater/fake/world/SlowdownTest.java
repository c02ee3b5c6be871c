package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Slower storage in the reports of hosts, beside a world of the same seed without it. */
class SlowdownTest {

    private static final String DOMAIN = "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a";
    private static final String OTHER = "f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6";

    private final Lab slow = Lab.of(2, 3);
    private final Lab usual = Lab.of(2, 3);

    private void pass(Duration time) {
        slow.world.advance(time);
        usual.world.advance(time);
    }

    private double delay(int host, String domain) {
        return ratio(
                slow.result(host, "Host.getStats").path("storageDomains").path(domain),
                usual.result(host, "Host.getStats").path("storageDomains").path(domain),
                "delay");
    }

    private double latency(int host, int vm, String disk) {
        JsonNode now = slow.result(host, "Host.getAllVmStats").get(vm).path("disks").path(disk);
        JsonNode as = usual.result(host, "Host.getAllVmStats").get(vm).path("disks").path(disk);
        return ratio(now, as, "writeLatency");
    }

    private static double ratio(JsonNode now, JsonNode usual, String member) {
        return Double.parseDouble(now.path(member).asString())
                / Double.parseDouble(usual.path(member).asString());
    }

    private static Slowdown slowdown(Slowdown.LatencyCurve shape, int percent, long lasts) {
        return new Slowdown("host", List.of("host-0001"), null, shape, percent, 1_000, lasts);
    }

    @Test
    void aStorageDomainIsSlowerOnEveryHost() {
        pass(Duration.ofMinutes(2));
        slow.world
                .host("host-0001")
                .slowDown(UUID.fromString(DOMAIN), List.of(), "step", 300, Duration.ZERO);

        for (int host = 0; host < 2; host++) {
            assertThat(delay(host, DOMAIN)).isBetween(2.9, 3.1);
            assertThat(delay(host, OTHER)).isEqualTo(1);
        }
        assertThat(slow.world.state()).contains(DOMAIN, "\"shape\": \"step\"", "\"percent\": 300");
        slow.world.host("host-0002").endSlowdowns();
        assertThat(delay(0, DOMAIN)).isEqualTo(1);
    }

    @Test
    void aHostIsSlowerWithItsVmsAndItsDomains() {
        pass(Duration.ofMinutes(2));
        slow.world.host("host-0001").slowDown(null, List.of(), "dip", 200, Duration.ofMinutes(1));

        assertThat(delay(0, OTHER)).isBetween(1.9, 2.1);
        assertThat(delay(1, OTHER)).isEqualTo(1);
        assertThat(latency(0, 0, "vda")).isBetween(1.99, 2.01);
        assertThat(latency(1, 0, "vda")).isEqualTo(1);
        pass(Duration.ofMinutes(1));
        assertThat(latency(0, 0, "vda")).isEqualTo(1);
    }

    @Test
    void hostsMakeAClusterAndAVmIsAlone() {
        pass(Duration.ofMinutes(2));
        slow.world
                .host("host-0001")
                .slowDown(null, List.of("host-0002"), "step", 200, Duration.ZERO);
        String id = slow.result(0, "Host.getAllVmStats").get(0).path("vmId").asString();
        slow.world.vm(id).slowDown("vda", "step", 300, Duration.ZERO);

        assertThat(delay(1, OTHER)).isBetween(1.9, 2.1);
        assertThat(latency(0, 0, "vda")).isBetween(5.99, 6.01);
        assertThat(latency(0, 1, "vda")).isBetween(1.99, 2.01);
    }

    @Test
    void shapesChangeWithTime() {
        Slowdown drift = slowdown(Slowdown.LatencyCurve.DRIFT, 300, 10_000);
        assertThat(drift.factor(0)).isEqualTo(1);
        assertThat(drift.factor(6_000)).isEqualTo(2);
        assertThat(drift.factor(60_000)).isEqualTo(3);
        Slowdown day = slowdown(Slowdown.LatencyCurve.DIURNAL, 300, 10_000);
        assertThat(day.factor(6_000)).isEqualTo(3);
        assertThat(day.factor(11_000)).isEqualTo(1);
        Slowdown recovery = slowdown(Slowdown.LatencyCurve.RECOVERY, 300, 10_000);
        assertThat(recovery.factor(10_999)).isEqualTo(3);
        assertThat(recovery.factor(11_000)).isEqualTo(1);
        Slowdown noise = slowdown(Slowdown.LatencyCurve.NOISE, 20, 0);
        assertThat(noise.factor(20_000)).isEqualTo(noise.factor(20_001)).isPositive();
        assertThat(noise.factor(20_000)).isNotEqualTo(noise.factor(40_000));
    }

    @Test
    void anUpgradeIsAnotherVersion() {
        slow.world.host("host-0001").upgrade("4.50.99", Duration.ZERO);
        pass(Duration.ofSeconds(1));

        JsonNode capabilities = slow.result(0, "Host.getCapabilities");
        assertThat(capabilities.path("software_version").asString()).isEqualTo("4.50.99");
        assertThat(slow.world.state()).contains("\"softwareVersion\": \"4.50.99\"");
        assertThat(usual.result(0, "Host.getCapabilities").path("software_version").asString())
                .isEqualTo("4.50.7");
    }

    @Test
    void wrongSlowdownsAreRefused() {
        assertThatThrownBy(() -> SimulatedHost.checkSlowdown("slope", 200, Duration.ZERO))
                .hasMessageContaining("slope", "diurnal");
        assertThatThrownBy(() -> SimulatedHost.checkSlowdown("step", 0, Duration.ZERO))
                .hasMessageContaining("percent");
        assertThatThrownBy(() -> SimulatedHost.checkSlowdown("dip", 200, Duration.ZERO))
                .hasMessageContaining("lasts");
    }
}
