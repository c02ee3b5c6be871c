package org.stillwater.server.wiring;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.Database;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.xapi.PoolAdministration;
import org.stillwater.server.xapi.XapiPools;

/**
 * Watches the pools of the settings and those that users added once the port is open, and lets them
 * go before monitoring.
 */
@Component
class XapiLifecycle implements SmartLifecycle {

    private final XapiPools pools;
    private final PoolAdministration administration;
    private final MonitoringEngine engine;
    private final Database database;
    private volatile boolean running;

    XapiLifecycle(
            XapiPools pools,
            PoolAdministration administration,
            MonitoringEngine engine,
            Database database) {
        this.pools = pools;
        this.administration = administration;
        this.engine = engine;
        this.database = database;
    }

    @Override
    public void start() {
        try {
            pools.start(engine, database.vms(), database.definitions());
            administration.start();
        } catch (IOException | UncheckedIOException e) {
            throw new StartRefused(
                    "The files for XAPI pools cannot be used: " + e.getMessage(),
                    "Correct the files, or their names in stillwater.xapi.pools.",
                    e);
        } catch (StoreUnavailable e) {
            throw new StartRefused(
                    "The database stopped answering while the engine started: " + e.getMessage(),
                    "See to the database and start again.",
                    e);
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        pools.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After the web server, and before it at the end. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
