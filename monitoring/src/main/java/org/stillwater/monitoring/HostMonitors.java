package org.stillwater.monitoring;

import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.store.HostStore.StoredHost;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.host.Stall;

/**
 * Makes the monitors of hosts: of added and recovered ones, and in place of monitors that are
 * stuck. New connections are spread over time. Thread-safe.
 */
final class HostMonitors {

    private static final Logger LOG = LoggerFactory.getLogger(HostMonitors.class);

    private final HostServices services;
    private final WatchedHosts hosts;
    private final Clusters clusters;

    /** Makes monitors that become part of these hosts. */
    HostMonitors(HostServices services, WatchedHosts hosts, Clusters clusters) {
        this.services = services;
        this.hosts = hosts;
        this.clusters = clusters;
    }

    /** Watches a host that was added. */
    void add(HostDefinition host) {
        // Closed meanwhile: the host is watched from the next start on.
        hosts.add(connecting -> {
            int before = hosts.size();
            return monitor(
                    host,
                    HostCondition.NEW,
                    HostVersions.UNKNOWN,
                    connecting ? Duration.ZERO : connectDelay(before, before + 1));
        });
    }

    /**
     * Watches a host that the database holds.
     *
     * @param index its number among them, from 0
     */
    void recover(StoredHost host, int index, int count) {
        Duration delay = connectDelay(index, count);
        hosts.add(_ ->
                monitor(
                        host.definition(),
                        HostAnalysis.recovered(host.condition()),
                        host.versions(),
                        delay));
    }

    /** A monitor in place of one that has ended or is stuck. */
    HostMonitor anew(HostState last) {
        HostMonitor next = new HostMonitor(last, services, Duration.ZERO);
        next.takeOver();
        return next;
    }

    /** Abandons a stuck monitor and replaces it. */
    void revive(HostMonitor stuck, Stall stall) {
        HostState last = stuck.state();
        LOG.warn(
                "host={} made no progress for {} s in {}, replacing its monitor; stack:\n{}",
                last.definition().name(),
                stall.time().toSeconds(),
                stall.task(),
                stall.stack());
        stuck.abandon();
        HostMonitor next = anew(last);
        next.revived(stall);
        if (!hosts.replace(stuck, next)) {
            next.abandon(); // it was removed meanwhile
            return;
        }
        services.audit()
                .record(
                        AuditEvent.HOST_MONITOR_REVIVED,
                        null,
                        last.definition().id(),
                        Map.of(
                                "seconds",
                                Long.toString(stall.time().toSeconds()),
                                "task",
                                stall.task()));
        if (hosts.isThreaded()) {
            next.start();
        }
    }

    private Duration connectDelay(int index, int count) {
        Duration spaced = services.settings().connectSpacing().multipliedBy(index);
        Duration spread = services.settings().connectSpread().multipliedBy(index).dividedBy(count);
        return spaced.compareTo(spread) < 0 ? spaced : spread;
    }

    private HostMonitor monitor(
            HostDefinition host,
            HostCondition condition,
            HostVersions recorded,
            Duration connectDelay) {
        HostState known =
                services.feed()
                        .hostAdded(
                                HostState.unheard(
                                        host, condition, recorded, services.clock().now()),
                                services.clock().nanoTime());
        clusters.joined(host);
        return new HostMonitor(known, services, connectDelay);
    }
}
