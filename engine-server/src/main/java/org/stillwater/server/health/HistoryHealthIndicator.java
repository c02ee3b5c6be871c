package org.stillwater.server.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.history.durable.DurableHistoryState;

/**
 * State of durable history. Missing history needs an administrator but no restart, so it is
 * reported and does not make the engine unready.
 */
@Component
class HistoryHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;

    HistoryHealthIndicator(MonitoringEngine engine) {
        this.engine = engine;
    }

    @Override
    public Health health() {
        DurableHistoryState history = engine.historyState();
        Health.Builder health = Health.up();
        if (history == null || !history.enabled()) {
            return health.withDetail("recorded", false).build();
        }
        health.withDetail("recorded", true).withDetail("waiting", history.waiting());
        if (history.newest() != null) {
            health.withDetail("newest", history.newest().toString());
        }
        if (history.notDurableSince() != null) {
            health.withDetail("notDurableSince", history.notDurableSince().toString());
            health.withDetail("reason", String.valueOf(history.notDurableReason()));
            health.withDetail("leftOut", history.leftOut());
        }
        return health.build();
    }
}
