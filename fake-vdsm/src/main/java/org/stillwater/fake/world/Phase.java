package org.stillwater.fake.world;

/** A host's internal state of a domain; the reported status is derived from it (§3.2). */
enum Phase {
    WAIT_FOR_LAUNCH("WaitForLaunch"),
    RUNNING("Up"),
    PAUSED("Paused"),
    SAVING("Saving State"),
    RESTORING("Restoring state"),
    MIGRATION_SOURCE("Migration Source"),
    MIGRATION_DESTINATION("Migration Destination"),
    DOWN("Down");

    private final String wire;

    Phase(String wire) {
        this.wire = wire;
    }

    /** The raw state on the wire. */
    String wire() {
        return wire;
    }

    boolean isRunningGuest() {
        return this == RUNNING || this == PAUSED || this == MIGRATION_SOURCE || this == SAVING;
    }
}
