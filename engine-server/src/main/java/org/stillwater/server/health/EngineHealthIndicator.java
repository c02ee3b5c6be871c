package org.stillwater.server.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.MonitoringEngine;

/** Whether the engine has recovered and is monitoring. */
@Component
class EngineHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;

    EngineHealthIndicator(MonitoringEngine engine) {
        this.engine = engine;
    }

    @Override
    public Health health() {
        return engine.health().running()
                ? Health.up()
                        .withDetail("vms", engine.fleet().vmCount())
                        .withDetail("revision", engine.fleet().revision())
                        .build()
                : Health.outOfService()
                        .withDetail("reason", "monitoring is starting or has stopped")
                        .build();
    }
}
