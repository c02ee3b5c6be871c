package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** NICs and disks are plugged into VMs that run, and unplugged. */
class HotplugTest {

    private static final String ID = "c3f08e7b-2a64-4915-8d9c-51b7a6e0f305";
    private static final String NIC = "57114000-8000-4000-8000-000000000009";
    private static final String IMAGE = "57114000-8000-4000-8000-00000000000a";
    private static final String MAC = "56:6f:00:00:00:09";

    private final Lab lab = Lab.of(2, 0);

    private void start() {
        String xml =
                """
                <domain type='kvm' xmlns:ovirt-vm='http://ovirt.org/vm/1.0'><name>vm</name>\
                <uuid>%s</uuid><metadata><ovirt-vm:vm/></metadata><devices>\
                <interface type='bridge'><mac address='56:6f:00:00:00:01'/>\
                <source bridge='ovirtmgmt'/><model type='virtio'/>\
                <alias name='ua-57114000-8000-4000-8000-000000000006'/></interface>\
                <disk type='file' device='disk'><target dev='vda' bus='virtio'/>\
                <alias name='ua-57114000-8000-4000-8000-000000000001'/></disk>\
                </devices></domain>\
                """
                        .formatted(ID);
        lab.result(0, "VM.create", "{\"vmParams\": {\"xml\": \"%s\"}}".formatted(xml));
        lab.pass(120);
        lab.heard();
    }

    private Lab.Answer call(String verb, String device, String metadata) {
        String xml =
                """
                <hotplug><devices>%s</devices><metadata \
                xmlns:v='http://ovirt.org/vm/1.0'><v:vm>%s</v:vm></metadata>\
                </hotplug>\
                """
                        .formatted(device, metadata);
        return lab.ask(
                0,
                verb,
                "{\"vmID\": \"%s\", \"params\": {\"vmId\": \"%s\", \"xml\": \"%s\"}}"
                        .formatted(ID, ID, xml));
    }

    private static String nic(String alias) {
        return """
        <interface type='bridge'><mac address='%s'/><source bridge='vmnet100'/>\
        <model type='virtio'/><link state='up'/><alias name='%s'/></interface>\
        """
                .formatted(MAC, alias);
    }

    private static String disk(String target) {
        return """
        <disk type='file' device='disk'><source file='/rhev/data-center/p/d/images/%s/%s'/>\
        <target dev='%s' bus='virtio'/><serial>%s</serial><alias name='ua-%s'/></disk>\
        """
                .formatted(IMAGE, IMAGE, target, IMAGE, IMAGE);
    }

    private JsonNode stats() {
        return lab.result(0, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(ID)).get(0);
    }

    private XmlElement dumped() {
        return XmlElement.parse(
                lab.result(0, "Host.dumpxmls", "{\"vmList\": [\"%s\"]}".formatted(ID))
                        .get(ID)
                        .asString());
    }

    private static XmlElement devices(XmlElement domain) {
        return Objects.requireNonNull(domain.child("devices"));
    }

    @Test
    @DisplayName("a NIC is plugged: answer, hash, XML and later the counters show it")
    void aNicIsPlugged() {
        start();
        JsonNode before = stats();
        Lab.Answer answer =
                call(
                        "VM.hotplugNic",
                        nic("ua-" + NIC),
                        "<v:device mac_address='%s'/>".formatted(MAC));
        JsonNode plugged = answer.json().get("devices").get(0);
        assertThat(plugged.get("macAddr").asString()).isEqualTo(MAC);
        assertThat(plugged.get("alias").asString()).isEqualTo("ua-" + NIC);
        assertThat(answer.json().get("xml").asString()).contains("ua-" + NIC);
        assertThat(lab.heard()).as("it is not announced").isEmpty();
        assertThat(stats().get("hash")).isNotEqualTo(before.get("hash"));
        XmlElement nic = devices(dumped()).children("interface").getLast();
        assertThat(nic.childAttribute("source", "bridge")).isEqualTo("vmnet100");
        assertThat(nic.childAttribute("target", "dev")).startsWith("vnet");
        assertThat(
                        Objects.requireNonNull(DomainDefinition.agentMetadata(dumped()))
                                .children("device"))
                .extracting(device -> device.attribute("mac_address"))
                .containsExactly(MAC);
        lab.pass(30);
        assertThat(stats().get("network").get(nic.childAttribute("target", "dev")).get("macAddr"))
                .isEqualTo(plugged.get("macAddr"));
        assertThat(call("VM.hotplugNic", nic("ua-" + NIC), "").code()).as("twice").isEqualTo(49);
    }

