package org.stillwater.core.definition;

/**
 * A watchdog in the definition of a VM.
 *
 * @param action action when the guest no longer feeds it
 */
public record VmWatchdog(Action action) {

    /** Action of a watchdog. */
    public enum Action {
        NONE,
        RESET,
        POWER_OFF,
        PAUSE,
        DUMP
    }
}
