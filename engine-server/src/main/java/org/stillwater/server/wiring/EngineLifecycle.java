package org.stillwater.server.wiring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.write.WriterState;
import org.stillwater.server.settings.FleetSettings;

/**
 * Starts monitoring when the database stands and stops it before the database goes: recover VMs and
 * their open operations, open the port, then ({@link HostsLifecycle}) connect to the hosts; close
 * the port, stop commands, stop watching, write waiting changes.
 */
@Component
class EngineLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(EngineLifecycle.class);

    private final MonitoringEngine engine;
    private final @Nullable CommandEngine commands;
    private final @Nullable PoolKeeper pools;
    private final FleetSettings fleet;
    private volatile boolean running;

    EngineLifecycle(
            MonitoringEngine engine,
            ObjectProvider<CommandEngine> commands,
            ObjectProvider<PoolKeeper> pools,
            FleetSettings fleet) {
        this.engine = engine;
        this.commands = commands.getIfAvailable();
        this.pools = pools.getIfAvailable();
        this.fleet = fleet;
    }

    @Override
    public void start() {
        List<HostDefinition> wanted = HostsFile.hosts(fleet);
        try {
            engine.recover();
            engine.administration().ensureHosts(wanted);
            if (commands != null) {
                commands.start();
            }
            if (pools != null) {
                pools.start();
            }
        } catch (StoreUnavailable e) {
            throw new StartRefused(
                    "The database stopped answering while the engine started: " + e.getMessage(),
                    "See to the database and start again.",
                    e);
        }
        running = true;
        log.info(
                "Recovered {} VMs and {} hosts, {} of them named in the settings",
                engine.fleet().vmCount(),
                engine.fleet().hosts().size(),
                wanted.size());
    }

    @Override
    public void stop() {
        running = false;
        if (commands != null) {
            commands.close();
        }
        engine.close();
        WriterState left = engine.health().writer();
        if (left.waiting() == 0) {
            log.info("Monitoring stopped; everything is written");
        } else {
            log.warn(
                    "Monitoring stopped; {} changes are not written ({}). The next start finds them"
                            + " out from the hosts again",
                    left.waiting(),
                    left.notDurableReason());
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the web server, which has phases near the end; so it stops after it. */
    @Override
    public int getPhase() {
        return 0;
    }
}
