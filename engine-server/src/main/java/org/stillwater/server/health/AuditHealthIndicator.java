package org.stillwater.server.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.audit.AuditState;

/**
 * How many entries of the audit log wait to become durable, and how many were given up because too
 * many did. It needs a person but no restart, so it is shown and does not make the engine unready.
 */
@Component
class AuditHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;

    AuditHealthIndicator(MonitoringEngine engine) {
        this.engine = engine;
    }

    @Override
    public Health health() {
        AuditState audit = engine.health().audit();
        Health.Builder health = Health.up().withDetail("waiting", audit.waiting());
        if (audit.notDurableSince() != null) {
            health.withDetail("notDurableSince", audit.notDurableSince().toString());
            health.withDetail("reason", String.valueOf(audit.notDurableReason()));
        }
        if (audit.givenUp() > 0) {
            health.withDetail("givenUp", audit.givenUp());
        }
        return health.build();
    }
}
