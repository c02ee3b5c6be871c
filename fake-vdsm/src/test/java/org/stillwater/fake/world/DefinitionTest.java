package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A VM that an engine starts runs the given definition, in libvirt's form. */
class DefinitionTest {

    private static final String ID = "c3f08e7b-2a64-4915-8d9c-51b7a6e0f305";

    private final Lab lab = Lab.of(1, 0);

    private static XmlElement given(String name) throws IOException {
        return XmlElement.parse(
                Files.readString(
                        Path.of(
                                "..",
                                "engine-core",
                                "src",
                                "test",
                                "resources",
                                "domain",
                                name + ".xml")));
    }

    private Lab.Answer start(XmlElement xml, String more) {
        Lab.Answer answer =
                lab.ask(
                        0,
                        "VM.create",
                        "{\"vmParams\": {\"xml\": %s%s}}"
                                .formatted(Lab.JSON.writeValueAsString(xml.document()), more));
        assertThat(answer.code()).isZero();
        lab.pass(120);
        lab.heard();
        return answer;
    }

    private XmlElement dumped() {
        return XmlElement.parse(
                lab.result(0, "Host.dumpxmls", "{\"vmList\": [\"%s\"]}".formatted(ID))
                        .get(ID)
                        .asString());
    }

    private JsonNode stats() {
        return lab.result(0, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(ID)).get(0);
    }

    private static XmlElement devices(XmlElement domain) {
        return Objects.requireNonNull(domain.child("devices"));
    }

    private static List<String> aliases(XmlElement domain) {
        return devices(domain).children().stream()
                .map(device -> device.childAttribute("alias", "name"))
                .filter(alias -> alias.startsWith("ua-"))
                .sorted()
                .toList();
    }

    /** A child without libvirt's additions. */
    private static XmlElement like(XmlElement device, XmlElement given) {
        XmlElement less = device;
        for (String added : List.of("address", "target", "mac")) {
            if (given.child(added) == null) {
                less = less.minus(child -> child.name().equals(added));
            }
        }
        return less;
    }

    @Test
    @DisplayName("machine, firmware, processors, tuning and metadata are those of the definition")
    void theDomainIsTheDefinition() throws IOException {
        XmlElement given = given("full");
        start(given, "");
        XmlElement dumped = dumped();
        for (String part :
                List.of(
                        "name",
                        "uuid",
                        "maxMemory",
                        "vcpu",
                        "iothreads",
                        "cputune",
                        "numatune",
                        "os",
                        "features",
                        "cpu",
                        "clock")) {
            assertThat(dumped.child(part)).as(part).isEqualTo(given.child(part));
        }
        assertThat(Objects.requireNonNull(dumped.child("os")).childAttribute("type", "machine"))
                .isEqualTo("pc-q35-rhel9.2.0");
        XmlElement metadata = Objects.requireNonNull(DomainDefinition.agentMetadata(dumped));
        assertThat(metadata.childText("memGuaranteedSize")).isEqualTo("4096");
        assertThat(metadata.childText("startTime")).isNotEmpty();
        assertThat(metadata.childText("resumeBehavior")).isEqualTo("leave_paused");
        assertThat(dumped.childText("on_reboot"))
                .as("VDSM keeps the wish itself")
                .isEqualTo("restart");
        assertThat(dumped.attribute("id")).isNotEmpty();
        assertThat(dumped.document()).doesNotContain("OS-NAME:", "HOST-SERIAL:", "passwd='");
    }

