package org.stillwater.core.port;

/** Whoever carries out what monitoring leaves to commands. */
@FunctionalInterface
public interface WorkListener {

    /**
     * Work is open and durable. Each open work is told once in the life of a listener: what was
     * found at start first, then what is queued, in the order of commits. Must not block; what it
     * throws is logged and keeps nobody else from being told.
     */
    void workOpened(OpenWork work);

    /**
     * The same about work that is about a host; whoever does none of it need not listen. Work ends
     * untold with its episode, and when a later attempt takes its place.
     */
    default void hostWorkOpened(OpenHostWork work) {}
}
