package org.stillwater.xapi.client;

/** Limits how many threads work without a pause at the same time. Thread-safe. */
public interface CpuTurn {

    /** No limit. */
    CpuTurn FREE =
            new CpuTurn() {
                @Override
                public boolean begin() {
                    return false;
                }

                @Override
                public void end() {}
            };

    /**
     * Waits for a turn, for a bounded time.
     *
     * @return whether this thread has the turn and must {@link #end} it; the work is done in any
     *     case
     */
    boolean begin();

    /** Ends the turn. By the thread that has it. */
    void end();
}
