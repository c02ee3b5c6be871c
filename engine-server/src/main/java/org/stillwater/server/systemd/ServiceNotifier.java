package org.stillwater.server.systemd;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Notifies systemd that the engine is ready, alive or stopping, if systemd started it with {@code
 * Type=notify}. A message that is not taken is logged once and changes nothing. Thread-safe.
 */
@Component
final class ServiceNotifier implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    private static final Logger log = LoggerFactory.getLogger(ServiceNotifier.class);
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String WATCHDOG = "WATCHDOG_USEC";

    /** systemd advises to report at half of the time after which it kills. */
    private static final int REPORTS_IN_TIME = 2;

    private final @Nullable UnixDatagrams socket;
    private final @Nullable Duration interval;
    private final Workers workers;
    private @Nullable SupervisedWorker watchdog;
    private boolean running;
    private boolean failed;

    ServiceNotifier(Environment environment, Workers workers) {
        this.socket = socket(environment.getProperty(SOCKET));
        this.interval = interval(environment.getProperty(WATCHDOG));
        this.workers = workers;
    }

    private static @Nullable UnixDatagrams socket(@Nullable String address) {
        if (address == null || address.isEmpty()) {
            return null;
        }
        try {
            return new UnixDatagrams(address);
        } catch (IOException e) {
            log.warn("systemd is not notified about the engine: {}", e.getMessage());
            return null;
        }
    }

    /** Time between two signs of life; null for none. */
    static @Nullable Duration interval(@Nullable String microseconds) {
        if (microseconds == null) {
            return null;
        }
        try {
            long all = Long.parseLong(microseconds.strip());
            return all <= 0 ? null : Duration.ofNanos(all * 1_000 / REPORTS_IN_TIME);
        } catch (NumberFormatException _) {
            return null;
        }
    }

    private synchronized void send(String message) {
        if (socket != null) {
            try {
                socket.send(message);
            } catch (IOException e) {
                if (!failed) {
                    failed = true;
                    log.warn("systemd does not get the message {}: {}", message, e.getMessage());
                }
            }
        }
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        send("READY=1");
    }

    @Override
    public synchronized void start() {
        running = true;
        if (socket != null && interval != null && watchdog == null) {
            watchdog = workers.periodic("systemd-watchdog", interval, () -> send("WATCHDOG=1"));
            watchdog.start();
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        send("STOPPING=1");
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
