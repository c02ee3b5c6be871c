package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The effects of an engine's orders on hosts. */
class OrdersTest {

    private final Lab lab = Lab.of(3, 0);
    private final UUID id = new UUID(0x1234_4000_8000_4000L, 0x8000_0000_0000_0001L);

    private String xml(UUID vm, int memoryMib, String metadata) {
        return """
        <domain type="kvm" xmlns:ovirt-vm="http://ovirt.org/vm/1.0"><name>vm-%s</name>\
        <uuid>%s</uuid><metadata><ovirt-vm:vm>%s</ovirt-vm:vm></metadata>\
        <memory unit="MiB">%d</memory><devices><channel type="unix">\
        <target type="virtio" name="org.qemu.guest_agent.0"/></channel></devices></domain>\
        """
                .formatted(vm, vm, metadata, memoryMib);
    }

    private Lab.Answer create(int host, String xml, String more) {
        return create(lab, host, xml, more);
    }

    private static Lab.Answer create(Lab lab, int host, String xml, String more) {
        return lab.ask(
                host,
                "VM.create",
                "{\"vmID\": \"x\", \"vmParams\": {\"xml\": %s%s}}"
                        .formatted(Lab.JSON.writeValueAsString(xml), more));
    }

    private Lab.Answer ask(int host, String verb, String more) {
        return lab.ask(host, verb, "{\"vmID\": \"%s\"%s}".formatted(id, more));
    }

    private String status(int host) {
        return lab.result(host, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(id))
                .get(0)
                .get("status")
                .asString();
    }

    private JsonNode stats(int host) {
        return lab.result(host, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(id)).get(0);
    }

    private void running() {
        runningWith("");
    }

