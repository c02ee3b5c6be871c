package org.stillwater.benchmarks.micro;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;

/** One VM's numbers: taking in a poll of two interfaces and two disks, and reading them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class StatisticsBenchmark {

    private static final VmId VM = new VmId(1, 1);
    private static final List<String> MACS = List.of("56:6f:00:00:00:01", "56:6f:00:00:00:02");

    private final VmManager vm = vm();
    private final VmSample sample = sample();
    private long poll;

    /** A poll with every number changed: the cost of a stable VM. */
    @Benchmark
    public long update() {
        poll++;
        sample.cpuUserPercent = poll & 63;
        for (int i = 0; i < sample.nicCount(); i++) {
            VmSample.Nic nic = sample.nic(i);
            nic.receivedBytes = poll * 1_000;
            nic.sentBytes = poll * 500;
            nic.sampleTimeSeconds = poll * 15.0;
        }
        vm.statistics().update(sample, poll, vm.cpus());
        return poll;
    }

    /** Cost of a read. */
    @Benchmark
    public @Nullable VmStatisticsView view() {
        return vm.statistics().view();
    }

    private static VmSample sample() {
        VmSample sample = new VmSample();
        sample.cpuSystemPercent = 5;
        sample.memoryUsagePercent = 40;
        sample.balloonCurrentKibibytes = 4_194_304;
        sample.nicsReported = true;
        sample.disksReported = true;
        for (String mac : MACS) {
            sample.addNic().mac = VmSample.Nic.macOf(mac);
        }
        for (String name : List.of("vda", "vdb")) {
            VmSample.Disk disk = sample.addDisk();
            disk.name = name;
            disk.imageId = VM;
        }
        return sample;
    }

    private static VmManager vm() {
        VmStatic definition =
                new VmStatic(
                        "vm",
                        VmOrigin.OVIRT,
                        false,
                        4_096,
                        2_048,
                        2,
                        2,
                        1,
                        MACS.stream()
                                .map(mac -> new VmNic(new UUID(1, 1), mac, mac, null, 10_000))
                                .toList());
        VmRegistry registry = new VmRegistry(40);
        VmPlacement placement = VmPlacement.on(new HostId(new UUID(0, 1)));
        VmState state = new VmState(VmRuntime.INITIAL, placement, 0, Instant.EPOCH, 0);
        registry.register(VM, definition, state, _ -> {});
        VmManager vm = Objects.requireNonNull(registry.find(VM));
        vm.statistics().update(sample(), 1, vm.cpus());
        return vm;
    }
}
