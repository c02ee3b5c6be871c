package org.stillwater.monitoring;

import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.tag.TagRegistry;

/** Publishes that VMs and hosts have other tags. */
record RetaggedObjects(
        VmCommandAccess access, WatchedHosts hosts, ChangeFeed feed, EngineClock clock)
        implements TagRegistry.Follower {

    @Override
    public void changed(VmId vm) {
        access.retagged(vm);
    }

    /** The revision grows at once: the thread of the host may publish its state later. */
    @Override
    public void changed(HostId host) {
        long _ = feed.untold(clock.nanoTime());
        HostMonitor monitor = hosts.monitor(host);
        if (monitor != null) {
            monitor.retagged();
        }
    }
}
