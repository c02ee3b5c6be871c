package org.stillwater.server.http;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.coyote.Constants;
import org.apache.coyote.RequestInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.server.settings.HttpSettings;

/**
 * Keeps one address from taking all connections, and slow senders from keeping theirs: an address
 * has so many, and the TLS handshake together with the head of a request has so much time in total,
 * however the bytes trickle; and so has a body, whether the engine needs it ({@link TimedBody}) or
 * Tomcat reads it only to get at the next request. Every byte restarts Tomcat's own time limit.
 * Thread-safe.
 */
@Component
class ConnectionLimits implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimits.class);
    private static final Duration SWEEP = Duration.ofSeconds(1);
    private static final Duration QUIET = Duration.ofMinutes(10);
    private static final int MOST_REPORTED = 100;
    private static final String TOO_MANY = "the address has too many";
    private static final String TOO_SLOW = "the requests are sent too slowly";

    /** State of a connection. */
    private static final class Connection {

        private final String network;

        /** Since when a handshake or the head of a request is being read, null for neither. */
        private volatile @Nullable Long headSinceNanos;

        /** Whether a thread reads or answers a request; the read of a head does not block. */
        private volatile boolean busy;

        /**
         * The state of the request that is read or answered, null for none. It belongs to one of
         * Tomcat's processors, which serve other connections later.
         */
        private volatile @Nullable RequestInfo request;

        /** Since when the rest of a body is being read, null for not at all; the sweeper's only. */
        private @Nullable Long restSinceNanos;

        /** Of which of the processor's requests that rest is; the sweeper's only. */
        private int restOf;

        Connection(String network, long now) {
            this.network = network;
            this.headSinceNanos = now;
        }
    }

    /** Connections of an address that were ended, and why. */
    private record Ended(String network, String why) {}

    private final HttpSettings settings;
    private final EngineClock clock;
    private final ObjectProvider<MonitoringEngine> engine;
    private final ThrottledLog warnings;
    private final Map<SocketChannel, Connection> connections = new ConcurrentHashMap<>();
    private final Map<String, Integer> byNetwork = new ConcurrentHashMap<>();
    private final Map<Ended, AtomicInteger> ended = new ConcurrentHashMap<>();
    private @Nullable ScheduledExecutorService sweeper; // guarded by this

    ConnectionLimits(
            HttpSettings settings, EngineClock clock, ObjectProvider<MonitoringEngine> engine) {
        this.settings = settings;
        this.clock = clock;
        this.engine = engine;
        this.warnings = new ThrottledLog(LOG, clock, QUIET, "connection limits");
    }

    /** Whether a new connection from this address may stay; if so, it is watched from now on. */
    boolean opened(SocketChannel channel, String address) {
        String network = ClientAddress.network(address);
        int now = byNetwork.merge(network, 1, Integer::sum);
        if (now > settings.connectionsPerAddress()) {
            forget(network);
            count(network, TOO_MANY);
            return false;
        }
        connections.put(channel, new Connection(network, clock.nanoTime()));
        return true;
    }

    /** A connection is closed. Closing it twice does no harm. */
    void closed(SocketChannel channel) {
        Connection connection = connections.remove(channel);
        if (connection != null) {
            forget(connection.network);
        }
    }

    private void forget(String network) {
        byNetwork.computeIfPresent(network, (_, n) -> n == 1 ? null : n - 1);
    }

    /**
     * A thread reads from a connection: the head of a request begins, or continues.
     *
     * @param request the state of the request that it reads
     */
    void reading(SocketChannel channel, RequestInfo request) {
        Connection connection = connections.get(channel);
        if (connection != null) {
            connection.busy = true;
            connection.request = request;
            if (connection.headSinceNanos == null) {
                connection.headSinceNanos = clock.nanoTime();
            }
        }
    }

    /**
     * The thread has read all available bytes, and answered every complete request.
     *
     * @param partly whether it has read a part of another head
     * @param anew whether that head began after a complete request
     */
    void read(SocketChannel channel, boolean partly, boolean anew) {
        Connection connection = connections.get(channel);
        if (connection != null) {
            if (!partly) {
                connection.headSinceNanos = null;
            } else if (anew) {
                connection.headSinceNanos = clock.nanoTime();
            }
            connection.busy = false;
            connection.request = null;
        }
    }

    /**
     * A thread ends an asynchronous request: it reads the rest of its body.
     *
     * @param request the state of the request; null when it has ended
     */
    void ending(SocketChannel channel, @Nullable RequestInfo request) {
        Connection connection = connections.get(channel);
        if (connection != null) {
            connection.request = request;
        }
    }

    /** Whether a body that took this time comes too slowly. */
    boolean isTooSlow(long waitedNanos, long bytes) {
        double allowed =
                settings.bodyTimeout().toNanos()
                        + (double) TimeUnit.SECONDS.toNanos(1)
                                * bytes
                                / settings.bodyRate().toBytes();
        return waitedNanos > allowed;
    }

    long nanoTime() {
        return clock.nanoTime();
    }

    /**
     * Nothing more is read from a connection; its reader sees an end and closes it in order. Only
     * its own thread may close it: the buffers are used again.
     */
    void endInput(SocketChannel channel) {
        try {
            SocketChannel _ = channel.shutdownInput();
        } catch (IOException | RuntimeException _) {
            return; // it is closed already
        }
        Connection connection = connections.get(channel);
        if (connection != null) {
            count(connection.network, TOO_SLOW);
        }
    }

    /** A body over HTTP/2 came too slowly, and its stream ends. */
    void refusedSlowBody(String network) {
        count(network, TOO_SLOW);
    }

    private void count(String network, String why) {
        if (ended.size() < MOST_REPORTED) {
            ended.computeIfAbsent(new Ended(network, why), _ -> new AtomicInteger())
                    .incrementAndGet();
        }
    }

    /**
     * Ends the input of connections whose handshake or head, or the rest of a body that no handler
     * needs, takes too long.
     */
    void sweep() {
        long now = clock.nanoTime();
        connections.forEach((channel, connection) -> {
            Long since = connection.headSinceNanos;
            if (since != null
                    && !connection.busy
                    && now - since > settings.headTimeout().toNanos()) {
                connection.headSinceNanos = null;
                endInput(channel);
            } else if (isRestTooSlow(connection, now)) {
                connection.restSinceNanos = null;
                endInput(channel);
            }
        });
    }

    /**
     * Whether Tomcat has read the rest of a body for too long. It does so after the answer, past
     * the {@link TimedBody}, on a thread of the connection. The stage is seen late at worst.
     */
    private boolean isRestTooSlow(Connection connection, long now) {
        RequestInfo request = connection.request;
        if (request == null || request.getStage() != Constants.STAGE_ENDINPUT) {
            connection.restSinceNanos = null;
            return false;
        }
        int number = request.getRequestCount();
        Long since = connection.restSinceNanos;
        if (since == null || connection.restOf != number) {
            connection.restSinceNanos = now;
            connection.restOf = number;
            return false;
        }
        return now - since > settings.bodyTimeout().toNanos();
    }

    /** How many connections an address has. */
    int connections(String address) {
        return byNetwork.getOrDefault(ClientAddress.network(address), 0);
    }

    /** The thread's top frame: an exception of a task would end all its later runs silently. */
    void always(String what, Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            try {
                warnings.about(what, e.toString(), e);
            } catch (Throwable _) {
                // Of the top frame, too: the next run comes anyway.
            }
        }
    }

    private void sweepAlways() {
        always("slow senders were not ended", this::sweep);
    }

    private void reportAlways() {
        always("ended connections were not reported", this::report);
    }

    private void report() {
        MonitoringEngine running = engine.getIfAvailable();
        ended.keySet()
                .forEach(what -> {
                    AtomicInteger count = ended.remove(what);
                    if (count != null && running != null) {
                        running.commandAccess()
                                .audit(
                                        AuditEvent.CONNECTIONS_LIMITED,
                                        null,
                                        null,
                                        Map.of(
                                                "address", what.network(),
                                                "count", Integer.toString(count.get()),
                                                "why", what.why()));
                    }
                });
    }

    @Override
    public synchronized void start() {
        if (sweeper == null) {
            sweeper =
                    Executors.newSingleThreadScheduledExecutor(
                            Thread.ofVirtual().name("connection-limits").factory());
            long nanos = SWEEP.toNanos();
            var _ =
                    sweeper.scheduleWithFixedDelay(
                            this::sweepAlways, nanos, nanos, TimeUnit.NANOSECONDS);
            var _ =
                    sweeper.scheduleWithFixedDelay(
                            this::reportAlways, nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public synchronized void stop() {
        if (sweeper != null) {
            var _ = sweeper.shutdownNow();
            sweeper = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return sweeper != null;
    }
}
