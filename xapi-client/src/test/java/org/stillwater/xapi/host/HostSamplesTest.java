package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.xapi.client.RrdColumn;
import org.stillwater.xapi.client.RrdUpdates;

class HostSamplesTest {

    private static final String HOST = "11111111-2222-4333-8444-555555555555";

    @Test
    @DisplayName("X54 a host that answers without metrics has no old numbers and no old clock")
    void oldRow() {
        HostSamples samples = new HostSamples();
        samples.take(
                new RrdUpdates(
                        5,
                        1_000,
                        List.of(new RrdColumn("AVERAGE", "host", HOST, "cpu_avg", 1)),
                        List.of(new RrdUpdates.Row(1_000, new double[] {0.5}))),
                5);
        PoolHost host =
                new PoolHost(
                        HostId.parse(HOST),
                        "OpaqueRef:h",
                        "h",
                        "192.0.2.1",
                        false,
                        true,
                        true,
                        0,
                        null,
                        new HostValues().capabilities(),
                        new HostValues().hardware(),
                        List.of());
        PoolObjects objects = new PoolObjects(Map.of());
        HostStatistics now = samples.statistics(host, objects, true, 3, 1);
        assertThat(now.hostClock()).isEqualTo(Instant.ofEpochSecond(1_000));
        assertThat(now.cpu().userPercent()).isEqualTo(50.0);
        HostStatistics without = samples.statistics(host, objects, false, 3, 1);
        assertThat(without.hostClock()).isNull();
        assertThat(without.cpu().userPercent()).isNull();
        assertThat(without.vms().count()).isEqualTo(3);
    }
}