    private void runningWith(String devices) {
        String xml = xml(id, 1_024, "").replace("<devices>", "<devices>" + devices);
        assertThat(create(0, xml, "").code()).isZero();
        lab.pass(60);
        lab.heard();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ", \"launchPaused\": true | ''",
                ", \"launchPaused\": \"true\" | ''",
                "'' | <ovirt-vm:launchPaused type=\"bool\">true</ovirt-vm:launchPaused>"
            })
    void aVmIsLaunchedPaused(String more, String metadata) {
        assertThat(create(0, xml(id, 1_024, metadata), more).code()).isZero();
        lab.pass(30);
        assertThat(status(0)).isEqualTo("Paused");
        assertThat(ask(0, "VM.cont", "").code()).isZero();
        lab.pass(30);
        assertThat(status(0)).isEqualTo("Up");
    }

    @Test
    void aVmMayEndInsteadOfRebooting() {
        String metadata =
                "<ovirt-vm:destroy_on_reboot type=\"bool\">True</ovirt-vm:destroy_on_reboot>";
        assertThat(create(0, xml(id, 1_024, metadata), "").code()).isZero();
        lab.pass(60);
        assertThat(ask(0, "VM.reset", "").code()).isZero();
        assertThat(status(0)).isEqualTo("RebootInProgress");
        lab.pass(60);
        assertThat(ask(0, "VM.shutdown", ", \"delay\": \"0\", \"reboot\": true").code()).isZero();
        lab.pass(10);
        assertThat(stats(0).get("exitReason").asInt()).isEqualTo(13);
    }

    @Test
    void aGuestThatDoesNotObeyIsForced() {
        running();
        lab.world.vm(id).obeyShutdown(false);
        assertThat(ask(0, "VM.shutdown", ", \"delay\": \"1\", \"message\": \"m\"").code()).isZero();
        lab.pass(400);
        assertThat(status(0)).isEqualTo("Up");
        assertThat(
                        ask(
                                        0,
                                        "VM.shutdown",
                                        ", \"delay\": \"10\", \"timeout\": \"20\", \"force\": true")
                                .code())
                .isZero();
        lab.pass(29);
        assertThat(status(0)).isEqualTo("Powering down");
        lab.pass(2);
        assertThat(stats(0).get("exitReason").asInt()).isEqualTo(6);
    }

    @Test
    void startsFailAsOrdered() {
        lab.host(0).failStarts(Exit.START_FAILED, 1);
        assertThat(create(0, xml(id, 1_024, ""), "").code()).isZero();
        lab.pass(10);
        assertThat(stats(0).get("exitReason").asInt()).isEqualTo(3);
        assertThat(ask(0, "VM.destroy", "").code()).isZero();
        assertThat(create(0, xml(id, 1_024, ""), "").code()).isZero();
        lab.pass(60);
        assertThat(status(0)).isEqualTo("Up");
    }

    @Test
    void aHostWithFixedMemoryTakesNoMoreThanFits() {
        Lab small = new Lab(WorldSettings.of(7, 2, 0).withHostMemory(8_192));
        int memory =
                Integer.parseInt(small.result(0, "Host.getCapabilities").get("memSize").asString());
        assertThat(memory).isEqualTo(8_192);
        int created = 0;
        while (created < 10
                && create(small, 0, xml(new UUID(5, created), 1_024, ""), "").code() == 0) {
            created++;
        }
        assertThat(created).isBetween(3, 7);
        Lab.Answer refused = create(small, 0, xml(new UUID(5, 99), 1_024, ""), "");
        assertThat(refused.code()).isEqualTo(14);
        assertThat(refused.message()).isEqualTo("Not enough free memory to create VM");
        assertThat(create(small, 0, xml(new UUID(5, 0), 1_024, ""), "").code()).isEqualTo(4);
        for (int i = 0; i < created; i++) {
            assertThat(create(small, 1, xml(new UUID(6, i), 1_024, ""), "").code()).isZero();
        }
        small.pass(60);
        String moving = new UUID(5, 0).toString();
        assertThat(
                        small.ask(
                                        0,
                                        "VM.migrate",
                                        "{\"vmID\": \"%s\", \"params\": {\"dst\": \"host-0002:1\"}}"
                                                .formatted(moving))
                                .code())
                .isZero();
        small.pass(60);
        assertThat(small.world.vm(moving).host()).isEqualTo("host-0001");
    }

    @Test
    void ticketsAreSetForConsoles() {
        runningWith("<graphics type=\"spice\"/>");
        assertThat(ticket("keep")).isZero();
        lab.world.vm(id).connectConsole("10.0.0.9");
        assertThat(ticket("fail")).isEqualTo(18);
        assertThat(ticket("keep")).isZero();
        assertThat(stats(0).get("clientIp").asString()).isEqualTo("10.0.0.9");
        assertThat(ticket("disconnect")).isZero();
        assertThat(stats(0).get("clientIp").asString()).isEmpty();
        assertThat(ticket("sing")).isEqualTo(18);
        lab.world.vm(id).crash(Exit.ERROR, null);
        assertThat(ticket("keep")).isEqualTo(18);
    }

    @Test
    void aPasswordOfVncHasEightCharactersAtMost() {
        runningWith("<graphics type=\"vnc\"/>");
        assertThat(ticket("keep", "12345678")).isZero();
        assertThat(ticket("keep", "123456789")).isEqualTo(100);
    }

    @Test
    void aTicketIsForTheConsoleThatAnUpdateNames() {
        runningWith("<graphics type=\"vnc\"/><graphics type=\"spice\"/>");
        assertThat(ticketed()).isEmpty();
        assertThat(ticket("keep")).isZero();
        assertThat(ticketed()).containsExactly("vnc");
        assertThat(update("graphics", "spice", "a long password")).isZero();
        assertThat(ticketed()).containsExactly("spice");
        assertThat(update("graphics", "vnc", "a long password")).isEqualTo(100);
        assertThat(update("graphics", "rdp", "p")).isEqualTo(56);
        assertThat(update("interface", "vnc", "p")).isEqualTo(44);
        assertThat(ticketed()).containsExactly("spice");
    }

    private int update(String type, String console, String password) {
        return ask(
                        0,
                        "VM.updateDevice",
                        (", \"params\": {\"deviceType\": \"%s\", \"graphicsType\": \"%s\","
                                        + " \"password\": \"%s\", \"ttl\": 120,"
                                        + " \"existingConnAction\": \"keep\", \"params\": {}}")
                                .formatted(type, console, password))
                .code();
    }

    private List<String> ticketed() {
        List<String> types = new ArrayList<>();
        for (JsonNode display : Lab.JSON.readTree(lab.world.vm(id).state()).path("graphics")) {
            if (display.path("ticket").asBoolean()) {
                types.add(display.path("type").asString());
            }
        }
        return types;
    }

    private int ticket(String action) {
        return ticket(action, "p");
    }

    private int ticket(String action, String password) {
        return ask(
                        0,
                        "VM.setTicket",
                        ", \"password\": \"%s\", \"ttl\": 120, \"existingConnAction\": \"%s\", \"params\": {}"
                                .formatted(password, action))
                .code();
    }

    @Test
    void hostsFenceEachOther() {
        running();
        assertThat(fence("status").get("power").asString()).isEqualTo("on");
        assertThat(fence("off").get("operationStatus").asString()).isEqualTo("initiated");
        assertThat(fence("status").get("power").asString()).isEqualTo("off");
        assertThat(lab.world.vm(id).host()).isNull();
        assertThat(fence("off").get("operationStatus").asString()).isEqualTo("initiated");
        fence("on");
        assertThat(lab.host(0).condition()).isEqualTo("recovering");
        lab.pass(20);
        assertThat(lab.host(0).condition()).isEqualTo("up");
        fence("reboot");
        assertThat(lab.host(0).condition()).isEqualTo("recovering");
        assertThat(lab.ask(1, "Host.fenceNode", "{\"addr\": \"x\", \"action\": \"on\"}").code())
                .isEqualTo(43);
    }

    private JsonNode fence(String action) {
        return lab.result(
                1,
                "Host.fenceNode",
                "{\"addr\": \"host-0001\", \"action\": \"%s\"}".formatted(action));
    }

    @Test
    void aHostWithoutPowerIsOffAndComesBack() {
        running();
        lab.host(0).losePower();
        assertThat(lab.host(0).isPowered()).isFalse();
        assertThat(lab.heard()).isEmpty();
        assertThat(create(1, xml(id, 1_024, ""), "").code()).isZero();
        lab.host(0).power(false);
        lab.host(0).power(true);
        lab.pass(20);
        assertThat(lab.host(0).condition()).isEqualTo("up");
        assertThat(lab.host(0).vmCount()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"simple, 1, 2, false", "full, 3, 5, true"})
    void theDomainsThatTheEngineWritesAreTaken(String name, int nics, int disks, boolean paused)
            throws IOException {
        String xml =
                Files.readString(
                        Path.of(
                                "..",
                                "engine-core",
                                "src",
                                "test",
                                "resources",
                                "domain",
                                name + ".xml"));
        DomainDefinition definition = DomainDefinition.of(XmlElement.parse(xml));
        assertThat(definition.nics()).hasSize(nics);
        assertThat(definition.nics()).allMatch(nic -> nic.deviceId() != null && nic.mac() != null);
        assertThat(definition.disks()).hasSize(disks);
        assertThat(definition.disks()).allMatch(disk -> disk.deviceId() != null);
        assertThat(definition.agentChannel()).isTrue();
        assertThat(definition.launchPaused()).isEqualTo(paused);
        assertThat(definition.endsOnReboot()).isEqualTo(paused);
        assertThat(create(0, xml, "").code()).isZero();
        lab.pass(120);
        JsonNode stats =
                lab.result(0, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(definition.id()))
                        .get(0);
        assertThat(stats.get("status").asString()).isEqualTo(paused ? "Paused" : "Up");
        assertThat(stats.get("vmName").asString()).isEqualTo(definition.name());
        assertThat(List.copyOf(Shape.keys(stats.get("disks")))).hasSize(disks);
        assertThat(Map.of("memory", definition.memoryMib()))
                .isEqualTo(Map.of("memory", paused ? 8_192 : 4_096));
    }
}
