package org.stillwater.server.health;

import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.worker.WorkerHealth;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.xapi.XapiPools;

/**
 * Whether the engine's threads work. DOWN if one has failed, or has worked on one piece, for longer
 * than the limits of {@code stillwater.workers}, or has ended; workers that fail for a shorter time
 * are listed. Threads of history, of the audit log, of points of regressions, of the delivery of
 * alerts, of the push of traces, of single pools and of the preparation for consoles are only ever
 * named: other hosts are watched without them, and a restart mends nothing ({@link
 * HistoryHealthIndicator}, {@link AuditHealthIndicator}, {@link RegressionsHealthIndicator}, {@link
 * AlertsHealthIndicator}, {@link XapiHealthIndicator}).
 */
@Component
class WorkersHealthIndicator implements HealthIndicator {

    /** Threads that are named and make nothing DOWN. */
    private static final Set<String> TOLD_ONLY =
            Set.of(
                    "history-sampler",
                    "history-writer",
                    "audit-writer",
                    "regression-points",
                    "alert-delivery-webhook",
                    "alert-delivery-mail",
                    "trace-push",
                    "console-rehearsal");

    private final Workers workers;

    WorkersHealthIndicator(Workers workers) {
        this.workers = workers;
    }

    @Override
    public Health health() {
        return of(workers.health(), Health.up()).build();
    }

    private static boolean isToldOnly(String name) {
        return TOLD_ONLY.contains(name) || name.startsWith(XapiPools.WATCH);
    }

    /** Names those that do not work; DOWN if one that health depends on has not for too long. */
    static Health.Builder of(List<WorkerHealth> workers, Health.Builder health) {
        TreeMap<String, String> unwell = new TreeMap<>();
        boolean down = false;
        for (WorkerHealth worker : workers) {
            if (worker.condition() != WorkerHealth.Condition.WELL) {
                unwell.put(worker.name(), TroubleText.trouble(worker));
            }
            down |= worker.isDown() && !isToldOnly(worker.name());
        }
        if (!unwell.isEmpty()) {
            health.withDetail("threads", unwell);
        }
        return down ? health.down() : health;
    }
}
