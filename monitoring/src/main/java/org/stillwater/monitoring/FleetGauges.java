package org.stillwater.monitoring;

import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.work.PendingWorkRegistry;

/** Registers the gauges that show the size and the age of monitoring's data. */
final class FleetGauges {

    private FleetGauges() {}

    static void register(
            MonitoringMeters meters,
            VmRegistry registry,
            PendingWorkRegistry work,
            WatchedHosts hosts,
            ChangeFeed feed) {
        meters.gauge("stillwater.vms", null, "Known VMs", registry, VmRegistry::size);
        meters.gauge(
                "stillwater.work.open",
                null,
                "Work left to commands that none has taken over",
                work,
                PendingWorkRegistry::size);
        meters.gauge(
                "stillwater.host.work.open",
                null,
                "Work about hosts left to commands that none has taken over",
                work,
                PendingWorkRegistry::sizeAboutHosts);
        meters.gauge("stillwater.hosts", null, "Watched hosts", hosts, WatchedHosts::size);
        meters.gauge("stillwater.hosts.up", null, "Hosts that are up", hosts, WatchedHosts::up);
        meters.gauge(
                "stillwater.hosts.untrusted",
                null,
                "Hosts that are not reached because a certificate is refused",
                hosts,
                WatchedHosts::untrusted);
        meters.gauge(
                "stillwater.report.age.max",
                "seconds",
                "Age of the oldest of the hosts' newest complete polls",
                hosts,
                WatchedHosts::oldestReportSeconds);
        meters.gauge(
                "stillwater.external.data.open",
                null,
                "TPM and NVRAM data of VMs on their way from hosts to the database",
                hosts,
                WatchedHosts::externalDataOpen);
        meters.gauge(
                "stillwater.feed.subscribers",
                null,
                "Readers of the change feed",
                feed,
                ChangeFeed::subscribers);
        meters.gauge(
                "stillwater.feed.revision",
                null,
                "Revision of the newest change",
                feed,
                changes -> (double) changes.revision());
    }
}
