package org.stillwater.core.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.stillwater.core.audit.AuditSeverity.ALERT;
import static org.stillwater.core.audit.AuditSeverity.ERROR;
import static org.stillwater.core.audit.AuditSeverity.NORMAL;
import static org.stillwater.core.audit.AuditSeverity.WARNING;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

class AuditEventTest {

    /** Logins, accounts and foreign reports; every other event names its VM or its host. */
    private static final java.util.Set<Integer> ABOUT_USERS_OR_FROM_OUTSIDE =
            java.util.Set.of(
                    30, 31, 114, 9801, 9802, 9803, 9804, 100021, 100022, 100046, 100047, 100050,
                    100051, 100055, 100056, 100057, 100058, 100059, 100103, 100104, 100105, 100106,
                    100107, 100108, 100109, 100110, 100111, 100120, 100121);

    private static final VmId VM = new VmId(1, 2);
    private static final HostId HOST = new HostId(new UUID(3, 4));
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00.123456789Z");

    private record Row(int code, AuditSeverity severity) {}

    /** §2.4, §3.6 and §4 of the monitoring specification and what oVirt has, copied by hand. */
    private static final Map<String, Row> SPECIFIED =
            Map.ofEntries(
                    Map.entry("VM_PAUSED", new Row(1025, NORMAL)),
                    Map.entry("VM_PAUSED_ENOSPC", new Row(138, ERROR)),
                    Map.entry("VM_PAUSED_EIO", new Row(145, ERROR)),
                    Map.entry("VM_PAUSED_EPERM", new Row(146, ERROR)),
                    Map.entry("VM_PAUSED_ERROR", new Row(139, ERROR)),
                    Map.entry("VM_RECOVERED_FROM_PAUSE_ERROR", new Row(196, NORMAL)),
                    Map.entry("VM_POWER_DOWN_FAILED", new Row(147, WARNING)),
                    Map.entry("USER_REBOOT_VM", new Row(157, NORMAL)),
                    Map.entry("VM_NOT_RESPONDING", new Row(126, WARNING)),
                    Map.entry("VM_STATUS_RESTORED", new Row(163, NORMAL)),
                    Map.entry("VM_DOWN", new Row(61, NORMAL)),
                    Map.entry("VM_DOWN_ERROR", new Row(119, ERROR)),
                    Map.entry("HA_VM_FAILED", new Row(9602, ERROR)),
                    Map.entry("USER_SUSPEND_VM_OK", new Row(503, NORMAL)),
                    Map.entry("USER_FAILED_SUSPEND_VM", new Row(502, ERROR)),
                    Map.entry("VM_SET_TO_UNKNOWN_STATUS", new Row(142, WARNING)),
                    Map.entry("WATCHDOG_EVENT", new Row(9901, WARNING)),
                    Map.entry("VM_CONSOLE_CONNECTED", new Row(167, NORMAL)),
                    Map.entry("VM_CONSOLE_DISCONNECTED", new Row(168, NORMAL)),
                    Map.entry("VM_MIGRATION_ABORT", new Row(64, ERROR)),
                    Map.entry("VM_MEMORY_UNDER_GUARANTEED_VALUE", new Row(148, ERROR)),
                    Map.entry("VM_BALLOON_DRIVER_ERROR", new Row(176, ERROR)),
                    Map.entry("VM_BALLOON_DRIVER_UNCONTROLLED", new Row(177, ERROR)),
                    Map.entry("COLD_REBOOT_VM_DOWN", new Row(9611, NORMAL)),
                    Map.entry("COLD_REBOOT_FAILED", new Row(9612, ERROR)),
                    Map.entry(
                            "EXCEEDED_MAXIMUM_NUM_OF_COLD_REBOOT_VM_ATTEMPTS",
                            new Row(9613, ERROR)),
                    Map.entry("VDS_RECOVER", new Row(14, NORMAL)),
                    Map.entry("VDS_RECOVER_FAILED", new Row(19, ERROR)),
                    Map.entry("VDS_SOFT_RECOVER", new Row(75, NORMAL)),
                    Map.entry("FENCE_KDUMP_LISTENER_IS_NOT_ALIVE", new Row(613, ERROR)),
                    Map.entry("KDUMP_FLOW_DETECTED_ON_VDS", new Row(614, NORMAL)),
                    Map.entry("KDUMP_FLOW_NOT_DETECTED_ON_VDS", new Row(615, NORMAL)),
                    Map.entry("KDUMP_FLOW_FINISHED_ON_VDS", new Row(616, NORMAL)),
                    Map.entry("KDUMP_DETECTION_NOT_CONFIGURED_ON_VDS", new Row(617, WARNING)),
                    Map.entry("VDS_ALERT_FENCE_OPERATION_SKIPPED", new Row(9003, ALERT)),
                    Map.entry("VDS_HOST_NOT_RESPONDING_CONNECTING", new Row(9008, WARNING)),
                    Map.entry(
                            "VDS_ALERT_FENCE_OPERATION_SKIPPED_BROKEN_CONNECTIVITY",
                            new Row(9013, ALERT)),
                    Map.entry("VDS_ALERT_FENCE_DISABLED_BY_CLUSTER_POLICY", new Row(9015, ALERT)));

