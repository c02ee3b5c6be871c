package org.stillwater.server;

import java.util.Properties;

/**
 * Sets up the threads that carry virtual threads and those that wake them.
 *
 * <p>Virtual threads get more carriers than the machine has processors. The JVM never preempts a
 * virtual thread: with a carrier for each of two processors, two readers of long lists hold all
 * other requests, events and hosts until their lists are written. The kernel does preempt carriers.
 * (ADR 102)
 *
 * <p>A platform thread waits for sockets and wakes the virtual thread that reads. By default it
 * wakes a virtual thread instead, which asks again for the sockets that are ready, wakes the
 * reader, yields and asks once more: that pays where sockets are always busy. A connection to a
 * host rests most of the time, so each message woke several carriers.
 */
final class CarrierThreads {

    /** The JVM's own property; it is read when the first virtual thread is made (JEP 444). */
    static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";

    /**
     * The JVM's own property: which threads wait for sockets. It is read with the first wait of a
     * virtual thread for a socket; a JVM that does not know it ignores it.
     */
    static final String POLLERS = "jdk.pollerMode";

    /** Platform threads wait for sockets. */
    private static final String PLATFORM_THREADS = "1";

    /** So many threads may compute at the same time before others wait for a carrier. */
    private static final int LEAST_SPARE = 6;

    private CarrierThreads() {}

    /**
     * Sets the number of carriers and the kind of pollers unless an option of the JVM has set them.
     * It has no effect after the first virtual thread.
     *
     * @param processors of the machine, at least 1
     */
    static void provide(Properties system, int processors) {
        int spare = Math.max(LEAST_SPARE, processors / 2);
        system.putIfAbsent(PARALLELISM, Integer.toString(processors + spare));
        system.putIfAbsent(POLLERS, PLATFORM_THREADS);
    }
}
