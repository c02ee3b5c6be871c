package org.stillwater.vdsm.client;

/** The destination of hosts' answers. */
public enum ReplyDestination {
    /**
     * A destination of its own for each connection: the host sends no other engine's answers here.
     * Errors without an id go to the shared destination only, so the call concerned ends by its
     * timeout (protocol page §1.4.8).
     */
    PRIVATE,
    /** The customary destination that all clients of a host share; old simulators know no other. */
    SHARED
}
