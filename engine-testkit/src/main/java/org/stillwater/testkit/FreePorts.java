package org.stillwater.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for a process that is started later, or started again. The kernel gives ports from 32768 on
 * (Linux; from 49152 on elsewhere, RFC 6335 section 6) to outgoing connections and to sockets that
 * ask for any port, so that one of those can be taken before the process listens. The ports here
 * are below them, and below the rows of ports that the benchmarks give to hosts, which begin at
 * 20000. Two JVMs begin at different ports. For any thread.
 */
public final class FreePorts {

    private static final int FIRST = 10_000;

    private static final int COUNT = 10_000;

    /**
     * Prime, and no divisor of {@link #COUNT}: JVMs that are started one after the other differ.
     */
    private static final int BETWEEN_PROCESSES = 997;

    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * BETWEEN_PROCESSES % COUNT));

    private FreePorts() {}

    /**
     * A TCP port of the loopback interface on which nothing listens.
     *
     * @return a port that this JVM gets again only after {@value #COUNT} others
     * @throws IllegalStateException all ports are taken
     */
    public static int next() {
        for (int tried = 0; tried < COUNT; tried++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException(
                "all ports from " + FIRST + " to " + (FIRST + COUNT - 1) + " are taken");
    }

    private static boolean isFree(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket socket = new ServerSocket(port, 1, loopback)) {
            return socket.isBound();
        } catch (java.net.BindException _) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
