package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.GuestSession;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;

class VmDecoderTest {
    private static final String ID = "00000000-0000-0000-0000-00000000000a";
    private static final VmId VM = VmId.parse(ID);

    private final Decoded engine = new Decoded();

    private static String vm(String members) {
        return "{\"statusTime\": \"5\", \"status\": \"Up\", \"vmId\": \""
                + ID
                + "\", "
                + members
                + "}";
    }

    private static String event(String record) {
        return "{\"method\": \"|virt|VM_status|x\", \"params\": {\""
                + ID
                + "\": "
                + record
                + ", \"notify_time\": 77}}";
    }

    private VmRuntime decoded(String members) throws MalformedReport {
        engine.records(vm(members));
        return engine.running().runtime();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"0.00\" | 0.0 | 0 | 0",
                "\"7.43\" | 7.43 | 7 | 7",
                "7 | 7.0 | 7 | 7",
                "7.43 | 7.43 | 7 | 7",
                "-1 | - | - | -",
                "\"-1\" | - | - | -",
                "\"\" | - | - | -",
                "\"huge\" | - | - | -",
                "null | - | - | -",
                "{} | - | - | -",
                "[7] | - | - | -",
                "1e400 | - | - | -",
                "-1e400 | - | - | -",
                "99999999999999999999 | - | - | -",
                "9223372036854775807 | - | - | -",
            })
    @DisplayName("8a.46 Each numeric field is accepted as string, int or float; \"0.00\", \"\", -1")
    void numbersInAnyForm(String value, String asDouble, String asLong, String counter)
            throws MalformedReport {
        engine.records(
                vm(
                        ("'cpuUser': V, 'cpuSys': V, 'elapsedTime': V, 'memUsage': V,"
                             + " 'memoryStats': {'mem_free': V, 'mem_unused': V, 'mem_buffers': V,"
                             + " 'mem_cached': V}, 'balloonInfo': {'balloon_cur': V, 'balloon_max':"
                             + " V, 'balloon_target': V, 'balloon_min': V}, 'migrationProgress': V,"
                             + " 'network': {'vnet0': {'macAddr': '00:00:00:00:00:01', 'rx': V,"
                             + " 'tx': V, 'rxDropped': V, 'txDropped': V, 'sampleTime': V}},"
                             + " 'disks': {'vda': {'readRate': V, 'writeRate': V, 'readOps': V,"
                             + " 'writeOps': V, 'truesize': V, 'readLatency': V, 'writeLatency': V,"
                             + " 'flushLatency': V}}, 'hash': 'h'")
                                .replace('\'', '"')
                                .replace("V", value)));
        assertThat(engine.malformed).isEmpty();
        assertThat(engine.numbers)
                .containsExactly(
                        "cpu D/D up L mem L L/L/L/L balloon L/L/L/L migration L nics"
                                        .replace("D", asDouble)
                                        .replace("L", asLong)
                                + " [00:00:00:00:00:01 C/C C/C D] disks [vda null null D/D C/C C D/D/D]"
                                        .replace("D", asDouble)
                                        .replace("C", counter)
                                + " usage null");
        assertThat(engine.running().deviceHash()).isEqualTo("h");
    }

    @Test
    @DisplayName("8a.62 Integer sampleTime and float code do not raise")
    void integerSampleTimeAndFloatCodes() throws MalformedReport {
        engine.records(
                vm(
                        "\"network\": {\"vnet0\": {\"macAddr\": \"00:00:00:00:00:01\","
                                + " \"sampleTime\": 1051231}}, \"guestCPUCount\": 4.0,"
                                + " \"migrationProgress\": 42.7"));
        assertThat(engine.numbers.getFirst())
                .contains(" -/- -/- 1051231.0]")
                .contains("migration 42 ");
        assertThat(engine.running().runtime().value(RuntimeField.GUEST_CPU_COUNT)).isEqualTo(4);
        engine.records(
                "{\"status\": \"Down\", \"vmId\": \""
                        + ID
                        + "\", \"exitCode\": 1.0, \"exitReason\": \"2\"}");
        assertThat(engine.exited().status()).isEqualTo(ExitStatus.ERROR);
        assertThat(engine.exited().reason()).isEqualTo(ExitReason.LOST_QEMU_CONNECTION);
        assertThat(engine.exited().hostStampMillis()).isEqualTo(VmReport.NO_STAMP);
    }

    @Test
    @DisplayName("8a.47 Unknown fields and unknown status texts are tolerated (VM kept)")
    void unknownFieldsAndStatuses() throws MalformedReport {
        engine.records(
                "{\"new\": {\"a\": [1, {\"b\": 2}]}, \"status\": \"Hibernating sideways\","
                        + " \"vmId\": \""
                        + ID
                        + "\", \"more\": [[]], \"statusTime\": 9, \"zz\": null}");
        assertThat(engine.running().runtime().status()).isEqualTo(VmStatus.UNASSIGNED);
        assertThat(engine.running().hostStampMillis()).isEqualTo(9);
        assertThat(engine.malformed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "WaitForLaunch, WAIT_FOR_LAUNCH",
        "Powering up, POWERING_UP",
        "RebootInProgress, REBOOT_IN_PROGRESS",
        "Up, UP",
        "Paused, PAUSED",
        "Powering down, POWERING_DOWN",
        "Saving State, SAVING_STATE",
        "Restoring state, RESTORING_STATE",
        "Migration Source, MIGRATING_FROM",
        "Migration Destination, MIGRATING_TO",
        "uP, UP",
        "savingSTATE, SAVING_STATE",
        "'', UNASSIGNED",
        "Suspended, UNASSIGNED",
        "ImageIllegal, UNASSIGNED",
        "Image Locked, UNASSIGNED",
    })
    void statusTexts(String text, VmStatus status) throws MalformedReport {
        engine.records("{\"vmId\": \"" + ID + "\", \"status\": \"" + text + "\"}");
        assertThat(engine.running().runtime().status()).isEqualTo(status);
    }

    @Test
    void theSilentHypervisorShowsAsNotResponding() throws MalformedReport {
        assertThat(decoded("\"monitorResponse\": \"-1\"").status())
                .isEqualTo(VmStatus.NOT_RESPONDING);
        assertThat(decoded("\"monitorResponse\": \"0\"").status()).isEqualTo(VmStatus.UP);
        engine.records(
                "{\"status\": \"Paused\", \"vmId\": \"" + ID + "\", \"monitorResponse\": -1}");
        assertThat(engine.running().runtime().status()).isEqualTo(VmStatus.PAUSED);
    }

    @Test
    void hashesOfExternalDataAreRead() throws MalformedReport {
        engine.records(vm("\"tpmHash\": \"t\", \"nvramHash\": \"n\""));
        assertThat(engine.running().tpmHash()).isEqualTo("t");
        assertThat(engine.running().nvramHash()).isEqualTo("n");
        engine.records(vm("\"hash\": \"1\""));
        assertThat(engine.running().tpmHash()).isNull();
        assertThat(engine.running().nvramHash()).isNull();
    }

    @Test
    @DisplayName("8a.48 Missing network/disks/balloonInfo/hash does not erase known values")
    void missingPartsAreNotReported() throws MalformedReport {
        engine.records(vm("\"elapsedTime\": \"5\""));
        assertThat(engine.running().deviceHash()).isNull();
        assertThat(engine.numbers.getFirst())
                .contains("balloon -/-/-/- ")
                .contains("nics -")
                .contains("disks -");
        engine.records(vm("\"network\": {}, \"disks\": {}, \"balloonInfo\": {}, \"hash\": \"1\""));
        assertThat(engine.running().deviceHash()).isEqualTo("1");
        assertThat(engine.numbers.getFirst()).contains("nics  disks  usage");
    }

    @Test
    void missingFieldsOfAPollAreClearedUnlessTheTableKeepsThem() throws MalformedReport {
        VmRuntime full =
                VmRuntime.INITIAL
                        .edit()
                        .set(RuntimeField.FQDN, "a.example.test")
                        .set(RuntimeField.APP_LIST, "a,b")
                        .set(RuntimeField.UTC_DIFF, 3600)
                        .set(RuntimeField.CURRENT_CD, "x.iso")
                        .set(RuntimeField.LAST_WATCHDOG_EVENT, 7L)
                        .set(RuntimeField.SESSION, GuestSession.ACTIVE)
                        .build();
        engine.known.put(VM, full);
        VmRuntime after = decoded("\"username\": \"root\"");
        assertThat(VmSamplesTest.differences(after))
                .containsOnlyKeys(
                        RuntimeField.STATUS,
                        RuntimeField.UTC_DIFF,
                        RuntimeField.CURRENT_CD,
                        RuntimeField.LAST_WATCHDOG_EVENT,
                        RuntimeField.GUEST_USER);
    }

    @Test
    void emptyAndMissingDiffer() throws MalformedReport {
        VmRuntime empty =
                decoded(
                        "\"clientIp\": \"\", \"appsList\": [], \"netIfaces\": [], \"guestFQDN\":"
                                + " \"\"");
        assertThat(empty.clientIp()).isEmpty();
        assertThat(empty.text(RuntimeField.APP_LIST)).isEmpty();
        assertThat(empty.text(RuntimeField.FQDN)).isEmpty();
        assertThat(empty.guestNics().nics()).isEmpty();
        assertThat(empty.guestNics()).isNotEqualTo(GuestNics.NONE);
        VmRuntime missing = decoded("\"clientIp\": null");
        assertThat(missing.clientIp()).isNull();
        assertThat(missing.text(RuntimeField.APP_LIST)).isNull();
        assertThat(missing.guestNics()).isEqualTo(GuestNics.NONE);
    }

    @ParameterizedTest
    @EnumSource(RuntimeField.class)
    void everyRowOfTheTableIsDecoded(RuntimeField field) throws MalformedReport {
        if (field.wire() == null) {
            return;
        }
        VmRuntime all =
                decoded(
                        ("'pauseCode': 'ENOSPC', 'exitCode': 1, 'exitReason': 5, 'exitMessage':"
                             + " 'm', 'acpiEnable': 'false', 'timeOffset': '+60', 'clientIp':"
                             + " '10.0.0.1', 'cdrom': '/iso/a b.iso', 'displayInfo': [{'ipAddress':"
                             + " '10.0.0.2', 'port': 5900, 'tlsPort': '5901', 'type': 'spice'},"
                             + " {'type': 'vnc', 'port': '5902', 'tlsPort': 5903, 'ipAddress':"
                             + " '10.0.0.3'}], 'watchdogEvent': {'time': 1766174366.5, 'action':"
                             + " 'reset'}, 'username': 'root', 'session': 'LoggedOff',"
                             + " 'guestCPUCount': '2', 'appsList': ['a', 'b'], 'guestFQDN': '"
                             + " g.example.test ', 'guestName': 'g', 'guestOs': 'Linux',"
                             + " 'guestOsInfo': {'type': 'linux', 'arch': 'aarch64', 'kernel':"
                             + " '6.1', 'distribution': 'Fedora', 'version': '40', 'codename':"
                             + " 'c'}, 'guestTimezone': {'offset': '-120', 'zone': 'EST'},"
                             + " 'guestContainers': [{'id': 'q\\'x', 'names': ['n', 1]}],"
                             + " 'netIfaces': [{'name': 'eth0', 'hw': 'AA-BB-CC-00-00-01', 'inet':"
                             + " ['10.0.0.4'], 'inet6': null}]")
                                .replace("\\'", "\u0001")
                                .replace('\'', '"')
                                .replace("\u0001", "\\\""));
        if (field != RuntimeField.STATUS) {
            assertThat(all.value(field)).as("%s", field).isNotEqualTo(field.defaultValue());
        }
        Map<RuntimeField, Object> expected = new HashMap<>();
        expected.put(RuntimeField.PAUSE_STATUS, PauseStatus.ENOSPC);
        expected.put(RuntimeField.EXIT_REASON, ExitReason.SAVE_STATE_SUCCEEDED);
        expected.put(RuntimeField.ACPI_ENABLED, false);
        expected.put(RuntimeField.UTC_DIFF, 60);
        expected.put(RuntimeField.CURRENT_CD, "a b.iso");
        expected.put(RuntimeField.SPICE_IP, "10.0.0.2");
        expected.put(RuntimeField.SPICE_PORT, 5900);
        expected.put(RuntimeField.SPICE_TLS_PORT, 5901);
        expected.put(RuntimeField.VNC_IP, "10.0.0.3");
        expected.put(RuntimeField.VNC_PORT, 5902);
        expected.put(RuntimeField.VNC_TLS_PORT, 5903);
        expected.put(RuntimeField.LAST_WATCHDOG_EVENT, 1766174366L);
        expected.put(RuntimeField.LAST_WATCHDOG_ACTION, "reset");
        expected.put(RuntimeField.SESSION, GuestSession.LOGGED_OFF);
        expected.put(RuntimeField.GUEST_CPU_COUNT, 2);
        expected.put(RuntimeField.APP_LIST, "a,b");
        expected.put(RuntimeField.FQDN, "g.example.test");
        expected.put(RuntimeField.GUEST_TIMEZONE_OFFSET, -120);
        expected.put(RuntimeField.GUEST_CONTAINERS, "[{\"id\":\"q\\\"x\",\"names\":[\"n\",1]}]");
        if (expected.containsKey(field)) {
            assertThat(all.value(field)).isEqualTo(expected.get(field));
        }
        assertThat(all.guestNics().nics())
                .extracting(n -> n.name() + n.mac() + n.ipv4() + n.ipv6())
                .containsExactly("eth0aa:bb:cc:00:00:01[10.0.0.4][]");
        engine.learn();
        assertThat(engine.running().runtime()).isSameAs(all);
    }

    @Test
    void absurdValuesBecomeNotKnown() throws MalformedReport {
        VmRuntime runtime =
                decoded(
                        "\"guestCPUCount\": -1, \"displayInfo\": [{\"type\": \"vnc\", \"port\":"
                            + " \"-1\", \"tlsPort\": \"\", \"ipAddress\": \"0\"}, {\"type\":"
                            + " \"webrtc\", \"port\": 1}, 7], \"guestFQDN\": \"localhost\","
                            + " \"pauseCode\": \"SOLAR_FLARE\", \"session\": \"Dancing\","
                            + " \"username\": {\"a\": 1}, \"appsList\": {\"x\": 1}, \"netIfaces\":"
                            + " \"none\", \"guestOsInfo\": [], \"guestName\":"
                            + " \"a\\u0000b\\ud800\"");
        assertThat(VmSamplesTest.differences(runtime))
                .containsOnlyKeys(
                        RuntimeField.STATUS, RuntimeField.VNC_IP, RuntimeField.GUEST_HOST_NAME);
        assertThat(runtime.text(RuntimeField.VNC_IP)).isEqualTo("host1.example.test");
        assertThat(runtime.text(RuntimeField.GUEST_HOST_NAME)).isEqualTo("ab\ufffd");
        assertThat(decoded("\"guestFQDN\": \"localhost.localdomain\"").text(RuntimeField.FQDN))
                .isNull();
    }

    @Test
    void anUnknownPauseCodeKeepsTheKnownOne() throws MalformedReport {
        engine.known.put(VM, VmRuntime.INITIAL.with(RuntimeField.PAUSE_STATUS, PauseStatus.EIO));
        assertThat(decoded("\"pauseCode\": \"NEW\"").pauseStatus()).isEqualTo(PauseStatus.EIO);
    }

    @Test
    void aReportedListOrObjectReplacesTheKnownOneInEventsToo() throws MalformedReport {
        engine.known.put(
                VM,
                VmRuntime.INITIAL
                        .edit()
                        .set(RuntimeField.STATUS, VmStatus.UP)
                        .set(RuntimeField.SPICE_PORT, 5900)
                        .set(RuntimeField.VNC_PORT, 5901)
                        .set(RuntimeField.GUEST_OS_KERNEL, "5")
                        .set(RuntimeField.GUEST_OS, "kept")
                        .build());
        engine.event(
                event(
                        "{\"displayInfo\": [{\"type\": \"vnc\", \"port\": \"5999\"}],"
                                + " \"guestOsInfo\": {\"type\": \"linux\"}}"));
        assertThat(VmSamplesTest.differences(engine.running().runtime()))
                .containsOnlyKeys(
                        RuntimeField.STATUS,
                        RuntimeField.VNC_PORT,
                        RuntimeField.GUEST_OS_TYPE,
                        RuntimeField.GUEST_OS);
        assertThat(engine.running().runtime().value(RuntimeField.VNC_PORT)).isEqualTo(5999);
        assertThat(engine.running().hostStampMillis()).isEqualTo(77);
    }

    @Test
    @DisplayName("8a.57 A VM missing from an event is unchanged: only the VMs named are reported")
    void anEventReportsItsVmsOnly() throws MalformedReport {
        engine.known.put(VmId.parse("00000000-0000-0000-0000-00000000000b"), VmRuntime.INITIAL);
        assertThat(engine.event(event("{\"status\": \"Up\"}"))).isEqualTo(1);
        assertThat(engine.reports).extracting(VmReport::vmId).containsExactly(VM);
    }

    @Test
    void numbersOfAnUnknownVmAreIgnored() throws MalformedReport {
        assertThat(engine.event(event("{\"cpuUser\": \"1.00\"}"))).isZero();
        assertThat(engine.reports).isEmpty();
    }

    @Test
    void theIdMayStandAnywhere() throws MalformedReport {
        engine.records(
                "{\"username\": \"a\\\"b\\u0001\\\\c\", \"disks\": {\"vda\": {\"readOps\": \"3\"}},"
                    + " \"status\": \"Up\", \"guestOsInfo\": {\"type\": \"linux\"}, \"vmId\": \""
                        + ID
                        + "\", \"acpiEnable\": false, \"nothing\": null, \"elapsedTime\": 1.5}");
        assertThat(VmSamplesTest.differences(engine.running().runtime()))
                .containsEntry(RuntimeField.GUEST_USER, "a\"b \\c")
                .containsEntry(RuntimeField.GUEST_OS_TYPE, "linux")
                .containsEntry(RuntimeField.ACPI_ENABLED, false)
                .hasSize(4);
        assertThat(engine.numbers.getFirst())
                .contains(" up 1 ")
                .contains("[vda null null -/- 3/- ");
    }

    @Test
    void oneBrokenRecordCostsThatVmOnly() throws MalformedReport {
        int count =
                engine.records(
                        vm("\"elapsedTime\": 1"),
                        "{\"status\": \"Up\", \"statusTime\": \"1\"}",
                        "{\"status\": \"Up\", \"vmId\": \"nonsense\", \"x\": {\"y\": []}}",
                        "{\"vmId\": \"" + ID + "\"}",
                        "{\"elapsedTime\": 1}",
                        "{}",
                        "7",
                        "[{}]",
                        "null",
                        vm("\"elapsedTime\": 2"));
        assertThat(count).isEqualTo(2);
        assertThat(engine.reports).hasSize(2);
        assertThat(engine.malformed).hasSize(8);
        assertThat(engine.malformed.get(2)).startsWith(ID);
    }

    @Test
    void aReceiversBugCostsThatVmOnly() throws MalformedReport {
        RuntimeException bug = new IllegalStateException("bug");
        engine.bug = bug;
        assertThat(engine.records(vm("\"a\": 1"), vm("\"b\": 1"))).isEqualTo(1);
        assertThat(engine.failed).containsExactly(Map.entry(VM, bug));
        assertThat(engine.malformed).isEmpty();
    }

    @Test
    void aReceiversBugWithAPredictedRecordCostsThatVmOnly() throws MalformedReport {
        String record = vm("\"elapsedTime\": 1");
        for (int poll = 0; poll < 4; poll++) {
            engine.records(record);
            engine.learn();
        }
        RuntimeException bug = new IllegalStateException("bug");
        engine.bug = bug;
        assertThat(engine.records(record)).isZero();
        assertThat(engine.failed).containsExactly(Map.entry(VM, bug));
        assertThat(engine.records(record)).isEqualTo(1);
        assertThat(engine.failed).isEmpty();
    }

    /** The receiver does, with the limit of lines of its host. */
    @Test
    void theDecoderDoesNotLogAReceiversBug() throws MalformedReport {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger(VmDecoder.class);
        lines.start();
        log.addAppender(lines);
        try {
            for (int cycle = 0; cycle < 3; cycle++) {
                engine.bug = new IllegalStateException("bug");
                engine.records(vm("\"elapsedTime\": 1"));
            }
        } finally {
            log.detachAppender(lines);
        }
        assertThat(List.copyOf(lines.list)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\": 1, \"result\": {}}",
                "{\"id\": 1, \"result\": null}",
                "{\"id\": 1, \"result\": true}",
                "{\"id\": 1, \"result\": [{\"vmId\": ",
                "{\"id\": 1, \"result\": []",
                "{\"id\": 1, \"result\": []} trailing",
                "nonsense",
                "",
            })
    void abrokenAnswerIsMalformed(String json) {
        assertThatThrownBy(() -> engine.poll(json)).isInstanceOf(MalformedReport.class);
        assertThat(engine.verdicts).hasSize(1).doesNotContain("understood");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"method\": \"|virt|VM_status|x\"}",
                "{\"method\": \"|virt|VM_status|x\", \"params\": []}",
                "{\"method\": \"|virt|VM_status|x\", \"params\": {\""
                        + ID
                        + "\": {\"status\": \"Up\"}",
            })
    void abrokenEventIsMalformedAndNothingIsTakenFromIt(String json) {
        assertThatThrownBy(() -> engine.event(json)).isInstanceOf(MalformedReport.class);
        assertThat(engine.reports).isEmpty();
    }

    @Test
    @DisplayName("8a.60 A stable VM is handed over as the very instance that was known")
    void aStableVmKeepsItsInstance() throws MalformedReport {
        engine.poll(Decoded.sample("host_getAllVmStats"));
        engine.learn();
        Map<VmId, VmRuntime> before = Map.copyOf(engine.known);
        for (int cycle = 0; cycle < 3; cycle++) {
            engine.poll(
                    Decoded.sample("host_getAllVmStats")
                            .replace("\"7.43\"", "\"9.99\"")
                            .replace("1051231.357", "1051246.361")
                            .replace("\"3198718214\"", "\"3198733214\""));
            for (VmReport report : engine.reports) {
                assertThat(((VmReport.Running) report).runtime())
                        .isSameAs(before.get(report.vmId()));
            }
        }
        assertThat(engine.numbers).allMatch(text -> text.endsWith("usage null"));
    }

    @Test
    @DisplayName("8a.60 A stable VM is decoded almost without garbage")
    void aStableVmIsDecodedAlmostWithoutGarbage() throws MalformedReport {
        int vms = 200;
        String json = manyVms(vms);
        FrameBody body = FrameBody.utf8(json);
        Stable sink = new Stable();
        VmDecoder.Pool decoders = new VmDecoder.Pool();
        PollMemory memory = new PollMemory();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 30; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(decode(body, decoders, memory, sink)).isEqualTo(vms);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        // The report record remains, once the pattern of the VM is known; the record is 3.3 KB.
        assertThat(least / vms).as("bytes allocated per stable VM").isLessThan(400);
        System.out.println("allocated per stable VM: " + least / vms + " bytes");
    }

    private static int decode(
            FrameBody body, VmDecoder.Pool decoders, PollMemory memory, VmReportSink sink)
            throws MalformedReport {
        StompFrame frame = new StompFrame("MESSAGE", StompHeaders.none(), body);
        try (VmMessage message =
                new VmMessage(
                        VmReports.Kind.POLL,
                        Decoded.HOST,
                        frame,
                        null,
                        1,
                        2,
                        decoders,
                        memory,
                        NO_VERDICT)) {
            return message.decode(sink);
        }
    }

    /** A poll of many copies of the recorded Linux VM, each with its own id and names. */
    static String manyVms(int count) {
        String sample = Decoded.sample("host_getAllVmStats");
        int from = sample.indexOf("{", sample.indexOf("\"result\""));
        int to = sample.indexOf("\"statusTime\": \"3198718215\"");
        String record = sample.substring(from, sample.lastIndexOf("}", to) + 1);
        record = record.replaceAll("\n *", "");
        List<String> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String hex = String.format("%06x", i);
            records.add(
                    record.replace("-2f4b1c7d9e01", "-2f4b1c" + hex)
                            .replace("web-frontend-01", "web-frontend-" + hex)
                            .replace("vnet3", "vnet" + 2 * i)
                            .replace("vnet4", "vnet" + (2 * i + 1)));
        }
        return "{\"jsonrpc\": \"2.0\", \"id\": \"x\", \"result\": ["
                + String.join(", ", records)
                + "]}";
    }

    private static final VmMessage.Verdict NO_VERDICT =
            new VmMessage.Verdict() {
                @Override
                public void understood() {}

                @Override
                public void malformed(String reason) {}
            };

    /** Knows the first report, and keeps nothing else. */
    static final class Stable implements VmReportSink {
        final Map<VmId, VmRuntime> known = new HashMap<>();
        final Map<VmId, Long> usage = new HashMap<>();
        long changes;

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            Long digest = usage.get(vmId);
            sample.knownDisksUsageDigest = digest == null ? 0 : digest;
            return known.get(vmId);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // the point of the test
        public void accept(VmReport report, @Nullable VmSample sample) {
            VmReport.Running running = (VmReport.Running) report;
            VmRuntime before = known.get(running.vmId());
            if (before != running.runtime()) {
                changes++;
                known.put(running.vmId(), running.runtime());
                usage.put(running.vmId(), sample.disksUsageDigest);
            }
        }

        @Override
        public void malformed(@Nullable VmId vmId, String reason) {
            throw new AssertionError(reason);
        }
    }
}
