package org.stillwater.server.wiring;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.MonitoringEngine;

/**
 * Connects to the hosts once the port is open, so that readers need not wait for it. They are let
 * go by {@link EngineLifecycle}.
 */
@Component
class HostsLifecycle implements SmartLifecycle {

    private final MonitoringEngine engine;
    private volatile boolean running;

    HostsLifecycle(MonitoringEngine engine) {
        this.engine = engine;
    }

    @Override
    public void start() {
        engine.connect();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After the web server. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