    @Test
    @DisplayName("every device of the definition is there with its alias, model and boot order")
    void theDevicesAreThoseOfTheDefinition() throws IOException {
        XmlElement given = given("full");
        start(given, "");
        XmlElement dumped = dumped();
        assertThat(aliases(dumped)).isEqualTo(aliases(given));
        for (String kind : List.of("video", "rng", "watchdog", "tpm", "memballoon", "interface")) {
            List<XmlElement> expected = devices(given).children(kind);
            List<XmlElement> told = devices(dumped).children(kind);
            assertThat(told).as(kind).hasSameSizeAs(expected);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(like(told.get(i), expected.get(i))).as(kind).isEqualTo(expected.get(i));
            }
        }
        assertThat(bootOrders(dumped)).isEqualTo(bootOrders(given)).hasSize(4);
        assertThat(devices(dumped).children("graphics"))
                .extracting(graphics -> graphics.attribute("type"))
                .containsExactly("spice", "vnc");
        assertThat(devices(dumped).children())
                .filteredOn(device -> !List.of("emulator", "graphics").contains(device.name()))
                .allMatch(device -> !device.childAttribute("alias", "name").isEmpty());
    }

    private static List<String> bootOrders(XmlElement domain) {
        return Stream.of("disk", "interface")
                .flatMap(kind -> devices(domain).children(kind).stream())
                .map(device ->
                        device.childAttribute("alias", "name")
                                + device.childAttribute("boot", "order"))
                .filter(entry -> !entry.endsWith("-") && entry.length() > "ua-".length() + 36)
                .toList();
    }

    @Test
    @DisplayName("devices have addresses, and no two on the bus have the same")
    void devicesHaveAddresses() throws IOException {
        start(given("full"), "");
        List<String> onTheBus = new ArrayList<>();
        for (XmlElement device : devices(dumped()).children()) {
            if (device.childAttribute("address", "type").equals("pci")) {
                onTheBus.add(
                        Objects.requireNonNull(device.child("address")).attributes().toString());
            }
        }
        assertThat(onTheBus).hasSizeGreaterThan(16 + 8).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("what a start gave a VM is what the next start may give it again")
    void aDumpIsADefinition() throws IOException {
        start(given("full"), "");
        XmlElement first = dumped();
        assertThat(lab.ask(0, "VM.destroy", "{\"vmID\": \"%s\"}".formatted(ID)).code()).isZero();
        start(first, "");
        XmlElement second = dumped();
        assertThat(aliases(second)).isEqualTo(aliases(first));
        assertThat(devices(second).children()).hasSameSizeAs(devices(first).children());
    }

    @Test
    @DisplayName("polls agree: consoles, disks and LUNs, guaranteed memory, speed, TPM and NVRAM")
    void pollsAgree() throws IOException {
        start(given("full"), "");
        JsonNode stats = stats();
        assertThat(stats.get("displayInfo").get(0).get("type").asString()).isEqualTo("spice");
        assertThat(stats.get("displayInfo").get(1).get("type").asString()).isEqualTo("vnc");
        JsonNode disks = stats.get("disks");
        assertThat(disks.get("vda").get("imageID").asString())
                .isEqualTo("57114000-8000-4000-8000-000000000001");
        assertThat(disks.get("sdb").get("lunGUID").asString()).isEqualTo("360001");
        assertThat(disks.get("sdd").has("imageID")).as("a plain file").isFalse();
        JsonNode balloon = stats.get("balloonInfo");
        assertThat(balloon.get("balloon_min").asString()).isEqualTo("4194304");
        assertThat(balloon.get("ballooning_enabled").asBoolean()).isTrue();
        assertThat(Shape.keys(stats.get("network")))
                .extracting(tap -> stats.get("network").get(tap).get("speed").asString())
                .containsExactly("1000", "1000", "100");
        assertThat(stats.get("tpmHash").asString()).hasSize(64);
        assertThat(stats.get("nvramHash").asString()).hasSize(64);
    }

    @Test
    @DisplayName("the TPM and the firmware's variables are those that the start brought")
    void externalDataOfTheStart() throws IOException {
        start(given("full"), ", \"_X_tpmdata\": \"dHBt\", \"_X_nvramdata\": \"bnZyYW0=\"");
        for (String kind : List.of("tpm", "nvram")) {
            JsonNode data =
                    lab.result(
                            0,
                            "VM.getExternalData",
                            "{\"vmID\": \"%s\", \"kind\": \"%s\"}".formatted(ID, kind));
            assertThat(data.get("_X_data").asString())
                    .isEqualTo(kind.equals("tpm") ? "dHBt" : "bnZyYW0=");
            assertThat(data.get("hash")).isEqualTo(stats().get(kind + "Hash"));
        }
    }

    @Test
    @DisplayName("a machine without a release is the newest one, and libvirt adds missing elements")
    void libvirtFillsTheGaps() {
        start(
                XmlElement.parse(
                        """
                        <domain type='kvm'><name>bare</name><uuid>%s</uuid>
                        <memory unit='MiB'>2048</memory><os><type machine='q35'>hvm</type></os>
                        <devices><graphics type='vnc'/><interface type='bridge'/>
                        <disk type='file' device='disk'><target dev='vda' bus='virtio'/></disk>
                        </devices></domain>
                        """
                                .formatted(ID)),
                "");
        XmlElement dumped = dumped();
        assertThat(Objects.requireNonNull(dumped.child("os")).childAttribute("type", "machine"))
                .isEqualTo("pc-q35-rhel9.8.0");
        assertThat(dumped.childText("memory")).isEqualTo("2097152");
        assertThat(dumped.childText("currentMemory")).isEqualTo("2097152");
        assertThat(dumped.childText("vcpu")).isEqualTo("1");
        assertThat(devices(dumped).children())
                .extracting(device -> device.name() + " " + device.childAttribute("alias", "name"))
                .containsExactly(
                        "emulator ",
                        "disk virtio-disk0",
                        "interface net0",
                        "input input0",
                        "input input1",
                        "graphics ",
                        "memballoon balloon0");
        assertThat(devices(dumped).childAttribute("interface", "type")).isEqualTo("bridge");
        assertThat(stats().get("balloonInfo")).as("the balloon is not VDSM's").isEmpty();
    }
}
