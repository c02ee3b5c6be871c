package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;

class HostThresholdsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final long PHYSICAL = 10_000;
    private static final HostNetworks.Ip IP = HostNetworks.Ip.NONE;

    /** A card that carries a network, a bond of two that carries a VLAN, and one that is unused. */
    private static final HostNicRoles ROLES =
            HostNicRoles.of(
                    new HostValues()
                            .put(
                                    HostField.NETWORKS,
                                    Map.of("mgmt", network("card"), "vms", network("bond.100")))
                            .put(
                                    HostField.NICS,
                                    Map.of(
                                            "card", card(),
                                            "slave1", card(),
                                            "slave2", card(),
                                            "spare", card()))
                            .put(
                                    HostField.BONDS,
                                    Map.of(
                                            "bond",
                                            new HostNetworks.Bond(
                                                    IP,
                                                    null,
                                                    List.of("slave1", "slave2"),
                                                    null,
                                                    Map.of(),
                                                    null,
                                                    null,
                                                    null,
                                                    null,
                                                    null)))
                            .put(
                                    HostField.VLANS,
                                    Map.of("bond.100", new HostNetworks.Vlan(IP, "bond", 100)))
                            .capabilities()
                            .network());

    private static HostNetworks.Network network(String southbound) {
        return new HostNetworks.Network(
                IP, "br", true, "legacy", southbound, null, List.of(), false, null);
    }

    private static HostNetworks.Nic card() {
        return new HostNetworks.Nic(IP, null, null, 10_000, null, null);
    }

    private HostLimits limits = HostLimits.DEFAULT;
    private MemoryThresholds memory = MemoryThresholds.DEFAULT;
    private HostUsage usage = HostUsage.UNKNOWN;

    private List<String> told(HostValues values) {
        HostStatistics statistics = values.statistics();
        HostUsage before = usage;
        usage = HostUsages.next(before, statistics, ROLES, PHYSICAL);
        return HostThresholds.decide(
                        statistics, before, usage, ROLES, limits, memory, PHYSICAL, NOW)
                .stream()
                .map(audit -> {
                    assertThat(audit.event().placeholders())
                            .as("values of " + audit.event())
                            .containsAll(audit.details().keySet());
                    Map<String, String> shown = new HashMap<>(audit.details());
                    shown.keySet().removeIf(name -> name.startsWith("threshold"));
                    return audit.event() + " " + new TreeMap<>(shown);
                })
                .toList();
    }

    private static HostValues swap(long total, long free) {
        return new HostValues().put(HostField.SWAP_TOTAL, total).put(HostField.SWAP_FREE, free);
    }

    @Test
    @DisplayName("T43 swap space that is 99 % used is audited")
    void nearlyFullSwapIsReported() {
        assertThat(told(swap(200_000, 2_000))).containsExactly("VDS_HIGH_SWAP_USE {percent=99}");
        assertThat(told(swap(200_000, 10_000))).as("95 % is not more than 95 %").isEmpty();
        assertThat(told(swap(200_000, 8_000))).containsExactly("VDS_HIGH_SWAP_USE {percent=96}");
    }

    @Test
    void littleFreeSwapIsReportedWithATolerance() {
        assertThat(told(swap(2_000, 1_004))).as("98 % of 1024 MiB is 1003.52").isEmpty();
        assertThat(told(swap(2_000, 1_003))).containsExactly("VDS_LOW_SWAP {freeMebibytes=1003}");
        assertThat(told(swap(0, 0))).as("no swap space").isEmpty();
        assertThat(told(new HostValues().put(HostField.SWAP_FREE, 0L))).isEmpty();
    }

    @Test
    void memoryIsComparedWithTheLimitsOfTheCluster() {
        memory = new MemoryThresholds(1_000, 95);
        assertThat(told(new HostValues().put(HostField.MEMORY_FREE, 1_000L))).isEmpty();
        assertThat(told(new HostValues().put(HostField.MEMORY_FREE, 999L)))
                .containsExactly("VDS_LOW_MEM {freeMebibytes=999}");
        memory = new MemoryThresholds(0, 95);
        assertThat(told(new HostValues().put(HostField.MEMORY_FREE, 500L))).isEmpty();
        assertThat(told(new HostValues().put(HostField.MEMORY_FREE, 400L)))
                .containsExactly("VDS_HIGH_MEM_USE {percent=96}");
    }

    @Test
    void memoryInHugePagesIsLeftOutOfTheShare() {
        memory = new MemoryThresholds(0, 95);
        HostStatistics.HugePages half = new HostStatistics.HugePages(2_500L, 2_500L, 2_500L);
        // 2 500 pages of 2 MiB are half of the memory; 200 of the other 5 000 MiB are free.
        assertThat(
                        told(
                                new HostValues()
                                        .put(HostField.MEMORY_FREE, 200L)
                                        .put(HostField.HUGE_PAGES, Map.of("2048", half))))
                .containsExactly("VDS_HIGH_MEM_USE {percent=96}");
    }

    @ParameterizedTest
    @CsvSource({"80, 15.9, false", "80, 16, true", "99, 50, true"})
    void busyProcessorsAreReported(double user, double system, boolean told) {
        List<String> events =
                told(
                        new HostValues()
                                .put(HostField.CPU_USER, user)
                                .put(HostField.CPU_SYSTEM, system));
        assertThat(events).hasSize(told ? 1 : 0);
        assertThat(events).allMatch(event -> event.startsWith("VDS_HIGH_CPU_USE"));
    }

    @Test
    void eachFullLocalDiskIsReported() {
        HostValues full =
                new HostValues()
                        .put(
                                HostField.LOCAL_DISKS,
                                Map.of("/tmp", 100L, "/var/log", 101L, "/var/run/vdsm/", 3L));
        assertThat(told(full))
                .containsExactly(
                        "VDS_LOW_DISK_SPACE_ERROR {freeMebibytes=100, path=/tmp}",
                        "VDS_LOW_DISK_SPACE_ERROR {freeMebibytes=3, path=/var/run/vdsm/}");
        limits = new HostLimits(95, 95, 95, 1024, 500, 50, Duration.ofMinutes(5));
        assertThat(told(full))
                .containsExactly(
                        "VDS_LOW_DISK_SPACE {freeMebibytes=100, path=/tmp}",
                        "VDS_LOW_DISK_SPACE {freeMebibytes=101, path=/var/log}",
                        "VDS_LOW_DISK_SPACE_ERROR {freeMebibytes=3, path=/var/run/vdsm/}");
        limits = new HostLimits(95, 95, 95, 1024, -1, -1, Duration.ofMinutes(5));
        assertThat(told(full)).as("never").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-301, 301, 100_000})
    void aWrongClockIsReportedInBothDirections(long seconds) {
        assertThat(told(clock(seconds)))
                .containsExactly(
                        "VDS_TIME_DRIFT_ALERT {direction=%s, seconds=%d}"
                                .formatted(seconds < 0 ? "behind" : "ahead of", Math.abs(seconds)));
        limits = new HostLimits(95, 95, 95, 1024, 100, 100, Duration.ZERO);
        assertThat(told(clock(seconds))).as("never").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-300, 0, 300})
    void aClockThatIsNearlyRightIsFine(long seconds) {
        assertThat(told(clock(seconds))).isEmpty();
    }

    private static HostValues clock(long secondsAhead) {
        return new HostValues().put(HostField.HOST_CLOCK, NOW.plusSeconds(secondsAhead));
    }

    private static HostStatistics.Nic nic(boolean up, long bytes, double at) {
        return new HostStatistics.Nic(up, 1_000, bytes, 0L, 0L, 0L, at);
    }

    private List<String> interfaces(Map<String, HostStatistics.Nic> nics) {
        return told(new HostValues().put(HostField.INTERFACES, nics));
    }

    @Test
    void aBusyInterfaceIsReportedByName() {
        // 1 Gbit/s is 125 MB/s.
        interfaces(Map.of("card", nic(true, 0, 0), "spare", nic(true, 0, 0)));
        assertThat(
                        interfaces(
                                Map.of(
                                        "card", nic(true, 1_200_000_000, 10),
                                        "spare", nic(true, 1_250_000_000, 10))))
                .containsExactly(
                        "HOST_INTERFACE_HIGH_NETWORK_USE {interface=card, percent=96}",
                        "HOST_INTERFACE_HIGH_NETWORK_USE {interface=spare, percent=100}");
        assertThat(usage.networkPercent()).isEqualTo(100);
    }

    @Test
    void aChangeOfAUsedLinkIsReportedOnce() {
        assertThat(links(true, true, true)).as("first sight").isEmpty();
        assertThat(links(false, true, false))
                .containsExactly("HOST_INTERFACE_STATE_DOWN {interface=card}");
        assertThat(links(false, false, false))
                .containsExactly("HOST_BOND_SLAVE_STATE_DOWN {bond=bond, interface=slave1}");
        assertThat(links(false, false, true)).as("nobody uses the spare one").isEmpty();
        assertThat(links(true, true, true))
                .containsExactly(
                        "HOST_INTERFACE_STATE_UP {interface=card}",
                        "HOST_BOND_SLAVE_STATE_UP {bond=bond, interface=slave1}");
    }

    private List<String> links(boolean card, boolean slave, boolean spare) {
        return interfaces(
                Map.of(
                        "card", nic(card, 0, 0),
                        "slave1", nic(slave, 0, 0),
                        "spare", nic(spare, 0, 0)));
    }

    @Test
    void aBondWithoutLinkIsAnInterface() {
        interfaces(Map.of("bond", nic(true, 0, 0)));
        assertThat(interfaces(Map.of("bond", nic(false, 0, 0))))
                .containsExactly("HOST_INTERFACE_STATE_DOWN {interface=bond}");
    }

    @Test
    void unknownNumbersCrossNoLimit() {
        assertThat(told(new HostValues())).isEmpty();
        assertThat(usage.cpuPercent()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1, ", "0, ", "-1, disabled", ", not reported"})
    void selinuxOffOrUnknownIsReported(Integer mode, String told) {
        List<HostAudit> audits =
                HostThresholds.decide(
                        new HostValues().put(HostField.SELINUX_MODE, mode).capabilities());
        assertThat(audits)
                .isEqualTo(
                        told == null
                                ? List.of()
                                : List.of(
                                        new HostAudit(
                                                AuditEvent.VDS_NO_SELINUX_ENFORCEMENT,
                                                Map.of("mode", told))));
    }
}