    @Test
    @DisplayName("a NIC is unplugged, and the taps of the others stay what they are")
    void aNicIsUnplugged() {
        start();
        call("VM.hotplugNic", nic("ua-" + NIC), "<v:device mac_address='x'/>");
        lab.pass(30);
        String tap =
                devices(dumped()).children("interface").getLast().childAttribute("target", "dev");
        String first = "<interface type='bridge'><alias name='ua-%s'/></interface>";
        assertThat(
                        call(
                                        "VM.hotunplugNic",
                                        first.formatted("57114000-8000-4000-8000-000000000006"),
                                        "")
                                .text())
                .isEqualTo("{}");
        assertThat(Shape.keys(stats().get("network"))).containsExactly(tap);
        assertThat(devices(dumped()).children("interface"))
                .extracting(nic -> nic.childAttribute("alias", "name"))
                .containsExactly("ua-" + NIC);
        Lab.Answer unknown = call("VM.hotunplugNic", first.formatted(IMAGE), "");
        assertThat(unknown.code()).isEqualTo(50);
        assertThat(unknown.message())
                .isEqualTo("device not found: no matching network device was found");
    }

    @Test
    @DisplayName("a disk is plugged and unplugged")
    void aDiskIsPluggedAndUnplugged() {
        start();
        JsonNode plugged = call("VM.hotplugDisk", disk("vdb"), "").json().get("devices").get(0);
        assertThat(plugged.get("name").asString()).isEqualTo("vdb");
        assertThat(plugged.get("alias").asString()).isEqualTo("ua-" + IMAGE);
        lab.pass(30);
        assertThat(stats().get("disks").get("vdb").get("imageID").asString()).isEqualTo(IMAGE);
        Lab.Answer taken = call("VM.hotplugDisk", disk("vdb").replace("ua-", "ub-"), "");
        assertThat(taken.code()).isEqualTo(45);
        assertThat(taken.message()).isEqualTo("operation failed: target vdb already exists");
        assertThat(call("VM.hotunplugDisk", disk("vdb"), "").text()).isEqualTo("{}");
        assertThat(stats().get("disks").has("vdb")).isFalse();
        assertThat(call("VM.hotunplugDisk", disk("vdb"), "").code()).isEqualTo(46);
    }

    @Test
    @DisplayName("nothing is plugged into a VM that migrates, does not run, or is unknown")
    void notEveryVmTakesDevices() {
        assertThat(call("VM.hotplugNic", nic("ua-" + NIC), "").code()).as("unknown").isEqualTo(1);
        start();
        assertThat(call("VM.hotplugNic", "", "").code()).as("no device").isEqualTo(100);
        assertThat(
                        lab.ask(
                                        0,
                                        "VM.hotplugNic",
                                        "{\"vmID\": \"%s\", \"params\": {}}".formatted(ID))
                                .code())
                .as("no id")
                .isEqualTo(11);
        lab.result(
                0,
                "VM.migrate",
                "{\"vmID\": \"%s\", \"params\": {\"dst\": \"host-0002\"}}".formatted(ID));
        Lab.Answer moving = call("VM.hotplugDisk", disk("vdb"), "");
        assertThat(moving.code()).isEqualTo(51);
        assertThat(moving.message())
                .isEqualTo("Command not supported during migration: {'vmId': '%s'}".formatted(ID));
        lab.pass(60);
        assertThat(call("VM.hotplugNic", nic("ua-" + NIC), "").code())
                .as("what is left of it has no domain")
                .isEqualTo(100);
    }

    @Test
    @DisplayName("what a script plugs into a VM with a definition is in its XML as well")
    void devicesPluggedByAScriptAreThere() {
        start();
        SimulatedVm vm = lab.world.vm(ID);
        vm.plugNic();
        vm.plugDisk();
        XmlElement devices = devices(dumped());
        assertThat(devices.children("interface")).hasSize(2);
        assertThat(devices.children("disk")).hasSize(2);
        assertThat(devices.children("disk").getLast().childAttribute("alias", "name"))
                .startsWith("ua-");
    }
}
