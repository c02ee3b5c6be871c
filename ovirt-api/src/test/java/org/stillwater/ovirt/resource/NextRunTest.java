package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.store.RunDefinition;
import tools.jackson.databind.JsonNode;

/**
 * A VM that was changed while it runs: the answer shows its present run, or the next run on
 * request.
 */
class NextRunTest {

    private static final String WEB = "/vms/" + SmallFleet.WEB;
    private static final long GIBIBYTE = 1L << 30;
    private static final VmConsole SPICE = new VmConsole(VmConsole.Protocol.SPICE, null);

    private final SmallFleet fleet = new SmallFleet();
    private final Asked asked = new Asked(fleet);

    /** As it is stored. */
    private final VmSpecification stored =
            Objects.requireNonNull(fleet.specification(SmallFleet.WEB));

    @BeforeEach
    void change() {
        fleet.runsWith(SmallFleet.WEB, before());
    }

    /** Less than the stored definition, and other devices. */
    private static RunDefinition before() {
        return new RunDefinition(
                0,
                1_024,
                512,
                3,
                1,
                1,
                VmSpecification.BARE
                        .withConsoles(List.of(SPICE), VmSpecification.Video.QXL)
                        .withWords("said before", null));
    }

    private boolean finds(String search) {
        return asked.xml("/vms?search=" + search).contains("<name>web-01</name>");
    }

    private static long number(JsonNode statistics, String name) {
        for (JsonNode each : statistics.path("statistic")) {
            if (each.path("name").asString().equals(name)) {
                return each.path("values").path("value").path(0).path("datum").asLong();
            }
        }
        throw new AssertionError(name + " is not there");
    }

    @Test
    void theRunningDefinitionIsShown() {
        JsonNode vm = asked.json(WEB);
        assertThat(vm.path("memory").asLong()).isEqualTo(GIBIBYTE);
        assertThat(vm.path("memory_policy").path("guaranteed").asLong()).isEqualTo(GIBIBYTE / 2);
        assertThat(vm.path("memory_policy").path("max").asLong()).isEqualTo(GIBIBYTE);
        assertThat(vm.path("cpu").path("topology").path("sockets").asInt()).isEqualTo(3);
        assertThat(vm.path("cpu").path("topology").path("cores").asInt()).isEqualTo(1);
        assertThat(vm.path("os").path("boot").toString()).doesNotContain("network");
        assertThat(vm.path("bios").path("type").asString()).isEqualTo("q35_sea_bios");
        assertThat(vm.has("custom_properties")).isFalse();
        assertThat(asked.xml(WEB + "/graphicsconsoles")).contains("<protocol>spice<");
        assertThat(vm.path("next_run_configuration_exists").asString()).isEqualTo("true");
        assertThat(asked.json("/vms").path("vm").toString())
                .contains("\"next_run_configuration_exists\":\"true\"");
    }

    @Test
    void immediateChangesAreShownAsStored() {
        JsonNode vm = asked.json(WEB + "?follow=nics,disk_attachments");
        assertThat(vm.path("name").asString()).isEqualTo("web-01");
        assertThat(vm.path("description").asString()).isEmpty();
        assertThat(vm.path("high_availability").path("priority").asInt()).isEqualTo(50);
        assertThat(vm.path("nics").path("nic")).hasSize(1);
        assertThat(vm.path("disk_attachments").path("disk_attachment")).hasSize(1);
    }

    @Test
    void theNextRunIsShownOnRequest() {
        SmallFleet unchanged = new SmallFleet();
        String before = new Asked(unchanged).xml(WEB);
        assertThat(asked.xml(WEB + "?next_run=true"))
                .isEqualTo(asked.xml(WEB + ";next_run"))
                .isEqualTo(
                        before.replace(
                                "<next_run_configuration_exists>false",
                                "<next_run_configuration_exists>true"))
                .isNotEqualTo(asked.xml(WEB + "?next_run=false"));
        assertThat(asked.json("/vms?next_run=true&search=name=web-01").path("vm").path(0))
                .isEqualTo(asked.json(WEB + "?next_run=true"));
        Answer told = asked.get(WEB);
        assertThat(asked.get(WEB + "?next_run=true", "If-None-Match", told.tag()).status())
                .isEqualTo(200);
    }

    @Test
    void searchesUseTheRunningDefinition() {
        assertThat(finds("memory=1024")).isTrue();
        assertThat(finds("memory=4096")).isFalse();
        assertThat(finds("memory=4096&next_run=true")).isTrue();
        assertThat(finds("guaranteed_memory=512")).isTrue();
        assertThat(finds("vcpus=3")).isTrue();
        assertThat(finds("next_run_config_exists=true")).isTrue();
        assertThat(finds("next_run_config_exists=false")).isFalse();
    }

    @Test
    void statisticsAreOfTheRunningDefinition() {
        for (String query : List.of("", "?next_run=true")) {
            JsonNode statistics = asked.json(WEB + "/statistics" + query);
            assertThat(number(statistics, "memory.installed")).isEqualTo(GIBIBYTE);
            assertThat(number(statistics, "memory.used")).isEqualTo(GIBIBYTE * 45 / 100);
        }
    }

    @Test
    void wordsDisksAndInterfacesAreNoMatterOfTheNextRun() {
        var vm = Objects.requireNonNull(fleet.vm(SmallFleet.WEB));
        VmSpecification other =
                stored.withDevices(List.of(), null, List.of())
                        .withWords("said", "before")
                        .withTraits(new VmTraits("rhel", VmTraits.Workload.DESKTOP, 0, true));
        fleet.runsWith(SmallFleet.WEB, RunDefinition.of(0, vm.definition(), other));
        assertThat(asked.json(WEB).path("next_run_configuration_exists").asString())
                .isEqualTo("false");
        assertThat(finds("next_run_config_exists=true")).isFalse();
        fleet.runsWith(SmallFleet.WEB, RunDefinition.of(0, vm.definition(), null));
        assertThat(asked.json(WEB).path("next_run_configuration_exists").asString())
                .isEqualTo("true");
    }
}
