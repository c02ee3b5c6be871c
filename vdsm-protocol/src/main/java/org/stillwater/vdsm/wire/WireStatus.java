package org.stillwater.vdsm.wire;

/** Texts of a VM's status, spelled exactly as hosts do (§3.2). */
public final class WireStatus {
    public static final String WAIT_FOR_LAUNCH = "WaitForLaunch";
    public static final String POWERING_UP = "Powering up";
    public static final String REBOOT_IN_PROGRESS = "RebootInProgress";
    public static final String UP = "Up";
    public static final String PAUSED = "Paused";
    public static final String POWERING_DOWN = "Powering down";
    public static final String SAVING_STATE = "Saving State";
    public static final String RESTORING_STATE = "Restoring state";
    public static final String MIGRATION_SOURCE = "Migration Source";
    public static final String MIGRATION_DESTINATION = "Migration Destination";
    public static final String DOWN = "Down";

    private WireStatus() {}
}
