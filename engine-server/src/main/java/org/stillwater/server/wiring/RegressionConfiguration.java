package org.stillwater.server.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.port.EngineClock;
import org.stillwater.dal.Database;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.alert.AlertDelivery;
import org.stillwater.server.settings.AlertSettings;
import org.stillwater.server.settings.RegressionSettings;
import tools.jackson.databind.json.JsonMapper;

/** The search for regressions, beside monitoring. */
@Configuration(proxyBeanMethods = false)
class RegressionConfiguration {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    @Bean
    RegressionMonitor regressionMonitor(
            RegressionSettings settings,
            MonitoringEngine engine,
            Database database,
            EngineClock clock,
            MeterRegistry meters) {
        return new RegressionMonitor(
                new org.stillwater.monitoring.regression.RegressionSettings(
                        settings.interval(),
                        settings.sample(),
                        settings.window(),
                        settings.maxSeries(),
                        settings.leastChangePercent() / 100.0,
                        settings.maxFindings(),
                        settings.retention(),
                        settings.maxChanges()),
                engine.fleet(),
                database.diskPlaces(),
                database.findings(),
                engine.commandAccess()::audit,
                clock,
                meters);
    }

    @Bean
    AlertDelivery alertDelivery(
            AlertSettings settings,
            MonitoringEngine engine,
            RegressionMonitor regressions,
            EngineClock clock,
            JsonMapper mapper,
            MeterRegistry meters) {
        FindingNames names = new FindingNames(engine.fleet());
        AlertDelivery delivery = new AlertDelivery(settings, names::of, clock, mapper, meters);
        regressions.follow(delivery::take);
        return delivery;
    }

    /** Starts after monitoring and stops before it. */
    @Bean
    SmartLifecycle regressionLifecycle(
            RegressionSettings settings,
            RegressionMonitor regressions,
            AlertSettings alerts,
            AlertDelivery delivery,
            Workers workers) {
        return new SmartLifecycle() {

            private volatile boolean running;

            @Override
            public void start() {
                if (!alerts.webhook().isEmpty()) {
                    delivery.start(workers);
                }
                if (settings.enabled()) {
                    regressions.start(workers);
                }
                running = true;
            }

            @Override
            public void stop() {
                running = false;
                regressions.stop(PATIENCE);
                delivery.stop();
            }

            @Override
            public boolean isRunning() {
                return running;
            }

            @Override
            public int getPhase() {
                return 1;
            }
        };
    }
}
