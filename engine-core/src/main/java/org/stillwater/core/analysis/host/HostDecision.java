package org.stillwater.core.analysis.host;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostWork;

/**
 * Action that a fact about a host requires. Analysis only returns it; the shell carries each
 * decision out in isolation from the others.
 */
public sealed interface HostDecision {

    /**
     * People should know.
     *
     * @param event the event
     * @param details values for the event's text, by name
     */
    record Audit(AuditEvent event, Map<String, String> details) implements HostDecision {
        public Audit {
            details = Map.copyOf(details);
        }
    }

    /**
     * A command must do something: recorded durably in the transaction that saves the condition it
     * follows from.
     *
     * @param work the work
     */
    record Queue(HostWork work) implements HostDecision {}

    /**
     * Signals listeners of hosts once the underlying condition is durable (monitoring specification
     * §3.6). A restart loses the signal, which is correct: the host's status contains the same
     * information.
     *
     * @param signal the signal
     */
    record Tell(Signal signal) implements HostDecision {}

    /** A notice to listeners. */
    enum Signal {
        /** The host is up: its storage can be connected. */
        HOST_UP,
        /** The host does not respond. */
        HOST_NOT_RESPONDING,
        /** The host must not run VMs. */
        HOST_NON_OPERATIONAL,
        /** The host is left alone: its storage can be disconnected. */
        HOST_MOVED_TO_MAINTENANCE,
        /** The host is no longer up: cached data about its storage is stale. */
        HOST_LEFT_UP
    }

    /**
     * The watching itself continues differently.
     *
     * @param step how
     */
    record Do(Step step) implements HostDecision {}

    /** Actions of the shell, in the order in which analysis decides them. */
    enum Step {
        /** The state of the host's VMs is unknown. */
        LOSE_VMS,
        /** Event stamps of the host start again, unless it is known not to have booted. */
        FORGET_STAMPS,
        /** The host's last numbers are stale. */
        FORGET_USAGE,
        /** The host's last report of storage domains is stale (§3.4). */
        FORGET_STORAGE,
        /** Read the host's capabilities. */
        ASK_CAPABILITIES,
        /** Read the host's numbers. */
        ASK_STATISTICS,
        /** Read the host's VMs. */
        POLL,
        /** Begin to watch: connect. */
        CONNECT,
        /** Leave the host alone: close the connection. */
        DISCONNECT
    }
}
