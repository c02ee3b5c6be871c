package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.vm.FieldType;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.vdsm.client.recording.Recorded;
import org.stillwater.vdsm.client.recording.RecordedHost;
import org.stillwater.vdsm.client.recording.RecordedVm;
import org.stillwater.vdsm.client.recording.RecordingReader;
import org.stillwater.vdsm.client.recording.RecordingReader.Recording;
import org.stillwater.vdsm.client.recording.RecordingWriter;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.JsonRpcRequest;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.wire.Verb;

@DisplayName("A recording of hosts")
class RecordingTest {

    private static final HostId SOURCE = new HostId(new UUID(1, 1));
    private static final HostId TARGET = new HostId(new UUID(1, 2));
    private static final String WEB = "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01";

    /** Names of people, machines and places in the samples. */
    private static final List<String> IDENTIFYING =
            List.of(
                    "web-frontend",
                    "db-nfs",
                    "example.test",
                    "10.20.0",
                    "10.30.",
                    "10.50.",
                    "192.168.",
                    "56:6f:8e",
                    "3c:ec:ef",
                    "fe80::546f",
                    "0e6f3a52",
                    "7d41e8f3",
                    "Rocky",
                    "Fedora",
                    "ES22000042",
                    "Example Systems",
                    "iqn.",
                    "ovirtmgmt",
                    "vmnet100",
                    "/srv/pg",
                    "/rhev/",
                    "root=");

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final List<String> ended = new ArrayList<>();

    private RecordingWriter writer(OutputStream out, long bytes, int texts) throws IOException {
        return new RecordingWriter(
                out,
                new RecordingWriter.Limits(bytes, texts),
                1_000,
                "test",
                15_000,
                List.of(
                        new RecordedHost(
                                SOURCE.value(),
                                "rack-1",
                                "host1.example.test",
                                HostStatus.UP,
                                true),
                        new RecordedHost(
                                TARGET.value(), "rack-2", "10.20.0.12", HostStatus.UP, false)),
                RecordingTest::vm,
                ended::add);
    }

    private RecordingWriter writer() throws IOException {
        return writer(file, 1 << 24, 10_000);
    }

    private static @Nullable RecordedVm vm(UUID id) {
        return id.toString().equals(WEB)
                ? new RecordedVm(
                        id,
                        "web-frontend-01",
                        false,
                        true,
                        false,
                        8_192,
                        4,
                        VmStatus.UP,
                        SOURCE.value(),
                        null)
                : null;
    }

    private String text() {
        return file.toString(StandardCharsets.UTF_8);
    }

    private Recording recorded() throws Exception {
        return RecordingReader.read(new StringReader(text()));
    }

    private static String message(Recorded line) {
        return switch (line) {
            case Recorded.Answered answered ->
                    new String(answered.message(), StandardCharsets.UTF_8);
            case Recorded.Event event -> new String(event.message(), StandardCharsets.UTF_8);
            default -> throw new AssertionError(line);
        };
    }

    private static FrameBody sample(String name) {
        return FrameBody.utf8(Decoded.sample(name));
    }

