package org.stillwater.server.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.UUID;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.command.host.HostOperations;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.command.pool.PoolSettings;
import org.stillwater.core.analysis.host.KdumpLimits;
import org.stillwater.core.command.AutoStartLimits;
import org.stillwater.core.command.CommandLimits;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.fence.PowerFence;
import org.stillwater.core.schedule.SchedulingPolicy;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.api.vm.DefinitionJson;
import org.stillwater.server.settings.AutoStartSettings;
import org.stillwater.server.settings.CommandsSettings;
import org.stillwater.server.settings.HostCommandSettings;
import org.stillwater.server.settings.HostPolicySettings;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import org.stillwater.server.settings.KdumpSettings;
import org.stillwater.server.settings.PatienceSettings;
import org.stillwater.server.settings.PoolsSettings;
import org.stillwater.server.settings.PowerFenceSettings;
import org.stillwater.server.settings.SchedulingSettings;

/** Commands beside monitoring, with their ports plugged in. */
@IfCommandsAreEnabled
@Configuration(proxyBeanMethods = false)
class CommandConfiguration {

    @Bean
    CommandSettings commandSettings(
            CommandsSettings commands,
            PatienceSettings patience,
            AutoStartSettings autoStart,
            SchedulingSettings scheduling) {
        return new CommandSettings(
                new CommandLimits(
                        patience.mostHosts(),
                        patience.start(),
                        patience.shutdown(),
                        patience.stop(),
                        patience.pause(),
                        patience.reboot(),
                        patience.suspend(),
                        patience.migration(),
                        patience.turn(),
                        patience.turnRetry(),
                        patience.busy(),
                        patience.busyRetry()),
                new AutoStartLimits(
                        autoStart.retry(),
                        autoStart.shortRetries(),
                        autoStart.longRetry(),
                        autoStart.blocked(),
                        autoStart.coldReboots(),
                        autoStart.atOnce()),
                new SchedulingPolicy(
                        scheduling.weighting(),
                        scheduling.cpuOvercommit(),
                        scheduling.memoryOvercommitPercent(),
                        scheduling.reservedMebibytes(),
                        scheduling.expectedCpuPercent(),
                        scheduling.lowUtilisationPercent(),
                        scheduling.highUtilisationPercent(),
                        scheduling.affinityFactor(),
                        scheduling.namedHosts(),
                        scheduling.longestExplanation()),
                commands.mostOpen(),
                commands.mostInBatch(),
                commands.callsPerHost(),
                commands.migrationsPerHost(),
                commands.longestHold(),
                commands.hostPatience(),
                commands.saveEvery(),
                commands.firstRetry(),
                commands.longestRetry(),
                commands.keptEnded(),
                commands.retention(),
                commands.gracefulAttempts(),
                commands.storagePool(),
                commands.storageDomain(),
                commands.storageLook(),
                commands.mailbox(),
                commands.quietPeriod(),
                commands.shadow());
    }

    @Bean
    Definitions definitions(DefinitionStore store) {
        return new Definitions(store);
    }

    @Bean
    HostOperations hostOperations(
            HostCommandSettings hosts,
            HostPolicySettings policy,
            PowerFenceSettings fencing,
            KdumpSettings kdump,
            PowerFence powerFence,
            KdumpListener kdumpListener) {
        hosts.checkFencing(policy, fencing);
        kdump.check(policy);
        return new HostOperations(
                new HostOperationSettings(
                        fencing.dryRun(),
                        hosts.fencingLimit(),
                        hosts.fencingAttempts(),
                        hosts.fencingRetry(),
                        hosts.leaseWait(),
                        hosts.look(),
                        hosts.drainPatience(),
                        hosts.mostReasons()),
                powerFence,
                kdumpListener,
                new KdumpLimits(kdump.first(), kdump.quiet(), kdump.longest()),
                DefinitionJson::parse);
    }

    /** Made before monitoring starts; started and stopped by {@link EngineLifecycle}. */
    @Bean(destroyMethod = "close")
    CommandEngine commandEngine(
            CommandSettings settings,
            MonitoringEngine monitoring,
            OperationStore operations,
            Definitions definitions,
            HostOperations hostOperations,
            EngineClock clock,
            MeterRegistry meters) {
        return new CommandEngine(
                settings,
                monitoring,
                operations,
                definitions,
                hostOperations,
                clock,
                UUID::randomUUID,
                meters);
    }

    /** Started by {@link EngineLifecycle}, after the commands that it requests. */
    @Bean
    PoolKeeper poolKeeper(PoolsSettings pools, CommandEngine commands, PoolStore store) {
        return new PoolKeeper(
                new PoolSettings(pools.interval(), pools.batch(), pools.attempts()),
                commands,
                store);
    }
}
