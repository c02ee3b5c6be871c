package org.stillwater.server.wiring;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.analysis.host.HostLimits;
import org.stillwater.core.analysis.host.HostPolicy;
import org.stillwater.core.cadence.CadenceLimits;
import org.stillwater.core.cadence.CpuBudget;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.store.HistoryStore.Retention;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.Database;
import org.stillwater.monitoring.FleetChanges;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.dwh.DumpMode;
import org.stillwater.monitoring.dwh.WarehouseSettings;
import org.stillwater.monitoring.history.HistorySettings;
import org.stillwater.monitoring.history.durable.DurableHistorySettings;
import org.stillwater.monitoring.host.FloodLimits;
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.monitoring.host.WatchdogSettings;
import org.stillwater.monitoring.work.PendingWorkQueue;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayedConnector;
import org.stillwater.server.SteppedClock;
import org.stillwater.server.SystemClock;
import org.stillwater.server.disk.DiskWatch;
import org.stillwater.server.disk.GuardedHistoryStore;
import org.stillwater.server.settings.AuditSettings;
import org.stillwater.server.settings.BeliefSettings;
import org.stillwater.server.settings.CheckSettings;
import org.stillwater.server.settings.ClockSettings;
import org.stillwater.server.settings.ClusterSettings;
import org.stillwater.server.settings.CommandsSettings;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.DwhSettings;
import org.stillwater.server.settings.FeedSettings;
import org.stillwater.server.settings.FloodSettings;
import org.stillwater.server.settings.HistoryMemorySettings;
import org.stillwater.server.settings.HistoryQuerySettings;
import org.stillwater.server.settings.HistoryStoreSettings;
import org.stillwater.server.settings.HostLimitSettings;
import org.stillwater.server.settings.HostPolicySettings;
import org.stillwater.server.settings.ObservationSettings;
import org.stillwater.server.settings.WorkersSettings;
import org.stillwater.server.settings.WriterSettings;
import org.stillwater.server.xapi.XapiPools;

