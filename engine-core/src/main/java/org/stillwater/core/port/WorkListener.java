package org.stillwater.core.port;

/** Carries out the work that monitoring leaves to commands. */
@FunctionalInterface
public interface WorkListener {

    /**
     * Work is open and durable. A listener hears of each open work once in its life: what was found
     * at start first, then what is queued, in the order of commits. Must not block; what it throws
     * is logged and does not stop the others.
     */
    void workOpened(OpenWork work);

    /**
     * The same about work that is about a host; a listener without such work need not implement it.
     * Work ends untold with its episode, and when a later attempt takes its place.
     */
    default void hostWorkOpened(OpenHostWork work) {}
}
