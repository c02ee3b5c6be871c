package org.stillwater.server.settings;

import java.time.Duration;
import java.util.UUID;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Operations on VMs.
 *
 * @param enabled whether the engine runs operations; if not, it monitors only: work that monitoring
 *     leaves to operations stays open, and {@code /api/v1} has no operations
 * @param mostOpen operations that may be open at the same time; more are answered 429
 * @param mostInBatch VMs of one batch
 * @param callsPerHost commands in progress on one host at the same time; further ones wait in order
 * @param migrationsPerHost migrations leaving one host at the same time, and as many arriving;
 *     further ones wait
 * @param longestHold longest time for which reports of a VM are parked during a call to its host
 * @param hostPatience longest wait of a command for contact to its host, and of a placement for
 *     hosts that are about to come up
 * @param saveEvery shortest pause between two writes of operations' progress, for all of them
 *     together
 * @param firstRetry pause after the database did not answer; doubles up to {@code longest-retry}
 * @param longestRetry see {@code first-retry}
 * @param keptEnded ended operations that are kept in memory; all are in the database
 * @param retention time for which ended operations are kept in the database
 * @param gracefulAttempts requests of a host to an emulator to end, before it kills it
 * @param storagePool storage pool for the memory of suspended VMs and the leases of VMs; all zeros
 *     for none: then requests to suspend or to use leases get 409
 * @param storageDomain storage domain of that pool on which the volumes for memory are created;
 *     needed with {@code storage-pool}
 * @param storageLook interval of polls of a host's storage task until it is finished
 * @param mailbox messages that may wait for the command loop; beyond it, requests get 503
 * @param quietPeriod least time between two log lines of the same complaint
 * @param shadow whether another engine commands the same hosts, so that this one only watches: it
 *     fences no host and sends no command, and answers requests for them with 409
 */
@ConfigurationProperties("stillwater.commands")
public record CommandsSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("20000") int mostOpen,
        @DefaultValue("5000") int mostInBatch,
        @DefaultValue("16") int callsPerHost,
        @DefaultValue("2") int migrationsPerHost,
        @DefaultValue("30s") Duration longestHold,
        @DefaultValue("1m") Duration hostPatience,
        @DefaultValue("50ms") Duration saveEvery,
        @DefaultValue("250ms") Duration firstRetry,
        @DefaultValue("10s") Duration longestRetry,
        @DefaultValue("10000") int keptEnded,
        @DefaultValue("720h") Duration retention,
        @DefaultValue("10") int gracefulAttempts,
        @DefaultValue("00000000-0000-0000-0000-000000000000") UUID storagePool,
        @DefaultValue("00000000-0000-0000-0000-000000000000") UUID storageDomain,
        @DefaultValue("1s") Duration storageLook,
        @DefaultValue("100000") int mailbox,
        @DefaultValue("1m") Duration quietPeriod,
        @DefaultValue("false") boolean shadow) {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int MOST = 1_000_000;
    private static final UUID NOWHERE = new UUID(0, 0);

    public CommandsSettings {
        Checks.number("commands.most-open", mostOpen, 1, MOST);
        Checks.number("commands.most-in-batch", mostInBatch, 1, 100_000);
        Checks.number("commands.calls-per-host", callsPerHost, 1, 1_000);
        Checks.number("commands.migrations-per-host", migrationsPerHost, 1, 1_000);
        Checks.duration("commands.longest-hold", longestHold, SHORTEST, HOUR);
        Checks.duration("commands.host-patience", hostPatience, SHORTEST, DAY);
        Checks.duration("commands.save-every", saveEvery, Duration.ZERO, Duration.ofMinutes(1));
        Checks.duration("commands.first-retry", firstRetry, SHORTEST, longestRetry);
        Checks.duration("commands.longest-retry", longestRetry, SHORTEST, HOUR);
        Checks.number("commands.kept-ended", keptEnded, 0, MOST);
        Checks.duration("commands.retention", retention, HOUR, Duration.ofDays(3_650));
        Checks.number("commands.graceful-attempts", gracefulAttempts, 0, 1_000);
        Checks.duration("commands.storage-look", storageLook, SHORTEST, HOUR);
        if (storagePool.equals(NOWHERE) != storageDomain.equals(NOWHERE)) {
            throw new IllegalArgumentException(
                    "stillwater.commands.storage-pool and stillwater.commands.storage-domain go"
                            + " together: set both or none");
        }
        Checks.number("commands.mailbox", mailbox, 100, 10_000_000);
        Checks.duration("commands.quiet-period", quietPeriod, SHORTEST, DAY);
    }
}
