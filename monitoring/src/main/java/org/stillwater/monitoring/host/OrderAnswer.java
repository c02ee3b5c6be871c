package org.stillwater.monitoring.host;

import org.stillwater.core.host.HostStatus;

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
     * The order is refused; no change is made.
     *
     * @param status status of the host, the reason of the refusal
     * @param why the reason, one clause
     */
    record Refused(HostStatus status, String why) implements OrderAnswer {}
}
