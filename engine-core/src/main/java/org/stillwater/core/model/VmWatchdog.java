package org.stillwater.core.model;

/**
 * A watchdog in the definition of a VM.
 *
 * @param action what happens when the guest no longer feeds it
 */
public record VmWatchdog(Action action) {

    /** What a watchdog does. */
    public enum Action {
        NONE,
        RESET,
        POWER_OFF,
        PAUSE,
        DUMP
    }
}