    @Test
    void theEventsOfMonitoringHaveTheNumbersAndSeveritiesThatClientsKnow() {
        Map<String, Row> known = new HashMap<>();
        Arrays.stream(AuditEvent.values())
                .filter(event -> event.code() < AuditEvent.OWN_CODES)
                .forEach(event -> known.put(event.name(), new Row(event.code(), event.severity())));
        assertThat(known).containsAllEntriesOf(SPECIFIED);
    }

    @Test
    void onlyTheMemoryWarningIsFloodLimitedAmongTheSpecifiedOnes() {
        for (String name : SPECIFIED.keySet()) {
            assertThat(AuditEvent.valueOf(name).flood())
                    .as(name)
                    .isEqualTo(
                            name.equals("VM_MEMORY_UNDER_GUARANTEED_VALUE")
                                    ? Duration.ofMinutes(15)
                                    : Duration.ZERO);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyEventIsFoundByItsNumberAndItsTextHoldsOnlyNamedValues(AuditEvent event) {
        assertThat(AuditEvent.ofCode(event.code())).isSameAs(event);
        Map<String, String> values = new HashMap<>();
        event.placeholders().forEach(name -> values.put(name, "<" + name + ">"));
        assertThat(event.placeholders())
                .containsAnyOf(
                        ABOUT_USERS_OR_FROM_OUTSIDE.contains(event.code())
                                ? new String[] {"user", "address", "message"}
                                : event == AuditEvent.VM_LEASE_NOT_DELETED
                                        ? new String[] {"lease"} // it outlives its VM
                                        : event.name().startsWith("REGRESSION_")
                                                        || event.name().startsWith("ALERT_")
                                                        || event.name().startsWith("BENCHMARK_")
                                                ? new String[] {"object"} // of any kind
                                                : event == AuditEvent.ENGINE_STALLED
                                                        ? new String[] {"what"} // of the engine
                                                        : new String[] {"vm", "host"});
        assertThat(event.text(values)).doesNotContain("$").contains(values.values());
    }

    @Test
    void anUnknownNumberIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> AuditEvent.ofCode(1));
    }

    @Test
    void theTextNamesVmHostAndDetails() {
        AuditEntry entry =
                AuditEntry.of(
                        7,
                        NOON,
                        AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE,
                        VM,
                        "web",
                        HOST,
                        "alpha",
                        Map.of("currentMebibytes", "512", "guaranteedMebibytes", "1024"));
        assertThat(entry.text())
                .isEqualTo(
                        "VM web on host alpha has 512 MiB, less than the 1024 MiB guaranteed to"
                                + " it");
        assertThat(entry.at()).isEqualTo(Instant.parse("2026-11-21T12:00:00.123456Z"));
        assertThat(entry.details()).containsOnlyKeys("currentMebibytes", "guaranteedMebibytes");
    }

    @Test
    void unnamedObjectsHaveTheirIdentityAndMissingValuesNoText() {
        AuditEntry entry =
                AuditEntry.of(7, NOON, AuditEvent.VM_DOWN, VM, null, null, null, Map.of());
        assertThat(entry.text()).isEqualTo("VM " + VM + " is down.");
    }

    @Test
    void foreignTextsAreBoundedAndCannotBreakTheLineOrTheTemplate() {
        String said = "line\r\nnext\0 ${vm} $1 \\ " + "x".repeat(976) + "\uD83D\uDE00 more";
        AuditEntry entry =
                AuditEntry.of(
                        7,
                        NOON,
                        AuditEvent.VM_DOWN,
                        VM,
                        "we\nb",
                        null,
                        null,
                        Map.of("exitMessage", said));
        String kept = entry.details().get("exitMessage");
        assertThat(kept)
                .startsWith("line  next  ${vm} $1 \\ xxx")
                .endsWith("x…")
                .hasSizeLessThanOrEqualTo(AuditEntry.LONGEST_VALUE);
        assertThat(entry.text()).isEqualTo("VM we b is down. " + kept);
    }

    @Test
    void aFilterSelectsByItsValues() {
        AuditEntry entry =
                AuditEntry.of(7, NOON, AuditEvent.VM_DOWN_ERROR, VM, "web", HOST, "a", Map.of());
        Instant at = entry.at();
        assertThat(AuditFilter.ANY.matches(entry)).isTrue();
        assertThat(new AuditFilter(VM, HOST, ERROR, AuditEvent.VM_DOWN_ERROR, at, null))
                .matches(filter -> filter.matches(entry));
        for (AuditFilter other :
                new AuditFilter[] {
                    new AuditFilter(new VmId(1, 3), null, NORMAL, null, null, null),
                    new AuditFilter(null, new HostId(new UUID(3, 5)), NORMAL, null, null, null),
                    new AuditFilter(null, null, AuditSeverity.ALERT, null, null, null),
                    new AuditFilter(null, null, NORMAL, AuditEvent.VM_DOWN, null, null),
                    new AuditFilter(null, null, NORMAL, null, at.plusNanos(1_000), null),
                    new AuditFilter(null, null, NORMAL, null, null, at)
                }) {
            assertThat(other.matches(entry)).as(other.toString()).isFalse();
        }
    }

    @Test
    void entriesAreOrderedByTimeThenByNumber() {
        AuditEntry.Position place = new AuditEntry.Position(NOON, 5);
        assertThat(place).isGreaterThan(new AuditEntry.Position(NOON.minusSeconds(1), 9));
        assertThat(place).isGreaterThan(new AuditEntry.Position(NOON, 4));
    }
}
