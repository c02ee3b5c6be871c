package org.stillwater.fake.world;

import java.util.UUID;

/**
 * A live merge: it copies at an even pace from its start to its end (§3.3.7).
 *
 * @param startedAt virtual milliseconds
 * @param endsAt virtual milliseconds
 */
record BlockJob(UUID id, Disk disk, long startedAt, long endsAt, long bytes) {

    long copied(long now) {
        long all = Math.max(1, endsAt - startedAt);
        long done = Math.clamp(now - startedAt, 0, all);
        return (long) ((double) bytes / all * done);
    }

    boolean isRunning(long now) {
        return now < endsAt;
    }
}
