package org.stillwater.relay.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Health of the relay as JSON on loopback: 200 while its stream is open and every host is
 * connected, otherwise 503. A request that does not end keeps no other one waiting.
 */
final class HealthPage implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 5;

    /** Longest time for the receipt of a request, as a property of the JDK's server. */
    private static final String REQUEST_SECONDS = "10";

    /** Most connections at the same time; further ones are closed. */
    private static final String MOST_CONNECTIONS = "64";

    private final HttpServer server;
    private final ExecutorService threads;

    private HealthPage(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * Limits the connections of every HTTP server of this process, unless its properties do: the
     * JDK knows no limits of one server. Before the first one is opened.
     */
    static void limitConnections() {
        limit("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
        limit("jdk.httpserver.maxConnections", MOST_CONNECTIONS);
    }

    private static void limit(String property, String usual) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, usual);
        }
    }

    /**
     * Opens the page.
     *
     * @param port of loopback; 0 for any free one
     */
    static HealthPage open(int port, Relay relay) throws IOException {
        HttpServer server =
                HttpServer.create(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 16);
        // Without threads of its own, the server reads one request after the other to its end.
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/health", exchange -> answer(exchange, relay));
        server.start();
        return new HealthPage(server, threads);
    }

    /** The port. */
    int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, Relay relay) throws IOException {
        try (exchange) {
            int code;
            String text;
            try {
                Relay.Status status =
                        relay.status().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
                code = status.isWell() ? 200 : 503;
                text = json(status);
            } catch (CompletionException busy) {
                code = 503;
                text = "{\"status\":\"DOWN\",\"reason\":\"the relay does not answer\"}\n";
            }
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** The page's text. */
    static String json(Relay.Status status) {
        StringBuilder json = new StringBuilder(256);
        json.append("{\"status\":\"").append(status.isWell() ? "UP" : "DOWN").append('"');
        member(json, "reason", status.trouble());
        json.append(",\"hosts\":[");
        String separator = "";
        for (HostWatch.HostStatus host : status.hosts()) {
            json.append(separator).append("{\"id\":\"").append(host.host().id()).append('"');
            member(json, "name", host.host().name());
            json.append(",\"connected\":").append(host.connected());
            member(json, "reason", host.reason());
            Instant polled = host.polledAt();
            member(json, "polledAt", polled == null ? null : polled.toString());
            json.append(",\"vms\":").append(host.vms());
            json.append(",\"eventsDropped\":").append(host.eventsDropped()).append('}');
            separator = ",";
        }
        return json.append("]}\n").toString();
    }

    private static void member(StringBuilder json, String name, @Nullable String text) {
        if (text == null) {
            return;
        }
        json.append(",\"").append(name).append("\":\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
