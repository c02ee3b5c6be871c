package org.stillwater.server.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.Database;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.disk.DatabaseGrowth;
import org.stillwater.server.disk.DiskWatch;
import org.stillwater.server.settings.DiskSettings;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;

/** The watch of the embedded database's disk and of the database's size, and their thread. */
@Configuration(proxyBeanMethods = false)
class DiskConfiguration {

    @Bean
    DiskWatch diskWatch(
            ObjectProvider<EmbeddedPostgres> embedded,
            EmbeddedDatabaseSettings database,
            FleetSettings fleet,
            DiskSettings settings,
            MeterRegistry meters) {
        DiskWatch watch =
                new DiskWatch(
                        embedded.getIfAvailable() == null
                                ? null
                                : DatabaseAddress.embeddedFolder(database, fleet).toAbsolutePath(),
                        settings,
                        meters);
        watch.look();
        return watch;
    }

    @Bean
    DatabaseGrowth databaseGrowth(Database database, EngineClock clock, MeterRegistry meters) {
        return new DatabaseGrowth(database::sizes, clock, meters);
    }

    @Bean
    DiskLifecycle diskLifecycle(
            DiskWatch watch, DatabaseGrowth growth, DiskSettings settings, Workers workers) {
        return new DiskLifecycle(watch, growth, settings, workers);
    }

    /** Looks at intervals. */
    static final class DiskLifecycle implements SmartLifecycle {

        private final DiskWatch watch;
        private final DatabaseGrowth growth;
        private final DiskSettings settings;
        private final Workers workers;
        private @Nullable SupervisedWorker worker;

        DiskLifecycle(
                DiskWatch watch, DatabaseGrowth growth, DiskSettings settings, Workers workers) {
            this.watch = watch;
            this.growth = growth;
            this.settings = settings;
            this.workers = workers;
        }

        @Override
        public synchronized void start() {
            if (worker == null) {
                worker = workers.periodic("disk-watch", settings.interval(), this::look);
                worker.start();
            }
        }

        private void look() {
            watch.look();
            growth.look();
        }

        @Override
        public synchronized void stop() {
            if (worker != null) {
                boolean _ = worker.stop(Duration.ZERO);
                worker = null;
            }
        }

        @Override
        public synchronized boolean isRunning() {
            return worker != null;
        }
    }
}
