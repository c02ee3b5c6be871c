package org.stillwater.core.store;

/** Carries out the work that monitoring leaves to commands. */
@FunctionalInterface
public interface WorkListener {

    /**
     * Work is open and durable. A listener gets each open work once in its life: first the work
     * found at the start, then new work in the order of commits. Must not block; its exceptions are
     * logged and do not stop other listeners.
     */
    void workOpened(OpenWork work);

    /**
     * The same about work that is about a host; a listener without such work need not implement it.
     * Work ends untold with its episode, and when a later attempt replaces it.
     */
    default void hostWorkOpened(OpenHostWork work) {}
}
