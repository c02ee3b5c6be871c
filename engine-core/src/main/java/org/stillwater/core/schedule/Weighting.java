package org.stillwater.core.schedule;

/** The preference among the hosts that may run a VM. */
public enum Weighting {
    /** The host with the lowest expected CPU load. */
    EVEN_CPU,
    /** The host that will have the largest share of its memory left. */
    EVEN_MEMORY,
    /** The fullest host that will not be too full, so that others may become empty. */
    POWER_SAVING,
    /** The first host that fits, by id, after affinity and preferences. */
    NONE
}
