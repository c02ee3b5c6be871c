package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.report.ReportedDevice;

class DomainXmlReaderTest {

    private static final VmId VM = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");

    private static String sample() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(
                        DomainXmlReaderTest.class.getResourceAsStream(
                                "/libvirt/web-frontend-01.xml"))) {
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
    void refusesWhatIsNoDomain() {
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
}
