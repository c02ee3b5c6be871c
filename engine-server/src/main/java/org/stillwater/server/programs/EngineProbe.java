package org.stillwater.server.programs;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * One request to the engine on this machine. It writes HTTP by itself, because Java's client sends
 * no header {@code Host} with another name than the connection's. Used once, by one thread.
 */
final class EngineProbe {

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})( .*)?");
    private static final int LONGEST_LINE = 1_024;

    private final InetSocketAddress address;
    private final @Nullable SSLContext tls;
    private final String host;

    /**
     * A probe.
     *
     * @param tls how to trust the engine; null for plain HTTP
     * @param host the name for the header {@code Host}
     */
    EngineProbe(InetSocketAddress address, @Nullable SSLContext tls, String host) {
        this.address = address;
        this.tls = tls;
        this.host = host;
    }

    /**
     * Gets a path and returns the status of the answer.
     *
     * @param limit longest time in total
     * @throws TimeoutException if no answer came in this time
     * @throws IOException if there is no connection, or no answer of HTTP
     */
    int status(String path, Duration limit)
            throws IOException, TimeoutException, InterruptedException {
        try (Socket socket = new Socket()) {
            FutureTask<Integer> request = new FutureTask<>(() -> ask(socket, path));
            Thread _ = Thread.ofVirtual().name("engine-probe").start(request);
            return request.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private int ask(Socket socket, String path) throws IOException {
        socket.connect(address);
        String request =
                "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: stillwater-health\r\nConnection: close\r\n\r\n"
                        .formatted(path, host);
        Socket talking =
                tls == null
                        ? socket
                        : tls.getSocketFactory()
                                .createSocket(
                                        socket,
                                        address.getAddress().getHostAddress(),
                                        address.getPort(),
                                        true);
        try (talking) {
            talking.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String line = line(new BufferedInputStream(talking.getInputStream()));
            Matcher status = STATUS.matcher(line);
            if (!status.matches()) {
                throw new IOException("no answer of HTTP");
            }
            return Integer.parseInt(status.group(1));
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = in.read(); each >= 0 && each != '\n'; each = in.read()) {
            if (line.length() == LONGEST_LINE) {
                throw new IOException("no answer of HTTP");
            }
            line.append((char) each);
        }
        return line.toString().stripTrailing();
    }
}
