package org.stillwater.monitoring.write;

import org.stillwater.core.store.WriteOutcome;

/**
 * Work on the database other than changed rows of VMs and hosts. All methods are called on the
 * writer's thread.
 */
public interface StoreTask {

    /**
     * Does the work. Called again later while the database is unavailable, so it must tolerate
     * repetition.
     */
    WriteOutcome write();

    /** All but the refused rows is durable. Must not block. */
    void written(WriteOutcome.Written outcome);

    /** It failed by a bug, which is reported, and will not be tried again. Must not block. */
    void abandoned();
}
