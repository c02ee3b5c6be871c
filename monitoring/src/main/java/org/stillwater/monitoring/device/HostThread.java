package org.stillwater.monitoring.device;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnection;

/** Services of a host's monitor that the devices of its VMs need. */
public interface HostThread {

    /** The connection, or null while there is none. On the host's thread. */
    @Nullable HostConnection connection();

    /**
     * Runs a task on the host's thread later. Any thread; does not block.
     *
     * @param what short name of the task for log messages
     */
    void run(String what, Runnable work);

    /** Asks for a complete poll outside the schedule. On the host's thread. */
    void wantPoll();
}
