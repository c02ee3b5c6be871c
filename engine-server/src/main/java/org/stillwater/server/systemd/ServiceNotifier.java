package org.stillwater.server.systemd;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.relay.systemd.ServiceNotifications;

/**
 * Notifies systemd that the engine is ready, alive or stopping, if systemd started it with {@code
 * Type=notify}. Thread-safe.
 */
@Component
final class ServiceNotifier implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    private final ServiceNotifications systemd;
    private final Workers workers;
    private @Nullable SupervisedWorker watchdog;
    private boolean running;

    ServiceNotifier(Environment environment, Workers workers) {
        this.systemd =
                ServiceNotifications.of(
                        environment.getProperty("NOTIFY_SOCKET"),
                        environment.getProperty("WATCHDOG_USEC"));
        this.workers = workers;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        systemd.ready();
    }

    @Override
    public synchronized void start() {
        running = true;
        Duration interval = systemd.interval();
        if (interval != null && watchdog == null) {
            watchdog = workers.periodic("systemd-watchdog", interval, systemd::alive);
            watchdog.start();
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        systemd.stopping();
        if (watchdog != null) {
            boolean _ = watchdog.stop(Duration.ZERO);
            watchdog = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** The last to start and the first to stop. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
