package org.stillwater.ovirt.action;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/** The power of hosts, which their fence agents report and switch. Thread-safe. */
public interface HostPower {

    /**
     * Why no agent of a host may run: fencing is in dry run, or none of them is allowed.
     *
     * @return one clause for people; null if they may run, or there are none
     */
    @Nullable String withheld(HostId host) throws InterruptedException;

    /**
     * Whether a host is on, as its agents report; waits for them, for a bounded time.
     *
     * @return {@code on}, {@code off}, or {@code unknown} if no agent knows it
     */
    String status(HostId host) throws InterruptedException;

    /**
     * Switches a host on; waits for its agents, for a bounded time.
     *
     * @return reason why it is not on, one clause for people; null if it is
     */
    @Nullable String on(HostId host) throws InterruptedException;
}
