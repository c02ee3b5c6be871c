package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** One WebSocket on the stream; messages wait here until they are asked for. */
final class SocketReader implements WebSocket.Listener, AutoCloseable {

    final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
    final WebSocket socket;
    private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();

    SocketReader(RunningEngine engine, String query) {
        this.socket =
                HttpClient.newHttpClient()
                        .newWebSocketBuilder()
                        .buildAsync(
                                URI.create(
                                        engine.address().replace("http:", "ws:")
                                                + "/api/v1/stream/ws"
                                                + query),
                                this)
                        .join();
    }

    @Override
    public void onOpen(WebSocket opened) {
        opened.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        part.append(data);
        if (last) {
            messages.add(RunningEngine.JSON.readTree(part.toString()));
            part.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.add(code);
        return null;
    }

    JsonNode next() throws InterruptedException {
        JsonNode message = messages.poll(30, TimeUnit.SECONDS);
        assertThat(message).as("a message").isNotNull();
        return message;
    }

    JsonNode next(String type) throws InterruptedException {
        JsonNode message = next();
        while (!message.path("type").asString().equals(type)) {
            message = next();
        }
        return message;
    }

    /** All messages before the first heart-beat that has this revision. */
    List<JsonNode> upTo(long revision) throws InterruptedException {
        List<JsonNode> told = new ArrayList<>();
        JsonNode message = next();
        while (!message.path("type").asString().equals("heartbeat")
                || message.path("revision").asLong() < revision) {
            if (!message.path("type").asString().equals("heartbeat")) {
                told.add(message);
            }
            message = next();
        }
        return told;
    }

    @Override
    public void close() {
        socket.abort();
    }
}
