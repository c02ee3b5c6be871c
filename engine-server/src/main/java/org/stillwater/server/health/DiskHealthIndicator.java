package org.stillwater.server.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.server.disk.DiskLevel;
import org.stillwater.server.disk.DiskWatch;
import org.stillwater.server.settings.DiskSettings;

/**
 * Whether the disk of the embedded database has room. Being down does not make the engine unready:
 * monitoring goes on.
 */
@Component
class DiskHealthIndicator implements HealthIndicator {

    private final DiskWatch watch;
    private final DiskSettings settings;

    DiskHealthIndicator(DiskWatch watch, DiskSettings settings) {
        this.watch = watch;
        this.settings = settings;
    }

    @Override
    public Health health() {
        if (!watch.watches()) {
            return Health.up().withDetail("watched", false).build();
        }
        Health.Builder health = watch.level() == DiskLevel.ENOUGH ? Health.up() : Health.down();
        health.withDetail("watched", true)
                .withDetail("freeBytes", watch.freeBytes())
                .withDetail("warnBelowBytes", settings.warnBelow().toBytes())
                .withDetail("stopHistoryBelowBytes", settings.stopHistoryBelow().toBytes());
        String stop = watch.historyStop();
        if (stop != null) {
            health.withDetail("historyStopped", stop);
        }
        return health.build();
    }
}
