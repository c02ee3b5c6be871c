package org.stillwater.server.security;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.stillwater.core.time.EngineClock;

/**
 * Requests of a provider's keys. The decoder requests them anew for each token with an unknown key
 * id, and a caller without any credentials can invent such ids: an address is requested once in a
 * pause, and in between its last answer counts, or its last failure. Keeps answers of the few
 * addresses of one provider. Thread-safe.
 */
final class KeyRequests implements ClientHttpRequestInterceptor {

    /**
     * Outcome of a request.
     *
     * @param answer null if there was none
     * @param failure null if there was an answer
     */
    private record Outcome(long atNanos, @Nullable Answer answer, @Nullable IOException failure) {}

    private final EngineClock clock;
    private final long pauseNanos;
    private final Map<URI, Outcome> outcomes = new HashMap<>(); // guarded by this

    /**
     * No address is requested yet.
     *
     * @param pauseNanos least time between two requests of an address
     */
    KeyRequests(EngineClock clock, long pauseNanos) {
        this.clock = clock;
        this.pauseNanos = pauseNanos;
    }

    @Override
    public synchronized ClientHttpResponse intercept(
            HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        Outcome last = outcomes.get(request.getURI());
        if (last == null || clock.nanoTime() - last.atNanos() >= pauseNanos) {
            last = requested(request, body, execution);
            outcomes.put(request.getURI(), last);
        }
        if (last.answer() == null) {
            IOException failure = last.failure();
            throw new IOException(failure == null ? "" : failure.getMessage(), failure);
        }
        return last.answer();
    }

    private Outcome requested(
            HttpRequest request, byte[] body, ClientHttpRequestExecution execution) {
        try (ClientHttpResponse response = execution.execute(request, body)) {
            Answer answer = new Answer(response);
            return new Outcome(clock.nanoTime(), answer, null);
        } catch (IOException e) {
            return new Outcome(clock.nanoTime(), null, e);
        }
    }

    /** An answer that can be read again and again. */
    private static final class Answer implements ClientHttpResponse {

        private final HttpStatusCode status;
        private final String statusText;
        private final HttpHeaders headers = new HttpHeaders();
        private final byte[] body;

        Answer(ClientHttpResponse read) throws IOException {
            status = read.getStatusCode();
            statusText = read.getStatusText();
            headers.addAll(read.getHeaders());
            body = read.getBody().readAllBytes();
        }

        @Override
        public HttpStatusCode getStatusCode() {
            return status;
        }

        @Override
        public String getStatusText() {
            return statusText;
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }

        @Override
        public InputStream getBody() {
            return new ByteArrayInputStream(body);
        }

        @Override
        public void close() {}
    }
}
