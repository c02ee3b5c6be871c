package org.stillwater.server.health;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.cadence.CadenceControl;

/** Whether the engine has recovered and is monitoring. */
@Component
class EngineHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;

    EngineHealthIndicator(MonitoringEngine engine) {
        this.engine = engine;
    }

    @Override
    public Health health() {
        if (!engine.health().running()) {
            return Health.outOfService()
                    .withDetail("reason", "monitoring is starting or has stopped")
                    .build();
        }
        Health.Builder health =
                Health.up()
                        .withDetail("vms", engine.fleet().vmCount())
                        .withDetail("revision", engine.fleet().revision());
        if (engine.cadence().isOn()) {
            health.withDetail("cadence", cadence(engine.cadence().reading()));
        }
        return health.build();
    }

    /** How the intervals of hosts adapt. */
    private static Map<String, Object> cadence(CadenceControl.Reading reading) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("stretch", rounded(reading.stretch()));
        if (!Double.isNaN(reading.used())) {
            details.put("cpu", rounded(reading.used()));
        }
        details.put("overBudget", reading.overBudget());
        details.put("hosts", new TreeMap<>(reading.hosts()));
        return details;
    }

    private static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }
}
