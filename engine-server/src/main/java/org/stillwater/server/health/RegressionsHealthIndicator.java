package org.stillwater.server.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.SeriesArchive;
import org.stillwater.monitoring.regression.SeriesArchiveState;
import org.stillwater.server.settings.RegressionSettings;

/**
 * State of the search for regressions and of its read-back after the start. A search without its
 * past needs no restart, so nothing makes the engine unready.
 */
@Component
class RegressionsHealthIndicator implements HealthIndicator {

    private final RegressionMonitor regressions;
    private final SeriesArchive archive;
    private final RegressionSettings settings;

    RegressionsHealthIndicator(
            RegressionMonitor regressions, SeriesArchive archive, RegressionSettings settings) {
        this.regressions = regressions;
        this.archive = archive;
        this.settings = settings;
    }

    @Override
    public Health health() {
        SeriesArchiveState points = archive.state();
        Health.Builder health =
                Health.up()
                        .withDetail("enabled", settings.enabled())
                        .withDetail("series", regressions.state().series())
                        .withDetail("readBack", points.phase().label())
                        .withDetail("readBackSeries", points.series())
                        .withDetail("readBackPoints", points.points())
                        .withDetail("waiting", points.waiting());
        if (points.from() != null) {
            health.withDetail("readBackFrom", points.from().toString());
        }
        if (points.took() != null) {
            health.withDetail("readBackMillis", points.took().toMillis());
        }
        if (points.failingSince() != null) {
            health.withDetail("failingSince", points.failingSince().toString());
            health.withDetail("reason", String.valueOf(points.reason()));
        }
        if (points.leftOut() > 0) {
            health.withDetail("leftOut", points.leftOut());
        }
        return health.build();
    }
}
