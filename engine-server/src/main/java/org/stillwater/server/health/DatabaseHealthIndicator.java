package org.stillwater.server.health;

import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.dal.Database;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.write.WriterState;
import org.stillwater.server.settings.ObservationSettings;

/**
 * Whether changes are durable; and if not, how many wait, for how long, and why. Rows that cannot
 * be read need a person but no restart, so they are shown and do not make the engine unready.
 */
@Component
class DatabaseHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;
    private final DatabaseProbe probe;
    private final ObjectProvider<EmbeddedPostgres> embedded;
    private final Database database;
    private final int names;

    DatabaseHealthIndicator(
            MonitoringEngine engine,
            DatabaseProbe probe,
            ObjectProvider<EmbeddedPostgres> embedded,
            Database database,
            ObservationSettings settings) {
        this.database = database;
        this.names = settings.namesInHealth();
        this.engine = engine;
        this.probe = probe;
        this.embedded = embedded;
    }

    @Override
    public Health health() {
        String problem = probe.problem();
        WriterState writer = engine.health().writer();
        boolean durable = problem == null && writer.notDurableSince() == null;
        Health.Builder health = durable ? Health.up() : Health.down();
        health.withDetail("durable", durable);
        if (!durable) {
            String reason = problem != null ? problem : writer.notDurableReason();
            health.withDetail("reason", "not durable: " + reason);
            health.withDetail("waitingRows", writer.waiting());
            health.withDetail(
                    "oldestWaiting", Duration.ofMillis(writer.oldestWaitingMillis()).toString());
            if (writer.notDurableSince() != null) {
                health.withDetail("since", writer.notDurableSince().toString());
            }
        }
        name(health, "unreadableVms", database.vms().unreadable());
        name(health, "unreadableRows", database.unreadableRows());
        EmbeddedPostgres server = embedded.getIfAvailable();
        health.withDetail("server", server == null ? "external" : "embedded");
        if (server != null) {
            health.withDetail("port", server.port());
        }
        return health.build();
    }

    private <K extends Comparable<? super K>> void name(
            Health.Builder health, String detail, Map<K, String> unreadable) {
        if (!unreadable.isEmpty()) {
            health.withDetail(
                    detail,
                    unreadable.entrySet().stream()
                            .sorted(Map.Entry.comparingByKey())
                            .limit(names)
                            .map(each -> each.getKey() + ": " + each.getValue())
                            .toList());
            health.withDetail(detail + "Count", unreadable.size());
        }
    }
}
