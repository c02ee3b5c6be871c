package org.stillwater.benchmarks.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A connection to a browser by the Chrome DevTools Protocol: commands with their answers, and
 * events. Any thread may send; events arrive on a thread of the connection, one after the other.
 */
final class DevTools implements AutoCloseable {

    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(10);

    /** The session of the browser itself, as opposed to a page's or a worker's. */
    static final String BROWSER = "";

    private final JsonMapper mapper = new JsonMapper();
    private final Map<Long, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final List<Consumer<Event>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong lastId = new AtomicLong();
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private CompletableFuture<WebSocket> sent;

    /**
     * An event.
     *
     * @param session of a page or worker; {@link #BROWSER} for the browser
     * @param method its name
     * @param parameters its content
     */
    record Event(String session, String method, JsonNode parameters) {}

    private DevTools(URI address) throws IOException {
        try {
            socket =
                    client.newWebSocketBuilder()
                            .connectTimeout(CONNECT_PATIENCE)
                            .buildAsync(address, new Receiver())
                            .join();
        } catch (CompletionException e) {
            client.close();
            throw new IOException("Chromium refuses a connection: " + e.getCause(), e);
        }
        sent = CompletableFuture.completedFuture(socket);
    }

    /** Connects to a browser. */
    static DevTools connect(URI address) throws IOException {
        return new DevTools(address);
    }

    /** Passes on every later event. */
    void listen(Consumer<Event> listener) {
        listeners.add(listener);
    }

    /**
     * Sends a command and waits for its result.
     *
     * @throws IOException if the browser refuses it, has ended, or does not answer in time
     */
    JsonNode call(String session, String method, Map<String, ?> parameters, Duration patience)
            throws IOException, InterruptedException {
        long id = lastId.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        try {
            Map<String, Object> message = new LinkedHashMap<>();
            message.put("id", id);
            message.put("method", method);
            message.put("params", parameters);
            if (!session.equals(BROWSER)) {
                message.put("sessionId", session);
            }
            send(mapper.writeValueAsString(message));
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(method + ": " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException(
                    method + " has no answer after " + patience.toSeconds() + " s", e);
        } finally {
            waiting.remove(id);
        }
    }

    /** A WebSocket takes one message at a time: each waits for the one before it. */
    private synchronized void send(String message) {
        sent = sent.thenCompose(open -> open.sendText(message, true));
    }

    private void receive(String text) {
        JsonNode message;
        try {
            message = mapper.readTree(text);
        } catch (JacksonException e) {
            fail(new IOException("Chromium sent no JSON", e));
            return;
        }
        if (message.has("id")) {
            CompletableFuture<JsonNode> answer = waiting.get(message.path("id").asLong());
            if (answer == null) {
                return; // the caller has given up
            }
            if (message.has("error")) {
                answer.completeExceptionally(
                        new IOException(message.path("error").path("message").asString()));
            } else {
                answer.complete(message.path("result"));
            }
            return;
        }
        Event event =
                new Event(
                        message.path("sessionId").asString(BROWSER),
                        message.path("method").asString(""),
                        message.path("params"));
        listeners.forEach(listener -> listener.accept(event));
    }

    private void fail(IOException failure) {
        waiting.values().forEach(answer -> answer.completeExceptionally(failure));
    }

    private final class Receiver implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                String message = text.toString();
                text.setLength(0);
                receive(message);
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            fail(new IOException("Chromium has closed the connection"));
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            fail(new IOException("the connection to Chromium broke: " + error, error));
        }
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
        client.close();
    }
}
