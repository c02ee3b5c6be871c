package org.stillwater.monitoring.vm;

/** Whether a report may be analysed (monitoring specification §4.2). */
public enum Staleness {
    /** No newer value exists. */
    FRESH,
    /** The same host has already sent a later report about the VM. */
    OLDER_THAN_LAST_REPORT,
    /** It was requested before another source than its reporter changed the VM. */
    OLDER_THAN_LAST_CHANGE
}
