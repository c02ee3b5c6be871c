package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.xapi.client.RrdColumn;
import org.stillwater.xapi.client.RrdUpdates;

class HostSamplesTest {

    private static final String HOST = SamplePoolHost.UUID;
    private static final String VM = "6b1f2d3c-0000-4000-8000-000000000001";

    private static PoolVm vm(VmStatus status) {
        return new PoolVm(
                VmId.parse(VM),
                "OpaqueRef:v",
                new VmStatic(
                        "v",
                        VmOrigin.EXTERNAL,
                        false,
                        1_024,
                        1_024,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        ClusterId.DEFAULT),
                HostId.parse(HOST),
                null,
                status,
                List.of(),
                1,
                null,
                List.of());
    }

    /** A row of a VM whose host measures these columns of it. */
    private static RrdUpdates row(long seconds, Map<String, Double> values) {
        List<RrdColumn> columns = new ArrayList<>();
        double[] row = new double[values.size()];
        values.forEach((name, value) -> {
            row[columns.size()] = value;
            columns.add(new RrdColumn("AVERAGE", "vm", VM, name, 1));
        });
        return new RrdUpdates(5, seconds, columns, List.of(new RrdUpdates.Row(seconds, row)));
    }

    private static VmSample sample(HostSamples samples, VmStatus status) {
        VmSample sample = new VmSample();
        assertThat(samples.fill(vm(status), new PoolObjects(Map.of()), Instant.EPOCH, sample))
                .isTrue();
        return sample;
    }

    @Test
    @DisplayName("X56 a paused VM keeps its last memory, and has none of another run")
    void paused() {
        double mebibyte = 1 << 20;
        HostSamples samples = new HostSamples();
        Map<String, Double> running =
                Map.of("cpu0", 0.5, "memory", 1_024 * mebibyte, "memory_internal_free", mebibyte);
        Map<String, Double> stopped = Map.of("cpu0", 0.0);
        samples.take(row(1_000, running), 5);
        assertThat(sample(samples, VmStatus.UP).memoryFreeKibibytes).isEqualTo(1_024);
        for (long seconds = 1_005; seconds < 1_020; seconds += 5) {
            samples.take(row(seconds, stopped), 5);
            VmSample sample = sample(samples, VmStatus.PAUSED);
            assertThat(sample.memoryFreeKibibytes).isEqualTo(1_024);
            assertThat(sample.memoryUnusedKibibytes).isEqualTo(1_024);
            assertThat(sample.memoryUsagePercent).isEqualTo(100);
            assertThat(sample.cpuUserPercent).isZero();
            assertThat(sample(samples, VmStatus.UP).memoryUsagePercent)
                    .as("it runs, and nothing measures it")
                    .isEqualTo(VmSample.NOT_REPORTED);
        }
        samples.take(row(1_020, Map.of()), 5); // it has left the host
        samples.take(row(1_025, stopped), 5);
        assertThat(sample(samples, VmStatus.PAUSED).memoryUsagePercent)
                .isEqualTo(VmSample.NOT_REPORTED);
        samples.take(row(1_030, running), 5);
        assertThat(sample(samples, VmStatus.PAUSED).memoryUsagePercent).isEqualTo(100);
    }

    @Test
    @DisplayName("X53 rows of a coarser archive do not mix with those of five seconds")
    void coarser() {
        HostSamples samples = new HostSamples();
        samples.take(row(1_000, Map.of("cpu0", 0.5)), 5);
        RrdUpdates fine = row(4_000, Map.of("cpu0", 0.9));
        samples.take(new RrdUpdates(60, 4_000, fine.columns(), fine.rows()), 5);
        assertThat(samples.newestSeconds()).isEqualTo(1_000);
        assertThat(sample(samples, VmStatus.UP).cpuUserPercent).isEqualTo(50.0);
    }

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
        PoolHost host = SamplePoolHost.bare();
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
