package org.stillwater.server.health;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayIntake.HostStatus;
import org.stillwater.relay.intake.RelayServer;
import org.stillwater.server.settings.ObservationSettings;

/**
 * Relays, the number of hosts that get their commands through them, and the hosts with a relay that
 * the engine polls itself, with the reason. Polling them is no trouble of the engine, so it stays
 * ready.
 */
@Component
@ConditionalOnProperty("stillwater.relay.enabled")
class RelaysHealthIndicator implements HealthIndicator {

    private final RelayIntake intake;
    private final RelayServer server;
    private final FleetReader fleet;
    private final int names;

    RelaysHealthIndicator(
            RelayIntake intake,
            RelayServer server,
            FleetReader fleet,
            ObservationSettings settings) {
        this.intake = intake;
        this.server = server;
        this.fleet = fleet;
        this.names = settings.namesInHealth();
    }

    @Override
    public Health health() {
        RelayIntake.Summary summary = intake.summary(names);
        Health.Builder health =
                Health.up()
                        .withDetail("connected", server.connected())
                        .withDetail("hosts", summary.hosts())
                        .withDetail("pushed", summary.pushed())
                        .withDetail("commandedByRelay", summary.commanded());
        int polled = summary.hosts() - summary.pushed();
        if (polled > 0) {
            TreeMap<String, String> first = new TreeMap<>();
            summary.polled().forEach(host -> first.put(name(host), String.valueOf(host.trouble())));
            health.withDetail("polled", first);
            if (polled > summary.polled().size()) {
                health.withDetail("polledMore", polled - summary.polled().size());
            }
        }
        Map<String, String> refused = server.refused();
        if (!refused.isEmpty()) {
            health.withDetail("refused", refused);
        }
        String files = server.tlsFilesTrouble();
        if (files != null) {
            health.withDetail("tlsFiles", files);
        }
        return health.build();
    }

    private String name(HostStatus host) {
        HostView view = fleet.host(host.host());
        return view == null ? host.host().toString() : view.state().definition().name();
    }
}
