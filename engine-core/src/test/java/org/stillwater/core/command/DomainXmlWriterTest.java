package org.stillwater.core.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.stillwater.core.command.Specifications.SURROUNDINGS;
import static org.stillwater.core.command.Specifications.VM;
import static org.stillwater.core.command.Specifications.full;
import static org.stillwater.core.command.Specifications.id;
import static org.stillwater.core.command.Specifications.simple;
import static org.stillwater.core.command.Specifications.vm;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.operation.OperationParameters.DeviceType;
import org.stillwater.core.report.ReportedDevice;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The domain XML that hosts get to run. */
class DomainXmlWriterTest {

    private static final VmStatic PLAIN = vm("web-1", 4_096, 2, 1, 1);

    private static Document parsed(String xml) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        var builder = factory.newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(new InputSource(new StringReader(xml)));
    }

    private static String at(Document document, String path) throws Exception {
        return XPathFactory.newInstance().newXPath().evaluate(path, document);
    }

    private static List<String> all(Document document, String path) throws Exception {
        NodeList nodes =
                (NodeList)
                        XPathFactory.newInstance()
                                .newXPath()
                                .evaluate(path, document, XPathConstants.NODESET);
        return IntStream.range(0, nodes.getLength())
                .mapToObj(i -> nodes.item(i).getNodeValue())
                .toList();
    }

    /** Run with {@code -Dstillwater.docs.update=true} to write the files. */
    @ParameterizedTest
    @ValueSource(strings = {"simple", "full"})
    void theDomainIsTheOneOnFile(String name) throws IOException {
        Path file = Path.of("src", "test", "resources", "domain", name + ".xml");
        String xml =
                name.equals("simple")
                        ? DomainXmlWriter.write(VM, PLAIN, simple(), SURROUNDINGS)
                        : DomainXmlWriter.write(
                                VM,
                                vm("db <1> & \"co\"", 8_192, 4, 1, 1),
                                full(),
                                SURROUNDINGS.starting(true, true));
        String lines = xml.replace("><", ">\n<") + "\n";
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(file, lines);
        }
        assertThat(file).as("run with -Dstillwater.docs.update=true").hasContent(lines);
    }

    @Test
    void aParserFindsTheSpecification() throws Exception {
        Document d =
                parsed(
                        DomainXmlWriter.write(
                                VM,
                                vm("db]]>", 8_192, 4, 1, 1),
                                full(),
                                SURROUNDINGS.starting(true, false)));
        assertThat(at(d, "/domain/name")).isEqualTo("db]]>");
        assertThat(at(d, "/domain/uuid")).isEqualTo(VM.toString());
        assertThat(at(d, "/domain/memory")).isEqualTo("8388608");
        assertThat(at(d, "/domain/maxMemory")).isEqualTo("67108864");
        assertThat(at(d, "/domain/vcpu")).isEqualTo("16");
        assertThat(at(d, "/domain/vcpu/@current")).isEqualTo("4");
        assertThat(at(d, "/domain/os/type/@machine")).isEqualTo("pc-q35-rhel9.2.0");
        assertThat(at(d, "/domain/os/loader/@secure")).isEqualTo("yes");
        assertThat(at(d, "/domain/cpu/model")).isEqualTo("Haswell-noTSX");
        assertThat(all(d, "/domain/cpu/feature/@name")).containsExactly("spec-ctrl", "vmx");
        // Resources plugged in later belong to the first node.
        assertThat(all(d, "/domain/cpu/numa/cell/@cpus"))
                .containsExactly("0,1,4,5,6,7,8,9,10,11,12,13,14,15", "2,3");
        assertThat(at(d, "/domain/clock/@adjustment")).isEqualTo("7200");
        assertThat(at(d, "//*[local-name()='hook']")).isEqualTo("a<b>&\"c\" ]]> d'");
        assertThat(at(d, "//*[local-name()='launchPaused']")).isEqualTo("true");
        assertThat(at(d, "//*[local-name()='resumeBehavior']")).isEqualTo("leave_paused");
        assertThat(at(d, "//disk[target/@dev='sdb']/source/@dev")).isEqualTo("/dev/mapper/360001");
        assertThat(at(d, "//disk[target/@dev='sdd']/source/@file"))
                .isEqualTo("/srv/a & b/<disk>'\".img");
        assertThat(all(d, "//disk/target/@dev")).containsExactly("sdc", "vda", "sda", "sdb", "sdd");
        assertThat(at(d, "//disk[target/@dev='sdc']/boot/@order")).isEqualTo("1");
        assertThat(at(d, "//disk[target/@dev='sda']/boot/@order")).isEqualTo("2");
        assertThat(at(d, "//disk[target/@dev='vda']/boot/@order")).isEqualTo("3");
        assertThat(at(d, "//interface[1]/boot/@order")).isEqualTo("4");
        assertThat(all(d, "//interface/link/@state")).containsExactly("up", "down", "down");
        assertThat(all(d, "//interface/model/@type")).containsExactly("virtio", "e1000", "rtl8139");
        assertThat(all(d, "//graphics/@type")).containsExactly("spice", "vnc");
    }

    @Test
    void theClusterCompletesTheVm() throws Exception {
        Document d = parsed(DomainXmlWriter.write(VM, PLAIN, simple(), SURROUNDINGS));
        assertThat(at(d, "/domain/os/type/@machine")).isEqualTo("pc-q35-rhel9.4.0");
        assertThat(at(d, "/domain/cpu/model")).isEqualTo("Cascadelake-Server");
        assertThat(all(d, "/domain/cpu/feature/@name")).containsExactly("md-clear", "spec-ctrl");
        assertThat(at(d, "//*[local-name()='clusterVersion']")).isEqualTo("4.8");
        Document bare =
                parsed(
                        DomainXmlWriter.write(
                                VM,
                                PLAIN,
                                simple(),
                                StartEnvironment.of(Cluster.DEFAULT, SURROUNDINGS.now())));
        assertThat(at(bare, "/domain/cpu/@mode")).isEqualTo("host-model");
        assertThat(at(bare, "/domain/os/type/@machine")).isEqualTo("q35");
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyValidSpecificationGivesADomainThatReadsBack(long seed) throws Exception {
        Specifications.Any any = Specifications.any(new SplittableRandom(seed));
        VmSpecification specification = any.specification();
        String xml = DomainXmlWriter.write(VM, any.vm(), specification, SURROUNDINGS);
        assertThat(at(parsed(xml), "/domain/name")).isEqualTo(any.vm().name());
        DomainXmlReader.Domain domain = new DomainXmlReader().read(VM, xml);
        assertThat(domain.definition().name()).isEqualTo(any.vm().name().strip());
        assertThat(domain.definition().memoryMebibytes()).isEqualTo(any.vm().memoryMebibytes());
        assertThat(domain.definition().guaranteedMemoryMebibytes())
                .isEqualTo(any.vm().guaranteedMemoryMebibytes());
        assertThat(domain.definition().cpus()).isEqualTo(any.vm().cpus());
        assertThat(domain.definition().nics())
                .isEqualTo(
                        IntStream.range(0, specification.interfaces().size())
                                .mapToObj(i -> {
                                    var nic = specification.interfaces().get(i).nic(null);
                                    return new org.stillwater.core.definition.VmNic(
                                            nic.id(),
                                            "nic" + (i + 1),
                                            nic.mac(),
                                            null,
                                            nic.speedMegabitsPerSecond());
                                })
                                .toList());
        List<UUID> reported = domain.devices().devices().stream().map(ReportedDevice::id).toList();
        assertThat(reported).doesNotHaveDuplicates();
        specification.disks().forEach(disk -> assertThat(reported).contains(disk.id()));
        for (ReportedDevice device : domain.devices().devices()) {
            specification.disks().stream()
                    .filter(disk -> disk.id().equals(device.id()))
                    .forEach(disk -> assertThat(device.readOnly()).isEqualTo(disk.readOnly()));
        }
        assertThat(DomainXmlWriter.write(VM, any.vm(), specification, SURROUNDINGS)).isEqualTo(xml);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000b", "a\u0007", "line\nend", "tab\t", "\uD83D", "\uFFFE"})
    void charactersForbiddenInXmlAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DomainXmlWriter.write(VM, vm(name, 1_024, 1, 1, 1), simple(), SURROUNDINGS))
                .withMessageContaining("which a domain XML cannot hold: take it out");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "a/b", "..", "."})
    void aNameThatIsNoFileNameIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DomainXmlWriter.write(VM, vm(name, 1_024, 1, 1, 1), simple(), SURROUNDINGS))
                .withMessage("the name of a VM that is to run is not blank and has no slash");
    }

    @Test
    void unsupportedDefinitionsAreRefusedWithTheReason() {
        StartEnvironment s = SURROUNDINGS;
        StartEnvironment power =
                new StartEnvironment(
                        s.version(),
                        "pseries",
                        CpuArchitecture.PPC64,
                        null,
                        s.displayNetwork(),
                        s.now(),
                        false,
                        false);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainXmlWriter.write(VM, PLAIN, simple(), power))
                .withMessage("VMs of architecture PPC64 cannot be started yet, only x86_64");
        StartEnvironment old =
                new StartEnvironment(
                        s.version(),
                        "pc-i440fx-rhel7.6.0",
                        s.architecture(),
                        new CpuType("No model", Set.of("vmx"), null, null),
                        s.displayNetwork(),
                        s.now(),
                        false,
                        false);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainXmlWriter.write(VM, PLAIN, simple(), old))
                .withMessageContaining("names no model: give it a flag that begins with model_");
    }

    @Test
    void aLeaseIsNamedByItsRealPlace() {
        VmLease wanted = VmLease.wanted(VM, new UUID(0xD0, 1));
        VmLease lease = wanted.at(new VmLease.Place("/dev/a&b/xleases", 3_145_728));
        assertThat(DomainXmlWriter.write(VM, PLAIN, simple(), SURROUNDINGS.holding(lease)))
                .contains(
                        "<lockspace>%s</lockspace>".formatted(new UUID(0xD0, 1)),
                        "<key>%s</key>".formatted(VM),
                        "<target path=\"/dev/a&amp;b/xleases\" offset=\"3145728\"/>");
        assertThat(DomainXmlWriter.write(VM, PLAIN, simple(), SURROUNDINGS))
                .doesNotContain("<lease");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DomainXmlWriter.write(VM, PLAIN, simple(), SURROUNDINGS.holding(wanted)))
                .withMessage("it is not known where the VM's lease is");
    }

    @Test
    void unpluggedDevicesAreLeftOutAndKeepTheirNames() throws Exception {
        VmSpecification full = full();
        VmSpecification without =
                full.withDevices(
                        full.disks().stream()
                                .map(disk -> disk.plugged(!disk.id().equals(id(2))))
                                .toList(),
                        full.cdrom(),
                        full.interfaces().stream()
                                .map(nic -> nic.plugged(!nic.id().equals(id(6))))
                                .toList());
        Document d =
                parsed(DomainXmlWriter.write(VM, vm("db", 8_192, 4, 1, 1), without, SURROUNDINGS));
        assertThat(all(d, "/domain/devices/disk/target/@dev"))
                .containsExactly("sdc", "vda", "sdb", "sdd");
        assertThat(all(d, "/domain/devices/disk/boot/@order")).containsExactly("1", "2");
        assertThat(all(d, "/domain/devices/interface/mac/@address"))
                .doesNotContain("56:6f:00:00:00:01")
                .contains("56:6f:00:00:00:02");
        assertThat(all(d, "//*[local-name()='device']/@name")).containsExactly("vda", "sdb");
        assertThat(all(d, "//*[local-name()='device']/@mac_address"))
                .doesNotContain("56:6f:00:00:00:01");
    }

    /** VDSM shares a disk that is plugged in only if its metadata say so. */
    @Test
    void aShareableDiskIsPluggedInAsShared() throws Exception {
        VmSpecification full = full();
        VmDisk volume =
                new VmDisk(
                        id(70),
                        "both",
                        new VmDisk.Place.Volume(id(900), id(901), id(70), id(71), false),
                        VmDisk.Bus.VIRTIO_SCSI,
                        VmDisk.Format.RAW,
                        null,
                        false,
                        true);
        VmSpecification shared =
                full.withDevices(
                        Stream.concat(full.disks().stream(), Stream.of(volume)).toList(),
                        full.cdrom(),
                        full.interfaces());
        for (UUID disk : List.of(id(3), id(70))) {
            String plugged =
                    DomainXmlWriter.hotplug(VM, shared, SURROUNDINGS, DeviceType.DISK, disk, true);
            assertThat(at(parsed(plugged), "//*[local-name()='shared']")).isEqualTo("shared");
        }
        String alone =
                DomainXmlWriter.hotplug(VM, shared, SURROUNDINGS, DeviceType.DISK, id(2), true);
        assertThat(alone).doesNotContain("shared>");
    }

    @Test
    void aDeviceIsPluggedInByItself() throws Exception {
        String plugged =
                DomainXmlWriter.hotplug(VM, full(), SURROUNDINGS, DeviceType.DISK, id(2), true);
        assertThat(plugged).startsWith("<hotplug>").doesNotContain("<boot ");
        Document disk = parsed(plugged);
        assertThat(all(disk, "/hotplug/devices/*/target/@dev")).containsExactly("sda");
        assertThat(at(disk, "/hotplug/devices/disk/alias/@name")).isEqualTo("ua-" + id(2));
        assertThat(at(disk, "/hotplug/metadata/*/*/@name")).isEqualTo("sda");
        assertThat(at(disk, "//*[local-name()='imageID']")).isEqualTo(id(2).toString());
        assertThat(plugged).contains("xmlns:ovirt-vm=\"http://ovirt.org/vm/1.0\"");
        Document nic =
                parsed(
                        DomainXmlWriter.hotplug(
                                VM, full(), SURROUNDINGS, DeviceType.INTERFACE, id(6), true));
        assertThat(at(nic, "/hotplug/devices/interface/source/@bridge")).isEqualTo("ovirtmgmt");
        assertThat(at(nic, "/hotplug/metadata/*/*/@mac_address")).isEqualTo("56:6f:00:00:00:01");
        Document out =
                parsed(
                        DomainXmlWriter.hotplug(
                                VM, full(), SURROUNDINGS, DeviceType.INTERFACE, id(6), false));
        assertThat(at(out, "/hotunplug/devices/interface/alias/@name")).isEqualTo("ua-" + id(6));
        assertThat(
                        at(
                                parsed(
                                        DomainXmlWriter.hotplug(
                                                VM,
                                                full(),
                                                SURROUNDINGS,
                                                DeviceType.DISK,
                                                id(3),
                                                false)),
                                "/hotunplug/devices/disk/@type"))
                .isEqualTo("block");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DomainXmlWriter.hotplug(
                                VM, full(), SURROUNDINGS, DeviceType.DISK, id(6), true))
                .withMessageContaining("does not have the disk");
    }

    /** VDSM looks for the source of each disk, and fails the start of a domain without one. */
    @Test
    void aDriveWithoutCdHasAnEmptySource() throws Exception {
        for (VmSpecification each : List.of(simple(), full())) {
            Document d =
                    parsed(DomainXmlWriter.write(VM, vm("a", 8_192, 4, 1, 1), each, SURROUNDINGS));
            assertThat(at(d, "count(//disk[@device='cdrom'])")).isEqualTo("1");
            assertThat(at(d, "count(//disk[not(source)])")).isEqualTo("0");
        }
        Document empty = parsed(DomainXmlWriter.write(VM, PLAIN, simple(), SURROUNDINGS));
        assertThat(at(empty, "count(//disk[@device='cdrom']/source[@file=''])")).isEqualTo("1");
    }

    @Test
    void theCdDriveIsNamedAsInTheDomain() throws Exception {
        for (VmSpecification each : List.of(simple(), full())) {
            Document d =
                    parsed(DomainXmlWriter.write(VM, vm("a", 8_192, 4, 1, 1), each, SURROUNDINGS));
            CdDrive drive = CdDrive.of(each, SURROUNDINGS);
            assertThat(at(d, "//disk[@device='cdrom']/target/@dev")).isEqualTo(drive.target());
            assertThat(at(d, "//disk[@device='cdrom']/target/@bus")).isEqualTo(drive.bus());
        }
        assertThat(CdDrive.of(false)).isEqualTo(new CdDrive("ide", 2));
        assertThat(CdDrive.of(false).target()).isEqualTo("hdc");
    }

    @Test
    void targetsAreNamedLikeColumns() {
        assertThat(DomainDevices.letters(0)).isEqualTo("a");
        assertThat(DomainDevices.letters(25)).isEqualTo("z");
        assertThat(DomainDevices.letters(26)).isEqualTo("aa");
        assertThat(DomainDevices.letters(26 + 26 * 26)).isEqualTo("aaa");
    }

    @Test
    void identitiesOfDevicesStayTheSame() {
        assertThat(DomainXmlWriter.deviceId(VM, "video", 0))
                .isEqualTo(DomainXmlWriter.deviceId(VM, "video", 0))
                .isNotEqualTo(DomainXmlWriter.deviceId(VM, "video", 1));
        assertThat(id(1)).isNotEqualTo(id(2));
    }
}
