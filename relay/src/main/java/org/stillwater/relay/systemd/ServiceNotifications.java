package org.stillwater.relay.systemd;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies systemd that a program is ready, alive or stopping, if systemd started it with {@code
 * Type=notify}; otherwise it does nothing. A message that is not taken is logged once and changes
 * nothing. Thread-safe.
 */
public final class ServiceNotifications implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ServiceNotifications.class);
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String WATCHDOG = "WATCHDOG_USEC";

    /** systemd advises to report at half of the time after which it kills. */
    private static final int REPORTS_IN_TIME = 2;

    private final @Nullable UnixDatagrams socket;
    private final @Nullable Duration interval;
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean failed;
    private boolean watched;

    private ServiceNotifications(@Nullable UnixDatagrams socket, @Nullable Duration interval) {
        this.socket = socket;
        this.interval = interval;
    }

    /** Notifications by the variables that systemd sets for this process. */
    public static ServiceNotifications ofEnvironment() {
        return of(System.getenv(SOCKET), System.getenv(WATCHDOG));
    }

    /**
     * Notifications by the values of systemd's variables.
     *
     * @param address of NOTIFY_SOCKET, null for none
     * @param microseconds of WATCHDOG_USEC, null for no signs of life
     */
    public static ServiceNotifications of(@Nullable String address, @Nullable String microseconds) {
        if (address == null || address.isEmpty()) {
            return new ServiceNotifications(null, null);
        }
        try {
            return new ServiceNotifications(new UnixDatagrams(address), interval(microseconds));
        } catch (IOException e) {
            log.warn("systemd is not notified: {}", e.getMessage());
            return new ServiceNotifications(null, null);
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

    /** Time between two signs of life that systemd wants; null for none. */
    public @Nullable Duration interval() {
        return interval;
    }

    /** The program accepts work. */
    public void ready() {
        send("READY=1");
    }

    /** The program lives. */
    public void alive() {
        send("WATCHDOG=1");
    }

    /** The program begins to stop. */
    public void stopping() {
        send("STOPPING=1");
    }

    private synchronized void send(String message) {
        if (socket == null) {
            return;
        }
        try {
            socket.send(message);
        } catch (IOException e) {
            if (!failed) {
                failed = true;
                log.warn("systemd does not get the message {}: {}", message, e.getMessage());
            }
        }
    }

    /**
     * Gives signs of life from a thread of its own, where systemd wants them. A program has one
     * check.
     *
     * @param check whether the program does its work; it may wait until it knows
     */
    public synchronized void watch(BooleanSupplier check) {
        Duration pause = interval;
        if (pause == null || watched) {
            return;
        }
        watched = true;
        Thread _ =
                Thread.ofPlatform()
                        .name("systemd-watchdog")
                        .daemon()
                        .start(() -> watch(pause, check));
    }

    private void watch(Duration pause, BooleanSupplier check) {
        try {
            do {
                if (lives(check)) {
                    alive();
                }
            } while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean lives(BooleanSupplier check) {
        try {
            return check.getAsBoolean();
        } catch (RuntimeException e) {
            log.warn("no sign of life: {}", e.toString());
            return false;
        }
    }

    /** Reports that the program stops, and gives no further signs of life. */
    @Override
    public void close() {
        stopping();
        closed.countDown();
    }
}
