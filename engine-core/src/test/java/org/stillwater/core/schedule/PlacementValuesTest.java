package org.stillwater.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stillwater.core.schedule.PlacementScene.host;
import static org.stillwater.core.schedule.PlacementScene.hostId;
import static org.stillwater.core.schedule.PlacementScene.vm;
import static org.stillwater.core.schedule.PlacementScene.vmId;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostValues;

class PlacementValuesTest {

    @Test
    void aHostOffersItsReportedResources() {
        HostOffer offer =
                HostOffer.of(
                        new HostValues()
                                .put(HostField.ONLINE_CPUS, List.of(0, 1, 4))
                                .put(HostField.CPU_THREADS, 8)
                                .put(HostField.CPU_FLAGS, " nx,vmx,nx ")
                                .put(HostField.MEMORY, 65_536L)
                                .put(HostField.RESERVED_MEMORY, 321L)
                                .put(HostField.EMULATED_MACHINES, List.of("q35", "pc", "q35"))
                                .capabilities());

        assertThat(offer)
                .isEqualTo(
                        new HostOffer(
                                3,
                                65_536,
                                321,
                                Set.of(),
                                Set.of("q35", "pc"),
                                Set.of("nx", "vmx")));
    }

    @Test
    void threadsStandInForProcessorsThatAreNotListed() {
        assertThat(
                        HostOffer.of(new HostValues().put(HostField.CPU_THREADS, 8).capabilities())
                                .onlineCpus())
                .isEqualTo(8);
    }

    @Test
    void missingAndImpossibleNumbersOfAHostAreUnknown() {
        HostOffer nothing = new HostOffer(0, 0, 0, Set.of(), Set.of(), Set.of());

        assertThat(HostOffer.of(new HostValues().capabilities())).isEqualTo(nothing);
        assertThat(
                        HostOffer.of(
                                new HostValues()
                                        .put(HostField.CPU_THREADS, -1)
                                        .put(HostField.CPU_FLAGS, " ")
                                        .put(HostField.MEMORY, -1L)
                                        .put(HostField.RESERVED_MEMORY, -1L)
                                        .capabilities()))
                .isEqualTo(nothing);
    }

    @Test
    void aVmRequiresTheResourcesOfItsDefinitionAndCluster() {
        VmStatic definition =
                new VmStatic("web", VmOrigin.OVIRT, true, 4096, 1024, 2, 2, 1, List.of());

        PlacementRequest vm =
                PlacementRequest.of(
                        vmId(1),
                        definition,
                        HostRequirements.NONE.withEmulatedMachine("q35"),
                        VmSpecification.BARE.withDevices(
                                List.of(),
                                null,
                                List.of(
                                        new VmInterface(
                                                new UUID(1, 1),
                                                "nic1",
                                                "56:6f:00:00:00:01",
                                                "guests"),
                                        new VmInterface(
                                                new UUID(1, 2), "nic2", "56:6f:00:00:00:02", null),
                                        new VmInterface(
                                                        new UUID(1, 3),
                                                        "nic3",
                                                        "56:6f:00:00:00:03",
                                                        "rarely")
                                                .plugged(false))));

        assertThat(vm)
                .isEqualTo(
                        new PlacementRequest(
                                vmId(1),
                                "web",
                                ClusterId.DEFAULT,
                                definition.memoryWithOverheadMebibytes(),
                                4,
                                Set.of("guests"),
                                "q35",
                                null,
                                null,
                                Set.of(),
                                Set.of(),
                                null,
                                0));
        assertThat(
                        vm.leaving(hostId(1))
                                .excluding(Set.of(hostId(2)))
                                .pinnedTo(Set.of(hostId(3)))
                                .preferring(hostId(4))
                                .withPriority(5))
                .isEqualTo(
                        new PlacementRequest(
                                vmId(1),
                                "web",
                                ClusterId.DEFAULT,
                                definition.memoryWithOverheadMebibytes(),
                                4,
                                Set.of("guests"),
                                "q35",
                                null,
                                hostId(1),
                                Set.of(hostId(2)),
                                Set.of(hostId(3)),
                                hostId(4),
                                5));
    }

