package org.stillwater.server.stall;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;

/** Virtual threads and their carriers. Thread-safe. */
interface VirtualThreads {

    /**
     * Whether a virtual thread that starts now runs at once. An idle engine has no carrier awake,
     * and to wake one ten times a second costs it as much as all else that it does.
     */
    boolean haveAFreeCarrier();

    /** Starts a virtual thread. */
    void start(Runnable task);

    /** Those of this process. */
    static VirtualThreads ofProcess() {
        VirtualThreadSchedulerMXBean scheduler =
                ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        return new VirtualThreads() {
            @Override
            public boolean haveAFreeCarrier() {
                return scheduler.getQueuedVirtualThreadCount() == 0
                        && scheduler.getMountedVirtualThreadCount() < scheduler.getParallelism();
            }

            @Override
            public void start(Runnable task) {
                Thread.startVirtualThread(task);
            }
        };
    }
}
