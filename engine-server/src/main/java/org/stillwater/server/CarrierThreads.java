package org.stillwater.server;

import java.util.Properties;

/**
 * Gives virtual threads more carriers than the machine has processors. The JVM never preempts a
 * virtual thread: with a carrier for each of two processors, two readers of long lists hold all
 * other requests, events and hosts until their lists are written. The kernel does preempt carriers.
 * (ADR 102)
 */
final class CarrierThreads {

    /** The JVM's own property; it is read when the first virtual thread is made (JEP 444). */
    static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";

    /** So many threads may compute at the same time before others wait for a carrier. */
    private static final int LEAST_SPARE = 6;

    private CarrierThreads() {}

    /**
     * Sets the number of carriers unless an option of the JVM has set it. It has no effect after
     * the first virtual thread.
     *
     * @param processors of the machine, at least 1
     */
    static void provide(Properties system, int processors) {
        int spare = Math.max(LEAST_SPARE, processors / 2);
        system.putIfAbsent(PARALLELISM, Integer.toString(processors + spare));
    }
}
