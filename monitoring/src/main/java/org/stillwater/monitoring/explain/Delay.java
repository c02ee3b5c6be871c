package org.stillwater.monitoring.explain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A reason why a value is older than it should be.
 *
 * @param code which
 * @param since its begin; null if unknown
 * @param text one sentence
 * @param remedy way to a fresh value, one sentence
 */
public record Delay(Code code, @Nullable Instant since, String text, String remedy) {

    /** Reasons. */
    public enum Code {
        /** The host does not answer. */
        HOST_SILENT,
        /** The host is out of service, so the engine does not ask it. */
        HOST_NOT_WATCHED,
        /** The host answers, but its agent cannot report VMs yet. */
        HOST_STARTING,
        /** No host has reported the VM since the engine started. */
        NOT_REPORTED,
        /** The host answers, but its complete poll is overdue. */
        POLL_LATE,
        /** The host's complete polls do not contain the VM's values. */
        NOT_MENTIONED,
        /** Reports arrived and wait for the host's thread. */
        MAILBOX_BEHIND,
        /** A command holds the VM, so its reports wait. */
        VM_LOCKED,
        /** The VM migrates; its destination reports values once it runs there. */
        ARRIVING,
        /** The VM left its host, and no host has reported it since. */
        AWAITED,
        /** The VM does not run, so no host measures it. */
        NOT_RUNNING,
        /** The newest change is not in the database yet. */
        WRITER_BEHIND,
        /** The database refuses the row. */
        ROW_REFUSED;

        /** Whether only the database is behind, not the value in memory. */
        public boolean isOfDatabase() {
            return this == WRITER_BEHIND || this == ROW_REFUSED;
        }
    }
}
