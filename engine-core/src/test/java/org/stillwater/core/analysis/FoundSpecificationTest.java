package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmSpecification.BootDevice;
import org.stillwater.core.definition.VmSpecification.Video;
import org.stillwater.core.id.VmId;

/** Definitions of VMs from the documents of real hosts. */
class FoundSpecificationTest {

    private static final VmId VM = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");

    private static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(
                        FoundSpecificationTest.class.getResourceAsStream("/libvirt/" + name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static VmSpecification read(String xml) throws Exception {
        return new DomainXmlReader().readFound(VM, xml).specification();
    }

    private static FoundDefinition differences(VmSpecification specification) {
        return Objects.requireNonNull(specification.found());
    }

    @Test
    void aRealDomainKeepsItsDevices() throws Exception {
        VmSpecification found = read(resource("web-frontend-01.xml"));

        assertThat(differences(found).missing()).isEmpty();
        assertThat(differences(found).changed()).isEmpty();
        UUID image = UUID.fromString("11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01");
        assertThat(found.disks())
                .containsExactly(
                        new VmDisk(
                                image,
                                "disk1",
                                new VmDisk.Place.Volume(
                                        UUID.fromString("5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01"),
                                        UUID.fromString("f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6"),
                                        image,
                                        UUID.fromString("99e8f7a6-b5c4-4d3e-8f21-0a1b2c3d4e99"),
                                        true),
                                VmDisk.Bus.VIRTIO,
                                VmDisk.Format.QCOW2,
                                null,
                                false,
                                false));
        assertThat(found.cdrom()).isNotNull();
        assertThat(found.interfaces())
                .containsExactly(
                        new VmInterface(
                                UUID.fromString("8c213040-5e6d-4c7b-8f89-3a4b5c6d7e04"),
                                "nic1",
                                "56:6f:8e:12:00:01",
                                "ovirtmgmt",
                                VmInterface.Model.VIRTIO,
                                true,
                                1_500,
                                true));
        assertThat(found.consoles())
                .containsExactly(
                        new VmConsole(VmConsole.Protocol.VNC, "en-us"),
                        new VmConsole(VmConsole.Protocol.SPICE, null));
        assertThat(found.video()).isEqualTo(Video.QXL);
        assertThat(found.machineType()).isEqualTo("pc-q35-rhel9.4.0");
        assertThat(found.cpu())
                .isEqualTo(new VmCpu.Named("Cascadelake-Server", java.util.Set.of()));
        assertThat(found.maximumSockets()).isEqualTo(16);
        assertThat(found.maximumMemoryMebibytes()).isEqualTo(32_768);
        assertThat(found.boot()).containsExactly(BootDevice.DISK);
        assertThat(found.balloon()).isTrue();
        assertThat(found.randomness())
                .isEqualTo(new VmRandomness(VmRandomness.Source.URANDOM, null, null));
    }

    /** None of them is dropped in silence, and none makes the whole definition fail. */
    @Test
    void devicesThatNoDefinitionHasAreNamed() throws Exception {
        VmSpecification found = read(resource("every-device.xml"));

        assertThat(found.isIncomplete()).isTrue();
        assertThat(differences(found).missing())
                .containsExactlyInAnyOrder(
                        "commandline",
                        "commandline of QEMU",
                        "disk vda: its source is of type network",
                        "disk sda: passed through as lun to the guest",
                        "file system of the host /srv",
                        "interface 52:54:00:aa:bb:01: its model is e1000e",
                        "interface 52:54:00:aa:bb:02: its type is vhostuser, not a plain bridge",
                        "interface 52:54:00:aa:bb:03: its type is hostdev, not a plain bridge",
                        "TPM: it takes UEFI",
                        "device of the host, pci: pci_0000_05_00_1",
                        "device of the host, usb: usb_1_4",
                        "device of the host, mdev: c2177883-f1bb-47f0-914d-32a22e3a8804",
                        "device of the host, scsi: scsi_2_0_1_3",
                        "device of the host, usb: usb_0x1234_0xbeef");
        assertThat(differences(found).changed())
                .contains(
                        "device sound ich6",
                        "device redirdev spicevmc",
                        "device panic isa",
                        "device iommu intel",
                        "device vsock virtio",
                        "input device: tablet on usb",
                        "ACPI, which is switched off",
                        "CPU model: none; it becomes that of the cluster");
        assertThat(found.disks()).isEmpty();
        assertThat(found.watchdog()).isNotNull();
        assertThat(found.serialConsole()).isTrue();
    }

    private static String domain(String devices) {
        return """
        <domain type='kvm'><name>a</name><memory unit='GiB'>1</memory><vcpu>1</vcpu>\
        <os><type arch='x86_64' machine='pc-q35-rhel9.4.0'>hvm</type></os><features><acpi/></features>\
        <cpu mode='host-passthrough'/><devices>%s</devices></domain>\
        """
                .formatted(devices);
    }

    private static String disk(String more) {
        return domain(
                """
                <disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='/srv/a.img'/>\
                <target dev='vda' bus='virtio'/><alias name='ua-11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01'/>\
                <serial>11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01</serial>%s</disk>\
                """
                        .formatted(more));
    }

    @Test
    void propertiesOfADiskThatNoDefinitionHasAreNamed() throws Exception {
        assertThat(differences(read(disk(""))))
                .isEqualTo(new FoundDefinition(true, List.of(), List.of()));
        assertThat(
                        differences(
                                        read(
                                                disk(
                                                        "<iotune><total_iops_sec>9</total_iops_sec></iotune>")))
                                .changed())
                .containsExactly("disk vda: iotune");
        assertThat(
                        differences(
                                        read(
                                                disk("").replace(
                                                                "type='raw'",
                                                                "type='raw' cache='writeback'")))
                                .changed())
                .containsExactly("disk vda: cache writeback");
        assertThat(differences(read(disk("").replace("<serial>11", "<serial>22"))).changed())
                .containsExactly(
                        "disk vda: serial number 22a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01; it becomes"
                                + " 11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01");
        assertThat(differences(read(disk("<encryption format='luks'/>"))).missing())
                .containsExactly("disk vda: it is encrypted by its host");
        assertThat(differences(read(disk("").replace("type='raw'", "type='vmdk'"))).missing())
                .containsExactly("disk vda: its format is vmdk");
        assertThat(differences(read(disk("").replace("bus='virtio'", "bus='ide'"))).missing())
                .containsExactly("disk vda: its bus is ide");
    }

    @Test
    void aVolumeOfAnUnknownPoolIsMissing() throws Exception {
        String path =
                "/rhev/data-center/mnt/s:_x/f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6/images/"
                    + "11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01/99e8f7a6-b5c4-4d3e-8f21-0a1b2c3d4e99";
        assertThat(differences(read(disk("").replace("/srv/a.img", path))).missing())
                .containsExactly(
                        "disk vda: the host does not report of which storage pool the volume is: "
                                + path);
    }

    /** A live domain lists the features that its host lacks. */
    @Test
    void featuresOfARunningCpuAreRequiredAgain() throws Exception {
        String cpu =
                """
                <cpu mode='custom' match='exact' check='%s'><model>EPYC</model>\
                <feature policy='require' name='ibpb'/><feature policy='disable' name='svm'/></cpu>\
                """;
        String before = "<cpu mode='host-passthrough'/>";
        VmSpecification running = read(disk("").replace(before, cpu.formatted("full")));
        assertThat(running.cpu()).isEqualTo(new VmCpu.Named("EPYC", java.util.Set.of("ibpb")));
        assertThat(differences(running).changed()).isEmpty();
        assertThat(differences(read(disk("").replace(before, cpu.formatted("partial")))).changed())
                .containsExactly("CPU feature svm: disable");
    }

    @ParameterizedTest
    @CsvSource({"0,", "-7, ", "3600,Etc/GMT-1", "-18010,Etc/GMT+5", "19800,", "-50000,"})
    void aClockBecomesATimeZone(int seconds, String zone) throws Exception {
        VmSpecification found =
                read(
                        disk("").replace(
                                        "<devices>",
                                        "<clock offset='variable' adjustment='%d'/><devices>"
                                                .formatted(seconds)));
        assertThat(found.timeZone()).isEqualTo(zone);
        assertThat(differences(found).changed()).hasSize(Math.abs(seconds) > 300 ? 1 : 0);
    }

    /** Plugged-in memory belongs to its node from the begin of the next run. */
    @Test
    void pluggedMemoryIsMemoryOfItsNode() throws Exception {
        VmSpecification found =
                read(
                        domain(
                                        """
                                        <memory model='dimm'><target><size unit='MiB'>256</size><node>1</node></target></memory>\
                                        """)
                                .replace("<vcpu>1<", "<vcpu>2<")
                                .replace(
                                        "<cpu mode='host-passthrough'/>",
                                        """
                                        <cpu mode='host-passthrough'><numa><cell id='0' cpus='0' memory='512' unit='MiB'/>\
                                        <cell id='1' cpus='1' memory='256' unit='MiB'/></numa></cpu>\
                                        """));
        assertThat(differences(found).missing()).isEmpty();
        assertThat(found.numaNodes())
                .extracting(node -> node.memoryMebibytes())
                .containsExactly(512, 512);
    }

    @Test
    void aBootOrderWithDevicesMixedIsNamed() throws Exception {
        String nic =
                "<interface type='bridge'><mac address='52:54:00:00:00:01'/><source"
                        + " bridge='a'/><model type='virtio'/><boot order='2'/></interface>";
        String second =
                disk("<boot order='1'/>")
                        .replace(
                                "</devices>",
                                nic
                                        + disk("<boot order='3'/>")
                                                .replaceAll(".*(<disk .*</disk>).*", "$1")
                                                .replace("11a0b1c2", "33a0b1c2")
                                                .replace("vda", "vdb")
                                                .replace("/srv/a", "/srv/b")
                                        + "</devices>");
        VmSpecification found = read(second);
        assertThat(found.boot()).containsExactly(BootDevice.DISK, BootDevice.NETWORK);
        assertThat(found.disks()).extracting(VmDisk::bootOrder).containsExactly(1, 2);
        assertThat(differences(found).changed())
                .containsExactly("boot order with disks, CD and interfaces mixed");
    }

    @Test
    void interfacesHaveTheIdentitiesThatTheEngineKeeps() throws Exception {
        VmSpecification found = read(resource("web-frontend-01.xml"));
        VmNic own = new VmNic(new UUID(1, 2), "nic7", "56:6f:8e:12:00:01", null, 10_000);
        VmSpecification kept = FoundSpecification.withNics(found, List.of(own));
        assertThat(kept.interfaces())
                .extracting(VmInterface::id, VmInterface::name, VmInterface::network)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(own.id(), "nic7", "ovirtmgmt"));
        assertThat(kept.found()).isEqualTo(found.found());
    }

    @Test
    void aDocumentThatCannotBeReadInFullHasNoDevicesAndNamesThem() throws Exception {
        String text = domain("").replace("hvm", "<a/>");
        VmSpecification found = read(text);
        assertThat(differences(found).missing())
                .containsExactly("all devices: an element has both a text and elements");
        StringBuilder many = new StringBuilder();
        many.append("<a/>".repeat(20_001));
        assertThat(differences(read(domain("<hub>" + many + "</hub>"))).missing())
                .singleElement()
                .asString()
                .contains("more than 20000 elements");
    }

    @Test
    void onlySomeDifferencesAreNamed() throws Exception {
        StringBuilder sounds = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            sounds.append("<sound model='m").append(i).append("'/>");
        }
        assertThat(differences(read(domain(sounds.toString()))).changed())
                .hasSize(FoundDefinition.MOST)
                .last()
                .isEqualTo("and 37 more");
    }
}
