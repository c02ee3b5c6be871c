package org.stillwater.command;

import java.time.Duration;
import java.util.UUID;
import org.stillwater.core.command.AutoStartLimits;
import org.stillwater.core.command.CommandLimits;
import org.stillwater.core.schedule.SchedulingPolicy;

/**
 * Settings of the command layer.
 *
 * @param limits time limits of operations
 * @param autoStart how automatic starts are retried
 * @param scheduling how hosts are chosen
 * @param mostOpen operations that may be open at the same time, at least 1; more are refused
 * @param mostInBatch VMs of one batch, at least 1
 * @param callsPerHost commands that one host has to answer at the same time, at least 1
 * @param migrationsPerHost migrations that may leave a host at once, and as many reach it, at least
 *     1; hosts get this limit
 * @param longestHold for how long reports of a VM are parked during a call to its host
 * @param hostPatience for how long a command waits for its host to be in contact, and a placement
 *     for hosts that are about to be
 * @param saveEvery least time between two writes of the progress of operations
 * @param firstRetry after the database did not answer; doubles up to {@code longestRetry}
 * @param longestRetry see {@code firstRetry}
 * @param keptEnded ended operations that are kept in memory, at least 0; all are in the database
 * @param retention how long ended operations are kept in the database
 * @param gracefulAttempts how often a host asks an emulator to end before it kills it
 * @param storagePool storage pool of the volumes to which memory is saved, and of the storage
 *     domains on which VMs have leases; all zeros for none
 * @param storageDomain its storage domain for these volumes; all zeros for none: without both no VM
 *     is suspended
 * @param storageLook how often a task on storage is checked until it is finished
 * @param mailbox messages that may wait for the thread that decides, at least 1; while more do, no
 *     request is taken
 * @param quietPeriod a repeated complaint is logged once in this time
 * @param shadow whether another engine commands the same hosts, so that this one only watches:
 *     definitions can be changed, every other operation is refused, and nothing begins by itself
 */
public record CommandSettings(
        CommandLimits limits,
        AutoStartLimits autoStart,
        SchedulingPolicy scheduling,
        int mostOpen,
        int mostInBatch,
        int callsPerHost,
        int migrationsPerHost,
        Duration longestHold,
        Duration hostPatience,
        Duration saveEvery,
        Duration firstRetry,
        Duration longestRetry,
        int keptEnded,
        Duration retention,
        int gracefulAttempts,
        UUID storagePool,
        UUID storageDomain,
        Duration storageLook,
        int mailbox,
        Duration quietPeriod,
        boolean shadow) {

    private static final UUID NOWHERE = new UUID(0, 0);

    /** Reason why no lease can be created, for people. */
    public static final String NO_STORAGE_POOL =
            "it is not configured which storage pool the lease of a VM is created in; set"
                    + " stillwater.commands.storage-pool and stillwater.commands.storage-domain,"
                    + " or take the lease out of the definition";

    /** Reason why a shadow refuses an operation, for people. */
    public static final String SHADOW =
            "this engine is the shadow of another one and sends no commands to hosts"
                    + " (stillwater.commands.shadow)";

    /** Default settings for most installations. */
    public static final CommandSettings DEFAULT =
            new CommandSettings(
                    CommandLimits.DEFAULT,
                    AutoStartLimits.DEFAULT,
                    SchedulingPolicy.DEFAULT,
                    20_000,
                    5_000,
                    16,
                    2,
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(60),
                    Duration.ofMillis(50),
                    Duration.ofMillis(250),
                    Duration.ofSeconds(10),
                    10_000,
                    Duration.ofDays(30),
                    10,
                    NOWHERE,
                    NOWHERE,
                    Duration.ofSeconds(1),
                    100_000,
                    Duration.ofMinutes(1),
                    false);

    public CommandSettings {
        if (mailbox < 1
                || mostOpen < 1
                || mostInBatch < 1
                || callsPerHost < 1
                || migrationsPerHost < 1) {
            throw new IllegalArgumentException("limits of commands are at least 1");
        }
        if (keptEnded < 0 || gracefulAttempts < 0) {
            throw new IllegalArgumentException("limits of commands are at least 0");
        }
        for (Duration time :
                new Duration[] {
                    longestHold, hostPatience, firstRetry, longestRetry, retention, storageLook
                }) {
            if (!time.isPositive()) {
                throw new IllegalArgumentException("times of commands must be positive");
            }
        }
        if (storagePool.equals(NOWHERE) != storageDomain.equals(NOWHERE)) {
            throw new IllegalArgumentException(
                    "memory is saved to a storage pool and one of its domains: name both or none");
        }
    }

    /** Whether it is known where the memory of a VM that is suspended can be saved. */
    public boolean canSaveMemory() {
        return !storageDomain.equals(NOWHERE);
    }

    /** Whether it is known in which storage pool leases of VMs can be created. */
    public boolean hasStoragePool() {
        return !storagePool.equals(NOWHERE);
    }

    /** The same, saving memory to this domain of this pool. */
    public CommandSettings savingMemoryTo(UUID pool, UUID domain) {
        return with(pool, domain, shadow);
    }

    /** The same for an engine that only watches. */
    public CommandSettings asShadow() {
        return with(storagePool, storageDomain, true);
    }

    private CommandSettings with(UUID pool, UUID domain, boolean onlyWatches) {
        return new CommandSettings(
                limits,
                autoStart,
                scheduling,
                mostOpen,
                mostInBatch,
                callsPerHost,
                migrationsPerHost,
                longestHold,
                hostPatience,
                saveEvery,
                firstRetry,
                longestRetry,
                keptEnded,
                retention,
                gracefulAttempts,
                pool,
                domain,
                storageLook,
                mailbox,
                quietPeriod,
                onlyWatches);
    }
}
