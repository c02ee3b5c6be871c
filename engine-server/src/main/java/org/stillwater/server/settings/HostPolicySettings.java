package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Patience with hosts.
 *
 * @param refresh interval of the check of a host out of contact, or on its way into maintenance
 * @param forgivenFailures failed contacts that never make a host non-responsive
 * @param forgivenSilence time without contact that never makes a host non-responsive
 * @param forgivenSilencePerVm additional time for each VM on the host
 * @param forgivenSilenceSpm additional time for the host that manages the storage pool
 * @param recovery longest recovery of a host's agent after its start
 * @param interfaceGrace longest time that an interface of a required network may be down
 * @param drainRetry pause before another attempt to move the VMs of a host before maintenance
 * @param reboot longest boot of a host
 * @param autoRecovery interval of the check whether a non-operational host fits again
 * @param fencingDelay time after the engine's start without fencing
 * @param leaseFirst failed contacts of a non-responsive host after which its VMs with a storage
 *     lease are first started elsewhere
 * @param leaseEvery failed contacts between two such attempts
 * @param watchdogInterval time between two checks for stuck host monitors; 0 for never
 * @param watchdogTask longest processing of one message of a host
 * @param watchdogSilence longest time without an answer or a failure of a host in contact
 * @param slowAnswer response time from which an answer of a host counts as slow
 */
@ConfigurationProperties("stillwater.host-policy")
public record HostPolicySettings(
        @DefaultValue("3s") Duration refresh,
        @DefaultValue("2") int forgivenFailures,
        @DefaultValue("60s") Duration forgivenSilence,
        @DefaultValue("500ms") Duration forgivenSilencePerVm,
        @DefaultValue("20s") Duration forgivenSilenceSpm,
        @DefaultValue("3m") Duration recovery,
        @DefaultValue("60s") Duration interfaceGrace,
        @DefaultValue("5m") Duration drainRetry,
        @DefaultValue("10m") Duration reboot,
        @DefaultValue("5m") Duration autoRecovery,
        @DefaultValue("5m") Duration fencingDelay,
        @DefaultValue("10") int leaseFirst,
        @DefaultValue("101") int leaseEvery,
        @DefaultValue("1m") Duration watchdogInterval,
        @DefaultValue("5m") Duration watchdogTask,
        @DefaultValue("20m") Duration watchdogSilence,
        @DefaultValue("5s") Duration slowAnswer) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration DAY = Duration.ofDays(1);

    public HostPolicySettings {
        Checks.duration("host-policy.refresh", refresh, SHORTEST, Duration.ofHours(1));
        Checks.number("host-policy.forgiven-failures", forgivenFailures, 0, 1000);
        atMostADay("forgiven-silence", forgivenSilence);
        atMostADay("forgiven-silence-per-vm", forgivenSilencePerVm);
        atMostADay("forgiven-silence-spm", forgivenSilenceSpm);
        atMostADay("recovery", recovery);
        atMostADay("interface-grace", interfaceGrace);
        Checks.duration("host-policy.drain-retry", drainRetry, SHORTEST, DAY);
        atMostADay("reboot", reboot);
        Checks.duration("host-policy.auto-recovery", autoRecovery, SHORTEST, DAY);
        atMostADay("fencing-delay", fencingDelay);
        Checks.number("host-policy.lease-first", leaseFirst, 1, 1_000_000);
        Checks.number("host-policy.lease-every", leaseEvery, 1, 1_000_000);
        atMostADay("watchdog-interval", watchdogInterval);
        Checks.duration("host-policy.watchdog-task", watchdogTask, SHORTEST, DAY);
        Checks.duration("host-policy.watchdog-silence", watchdogSilence, SHORTEST, DAY);
        Checks.duration("host-policy.slow-answer", slowAnswer, SHORTEST, DAY);
    }

    private static void atMostADay(String name, Duration value) {
        Checks.duration("host-policy." + name, value, Duration.ZERO, DAY);
    }
}
