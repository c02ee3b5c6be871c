package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedDevice;

class DomainXmlReaderTest {

    private static final VmId VM = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");

    private static String sample() throws IOException {
        return resource("/libvirt/web-frontend-01.xml");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(DomainXmlReaderTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void readsARealDomain() throws Exception {
        var domain = new DomainXmlReader().read(VM, sample());

        assertThat(domain.definition().name()).isEqualTo("web-frontend-01");
        assertThat(domain.definition().origin()).isEqualTo(VmOrigin.EXTERNAL);
        assertThat(domain.definition().memoryMebibytes()).isEqualTo(8192);
        assertThat(domain.definition().guaranteedMemoryMebibytes()).isEqualTo(4096);
        assertThat(domain.definition().cpus()).isEqualTo(4);
        assertThat(domain.definition().nics())
                .singleElement()
                .satisfies(nic -> {
                    assertThat(nic.mac()).isEqualTo("56:6f:8e:12:00:01");
                    assertThat(nic.speedMegabitsPerSecond()).isEqualTo(10_000);
                });
        assertThat(domain.devices().devices())
                .extracting(ReportedDevice::type, ReportedDevice::device)
                .contains(
                        org.assertj.core.groups.Tuple.tuple("disk", "cdrom"),
                        org.assertj.core.groups.Tuple.tuple("disk", "disk"),
                        org.assertj.core.groups.Tuple.tuple("interface", "bridge"),
                        org.assertj.core.groups.Tuple.tuple("graphics", "vnc"),
                        org.assertj.core.groups.Tuple.tuple("graphics", "spice"),
                        org.assertj.core.groups.Tuple.tuple("video", "qxl"),
                        org.assertj.core.groups.Tuple.tuple("controller", "usb"));
        assertThat(domain.devices().devices())
                .filteredOn(device -> device.device().equals("cdrom"))
                .singleElement()
                .satisfies(cdrom -> {
                    assertThat(cdrom.readOnly()).isTrue();
                    assertThat(cdrom.address())
                            .isEqualTo("{type=drive, controller=0, bus=0, target=0, unit=2}");
                    assertThat(cdrom.id()).hasToString("0a6b1f3c-3a6d-4a59-93a1-b2c3d4e5f601");
                });
    }

    @Test
    void readsWhichCdIsInTheDrive() throws Exception {
        assertThat(new DomainXmlReader().read(VM, sample()).devices().cd()).isEmpty();
        String drive =
                """
                <domain><devices><disk type='file' device='disk'><source file='/srv/a'/></disk>\
                <disk type='%s' device='cdrom'>%s<target dev='sdc'/></disk></devices></domain>\
                """;
        assertThat(cd(drive.formatted("file", "<source file='/isos/a.iso' index='3'/>")))
                .isEqualTo("/isos/a.iso");
        assertThat(cd(drive.formatted("block", "<source dev='/dev/mapper/cd'/>")))
                .isEqualTo("/dev/mapper/cd");
        assertThat(cd(drive.formatted("file", ""))).isEmpty();
        assertThat(cd("<domain><devices/></domain>")).isNull();
    }

    private static String cd(String xml) throws Exception {
        return new DomainXmlReader().read(VM, xml).devices().cd();
    }

    @Test
    void readingTwiceGivesTheSameDevices() throws Exception {
        assertThat(new DomainXmlReader().read(VM, sample()))
                .isEqualTo(new DomainXmlReader().read(VM, sample()));
    }

    @Test
    void refusesDocumentTypesAndEntities() {
        String bomb =
                "<!DOCTYPE d [<!ENTITY a \"x\"><!ENTITY f SYSTEM"
                        + " \"file:///etc/passwd\">]><domain><name>&f;</name></domain>";

        assertThatThrownBy(() -> new DomainXmlReader().read(VM, bomb))
                .isInstanceOf(UnreadableDomain.class);
    }

    @Test
    void refusesOtherDocuments() {
        DomainXmlReader reader = new DomainXmlReader();

        assertThatThrownBy(() -> reader.read(VM, "")).isInstanceOf(UnreadableDomain.class);
        assertThatThrownBy(() -> reader.read(VM, "<network/>")).hasMessageContaining("<domain>");
        assertThatThrownBy(() -> reader.read(VM, "<domain><name>x</name>"))
                .isInstanceOf(UnreadableDomain.class);
        assertThatThrownBy(() -> reader.read(VM, "<a>".repeat(2_000_000)))
                .hasMessageContaining("more than");
        assertThatThrownBy(() -> reader.read(VM, "<domain>" + "<a>".repeat(200)))
                .isInstanceOf(UnreadableDomain.class);
    }

    @Test
    void aBareDomainHasSaneDefaults() throws Exception {
        var domain =
                new DomainXmlReader().read(VM, "<domain><memory unit='GiB'>2</memory></domain>");

        assertThat(domain.definition().name()).isEqualTo(VM.toString());
        assertThat(domain.definition().memoryMebibytes()).isEqualTo(2048);
        assertThat(domain.definition().cpus()).isEqualTo(1);
        assertThat(domain.devices().devices()).isEmpty();
    }

    @Test
    void externalEntitiesAreNeitherReadNorNamed() {
        String secret = "file:///etc/passwd";
        for (String document :
                List.of(
                        "<!DOCTYPE domain [<!ENTITY x SYSTEM"
                                + " '%s'>]><domain><name>&x;</name></domain>",
                        "<!DOCTYPE domain SYSTEM '%s'><domain/>",
                        "<!DOCTYPE domain [<!ENTITY %% p SYSTEM '%s'> %%p;]><domain/>",
                        "<domain xmlns:xi='http://www.w3.org/2001/XInclude'><devices>"
                                + "<xi:include href='%s'/></devices></domain>")) {
            String xml = document.formatted(secret);
            if (xml.contains("DOCTYPE")) {
                assertThatThrownBy(() -> new DomainXmlReader().read(VM, xml))
                        .as(xml)
                        .isInstanceOf(UnreadableDomain.class)
                        .hasMessageNotContaining("root:");
            } else {
                assertThatCode(() -> new DomainXmlReader().read(VM, xml))
                        .doesNotThrowAnyException();
            }
        }
    }

    @Test
    void aBillionLaughsAreRefusedAtOnce() {
        StringBuilder bomb = new StringBuilder("<!DOCTYPE d [<!ENTITY l0 'lol'>");
        for (int i = 1; i < 10; i++) {
            bomb.append("<!ENTITY l%d '%s'>".formatted(i, ("&l" + (i - 1) + ";").repeat(10)));
        }
        bomb.append("]><domain><name>&l9;</name></domain>");

        assertThatThrownBy(() -> new DomainXmlReader().read(VM, bomb.toString()))
                .isInstanceOf(UnreadableDomain.class);
    }

    @Test
    void hugeTextsAndTooManyDevicesAreRefused() {
        String huge = "x".repeat(1_000_000);
        DomainXmlReader reader = new DomainXmlReader();

        for (String xml :
                List.of(
                        "<domain><name>" + huge + "</name></domain>",
                        "<domain><devices><disk type='" + huge + "'/></devices></domain>",
                        "<domain><devices><disk><alias name='"
                                + huge
                                + "'/></disk></devices>"
                                + "</domain>",
                        "<domain><devices><disk><address a='"
                                + huge
                                + "'/></disk></devices>"
                                + "</domain>",
                        "<domain><devices><disk><serial>"
                                + huge
                                + "</serial></disk></devices>"
                                + "</domain>",
                        "<domain><devices>"
                                + "<hub type='usb'/>".repeat(5_000)
                                + "</devices></domain>",
                        "<domain><devices>" + "<a>".repeat(1_000) + "</devices></domain>")) {
            assertThatThrownBy(() -> reader.read(VM, xml)).isInstanceOf(UnreadableDomain.class);
        }
        assertThatCode(() ->
                        reader.read(VM, "<domain><description>" + huge + "</description></domain>"))
                .as("what is not kept may be long")
                .doesNotThrowAnyException();
    }

    @Test
    void theLimitOfSizeIsASetting() throws Exception {
        String xml = sample();

        assertThatThrownBy(() -> new DomainXmlReader(xml.length() - 1).read(VM, xml))
                .hasMessageContaining("more than " + (xml.length() - 1));
        assertThatCode(() -> new DomainXmlReader(xml.length()).read(VM, xml))
                .doesNotThrowAnyException();
    }

    @Test
    void aTruncatedDocumentIsRefusedWhereverItEnds() throws Exception {
        String xml = sample().strip();
        DomainXmlReader reader = new DomainXmlReader();

        for (int length = 0; length < xml.length(); length += 7) {
            String truncated = xml.substring(0, length);
            assertThatThrownBy(() -> reader.read(VM, truncated))
                    .as("%d characters", length)
                    .isInstanceOf(UnreadableDomain.class);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nonsenseIsReadOrRefusedAndNothingElse(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        DomainXmlReader reader = new DomainXmlReader();
        String xml = sample();
        for (int round = 0; round < 100; round++) {
            StringBuilder broken = new StringBuilder(xml);
            for (int i = random.nextInt(1, 10); i > 0; i--) {
                int at = random.nextInt(broken.length());
                switch (random.nextInt(3)) {
                    case 0 -> broken.setCharAt(at, (char) random.nextInt(0x20, 0x7f));
                    case 1 -> broken.deleteCharAt(at);
                    default -> broken.insert(at, "<&>'\"/ ".charAt(random.nextInt(7)));
                }
            }
            try {
                assertThat(reader.read(VM, broken.toString())).isNotNull();
            } catch (UnreadableDomain refused) {
                assertThat(refused).hasMessageNotContaining("\n");
            }
        }
    }

    @Test
    void aDomainWithFiveHundredDisksIsRead() throws Exception {
        StringBuilder xml = new StringBuilder("<domain><devices>");
        for (int i = 0; i < 500; i++) {
            xml.append(
                    ("<disk type='block' device='disk'><driver name='qemu' type='raw'/>"
                                    + "<target dev='sd%d' bus='scsi'/><alias name='scsi%d'/>"
                                    + "<address type='drive' unit='%d'/></disk>")
                            .formatted(i, i, i));
        }

        var domain = new DomainXmlReader().read(VM, xml + "</devices></domain>");

        assertThat(domain.devices().devices())
                .hasSize(500)
                .extracting(ReportedDevice::id)
                .doesNotHaveDuplicates();
    }

    @Test
    void readsEveryKindOfDeviceThatLibvirtWrites() throws Exception {
        Map<String, ReportedDevice> byAlias = new HashMap<>();
        var domain = new DomainXmlReader().read(VM, resource("/libvirt/every-device.xml"));
        domain.devices().devices().forEach(device -> byAlias.put(device.alias(), device));

        assertDevice(byAlias.get("hostdev0"), "hostdev", "pci", "pci_0000_05_00_1");
        assertDevice(byAlias.get("hostdev1"), "hostdev", "usb", "usb_1_4");
        assertDevice(
                byAlias.get("ua-1f0e2d3c-4b5a-4968-8776-5544332211aa"),
                "hostdev",
                "mdev",
                "c2177883-f1bb-47f0-914d-32a22e3a8804");
        assertDevice(byAlias.get("hostdev3"), "hostdev", "scsi", "scsi_2_0_1_3");
        assertDevice(byAlias.get("hostdev4"), "hostdev", "usb", "usb_0x1234_0xbeef");
        assertDevice(byAlias.get("hostdev5"), "interface", "hostdev", "pci_0000_07_10_2");
        assertDevice(byAlias.get("dimm0"), "memory", "dimm", "");
        assertDevice(byAlias.get("tpm0"), "tpm", "tpm-crb", "");
        assertDevice(byAlias.get("rng0"), "rng", "virtio", "");
        assertDevice(byAlias.get("watchdog0"), "watchdog", "i6300esb", "");
        assertDevice(byAlias.get("redir0"), "redirdev", "spicevmc", "");
        assertDevice(byAlias.get("channel1"), "channel", "spicevmc", "");
        assertDevice(byAlias.get("sound0"), "sound", "ich6", "");
        assertDevice(byAlias.get("panic0"), "panic", "isa", "");
        assertDevice(byAlias.get("net1"), "interface", "vhostuser", "");
        assertDevice(byAlias.get("virtio-disk3"), "disk", "lun", "");
        assertDevice(byAlias.get("fs0"), "filesystem", "mount", "");
        assertDevice(byAlias.get("iommu0"), "iommu", "intel", "");
        assertDevice(byAlias.get("vsock0"), "vsock", "virtio", "");
        assertDevice(byAlias.get("video0"), "video", "vga", "");
        assertThat(byAlias.get("ua-1f0e2d3c-4b5a-4968-8776-5544332211aa").id())
                .hasToString("1f0e2d3c-4b5a-4968-8776-5544332211aa");
        assertThat(byAlias.get("ua-not-a-uuid").id()).isNotNull();
        assertThat(domain.devices().devices())
                .noneMatch(device -> device.type().equals("commandline"));
        assertThat(domain.definition().nics()).extracting(VmNic::mac).contains("52:54:00:aa:bb:01");
        assertThat(domain.devices().devices())
                .extracting(ReportedDevice::id)
                .doesNotHaveDuplicates();
    }

    @Test
    void theGuestsNamesOfDisksComeFromTheMetadata() throws Exception {
        var domain = new DomainXmlReader().read(VM, sample());

        assertThat(domain.devices().guestDisks())
                .containsEntry("11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01", "/dev/vda");
    }

    @Test
    void thePathOfADiskNamesItsDomainElseTheMetadataDo() throws Exception {
        String moved = "f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6";
        String old = "a1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6";
        String image = "0e4c1c1e-7a5b-4f1e-9d70-3a2b1c0d9e8f";
        String volume = "9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d";
        String xml =
                """
                <domain xmlns:ovirt-vm="http://ovirt.org/vm/1.0">
                  <metadata><ovirt-vm:vm>
                    <ovirt-vm:device devtype="disk" name="vda">
                      <ovirt-vm:domainID>%1$s</ovirt-vm:domainID>
                      <ovirt-vm:imageID>%3$s</ovirt-vm:imageID>
                    </ovirt-vm:device>
                    <ovirt-vm:device devtype="disk" name="vdd">
                      <ovirt-vm:domainID>an export</ovirt-vm:domainID>
                      <ovirt-vm:imageID>%3$s</ovirt-vm:imageID>
                    </ovirt-vm:device>
                  </ovirt-vm:vm></metadata>
                  <devices>
                    <disk type="file"><source file="/rhev/data-center/mnt/blockSD/%2$s/images/%3$s/%4$s"/>
                      <target dev="vda"/></disk>
                    <disk type="network"><source protocol="gluster" name="data/x"/><target dev="vda"/></disk>
                    <disk type="block"><source dev="/run/vdsm/storage/%2$s/%3$s/%4$s"/><target dev="vdc"/></disk>
                    <disk type="block"><source dev="/dev/mapper/360014"/><target dev="vdd"/></disk>
                    <disk type="file"><source file="/%3$s/images/%3$s"/><target dev="vde"/></disk>
                  </devices>
                </domain>
                """
                        .formatted(old, moved, image, volume);

        assertThat(new DomainXmlReader().read(VM, xml).devices().devices())
                .extracting(ReportedDevice::volume)
                .containsExactly(
                        new DiskImage(UUID.fromString(image), UUID.fromString(moved)),
                        new DiskImage(UUID.fromString(image), UUID.fromString(old)),
                        new DiskImage(UUID.fromString(image), UUID.fromString(moved)),
                        null,
                        null);
    }

    @Test
    @DisplayName("T49 the read-only flag is an element, or text of the host agent")
    void theReadOnlyFlagIsAnElementOrText() throws Exception {
        assertThat(readOnly("<readonly/>", "")).isTrue();
        assertThat(readOnly("<readonly>true</readonly>", "")).isTrue();
        assertThat(readOnly("<readonly>False</readonly>", "")).isFalse();
        assertThat(readOnly("", "<o:readonly type='bool'>True</o:readonly>")).isTrue();
        assertThat(readOnly("", "<o:readOnly>true</o:readOnly>")).isTrue();
        assertThat(readOnly("", "<o:readonly type='bool'>False</o:readonly>")).isFalse();
        assertThat(readOnly("", "")).isFalse();
    }

    private static boolean readOnly(String element, String metadata) throws Exception {
        String xml =
                """
                <domain><metadata xmlns:o='http://ovirt.org/vm/1.0'><o:vm>
                <o:device devtype='disk' name='vda'>%s</o:device></o:vm></metadata>
                <devices><disk><target dev='vda'/>%s</disk></devices></domain>
                """
                        .formatted(metadata, element);
        return new DomainXmlReader().read(VM, xml).devices().devices().getFirst().readOnly();
    }

    @Test
    @DisplayName("T26 a device without a kind has no name")
    void aDeviceOfUnknownKindHasNoName() throws Exception {
        String xml =
                "<domain><devices><hostdev/><controller type=''/><sound model=''/></devices>"
                        + "</domain>";

        assertThat(new DomainXmlReader().read(VM, xml).devices().devices())
                .extracting(ReportedDevice::device)
                .containsExactly("", "", "");
    }

    private static void assertDevice(
            ReportedDevice device, String type, String name, String hostDevice) {
        assertThat(device).isNotNull();
        assertThat(device.type()).isEqualTo(type);
        assertThat(device.device()).isEqualTo(name);
        assertThat(device.hostDevice()).isEqualTo(hostDevice);
    }
}
