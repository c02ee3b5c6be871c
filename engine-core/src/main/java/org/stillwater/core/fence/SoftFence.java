package org.stillwater.core.fence;

import java.util.function.Consumer;
import org.stillwater.core.host.HostDefinition;

/**
 * Restarts the agent of a host that does not respond, over another way than the agent's own
 * (monitoring specification §3.6). Harmless to the host's VMs, and so to being done twice.
 * Thread-safe.
 */
public interface SoftFence {

    /** How many restarts may be under way at the same time; a call beyond fails. At least 1. */
    int atOnce();

    /**
     * Restarts the agent. Returns at once; the receiver is called exactly once, within a bounded
     * time, on any thread: it must not block. A restarted agent does not prove that the host
     * responds again.
     */
    void restartAgent(HostDefinition host, Consumer<Answer> receiver);

    /** How a restart ended. */
    sealed interface Answer {

        /** The agent was restarted. */
        record Restarted() implements Answer {}

        /**
         * It was not, or that is unknown.
         *
         * @param reason one clause for people, without anything secret
         */
        record Failed(String reason) implements Answer {}
    }
}
