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
}
