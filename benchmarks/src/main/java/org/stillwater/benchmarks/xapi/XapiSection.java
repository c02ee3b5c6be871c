package org.stillwater.benchmarks.xapi;

import java.util.Locale;

/** Sections that can be measured separately. */
public enum XapiSection {
    /** Reading a whole pool, and a batch of changes, by the adapter alone. */
    DECODE,
    /** From the login until all VMs are listed, and the latency of readers meanwhile. */
    SYNC,
    /** From a change to memory, subscriber and row; servers collect no metrics. */
    LATENCY,
    /** The same while servers gather events as real ones do. */
    BATCHING,
    /** Many changes at once. */
    BURST,
    /** Pools in which nothing changes. */
    STABLE,
    /** The metrics of all hosts of a pool. */
    METRICS,
    /** The death of a host. */
    DEATH;

    /** As options and files spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return word();
    }
}