    @Test
    void aProcessorIsThatOfTheClusterTheHostsOwnOrOneWithAName() {
        CpuType cluster = new CpuType("Sea Lake", Set.of("nx", "model_SeaLake"), null, null);

        assertThat(ProcessorNeeds.of(VmCpu.OF_CLUSTER, null)).isNull();
        assertThat(ProcessorNeeds.of(VmCpu.OF_CLUSTER, cluster))
                .isEqualTo(new ProcessorNeeds("Sea Lake", Set.of("nx", "model_SeaLake")));
        assertThat(ProcessorNeeds.of(VmCpu.OF_HOST, cluster)).isNull();
        assertThat(
                        ProcessorNeeds.of(
                                new VmCpu.Named("Sky-Lake", Set.of("spec-ctrl", "sse4.1")),
                                cluster))
                .isEqualTo(
                        new ProcessorNeeds(
                                "Sky-Lake", Set.of("model_Sky-Lake", "spec_ctrl", "sse4_1")));
    }

    @Test
    void flagsCountAlsoAsTheyAreSpelledElsewhere() {
        assertThat(
                        HostOffer.of(
                                        new HostValues()
                                                .put(
                                                        HostField.CPU_FLAGS,
                                                        "nx,spec-ctrl,model_Sky-Lake")
                                                .capabilities())
                                .cpuFlags())
                .containsExactlyInAnyOrder("nx", "spec-ctrl", "spec_ctrl", "model_Sky-Lake");
    }

    @Test
    void aHostThatGotAVmHasItPending() {
        HostCandidate host = host(1, 8192).with(vm(3, 1024, 2));

        assertThat(host.load()).isEqualTo(new HostLoad(null, 0, 1024, 0, 2, 1, null));
        assertThat(host.vms()).containsExactly(vmId(3));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 100, 0, 0, cpuOvercommit",
        "NaN, 100, 0, 0, cpuOvercommit",
        "1001, 100, 0, 0, cpuOvercommit",
        "1, 0, 0, 0, memoryOvercommitPercent",
        "1, 1001, 0, 0, memoryOvercommitPercent",
        "1, 100, -1, 0, reservedMebibytes",
        "1, 100, 0, -1, expectedCpuPercent",
        "1, 100, 0, 101, expectedCpuPercent"
    })
    void aPolicyHasLimits(double cpu, int memory, int reserved, int expected, String named) {
        assertThatThrownBy(() ->
                        new SchedulingPolicy(
                                Weighting.NONE,
                                cpu,
                                memory,
                                reserved,
                                expected,
                                20,
                                80,
                                2,
                                5,
                                2_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(named + " is ");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 2, 5, 2000, highUtilisationPercent",
        "0, 101, 2, 5, 2000, highUtilisationPercent",
        "81, 80, 2, 5, 2000, lowUtilisationPercent",
        "20, 80, -1, 5, 2000, affinityFactor",
        "20, 80, NaN, 5, 2000, affinityFactor",
        "20, 80, 2, -1, 2000, namedHosts",
        "20, 80, 2, 5, 99, longestExplanation"
    })
    void aPolicysPreferencesHaveLimits(
            int low, int high, double affinity, int hosts, int longest, String named) {
        assertThatThrownBy(() ->
                        new SchedulingPolicy(
                                Weighting.NONE, 1, 100, 0, 20, low, high, affinity, hosts, longest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(named + " is ");
    }

    @Test
    void nothingIsLessThanNothing() {
        assertThatThrownBy(() -> vm(1, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the VM v1 needs at least 0 MiB and 1 CPU, not -1 and 1");
        assertThatThrownBy(() -> vm(1, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HostOffer(0, -1, 0, Set.of(), Set.of(), Set.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HostLoad(null, 0, -1, 0, 0, 0, null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
