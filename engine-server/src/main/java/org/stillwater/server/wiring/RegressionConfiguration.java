package org.stillwater.server.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.alert.AlertLimits;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.Database;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.ObjectTags;
import org.stillwater.monitoring.alert.RuleBackTest;
import org.stillwater.monitoring.alert.RuleSettings;
import org.stillwater.monitoring.alert.RuleSubjects;
import org.stillwater.monitoring.benchmark.BenchmarkMonitor;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.SeriesArchive;
import org.stillwater.monitoring.regression.SeriesReader;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.WriterState;
import org.stillwater.server.alert.AlertDelivery;
import org.stillwater.server.settings.AlertRuleSettings;
import org.stillwater.server.settings.AlertSettings;
import org.stillwater.server.settings.BenchmarkSettings;
import org.stillwater.server.settings.HistoryStoreSettings;
import org.stillwater.server.settings.MailSettings;
import org.stillwater.server.settings.RegressionSettings;
import org.stillwater.server.xapi.XapiPools;
import tools.jackson.databind.json.JsonMapper;

/** The search for regressions, beside monitoring. */
@Configuration(proxyBeanMethods = false)
class RegressionConfiguration {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** A change that waits longer for the writer shows that the database is late. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    @Bean
    RegressionMonitor regressionMonitor(
            RegressionSettings settings,
            MonitoringEngine engine,
            Database database,
            XapiPools pools,
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
                pools.beside(database.diskPlaces()),
                database.findings(),
                engine.commandAccess()::audit,
                clock,
                meters);
    }

    @Bean
    SeriesArchive seriesArchive(
            RegressionSettings settings,
            HistoryStoreSettings history,
            RegressionMonitor regressions,
            MonitoringEngine engine,
            Database database,
            EngineClock clock,
            MeterRegistry meters) {
        return new SeriesArchive(
                regressions,
                database.seriesPoints(),
                engine.events(),
                database.history()::read,
                history.interval(),
                settings.readBack(),
                () -> isLate(engine.writerState()),
                clock,
                meters);
    }

    @Bean
    SeriesValues seriesValues(
            RegressionSettings settings, RegressionMonitor regressions, Database database) {
        return new SeriesReader(regressions, database.seriesPoints(), settings.readBack());
    }

    /** The writer's batches come first. */
    private static boolean isLate(WriterState writer) {
        return writer.notDurableSince() != null
                || writer.oldestWaitingMillis() > LONGEST_WAIT.toMillis();
    }

    @Bean
    ApplicationListener<ApplicationReadyEvent> readBackWhileServing(SeriesArchive archive) {
        return _ -> archive.serve();
    }

    @Bean
    BenchmarkMonitor benchmarkMonitor(
            BenchmarkSettings settings,
            MonitoringEngine engine,
            RegressionMonitor regressions,
            Database database,
            XapiPools pools,
            EngineClock clock,
            MeterRegistry meters) {
        return new BenchmarkMonitor(
                new org.stillwater.monitoring.benchmark.BenchmarkSettings(
                        settings.maxRuns(),
                        settings.maxRunsPerObject(),
                        settings.maxRunsPerDay(),
                        settings.retention(),
                        settings.leastChangePercent() / 100.0,
                        settings.budget(),
                        settings.guardLatency(),
                        settings.guardPercent() / 100.0),
                engine.fleet(),
                pools.beside(database.diskPlaces()),
                database.benchmarks(),
                regressions,
                engine.commandAccess()::audit,
                clock,
                meters);
    }

    @Bean
    AlertDelivery alertDelivery(
            AlertSettings settings,
            MailSettings mail,
            MonitoringEngine engine,
            RegressionMonitor regressions,
            AlertMonitor alerts,
            EngineClock clock,
            JsonMapper mapper,
            MeterRegistry meters) {
        FindingNames names = new FindingNames(engine.fleet());
        AlertDelivery delivery =
                new AlertDelivery(
                        settings, mail, names::of, alerts::delivered, clock, mapper, meters);
        regressions.follow(delivery::take);
        regressions.followRestored(delivery::restored);
        alerts.followRestored(alert -> delivery.restored(alert, alerts.isSilenced(alert)));
        alerts.follow(alert -> delivery.take(alert, alerts.isSilenced(alert)));
        delivery.offeredBy(() -> {
            regressions.forEach(delivery::take);
            alerts.forEach(alert -> delivery.take(alert, alerts.isSilenced(alert)));
        });
        return delivery;
    }

    @Bean
    AlertMonitor alertMonitor(
            MonitoringEngine engine,
            RegressionMonitor regressions,
            SeriesValues series,
            Database database,
            EngineClock clock,
            MeterRegistry meters,
            AlertRuleSettings settings,
            RegressionSettings search) {
        return new AlertMonitor(
                new RuleSettings(
                        settings.interval(),
                        settings.mostRules(),
                        settings.mostAlerts(),
                        settings.retention(),
                        new AlertLimits(settings.mostObjects(), settings.patience())),
                engine.numbers(),
                engine.fleet(),
                new RuleSubjects(
                        engine.fleet(),
                        new ObjectTags() {
                            @Override
                            public Set<String> of(VmId vm) {
                                return engine.fleet().tags().words(vm);
                            }

                            @Override
                            public Set<String> of(HostId host) {
                                return engine.fleet().tags().words(host);
                            }
                        },
                        () ->
                                search.enabled() && !regressions.state().restored()
                                        ? null
                                        : regressions.findings(),
                        series),
                database.alerts(),
                engine.commandAccess()::audit,
                clock,
                meters);
    }

    @Bean
    RuleBackTest ruleBackTest(
            AlertMonitor alerts, MonitoringEngine engine, SeriesValues series, EngineClock clock) {
        return new RuleBackTest(
                alerts, engine.fleet(), series, alerts.settings().interval(), clock);
    }

    /** Starts after monitoring and stops before it. */
    @Bean
    SmartLifecycle regressionLifecycle(
            RegressionSettings settings,
            RegressionMonitor regressions,
            SeriesArchive archive,
            AlertDelivery delivery,
            AlertMonitor rules,
            BenchmarkMonitor benchmarks,
            Workers workers) {
        return new SmartLifecycle() {

            private volatile boolean running;

            @Override
            public void start() {
                delivery.start(workers);
                if (settings.enabled()) {
                    regressions.start(workers);
                    archive.start(workers);
                }
                rules.start(workers);
                benchmarks.start(workers);
                running = true;
            }

            @Override
            public void stop() {
                running = false;
                benchmarks.stop(PATIENCE);
                rules.stop(PATIENCE);
                regressions.stop(PATIENCE);
                archive.stop(PATIENCE);
                delivery.stop(PATIENCE);
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
