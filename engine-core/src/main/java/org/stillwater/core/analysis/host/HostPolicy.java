package org.stillwater.core.analysis.host;

import java.time.Duration;

/**
 * Time limits for hosts (monitoring specification, appendix).
 *
 * @param failures failed contacts that are always forgiven ({@code VDSAttemptsToResetCount})
 * @param base time without contact that is always forgiven ({@code TimeoutToResetVdsInSeconds});
 *     also how long a soft fence waits for the host
 * @param perVm more of it for each VM ({@code DelayResetPerVmInSeconds})
 * @param perSpm more of it for the storage pool manager ({@code DelayResetForSpmInSeconds})
 * @param recovery how long a host agent may recover ({@code VdsRecoveryTimeoutInMinutes})
 * @param interfaceGrace how long an interface of a required network may be down ({@code
 *     NicDHCPDelayGraceInMS}, in seconds)
 * @param drainRetry after how long without success maintenance is tried again ({@code
 *     HostPreparingForMaintenanceIdleTime})
 * @param reboot how long a host may take to boot ({@code ServerRebootTimeout})
 * @param autoRecovery how often a non-operational host is checked again ({@code
 *     AutoRecoverySchedule})
 * @param fencingDelay how long after the engine's start no host is fenced ({@code
 *     DisableFenceAtStartupInSec})
 * @param leaseFirst the failed contact of a non-responsive host after which its VMs with a lease
 *     are first started elsewhere ({@code NumberVdsRefreshesBeforeTryToStartUnknownVms})
 * @param leaseEvery failed contacts between two such attempts ({@code
 *     NumberVdsRefreshesBeforeRetryToStartUnknownVms} + 1)
 */
public record HostPolicy(
        int failures,
        Duration base,
        Duration perVm,
        Duration perSpm,
        Duration recovery,
        Duration interfaceGrace,
        Duration drainRetry,
        Duration reboot,
        Duration autoRecovery,
        Duration fencingDelay,
        int leaseFirst,
        int leaseEvery) {

    /** The documented defaults. */
    public static final HostPolicy DEFAULT =
            new HostPolicy(
                    2,
                    Duration.ofSeconds(60),
                    Duration.ofMillis(500),
                    Duration.ofSeconds(20),
                    Duration.ofMinutes(3),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(300),
                    Duration.ofSeconds(600),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(300),
                    10,
                    101);

    public HostPolicy {
        if (failures < 0 || leaseFirst < 1 || leaseEvery < 1) {
            throw new IllegalArgumentException(
                    "forgiven failures are not negative, lease attempts come after at least 1");
        }
    }

    /** Time without contact that is forgiven (monitoring specification §3.4), whole seconds. */
    public Duration grace(int vms, boolean storagePoolManager) {
        Duration grace = base.plus(perVm.multipliedBy(vms));
        return Duration.ofSeconds((storagePoolManager ? grace.plus(perSpm) : grace).toSeconds());
    }
}
