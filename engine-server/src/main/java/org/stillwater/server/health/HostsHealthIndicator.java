package org.stillwater.server.health;

import java.util.List;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.core.host.HostStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringHealth;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.server.settings.ObservationSettings;
import org.stillwater.vdsm.client.VdsmHostConnector;

/**
 * Hosts in trouble and their reasons. Failed hosts do not make the engine unready, because it
 * reports them correctly; it is unready only until each host was tried once.
 */
@Component
class HostsHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;
    private final int names;
    private final ObjectProvider<VdsmHostConnector> connector;

    HostsHealthIndicator(
            MonitoringEngine engine,
            ObservationSettings settings,
            ObjectProvider<VdsmHostConnector> connector) {
        this.engine = engine;
        this.connector = connector;
        this.names = settings.namesInHealth();
    }

    @Override
    public Health health() {
        MonitoringHealth state = engine.health();
        List<HostHealth> untried =
                state.unwell().stream().filter(HostsHealthIndicator::untried).toList();
        List<HostHealth> failing = state.unwell().stream().filter(host -> !untried(host)).toList();
        Health.Builder health = untried.isEmpty() ? Health.up() : Health.outOfService();
        health.withDetail("hosts", state.hosts()).withDetail("up", state.hostsUp());
        if (!untried.isEmpty()) {
            health.withDetail(
                    "reason", "%d hosts have not been tried yet".formatted(untried.size()));
        }
        if (!failing.isEmpty()) {
            TreeMap<String, String> first = new TreeMap<>();
            failing.stream()
                    .limit(names)
                    .forEach(
                            host -> first.put(host.definition().name(), TroubleText.trouble(host)));
            health.withDetail("failing", first);
            if (failing.size() > names) {
                health.withDetail("failingMore", failing.size() - names);
            }
        }
        if (!state.refusedHosts().isEmpty()) {
            health.withDetail("refused", state.refusedHosts().stream().limit(names).toList());
        }
        VdsmHostConnector wire = connector.getIfAvailable();
        String files = wire == null ? null : wire.tlsFilesTrouble();
        if (files != null) {
            health.withDetail("tlsFiles", files);
        }
        return health.build();
    }

    private static boolean untried(HostHealth host) {
        return host.status() == HostStatus.UNASSIGNED
                && host.reason() == null
                && host.lastPollAt() == null;
    }
}
