package org.stillwater.core.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.command.Specifications.SURROUNDINGS;
import static org.stillwater.core.command.Specifications.VM;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmSpecification.BootDevice;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;

/** A VM that is started, lost and found again has the definition that it was started with. */
class FoundAgainTest {

    private static VmSpecification found(String xml) throws Exception {
        return new DomainXmlReader().readFound(VM, xml).specification();
    }

    private static VmSpecification found(VmStatic vm, VmSpecification started) throws Exception {
        return found(DomainXmlWriter.write(VM, vm, started, SURROUNDINGS));
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyDeviceIsFoundAgain(long seed) throws Exception {
        Specifications.Any any = Specifications.any(new SplittableRandom(seed));
        VmSpecification started = any.specification();
        VmSpecification found = found(any.vm(), started);
        FoundDefinition differences = Objects.requireNonNull(found.found());
        assertThat(differences.followed()).isTrue();
        assertThat(differences.missing()).as("seed %d", seed).isEmpty();
        assertThat(differences.changed())
                .as("seed %d", seed)
                .hasSize(started.timeZone() == null ? 0 : 1);
        assertThat(found.withFound(null))
                .as("seed %d", seed)
                .isEqualTo(asWritten(any.vm(), started, null));
    }

    @Test
    void everyKindOfDeviceIsFoundAgain() throws Exception {
        VmStatic vm = Specifications.vm("db", 8_192, 4, 1, 1);
        VmSpecification found = found(vm, Specifications.full());
        assertThat(found.withFound(null))
                .isEqualTo(asWritten(vm, Specifications.full(), "Etc/GMT-2"));
        assertThat(Objects.requireNonNull(found.found()))
                .isEqualTo(
                        new FoundDefinition(
                                true,
                                List.of(),
                                List.of(
                                        "time zone: 2 h from UTC all year round, because its summer"
                                                + " time is not known")));
    }

    /** Started again, the found VM is the same domain. */
    @Test
    void theNextRunHasTheSameDomain() throws Exception {
        VmStatic vm = Specifications.vm("db", 8_192, 4, 1, 1);
        String first = DomainXmlWriter.write(VM, vm, Specifications.full(), SURROUNDINGS);
        assertThat(DomainXmlWriter.write(VM, vm, found(first), SURROUNDINGS)).isEqualTo(first);
    }

    /** A definition with the values of the cluster, and without values that no domain has. */
    private static VmSpecification asWritten(VmStatic vm, VmSpecification of, String zone) {
        List<VmDisk> ranked =
                of.disks().stream()
                        .filter(disk -> disk.bootOrder() != null)
                        .sorted(Comparator.comparing(VmDisk::bootOrder))
                        .toList();
        List<UUID> order = new ArrayList<>(ranked.stream().map(VmDisk::id).toList());
        boolean usual =
                !of.boot().contains(BootDevice.DISK)
                        || order.isEmpty()
                        || (order.size() == 1
                                && order.getFirst().equals(of.disks().getFirst().id()));
        List<VmDisk> disks = new ArrayList<>();
        for (VmDisk disk : of.disks()) {
            int rank = order.indexOf(disk.id());
            disks.add(
                    new VmDisk(
                            disk.id(),
                            "disk" + (disks.size() + 1),
                            disk.place(),
                            disk.bus(),
                            disk.format(),
                            usual || rank < 0 ? null : Integer.valueOf(rank + 1),
                            disk.readOnly(),
                            disk.shareable()));
        }
        List<VmInterface> nics = new ArrayList<>();
        for (VmInterface nic : of.interfaces()) {
            nics.add(
                    new VmInterface(
                            nic.id(),
                            "nic" + (nics.size() + 1),
                            nic.mac(),
                            nic.network(),
                            nic.model(),
                            nic.linked() || nic.network() == null,
                            nic.mtuBytes(),
                            nic.filtered()));
        }
        List<BootDevice> boot =
                of.boot().stream()
                        .filter(kind ->
                                switch (kind) {
                                    case DISK -> !disks.isEmpty();
                                    case CDROM -> of.cdrom() != null;
                                    case NETWORK ->
                                            nics.stream()
                                                    .anyMatch(nic ->
                                                            nic.linked() && nic.network() != null);
                                })
                        .toList();
        return new VmSpecification(
                of.machineType() == null ? SURROUNDINGS.machineType() : of.machineType(),
                CpuArchitecture.X86_64,
                of.cpu() instanceof VmCpu.OfCluster
                        ? new VmCpu.Named("Cascadelake-Server", Set.of("md-clear", "spec-ctrl"))
                        : of.cpu(),
                of.maximumSockets() > vm.sockets() ? of.maximumSockets() : 0,
                of.maximumMemoryMebibytes() > vm.memoryMebibytes()
                        ? of.maximumMemoryMebibytes()
                        : 0,
                of.firmware(),
                boot.isEmpty() ? List.of(BootDevice.DISK) : boot,
                of.bootMenu(),
                disks,
                of.cdrom(),
                nics,
                of.consoles(),
                of.consoles().isEmpty() ? VmSpecification.Video.VGA : of.video(),
                of.serialConsole(),
                of.balloon(),
                of.tpm(),
                of.randomness(),
                of.watchdog(),
                numaAsWritten(vm, of),
                of.cpuPinning(),
                of.customProperties(),
                zone,
                of.resume(),
                null,
                null,
                new VmTraits("other", VmTraits.Workload.SERVER, of.traits().cpuShares(), false),
                null);
    }

    private static List<VmNumaPlan> numaAsWritten(VmStatic vm, VmSpecification of) {
        List<VmNumaPlan> nodes = of.numaNodes();
        if (nodes.isEmpty() || (nodes.size() == 1 && nodes.getFirst().hostNodes().isEmpty())) {
            return List.of();
        }
        int cpus = of.sockets(vm) * vm.coresPerSocket() * vm.threadsPerCore();
        Set<Integer> first = new TreeSet<>();
        for (int cpu = 0; cpu < cpus; cpu++) {
            first.add(cpu);
        }
        nodes.stream().skip(1).forEach(node -> node.cpus().forEach(first::remove));
        List<VmNumaPlan> written = new ArrayList<>();
        for (VmNumaPlan node : nodes) {
            // The policy of a node without nodes of the host is not written.
            written.add(
                    new VmNumaPlan(
                            written.isEmpty() ? List.copyOf(first) : node.cpus(),
                            node.memoryMebibytes(),
                            node.hostNodes(),
                            node.hostNodes().isEmpty() ? VmNumaPlan.Mode.PREFERRED : node.mode()));
        }
        return written;
    }
}