/** Monitoring with its ports plugged in. */
@Configuration(proxyBeanMethods = false)
class MonitoringConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EngineClock engineClock(ClockSettings settings) {
        EngineClock machine = new SystemClock();
        Path offset = settings.offsetFile();
        return offset == null ? machine : new SteppedClock(machine, offset);
    }

    @Bean
    MonitoringSettings monitoringSettings(
            CycleSettings cycle,
            HostPolicySettings hosts,
            CheckSettings checks,
            FloodSettings flood,
            HostLimitSettings limits,
            WriterSettings writer,
            FeedSettings feed,
            AuditSettings audit,
            DwhSettings dwh,
            ClusterSettings clusters,
            HistoryMemorySettings memory,
            HistoryQuerySettings query) {
        return new MonitoringSettings(
                new HostMonitorSettings(
                        cycle.interval(),
                        cycle.pollDeadline(),
                        cycle.connectSpread(),
                        cycle.connectSpacing(),
                        cycle.mailboxEvents(),
                        cycle.mailboxSize().toBytes(),
                        cycle.repollPause(),
                        cycle.domainChunk(),
                        cycle.unknownLimit(),
                        cycle.claimLimit(),
                        (int) cycle.domainXmlLimit().toBytes(),
                        cycle.externalDataCalls(),
                        cycle.quietPeriod(),
                        new HostLimits(
                                limits.cpuPercent(),
                                limits.networkPercent(),
                                limits.swapUsedPercent(),
                                limits.swapFreeMebibytes(),
                                limits.diskWarningMebibytes(),
                                limits.diskErrorMebibytes(),
                                limits.clockDrift()),
                        cycle.hostedEngineName(),
                        cycle.powerOffWindow(),
                        cycle.handOverPatience(),
                        hosts.refresh(),
                        new HostPolicy(
                                hosts.forgivenFailures(),
                                hosts.forgivenSilence(),
                                hosts.forgivenSilencePerVm(),
                                hosts.forgivenSilenceSpm(),
                                hosts.recovery(),
                                hosts.interfaceGrace(),
                                hosts.drainRetry(),
                                hosts.reboot(),
                                hosts.autoRecovery(),
                                hosts.fencingDelay(),
                                hosts.leaseFirst(),
                                hosts.leaseEvery()),
                        new WatchdogSettings(
                                hosts.watchdogInterval(),
                                hosts.watchdogTask(),
                                hosts.watchdogSilence()),
                        hosts.slowAnswer(),
                        new org.stillwater.monitoring.host.CheckSettings(
                                checks.ballooning(), checks.balloonIterations()),
                        new FloodLimits(
                                flood.eventBurst(),
                                flood.eventsPerSecond(),
                                flood.auditBurst(),
                                flood.auditPerMinute(),
                                flood.intakeBurst(),
                                flood.intakePerMinute(),
                                flood.intakeMost())),
                new org.stillwater.monitoring.write.WriterSettings(
                        writer.linger(),
                        writer.batch(),
                        writer.firstRetry(),
                        writer.longestRetry(),
                        cycle.quietPeriod()),
                new org.stillwater.monitoring.feed.FeedSettings(feed.kept(), feed.batch()),
                new org.stillwater.monitoring.audit.AuditSettings(
                        audit.recent(),
                        audit.queue(),
                        audit.batch(),
                        audit.linger(),
                        audit.floodSubjects(),
                        audit.retention(),
                        audit.ahead()),
                cycle.usageHistory(),
                warehouse(dwh),
                new org.stillwater.monitoring.cluster.ClusterSettings(
                        clusters.most(), CompatibilityVersion.parse(clusters.engineVersion())),
                new HistorySettings(
                        memory.span(),
                        (int) memory.size().toBytes(),
                        query.points(),
                        query.maxValues()));
    }

    /** Without an interval nothing is dumped, and an earlier engine's samples are hidden. */
    private static WarehouseSettings warehouse(DwhSettings dwh) {
        if (dwh.interval().isZero()) {
            return new WarehouseSettings(
                    DumpMode.NEVER,
                    dwh.idleAfter(),
                    WarehouseSettings.DEFAULT.dumpInterval(),
                    dwh.heartbeatInterval());
        }
        return new WarehouseSettings(
                switch (dwh.dump()) {
                    case AUTO -> DumpMode.AUTO;
                    case ALWAYS -> DumpMode.ALWAYS;
                    case NEVER -> DumpMode.NEVER;
                },
                dwh.idleAfter(),
                dwh.interval(),
                dwh.heartbeatInterval());
    }

    @Bean
    Workers workers(WorkersSettings settings, EngineClock clock, MeterRegistry meters) {
        return new Workers(
                new WorkerSettings(
                        settings.firstPause(),
                        settings.longestPause(),
                        settings.failingLimit(),
                        settings.stuckLimit(),
                        settings.quietPeriod()),
                clock,
                meters);
    }

    /** Started and stopped by {@link EngineLifecycle}; closing twice does no harm. */
    @Bean(destroyMethod = "close")
    MonitoringEngine monitoringEngine(
            MonitoringSettings settings,
            CycleSettings cycle,
            HistoryStoreSettings history,
            BeliefSettings beliefs,
            ObservationSettings observation,
            HostConnector connector,
            CommandsSettings commands,
            XapiPools pools,
            Database database,
            DiskWatch disk,
            EngineClock clock,
            MeterRegistry meters,
            Workers workers,
            ObjectProvider<RelayIntake> relays,
            ObjectProvider<SoftFence> softFence) {
        RelayIntake intake = relays.getIfAvailable();
        HostConnector hosts =
                pools.beside(
                        intake == null
                                ? connector
                                : new RelayedConnector(connector, intake, clock));
        MonitoringEngine engine =
                new MonitoringEngine(
                        settings,
                        commands.shadow() ? new ShadowConnector(hosts) : hosts,
                        database.stores()
                                .withHistory(
                                        new GuardedHistoryStore(
                                                database.history(), disk::historyStop)),
                        clock,
                        meters,
                        workers);
        engine.hostsWithOwnLag(observation.hostsWithOwnLag());
        pools.lookUp(engine.fleet()::cluster);
        engine.administration().poolsBy(commands.shadow() ? new ShadowPools() : pools.control());
        if (!commands.shadow()) {
            softFence.ifAvailable(port -> engine.softFenceBy(pools.beside(port)));
        }
        engine.recordHistory(
                new DurableHistorySettings(
                        history.enabled(),
                        history.interval(),
                        new Retention(history.minutes(), history.hours(), history.days()),
                        history.ahead(),
                        history.backlog(),
                        history.hourBacklog()));
        if (cycle.adaptive()) {
            engine.adaptCadence(
                    CadenceSettings.of(
                            new CadenceLimits(cycle.shortest(), cycle.interval(), cycle.longest()),
                            new CpuBudget(cycle.cpuBudget())),
                    MonitoringConfiguration::processorNanos);
        }
        if (beliefs.enabled()) {
            engine.recordBeliefs(
                    new org.stillwater.monitoring.belief.BeliefSettings(
                            beliefs.retention(),
                            beliefs.queue(),
                            beliefs.batch(),
                            beliefs.linger()),
                    database.beliefs());
        }
        return engine;
    }

    /** Processor time of this process; negative if it is not known. */
    private static long processorNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : -1;
    }

    @Bean
    FleetReader fleetReader(MonitoringEngine engine) {
        return engine.fleet();
    }

    @Bean
    FleetChanges fleetChanges(FleetReader fleet) {
        return fleet.changes();
    }

    @Bean
    HostAdministration hostAdministration(MonitoringEngine engine) {
        return engine.administration();
    }

    @Bean
    PendingWorkQueue pendingWorkQueue(MonitoringEngine engine) {
        return engine.pendingWork();
    }

    @Bean
    AuditReader auditReader(MonitoringEngine engine) {
        return engine.events();
    }
}
