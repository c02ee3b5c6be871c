package org.stillwater.core.schedule;

/** Which of the hosts that may run a VM are better than others. */
public enum Weighting {
    /** The host whose processors will have the least to do. */
    EVEN_CPU,
    /** The host that will have the largest share of its memory left. */
    EVEN_MEMORY,
    /** The fullest host that will not be too full, so that others may become empty. */
    POWER_SAVING,
    /** The first that fits, by id; whatever affinity and wishes say comes before that. */
    NONE
}
