package org.stillwater.server.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.dal.DatabaseSizes;
import org.stillwater.server.disk.DatabaseGrowth;
import org.stillwater.server.disk.DiskLevel;
import org.stillwater.server.disk.DiskWatch;
import org.stillwater.server.settings.DiskSettings;

/**
 * Whether the disk of the embedded database has room. Being down does not make the engine unready:
 * monitoring continues.
 */
@Component
class DiskHealthIndicator implements HealthIndicator {

    private final DiskWatch watch;
    private final DatabaseGrowth growth;
    private final DiskSettings settings;

    DiskHealthIndicator(DiskWatch watch, DatabaseGrowth growth, DiskSettings settings) {
        this.watch = watch;
        this.growth = growth;
        this.settings = settings;
    }

    @Override
    public Health health() {
        if (!watch.watches()) {
            return sized(Health.up().withDetail("watched", false)).build();
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
        sized(health);
        Long days = growth.daysFor(watch.freeBytes() - settings.stopHistoryBelow().toBytes());
        if (days != null) {
            health.withDetail("daysUntilHistoryStops", days);
        }
        return health.build();
    }

    private Health.Builder sized(Health.Builder health) {
        DatabaseSizes.Sizes sizes = growth.sizes();
        if (sizes != null) {
            health.withDetail("databaseBytes", sizes.bytes())
                    .withDetail("historyBytes", sizes.historyBytes());
        }
        Long perDay = growth.growthBytesPerDay();
        if (perDay != null) {
            health.withDetail("growthBytesPerDay", perDay);
        }
        return health;
    }
}
