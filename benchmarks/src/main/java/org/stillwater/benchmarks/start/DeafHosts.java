package org.stillwater.benchmarks.start;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.stillwater.benchmarks.scale.HarnessClock;

/** One port that all hosts share: it accepts every connection, sends nothing and hangs up. */
final class DeafHosts implements AutoCloseable {

    private static final Duration SILENCE = Duration.ofMillis(50);
    private static final int BACKLOG = 1_000;

    private final HarnessClock clock;
    private final ServerSocket entrance;
    private final List<Long> arrivals = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private int mostOpen;

    DeafHosts(HarnessClock clock) throws IOException {
        this.clock = clock;
        this.entrance = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("deaf-hosts").start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket caller = entrance.accept();
                arrived();
                Thread.ofVirtual().start(() -> hangUp(caller));
            } catch (IOException _) {
                // closed: the loop ends; or the caller has gone already
            }
        }
    }

    private synchronized void arrived() {
        arrivals.add(clock.nanoTime());
        mostOpen = Math.max(mostOpen, open.incrementAndGet());
    }

    private void hangUp(Socket caller) {
        try (caller) {
            clock.waitUntil(clock.nanoTime() + SILENCE.toNanos());
        } catch (IOException _) {
            // it has gone already
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // hangs up at once
        } finally {
            open.decrementAndGet();
        }
    }

    /** Arrivals since the last call. */
    synchronized Attempts attempts() {
        Attempts attempts =
                new Attempts(arrivals.stream().mapToLong(Long::longValue).toArray(), mostOpen);
        arrivals.clear();
        mostOpen = 0;
        return attempts;
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException _) {
            // no further connection enters
        }
    }
}
