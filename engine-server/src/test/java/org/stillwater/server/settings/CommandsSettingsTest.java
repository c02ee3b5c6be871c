package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.core.command.AutoStartLimits;
import org.stillwater.core.command.CommandLimits;
import org.stillwater.core.schedule.SchedulingPolicy;
import org.stillwater.core.schedule.Weighting;

/** The settings of commands have the defaults of the command layer. */
class CommandsSettingsTest {

    private static final String PREFIX = "stillwater.commands.";

    @Test
    void defaults() {
        CommandSettings usual = CommandSettings.DEFAULT;
        assertThat(Bound.bind(CommandsSettings.class, Map.of()))
                .isEqualTo(
                        new CommandsSettings(
                                true,
                                usual.mostOpen(),
                                usual.mostInBatch(),
                                usual.callsPerHost(),
                                usual.migrationsPerHost(),
                                usual.longestHold(),
                                usual.hostPatience(),
                                usual.saveEvery(),
                                usual.firstRetry(),
                                usual.longestRetry(),
                                usual.keptEnded(),
                                usual.retention(),
                                usual.gracefulAttempts(),
                                usual.storagePool(),
                                usual.storageDomain(),
                                usual.storageLook(),
                                usual.mailbox(),
                                usual.quietPeriod(),
                                usual.shadow()));
        CommandLimits limits = CommandLimits.DEFAULT;
        assertThat(Bound.bind(PatienceSettings.class, Map.of()))
                .isEqualTo(
                        new PatienceSettings(
                                limits.mostHosts(),
                                limits.start(),
                                limits.shutdown(),
                                limits.stop(),
                                limits.pause(),
                                limits.reboot(),
                                limits.suspend(),
                                limits.migration(),
                                limits.turn(),
                                limits.turnRetry(),
                                limits.busy(),
                                limits.busyRetry()));
        AutoStartLimits starts = AutoStartLimits.DEFAULT;
        assertThat(Bound.bind(AutoStartSettings.class, Map.of()))
                .isEqualTo(
                        new AutoStartSettings(
                                starts.retry(),
                                starts.shortRetries(),
                                starts.longRetry(),
                                starts.blocked(),
                                starts.coldReboots(),
                                starts.atOnce()));
        HostOperationSettings hosts = HostOperationSettings.DEFAULT;
        assertThat(Bound.bind(HostCommandSettings.class, Map.of()))
                .isEqualTo(
                        new HostCommandSettings(
                                hosts.fencingLimit(),
                                hosts.fencingAttempts(),
                                hosts.fencingRetry(),
                                hosts.leaseWait(),
                                hosts.look(),
                                hosts.drainPatience(),
                                hosts.mostReasons()));
        SchedulingPolicy policy = SchedulingPolicy.DEFAULT;
        assertThat(Bound.bind(SchedulingSettings.class, Map.of()))
                .isEqualTo(
                        new SchedulingSettings(
                                policy.weighting(),
                                policy.cpuOvercommit(),
                                policy.memoryOvercommitPercent(),
                                policy.reservedMebibytes(),
                                policy.expectedCpuPercent(),
                                policy.lowUtilisationPercent(),
                                policy.highUtilisationPercent(),
                                policy.affinityFactor(),
                                policy.namedHosts(),
                                policy.longestExplanation()));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                CommandsSettings.class,
                                Map.ofEntries(
                                        Map.entry(PREFIX + "enabled", "false"),
                                        Map.entry(PREFIX + "most-open", "1"),
                                        Map.entry(PREFIX + "most-in-batch", "2"),
                                        Map.entry(PREFIX + "calls-per-host", "3"),
                                        Map.entry(PREFIX + "migrations-per-host", "15"),
                                        Map.entry(PREFIX + "longest-hold", "4s"),
                                        Map.entry(PREFIX + "host-patience", "5s"),
                                        Map.entry(PREFIX + "save-every", "6ms"),
                                        Map.entry(PREFIX + "first-retry", "70ms"),
                                        Map.entry(PREFIX + "longest-retry", "8s"),
                                        Map.entry(PREFIX + "kept-ended", "9"),
                                        Map.entry(PREFIX + "retention", "10h"),
                                        Map.entry(PREFIX + "graceful-attempts", "11"),
                                        Map.entry(PREFIX + "storage-pool", new UUID(0, 12) + ""),
                                        Map.entry(PREFIX + "storage-domain", new UUID(0, 13) + ""),
                                        Map.entry(PREFIX + "storage-look", "17s"),
                                        Map.entry(PREFIX + "mailbox", "1600"),
                                        Map.entry(PREFIX + "quiet-period", "14s"),
                                        Map.entry(PREFIX + "shadow", "true"))))
                .isEqualTo(
                        new CommandsSettings(
                                false,
                                1,
                                2,
                                3,
                                15,
                                Duration.ofSeconds(4),
                                Duration.ofSeconds(5),
                                Duration.ofMillis(6),
                                Duration.ofMillis(70),
                                Duration.ofSeconds(8),
                                9,
                                Duration.ofHours(10),
                                11,
                                new UUID(0, 12),
                                new UUID(0, 13),
                                Duration.ofSeconds(17),
                                1600,
                                Duration.ofSeconds(14),
                                true));
        assertThat(
                        Bound.bind(
                                PatienceSettings.class,
                                Map.ofEntries(
                                        Map.entry(PREFIX + "patience.most-hosts", "1"),
                                        Map.entry(PREFIX + "patience.start", "2s"),
                                        Map.entry(PREFIX + "patience.shutdown", "3s"),
                                        Map.entry(PREFIX + "patience.stop", "4s"),
                                        Map.entry(PREFIX + "patience.pause", "5s"),
                                        Map.entry(PREFIX + "patience.reboot", "6s"),
                                        Map.entry(PREFIX + "patience.suspend", "7s"),
                                        Map.entry(PREFIX + "patience.migration", "8s"),
                                        Map.entry(PREFIX + "patience.turn", "10s"),
                                        Map.entry(PREFIX + "patience.turn-retry", "9s"),
                                        Map.entry(PREFIX + "patience.busy", "11s"),
                                        Map.entry(PREFIX + "patience.busy-retry", "12s"))))
                .isEqualTo(
                        new PatienceSettings(
                                1,
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(6),
                                Duration.ofSeconds(7),
                                Duration.ofSeconds(8),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(11),
                                Duration.ofSeconds(12)));
        assertThat(
                        Bound.bind(
                                AutoStartSettings.class,
                                Map.of(
                                        PREFIX + "auto-start.retry", "1s",
                                        PREFIX + "auto-start.short-retries", "2",
                                        PREFIX + "auto-start.long-retry", "3s",
                                        PREFIX + "auto-start.blocked", "4s",
                                        PREFIX + "auto-start.cold-reboots", "5",
                                        PREFIX + "auto-start.at-once", "6")))
                .isEqualTo(
                        new AutoStartSettings(
                                Duration.ofSeconds(1),
                                2,
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                5,
                                6));
        assertThat(
                        Bound.bind(
                                HostCommandSettings.class,
                                Map.of(
                                        PREFIX + "hosts.fencing-limit", "1m",
                                        PREFIX + "hosts.fencing-attempts", "7",
                                        PREFIX + "hosts.fencing-retry", "8s",
                                        PREFIX + "hosts.lease-wait", "9s",
                                        PREFIX + "hosts.look", "2s",
                                        PREFIX + "hosts.drain-patience", "3s",
                                        PREFIX + "hosts.most-reasons", "4")))
                .isEqualTo(
                        new HostCommandSettings(
                                Duration.ofMinutes(1),
                                7,
                                Duration.ofSeconds(8),
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                4));
        assertThat(
                        Bound.bind(
                                SchedulingSettings.class,
                                Map.of(
                                        PREFIX + "scheduling.weighting", "power-saving",
                                        PREFIX + "scheduling.cpu-overcommit", "1.5",
                                        PREFIX + "scheduling.memory-overcommit-percent", "120",
                                        PREFIX + "scheduling.reserved-mebibytes", "3",
                                        PREFIX + "scheduling.expected-cpu-percent", "4",
                                        PREFIX + "scheduling.low-utilisation-percent", "5",
                                        PREFIX + "scheduling.high-utilisation-percent", "60",
                                        PREFIX + "scheduling.affinity-factor", "0.5",
                                        PREFIX + "scheduling.named-hosts", "7",
                                        PREFIX + "scheduling.longest-explanation", "800")))
                .isEqualTo(
                        new SchedulingSettings(
                                Weighting.POWER_SAVING, 1.5, 120, 3, 4, 5, 60, 0.5, 7, 800));
    }

    @Test
    void unreasonableValuesAreRefused() {
        assertThat(refusal(CommandsSettings.class, "most-open", "0")).contains("1 to 1000000");
        assertThat(refusal(CommandsSettings.class, "most-in-batch", "0")).contains("1 to 100000");
        assertThat(refusal(CommandsSettings.class, "calls-per-host", "0")).contains("1 to 1000");
        assertThat(refusal(CommandsSettings.class, "migrations-per-host", "0"))
                .contains("1 to 1000");
        assertThat(refusal(PatienceSettings.class, "patience.turn-retry", "2h"))
                .contains("1s to 1h");
        assertThat(refusal(PatienceSettings.class, "patience.busy", "2h")).contains("0ms to 1h");
        assertThat(refusal(PatienceSettings.class, "patience.busy-retry", "0s"))
                .contains("1s to 1m");
        assertThat(refusal(CommandsSettings.class, "longest-hold", "0s")).contains("10ms to 1h");
        assertThat(refusal(CommandsSettings.class, "host-patience", "0s")).contains("10ms to 24h");
        assertThat(refusal(CommandsSettings.class, "save-every", "2m")).contains("0ms to 1m");
        assertThat(refusal(CommandsSettings.class, "first-retry", "11s")).contains("10ms to 10s");
        assertThat(refusal(CommandsSettings.class, "longest-retry", "2h")).contains("10ms to 1h");
        assertThat(refusal(CommandsSettings.class, "kept-ended", "-1")).contains("0 to 1000000");
        assertThat(refusal(CommandsSettings.class, "retention", "1m")).contains("1h to 87600h");
        assertThat(refusal(CommandsSettings.class, "graceful-attempts", "-1"))
                .contains("0 to 1000");
        assertThat(refusal(CommandsSettings.class, "storage-pool", "no")).contains("no");
        assertThat(refusal(CommandsSettings.class, "storage-pool", new UUID(0, 12) + ""))
                .contains("storage-domain go together: set both or none");
        assertThat(refusal(CommandsSettings.class, "storage-look", "0s")).contains("10ms to 1h");
        assertThat(refusal(CommandsSettings.class, "quiet-period", "0s")).contains("10ms to 24h");
        assertThat(refusal(PatienceSettings.class, "patience.most-hosts", "0"))
                .contains("1 to 100");
        assertThat(refusal(PatienceSettings.class, "patience.start", "1ms")).contains("1s to 168h");
        assertThat(refusal(AutoStartSettings.class, "auto-start.retry", "1ms"))
                .contains("100ms to 24h");
        assertThat(refusal(AutoStartSettings.class, "auto-start.cold-reboots", "0"))
                .contains("1 to 10000");
        assertThat(refusal(HostCommandSettings.class, "hosts.look", "0s")).contains("100ms to 5m");
        assertThat(refusal(HostCommandSettings.class, "hosts.most-reasons", "0"))
                .contains("1 to 1000");
        assertThat(refusal(SchedulingSettings.class, "scheduling.cpu-overcommit", "0"))
                .contains("0.01 to 1000.0");
        assertThat(refusal(SchedulingSettings.class, "scheduling.affinity-factor", "NaN"))
                .contains("0.0 to 100.0");
        assertThat(refusal(SchedulingSettings.class, "scheduling.low-utilisation-percent", "81"))
                .contains("0 to 80, not 81");
    }

    @Test
    void theTimeForFencingFitsAgentsAndHosts() {
        HostPolicySettings policy = Bound.bind(HostPolicySettings.class, Map.of());
        PowerFenceSettings power = Bound.bind(PowerFenceSettings.class, Map.of());
        Bound.bind(HostCommandSettings.class, Map.of()).checkFencing(policy, power);
        assertThatThrownBy(() ->
                        Bound.bind(
                                        HostCommandSettings.class,
                                        Map.of(PREFIX + "hosts.fencing-limit", "10m"))
                                .checkFencing(policy, power))
                .hasMessageContaining("less than stillwater.host-policy.reboot (10m)");
        assertThatThrownBy(() ->
                        Bound.bind(
                                        HostCommandSettings.class,
                                        Map.of(PREFIX + "hosts.fencing-limit", "4m"))
                                .checkFencing(policy, power))
                .hasMessageContaining("at least 255s, which one fence agent may take");
    }

    private static String refusal(Class<?> type, String name, String value) {
        return Bound.refusal(type, PREFIX + name, value);
    }
}