    @Test
    @DisplayName("of a poll decodes to the same VMs, except for names, addresses and texts")
    void poll() throws Exception {
        try (RecordingWriter writer = writer()) {
            writer.answered(
                    SOURCE, 2_000, 9_000, Verb.GET_ALL_VM_STATS, sample("host_getAllVmStats"));
        }
        Recorded.Answered line = (Recorded.Answered) recorded().lines().getFirst();
        assertThat(line.sentMicros()).isEqualTo(1);
        assertThat(line.atMicros()).isEqualTo(8);
        Decoded before = new Decoded();
        Decoded after = new Decoded();
        assertThat(after.poll(message(line)))
                .isEqualTo(before.poll(Decoded.sample("host_getAllVmStats")));
        assertSame(before, after);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "event_vm_status_devices_hash",
                "event_vm_status_down_admin",
                "event_vm_status_down_crash",
                "event_vm_status_down_migrated",
                "event_vm_status_migration_source",
                "event_vm_status_paused_eio",
                "event_vm_status_postcopy",
                "event_vm_status_powering_up",
                "event_vm_status_reboot",
                "event_vm_status_up_guest_agent"
            })
    @DisplayName("of an event decodes to the same status")
    void event(String name) throws Exception {
        try (RecordingWriter writer = writer()) {
            writer.event(SOURCE, 9_000, sample(name));
        }
        Decoded before = new Decoded();
        Decoded after = new Decoded();
        assertThat(after.event(message(recorded().lines().getFirst())))
                .isEqualTo(before.event(Decoded.sample(name)));
        assertSame(before, after);
    }

    private static void assertSame(Decoded before, Decoded after) {
        assertThat(after.malformed).isEmpty();
        assertThat(after.reports).hasSameSizeAs(before.reports);
        for (int i = 0; i < before.reports.size(); i++) {
            VmReport left = before.reports.get(i);
            VmReport right = after.reports.get(i);
            assertThat(right).hasSameClassAs(left);
            assertThat(right.hostStampMillis()).isEqualTo(left.hostStampMillis());
            if (left instanceof VmReport.Running was && right instanceof VmReport.Running is) {
                assertThat(is.deviceHash()).isEqualTo(was.deviceHash());
                for (RuntimeField field : RuntimeField.values()) {
                    Object value = was.runtime().value(field);
                    if (field.type() == FieldType.TEXT) {
                        assertThat(
                                        is.runtime().value(field) == null
                                                || "".equals(is.runtime().value(field)))
                                .as("%s", field)
                                .isEqualTo(value == null || "".equals(value));
                    } else if (field.type() != FieldType.GUEST_NICS) {
                        assertThat(is.runtime().value(field)).as("%s", field).isEqualTo(value);
                    }
                }
            }
            if (left instanceof VmReport.Exited was && right instanceof VmReport.Exited is) {
                assertThat(is.status()).isEqualTo(was.status());
                assertThat(is.reason()).isEqualTo(was.reason());
            }
        }
        assertThat(after.numbers.stream().map(RecordingTest::plain))
                .containsExactlyElementsOf(
                        before.numbers.stream().map(RecordingTest::plain).toList());
    }

    /** Without MAC addresses, names of disks and of file systems. */
    private static String plain(String numbers) {
        return numbers.replaceAll(" usage .*", "")
                .replaceAll("\\[[0-9a-f:]{17}", "[")
                .replaceAll("\\[\\S+ \\S+ \\S+", "[");
    }

    @Test
    @DisplayName("of capabilities decides as before about the host")
    void capabilities() throws Exception {
        try (RecordingWriter writer = writer()) {
            writer.answered(
                    SOURCE, 2_000, 9_000, Verb.GET_CAPABILITIES, sample("host_getCapabilities"));
        }
        HostCapabilities before = capabilities(Decoded.sample("host_getCapabilities"));
        HostCapabilities after = capabilities(message(recorded().lines().getFirst()));
        assertThat(after.cpu()).isEqualTo(before.cpu());
        assertThat(after.compatibility()).isEqualTo(before.compatibility());
        assertThat(after.memory()).isEqualTo(before.memory());
        assertThat(after.network().networks()).hasSameSizeAs(before.network().networks());
        assertThat(after.bootUuid()).isNotNull().isNotEqualTo(before.bootUuid());
    }

    private static HostCapabilities capabilities(String json) throws Exception {
        HostDecoder decoder = new HostDecoder(4_096, _ -> {}, _ -> {});
        try (Envelope envelope = Envelope.open(FrameBody.utf8(json))) {
            return decoder.capabilities(envelope.payload());
        }
    }

    @Test
    @DisplayName("names no person, no machine and no place")
    void pseudonyms() throws Exception {
        try (RecordingWriter writer = writer()) {
            writer.answered(SOURCE, 1, 1, Verb.GET_ALL_VM_STATS, sample("host_getAllVmStats"));
            writer.answered(SOURCE, 1, 1, Verb.GET_CAPABILITIES, sample("host_getCapabilities"));
            writer.answered(SOURCE, 1, 1, Verb.GET_HARDWARE_INFO, sample("host_getHardwareInfo"));
            writer.answered(SOURCE, 1, 1, Verb.GET_STATS, sample("host_getStats"));
            writer.answered(SOURCE, 1, 1, Verb.DUMPXMLS, sample("host_dumpxmls"));
            writer.event(SOURCE, 1, sample("event_vm_status_down_crash"));
            writer.event(SOURCE, 1, sample("event_host_conn"));
            writer.disconnected(
                    SOURCE, 1, new HostFailure.Unreachable("host1.example.test refused"));
        }
        assertThat(text()).doesNotContain(IDENTIFYING.toArray(String[]::new));
        assertThat(recorded().hosts())
                .extracting(RecordedHost::name)
                .containsExactly("host-1", "host-2");
    }

    @Test
    @DisplayName("has the same pseudonym for the same name, and VMs as the engine knew them")
    void consistent() throws Exception {
        try (RecordingWriter writer = writer()) {
            writer.event(SOURCE, 1, sample("event_vm_status_up_guest_agent"));
            writer.answered(SOURCE, 1, 1, Verb.GET_ALL_VM_STATS, sample("host_getAllVmStats"));
            writer.called(
                    SOURCE,
                    2_000,
                    Verb.VM_MIGRATE,
                    JsonRpcRequest.encode(
                            "1",
                            Verb.VM_MIGRATE,
                            json -> {
                                json.writeStringProperty("vmID", WEB);
                                json.writeStringProperty("dst", "10.20.0.12:54321");
                                json.writeStringProperty("password", "secret");
                            }));
        }
        Recording recording = recorded();
        RecordedVm web = recording.vms().getFirst();
        assertThat(recording.vms()).hasSize(1);
        assertThat(web.highlyAvailable()).isTrue();
        assertThat(web.status()).as("later mentioned").isEqualTo(VmStatus.DOWN);
        Recorded.Ordered order = (Recorded.Ordered) recording.lines().getLast();
        assertThat(order.vm()).isEqualTo(web.id());
        assertThat(order.target()).isEqualTo(recording.hosts().getLast().id());
        Decoded poll = new Decoded();
        poll.poll(message(recording.lines().get(recording.lines().size() - 2)));
        assertThat(poll.running(web.id().toString()).name()).isEqualTo(web.name());
        assertThat(text()).doesNotContain("secret");
    }

    @Test
    @DisplayName("ends at its bounds and when its file fails, with the reason")
    void bounds() throws Exception {
        RecordingWriter small = writer(file, 1_000, 10_000);
        small.answered(SOURCE, 1, 1, Verb.GET_ALL_VM_STATS, sample("host_getAllVmStats"));
        assertThat(ended).containsExactly("size");
        assertThat(recorded().lines()).isEmpty();

        RecordingWriter few = writer(OutputStream.nullOutputStream(), 1 << 24, 20);
        few.answered(SOURCE, 1, 1, Verb.GET_ALL_VM_STATS, sample("host_getAllVmStats"));
        assertThat(ended).containsExactly("size", "texts");

        boolean[] full = new boolean[1];
        RecordingWriter failing =
                writer(
                        new OutputStream() {
                            @Override
                            public void write(int b) throws IOException {
                                if (full[0]) {
                                    throw new IOException("no space");
                                }
                            }
                        },
                        1 << 24,
                        10_000);
        full[0] = true;
        failing.connected(SOURCE, 1);
        failing.connected(SOURCE, 1);
        assertThat(ended).containsExactly("size", "texts", "file: no space");
    }

    @Test
    @DisplayName("keeps a broken message as what it is")
    void malformed() throws Exception {
        try (RecordingWriter writer = writer()) {
            writer.event(
                    SOURCE, 1, FrameBody.utf8("{\"method\":\"|virt|VM_status|x\",\"params\":{"));
        }
        assertThat(recorded().lines()).singleElement().isInstanceOf(Recorded.Malformed.class);
    }

    @Test
    @DisplayName("of another version, or another file, is refused")
    void refused() {
        assertThatThrownBy(() -> RecordingReader.read(new StringReader("{}\n")))
                .hasMessageContaining("no recording");
        assertThatThrownBy(() ->
                        RecordingReader.read(
                                new StringReader("{\"kind\":\"recording\",\"version\":9}\n")))
                .hasMessageContaining("version 9");
        assertThatThrownBy(() ->
                        RecordingReader.read(
                                new StringReader(
                                        "{\"kind\":\"recording\",\"version\":1,"
                                                + "\"engine\":\"x\"}\n{\"kind\":\"event\"}")))
                .hasMessageContaining("line 2 has no host");
    }

    @Test
    @DisplayName("hears what a host sends, until it is to hear no more")
    void tap() throws Exception {
        RecordingWriter writer = writer();
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connector.listen(Set.of(host.definition().id()), writer);
            poll(engine, peer);
            assertThat(writer.lines()).isEqualTo(4);
            engine.connector.listen(Set.of(SOURCE), writer);
            poll(engine, peer);
            engine.connector.listen(Set.of(), null);
            poll(engine, peer);
            assertThat(writer.lines()).isEqualTo(4);
        }
        writer.end("stopped");
        assertThat(ended).containsExactly("stopped");
        assertThat(recorded().lines()).singleElement().isInstanceOf(Recorded.Answered.class);
    }

    private static void poll(Engine engine, ScriptedHost.Peer peer) throws Exception {
        engine.connection.vmStatistics(engine.receiver());
        peer.request().answer("[]");
        try (VmReports reports = (VmReports) engine.success()) {
            assertThat(reports.decode(new Decoded())).isZero();
        }
    }
}
