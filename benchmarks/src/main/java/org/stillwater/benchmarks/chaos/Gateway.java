package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.stillwater.benchmarks.scale.HarnessClock;

/**
 * The way from the engine to its database, on which messages can be held up or the connection cut.
 * Thread-safe; each direction of a connection is a virtual thread.
 */
final class Gateway implements AutoCloseable {

    private static final int CHUNK = 16 * 1024;
    private static final int CONNECT_MILLIS = 2_000;

    private final HarnessClock clock;
    private final int target;
    private final ServerSocket entrance;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile long delayNanos;
    private volatile boolean cut;

    Gateway(HarnessClock clock, int target) throws IOException {
        this.clock = clock;
        this.target = target;
        this.entrance = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("gateway").start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** Each message of the database takes this much longer. */
    void delay(Duration delay) {
        delayNanos = delay.toNanos();
    }

    /** Ends every connection and takes no new ones; or takes them again. */
    void cut(boolean now) {
        cut = now;
        if (now) {
            open.forEach(Gateway::end);
        }
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                if (cut) {
                    end(client);
                } else {
                    Thread.ofVirtual().start(() -> serve(client));
                }
            } catch (IOException _) {
                // closed: the loop ends; or the client has gone already
            }
        }
    }

    private void serve(Socket client) {
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        try {
            server.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), target),
                    CONNECT_MILLIS);
            Thread back = Thread.ofVirtual().start(() -> pump(server, client, true));
            pump(client, server, false);
            back.join();
        } catch (IOException _) {
            // the database does not listen: the client sees its connection end
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // ends below
        } finally {
            end(client);
            end(server);
            open.remove(client);
            open.remove(server);
        }
    }

    private void pump(Socket from, Socket to, boolean slowly) {
        byte[] chunk = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length;
            while ((length = in.read(chunk)) >= 0) {
                long delay = delayNanos;
                if (slowly && delay > 0) {
                    clock.waitUntil(clock.nanoTime() + delay);
                }
                out.write(chunk, 0, length);
            }
        } catch (IOException _) {
            // one side has gone: so does the other
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // ends below
        }
        try {
            to.shutdownOutput(); // the last bytes still arrive
        } catch (IOException _) {
            // it has ended already
        }
    }

    /** With a reset, as a broken way does, and so that no port stays taken. */
    private static void end(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException _) {
            // it has ended already
        }
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException _) {
            // no further connection enters
        }
        open.forEach(Gateway::end);
    }
}
