package org.stillwater.core.command;

/** Verb of a host's request for an operation on a VM (protocol specification §3.1). */
public enum VmVerb {
    /** {@code VM.create}, of a VM that is down. */
    CREATE,
    /** {@code VM.create}, of a VM with saved memory on disk. */
    RESTORE,
    /** {@code VM.destroy}. */
    DESTROY,
    /** {@code VM.shutdown}. */
    SHUTDOWN,
    /** {@code VM.shutdown} that restarts the guest. */
    REBOOT,
    /** {@code VM.reset}. */
    RESET,
    /** {@code VM.pause}. */
    PAUSE,
    /** {@code VM.cont}. */
    CONTINUE,
    /** {@code VM.hibernate}. */
    HIBERNATE,
    /** {@code VM.migrate}. */
    MIGRATE,
    /** {@code VM.migrateCancel}. */
    CANCEL_MIGRATION,
    /** {@code VM.setTicket}. */
    SET_TICKET,
    /** {@code VM.changeCD}. */
    CHANGE_CD,
    /** {@code VM.hotplugNic} or {@code VM.hotplugDisk}. */
    PLUG,
    /** {@code VM.hotunplugNic} or {@code VM.hotunplugDisk}. */
    UNPLUG
}
