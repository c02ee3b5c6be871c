package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** VMs that were found on hosts keep their devices when the engine stops and starts them. */
class FoundVmIT extends ActingOnVms {

    private static final int VMS = 24;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(31, 2, VMS / 2));
        startEngine();
        RunningEngine.await(
                () -> engine.json("/api/v1/vms?limit=1").path("total").asInt() == VMS,
                () -> engine.get("/api/v1/vms?limit=1").body());
    }

    private JsonNode definition(SimulatedVm vm) {
        return engine.json(path(vm) + "/definition");
    }

    private static String path(SimulatedVm vm) {
        return "/api/v1/vms/" + vm.id();
    }

    /** Disks and interfaces that the simulated machine has now. */
    private List<String> devices(SimulatedVm vm) {
        JsonNode state = RunningEngine.JSON.readTree(fleet.world().vm(vm.id()).state());
        List<String> devices = new ArrayList<>();
        for (JsonNode disk : state.path("disks")) {
            devices.add(
                    "disk %s %s %s %s"
                            .formatted(
                                    disk.path("deviceId").asString(""),
                                    disk.path("imageId").asString(""),
                                    disk.path("storageDomainId").asString(""),
                                    disk.path("lunId").asString("")));
        }
        for (JsonNode nic : state.path("nics")) {
            devices.add(
                    "interface %s %s"
                            .formatted(
                                    nic.path("mac").asString(""),
                                    nic.path("network").asString("")));
        }
        return devices;
    }

    @Test
    void aFoundVmThatIsStoppedAndStartedHasItsDisksAndInterfaces() {
        for (SimulatedVm vm : fleet.world().vms()) {
            JsonNode definition = definition(vm);
            assertThat(definition.path("specified").asBoolean()).isTrue();
            assertThat(definition.path("foundOnHost").path("missing"))
                    .as("%s", definition)
                    .isEmpty();
            assertThat(definition.path("interfaces")).isNotEmpty();
        }
        SimulatedVm vm =
                fleet.world().vms().stream()
                        .filter(each -> "Up".equals(each.status()))
                        .max(Comparator.comparingInt(each -> devices(each).size()))
                        .orElseThrow();
        List<String> before = devices(vm);
        assertThat(before).hasSizeGreaterThan(2);
        JsonNode definition = definition(vm);

        done(engine.post(path(vm) + "/stop"), "power_off");
        assertThat(definition(vm)).isEqualTo(definition);
        done(engine.post(path(vm) + "/start"), "run");

        assertThat(devices(vm)).isEqualTo(before);
        ObjectNode running = (ObjectNode) definition(vm);
        assertThat(running.path("disks")).isEqualTo(definition.path("disks"));
        assertThat(running.path("interfaces")).isEqualTo(definition.path("interfaces"));
        assertThat(running.path("consoles")).isEqualTo(definition.path("consoles"));
    }

    @Test
    void aFoundVmThatAUserDefinedIsShownInFullByOvirtsApiAfterARestart() {
        SimulatedVm vm =
                fleet.world().vms().stream()
                        .filter(each -> "Up".equals(each.status()))
                        .max(Comparator.comparingInt(each -> devices(each).size()))
                        .orElseThrow();
        done(engine.post(path(vm) + "/stop"), "power_off");
        ObjectNode definition = (ObjectNode) definition(vm);
        definition.remove("foundOnHost");
        definition.put("comment", "ours by now");
        done(engine.put(path(vm) + "/definition", definition.toString()), "update_vm");
        int disks = definition.path("disks").size();
        assertThat(disks).isPositive();
        assertThat(comment(vm)).isEqualTo("ours by now");
        assertThat(attachments(vm)).isEqualTo(disks);

        engine.awaitWritten();
        engine.close();
        startEngine();
        RunningEngine.await(() -> comment(vm).equals("ours by now"), () -> comment(vm));
        assertThat(attachments(vm)).as("disks while it is down").isEqualTo(disks);
    }

    private String comment(SimulatedVm vm) {
        return engine.json("/ovirt-engine/api/vms/" + vm.id() + "?accept=application/json")
                .path("comment")
                .asString("");
    }

    private int attachments(SimulatedVm vm) {
        return engine.json(
                        "/ovirt-engine/api/vms/"
                                + vm.id()
                                + "/diskattachments?accept=application/json")
                .path("disk_attachment")
                .size();
    }

    @Test
    void aVmThatLacksADeviceIsNotStartedUntilAUserDecides() {
        SimulatedVm vm =
                fleet.world().vms().stream()
                        .filter(each -> "Up".equals(each.status()))
                        .findFirst()
                        .orElseThrow();
        done(engine.post(path(vm) + "/stop"), "power_off");
        ObjectNode definition = (ObjectNode) definition(vm);
        definition.putObject("foundOnHost").putArray("missing").add("disk vdb: its bus is ide");
        done(engine.put(path(vm) + "/definition", definition.toString()), "update_vm");

        assertProblem(engine.post(path(vm) + "/start"), 409, "lacks: disk vdb: its bus is ide");
        assertThat(engine.json(path(vm)).path("status").asString()).isEqualTo("down");

        definition.remove("foundOnHost");
        done(engine.put(path(vm) + "/definition", definition.toString()), "update_vm");
        done(engine.post(path(vm) + "/start"), "run");
        assertThat(definition(vm).has("foundOnHost")).isFalse();
    }
}
