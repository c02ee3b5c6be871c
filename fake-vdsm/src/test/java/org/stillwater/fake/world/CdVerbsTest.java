package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The CD of a VM that runs is exchanged as VDSM exchanges it. */
class CdVerbsTest {

    private static final String ID = "c3f08e7b-2a64-4915-8d9c-51b7a6e0f305";

    private final Lab lab = Lab.of(2, 0);

    private void start() {
        String xml =
                """
                <domain type='kvm' xmlns:ovirt-vm='http://ovirt.org/vm/1.0'><name>vm</name>\
                <uuid>%s</uuid><metadata><ovirt-vm:vm/></metadata><devices>\
                <disk type='file' device='cdrom'><driver name='qemu'/>\
                <source file='/isos/first.iso' startupPolicy='optional'/>\
                <target dev='sdc' bus='sata'/><readonly/>\
                <alias name='ua-57114000-8000-4000-8000-000000000001'/></disk>\
                </devices></domain>\
                """
                        .formatted(ID);
        lab.result(0, "VM.create", "{\"vmParams\": {\"xml\": \"%s\"}}".formatted(xml));
        lab.pass(120);
        lab.heard();
    }

    private Lab.Answer change(String drive) {
        return lab.ask(
                0, "VM.changeCD", "{\"vmID\": \"%s\", \"driveSpec\": %s}".formatted(ID, drive));
    }

    private Lab.Answer insert(String path) {
        return change("{\"iface\": \"sata\", \"index\": \"2\", \"path\": \"%s\"}".formatted(path));
    }

    private XmlElement drive() {
        XmlElement domain =
                XmlElement.parse(
                        lab.result(0, "Host.dumpxmls", "{\"vmList\": [\"%s\"]}".formatted(ID))
                                .get(ID)
                                .asString());
        return Objects.requireNonNull(domain.child("devices")).children("disk").getFirst();
    }

    private JsonNode hash() {
        return lab.result(0, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(ID)).get(0).get("hash");
    }

    @Test
    @DisplayName("another CD is in the drive, and then none: hash and XML show it")
    void aCdIsExchangedAndEjected() {
        start();
        JsonNode before = hash();
        assertThat(drive().childAttribute("source", "file")).isEqualTo("/isos/first.iso");
        assertThat(insert("/isos/Other.ISO").text()).isEqualTo("{}");
        assertThat(lab.heard()).as("it is not announced").isEmpty();
        assertThat(hash()).isNotEqualTo(before);
        assertThat(drive().childAttribute("source", "file")).isEqualTo("/isos/Other.ISO");
        assertThat(drive().childAttribute("target", "dev")).isEqualTo("sdc");
        assertThat(drive().childAttribute("alias", "name")).startsWith("ua-57114000");
        assertThat(insert("").text()).isEqualTo("{}");
        assertThat(drive().child("source")).isNull();
        assertThat(insert("/isos/first.iso").text()).isEqualTo("{}");
        assertThat(drive().childAttribute("source", "file")).isEqualTo("/isos/first.iso");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            delimiter = '|',
            value = {
                "sata | 2 | /isos/nothing | 13  | Drive image file could not be found",
                "sata | 2 | a.iso         | 13  | Drive image file could not be found",
                "sata | 3 | /isos/a.iso   | 41  | Failed to change disk image",
                "ide  | 2 | /isos/a.iso   | 41  | Failed to change disk image",
                "usb  | 2 | /isos/a.iso   | 100 | General Exception: ('Unknown interface: usb',)"
            })
    void refusedExchanges(String bus, int index, String path, int code, String text) {
        start();
        Lab.Answer answer =
                change(
                        "{\"iface\": \"%s\", \"index\": \"%d\", \"path\": \"%s\"}"
                                .formatted(bus, index, path));
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.message()).isEqualTo(text);
        assertThat(drive().childAttribute("source", "file")).isEqualTo("/isos/first.iso");
    }

    @Test
    void aVmThatIsUnknownDownOrOnItsWay() {
        assertThat(insert("/isos/a.iso").code()).as("unknown").isEqualTo(1);
        start();
        assertThat(change("{\"iface\": \"sata\", \"index\": \"2\"}").message())
                .isEqualTo("General Exception: (\"'path'\",)");
        lab.result(
                0,
                "VM.migrate",
                "{\"vmID\": \"%s\", \"params\": {\"dst\": \"host-0002\"}}".formatted(ID));
        assertThat(insert("/isos/a.iso").code()).as("it migrates").isEqualTo(41);
        lab.pass(60);
        assertThat(insert("/isos/a.iso").code()).as("it has no domain").isEqualTo(100);
    }
}
