package org.stillwater.benchmarks.write;

import java.nio.file.Path;
import java.time.Duration;

/**
 * One comparison of writers.
 *
 * @param vms rows of the fleet
 * @param rate changes per second that are handed to the engine's writer in the paced phase
 * @param backlog VMs that may wait in the engine's writer before changes pause
 * @param warmUp how long each writer goes as fast as it can before anything is measured
 * @param paced how long the paced phase lasts
 * @param flatOut how long each of the phases lasts that go as fast as they can
 * @param rounds how often each phase is run
 * @param naiveCommit rows after which the naive writer commits
 * @param seed of the changes
 * @param folder for the database; emptied first
 */
public record WritePlan(
        int vms,
        int rate,
        int backlog,
        Duration warmUp,
        Duration paced,
        Duration flatOut,
        int rounds,
        int naiveCommit,
        long seed,
        Path folder) {

    public WritePlan {
        require(vms >= 10 && vms <= 1_000_000, "--vms must be 10 to 1000000: " + vms);
        require(rate >= 1, "--rate must be 1 or more: " + rate);
        require(backlog >= 1, "--backlog must be 1 or more: " + backlog);
        require(!warmUp.isNegative(), "--warmup must not be negative");
        require(paced.isPositive(), "--time must be positive");
        require(flatOut.isPositive(), "--flat-out must be positive");
        require(rounds >= 1, "--rounds must be 1 or more: " + rounds);
        require(naiveCommit >= 1, "--naive-commit must be 1 or more: " + naiveCommit);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
