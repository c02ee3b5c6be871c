package org.stillwater.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class VmFamiliesTest {

    private static List<String> names(String... words) {
        return VmFamilies.select(List.of(words)).stream().map(Family::name).toList();
    }

    @Test
    void everyGroupNamesFamiliesThatThereAre() {
        List<String> all = VmFamilies.ALL.stream().map(Family::name).toList();
        VmFamilies.GROUPS.forEach((group, names) ->
                assertThat(all)
                        .as(group)
                        .containsAll(names.stream().map(VmFamilies::full).toList()));
        assertThat(VmFamilies.GROUPS.values().stream().flatMap(List::stream).map(VmFamilies::full))
                .as("families of no group")
                .containsAll(all);
    }

    @Test
    void familiesKeepTheirOrderAndComeOnce() {
        assertThat(names("cpu", "state", "stillwater_vm_up"))
                .containsExactly(
                        "stillwater_vm",
                        "stillwater_vm_status",
                        "stillwater_vm_up",
                        "stillwater_vm_cpus",
                        "stillwater_vm_memory_bytes",
                        "stillwater_vm_cpu_usage_ratio",
                        "stillwater_vm_cpu_user_cores",
                        "stillwater_vm_cpu_system_cores");
        assertThat(VmFamilies.select(List.of("cpu", "all"))).isEqualTo(VmFamilies.ALL);
    }

    @Test
    void aSeriesIsNamedAsTheScrapeNamesIt() {
        assertThat(names(" stillwater_vm_info", "stillwater_vm_network_receive_bytes_total "))
                .containsExactly("stillwater_vm", "stillwater_vm_network_receive_bytes");
    }

    @Test
    void anotherWordIsRefusedWithThoseThatThereAre() {
        assertThatThrownBy(() -> names("colour"))
                .hasMessage(
                        "families has no colour; there are all, state, usage, traffic, cpu, memory,"
                                + " network, disks and the names of series");
        assertThatThrownBy(() -> names("")).hasMessageStartingWith("families has no ");
    }
}
