package org.stillwater.relay.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Health of the relay as JSON on loopback: 200 while its stream is open and every host is
 * connected, otherwise 503.
 */
final class HealthPage implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 5;

    private final HttpServer server;

    private HealthPage(HttpServer server) {
        this.server = server;
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
        server.createContext("/health", exchange -> answer(exchange, relay));
        server.start();
        return new HealthPage(server);
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
    }
}
