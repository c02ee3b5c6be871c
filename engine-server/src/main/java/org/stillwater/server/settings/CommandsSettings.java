package org.stillwater.server.settings;

import java.time.Duration;
import java.util.UUID;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How VMs are acted on.
 *
 * @param enabled whether the engine acts at all; if not, it watches only: what monitoring leaves to
 *     commands stays open, and nothing of theirs is there under {@code /api/v1}
 * @param mostOpen operations that may be open at the same time; more are answered 429
 * @param mostInBatch VMs of one batch
 * @param callsPerHost commands that one host has to answer at the same time; the others wait in
 *     order
 * @param migrationsPerHost migrations that may leave a host at once, and as many reach it; the
 *     others wait for their turn
 * @param longestHold for how long reports of a VM are parked during a call to its host
 * @param hostPatience for how long a command waits for its host to be in contact, and a placement
 *     for hosts that are about to be
 * @param saveEvery how far operations are is written at most so often; all of them together
 * @param firstRetry after the database did not answer; doubles up to {@code longest-retry}
 * @param longestRetry see {@code first-retry}
 * @param keptEnded ended operations that are kept in memory; all are in the database
 * @param retention how long ended operations are kept in the database
 * @param gracefulAttempts requests of a host to an emulator to end, before it kills it
 * @param storagePool storage pool to which memory of suspended VMs is saved and in which leases of
 *     VMs are created; all zeros for none: then suspending and leases are answered 409
 * @param storageDomain storage domain of that pool on which the volumes for memory are created;
 *     needed with {@code storage-pool}
 * @param storageLook interval of polls of a host's storage task until it is finished
 * @param mailbox messages that may wait for the thread that decides; while more do, requests are
 *     answered 503
 * @param quietPeriod a repeated complaint is logged once in this time
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
