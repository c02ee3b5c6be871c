package org.stillwater.server.metrics;

import io.micrometer.core.ipc.http.HttpSender;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Sends meters to a collector and reads the status of its answer only: an answer without an end, or
 * a very long one, holds neither the next push nor the stop of the engine, which waits for a push
 * under way. A redirection is no success, because it would lose the meters. Thread-safe.
 */
final class CollectorSender implements HttpSender {

    private final HttpClient http;
    private final Duration timeout;

    /**
     * @param timeout longest time to connect, and from then on to the status of the answer
     */
    CollectorSender(Duration timeout) {
        this.timeout = timeout;
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(timeout)
                        .build();
    }

    @Override
    public Response send(Request request) throws IOException {
        HttpRequest.Builder wanted =
                HttpRequest.newBuilder(URI.create(request.getUrl().toString()))
                        .timeout(timeout)
                        .method(
                                request.getMethod().name(),
                                HttpRequest.BodyPublishers.ofByteArray(request.getEntity()));
        request.getRequestHeaders().forEach(wanted::header);
        try {
            // The client's timeout ends with the headers, so the body is not read.
            HttpResponse<InputStream> answer =
                    http.send(wanted.build(), HttpResponse.BodyHandlers.ofInputStream());
            answer.body().close();
            return new Response(answer.statusCode(), null);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while meters were pushed");
        }
    }
}
