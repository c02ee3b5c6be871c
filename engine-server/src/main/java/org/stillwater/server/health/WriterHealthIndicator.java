package org.stillwater.server.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.WriterState;
import org.stillwater.server.settings.ObservationSettings;

/**
 * Number of waiting writes, and rows that the database refuses. Refused rows need a person but no
 * restart, so they are shown and do not make the engine unready. DOWN while nothing is written, for
 * any reason, and while the writing thread does not work.
 */
@Component
class WriterHealthIndicator implements HealthIndicator {

    private final MonitoringEngine engine;
    private final Workers workers;
    private final int names;

    WriterHealthIndicator(MonitoringEngine engine, Workers workers, ObservationSettings settings) {
        this.workers = workers;
        this.engine = engine;
        this.names = settings.namesInHealth();
    }

    @Override
    public Health health() {
        WriterState writer = engine.health().writer();
        Health.Builder health =
                WorkersHealthIndicator.of(workers.health(List.of("batch-writer")), Health.up())
                        .withDetail("waiting", writer.waiting())
                        .withDetail(
                                "oldestWaiting",
                                Duration.ofMillis(writer.oldestWaitingMillis()).toString());
        if (writer.notDurableSince() != null) {
            health.down()
                    .withDetail("notDurableSince", writer.notDurableSince().toString())
                    .withDetail("reason", String.valueOf(writer.notDurableReason()));
        }
        if (!writer.rejected().isEmpty()) {
            health.withDetail(
                    "rejected",
                    writer.rejected().entrySet().stream()
                            .sorted(Map.Entry.comparingByKey())
                            .limit(names)
                            .map(row -> row.getKey() + ": " + row.getValue())
                            .toList());
            health.withDetail("rejectedCount", writer.rejected().size());
        }
        return health.build();
    }
}
