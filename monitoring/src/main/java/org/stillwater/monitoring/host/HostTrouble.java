package org.stillwater.monitoring.host;

import java.util.Locale;

/** Trouble of a host, in one word; a silent host differs from a slow one. */
public enum HostTrouble {
    /** Nothing. */
    WELL,
    /** It was not tried yet, or its VMs are not known yet. */
    STARTING,
    /** It sends more messages than the limit of one host; polls replace further ones. */
    FLOODING,
    /** It claims to run VMs for which other hosts are responsible. */
    CONTESTED,
    /** It runs VMs that could not be imported and are not shown. */
    INTAKE_FAILED,
    /** The engine fails to process the reports about some of its VMs: a defect of the engine. */
    ANALYSIS_FAILED,
    /** It answers, but its answers take long. */
    SLOW,
    /** It is up, but had no complete poll for two intervals. */
    OVERDUE,
    /** It does not answer calls. */
    SILENT,
    /** Its certificate, or the engine's, is refused: no request is sent and no report accepted. */
    UNTRUSTED,
    /** Its agent has just started and does not know its VMs yet. */
    RECOVERING,
    /** It answers, but must not run VMs. */
    NON_OPERATIONAL,
    /** It is in an error that needs an operator. */
    FAILED,
    /** It is to go into maintenance and waits for its VMs to leave. */
    DRAINING,
    /** It is left alone on purpose: in maintenance, being installed, down. */
    LEFT_ALONE;

    /** Whether an operator may have to act: neither well, nor left alone on purpose. */
    public boolean isTrouble() {
        return this != WELL && this != LEFT_ALONE;
    }

    /** Lower-case name used in REST answers. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
