package org.stillwater.benchmarks.xapi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;

/**
 * A subscriber of the engine's event stream, which notes when it sees that a VM is paused. It reads
 * its socket itself: as little as possible is between the socket and the clock. By HTTP/1.0 the
 * stream has no chunks.
 */
final class Subscriber implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");
    private static final Pattern ARRIVED = Pattern.compile("\"observedNanos\":(\\d+)");
    private static final String REQUEST =
            String.join(
                    "\r\n",
                    "GET /api/v1/stream?entity=vm&view=light HTTP/1.0",
                    "Host: 127.0.0.1",
                    "Accept: text/event-stream",
                    "",
                    "");
    private static final String PAUSED = "\"status\":\"paused\"";

    /**
     * A change was seen.
     *
     * @param arrivedNanos when its message had come to the monitoring of the host
     * @param seenNanos when the subscriber had it
     */
    record Seen(long arrivedNanos, long seenNanos) {}

    private final HarnessClock clock = new HarnessClock();
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();
    private final CountDownLatch caughtUp = new CountDownLatch(1);
    private final Socket socket;
    private final Thread thread;
    private volatile @Nullable IOException failure;

    private Subscriber(Socket socket) {
        this.socket = socket;
        this.thread = Thread.ofPlatform().daemon().name("subscriber").unstarted(this::follow);
    }

    /** Subscribes, and waits until it has all VMs. */
    static Subscriber start(int port) throws IOException, InterruptedException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        Subscriber subscriber = new Subscriber(socket);
        boolean started = false;
        try {
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
            subscriber.thread.start();
            if (!subscriber.caughtUp.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    || subscriber.failure != null) {
                throw new BenchFailure(
                        "the event stream sent no snapshot within %d s: %s"
                                .formatted(PATIENCE.toSeconds(), subscriber.failure));
            }
            started = true;
            return subscriber;
        } finally {
            if (!started) {
                subscriber.close();
            }
        }
    }

    private void follow() {
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            String status = lines.readLine();
            if (status == null || !status.contains(" 200")) {
                throw new IOException("the stream answered " + status);
            }
            boolean deltas = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("event:") && line.endsWith("snapshot-end")) {
                    deltas = true;
                    caughtUp.countDown();
                } else if (deltas && line.startsWith("data:") && line.contains(PAUSED)) {
                    note(line, clock.nanoTime());
                }
            }
        } catch (IOException e) {
            failure = e; // or the measurement is over
        } finally {
            caughtUp.countDown();
        }
    }

    private void note(String line, long now) {
        Matcher id = ID.matcher(line);
        Matcher arrived = ARRIVED.matcher(line);
        if (id.find() && arrived.find()) {
            Seen _ = seen.putIfAbsent(id.group(1), new Seen(Long.parseLong(arrived.group(1)), now));
        }
    }

    /** Changes seen since the last {@link #forget}, by VM. */
    Map<String, Seen> seen() {
        return Map.copyOf(seen);
    }

    int count() {
        return seen.size();
    }

    /** Begins anew. */
    void forget() {
        seen.clear();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
