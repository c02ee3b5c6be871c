package org.stillwater.monitoring.host;

import org.stillwater.core.model.HostStatus;

/** Outcome of an order to a host. */
public sealed interface OrderAnswer {

    /** Status of the host after it. */
    HostStatus status();

    /**
     * It is being followed, and that is durable.
     *
     * @param status status of the host now
     */
    record Followed(HostStatus status) implements OrderAnswer {}

    /**
     * It is not followed; nothing changed.
     *
     * @param status status of the host, which is the reason
     * @param why one clause
     */
    record Refused(HostStatus status, String why) implements OrderAnswer {}
}
