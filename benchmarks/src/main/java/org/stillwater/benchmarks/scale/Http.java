package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Plain HTTP to one program on this machine. */
public final class Http implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final URI base;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .build();

    /** To this port of the loopback address. */
    public Http(int port) {
        this.base = URI.create("http://127.0.0.1:" + port);
    }

    /** The port. */
    public int port() {
        return base.getPort();
    }

    /** The body, or null while the port is closed or the answer is not 200. */
    public @Nullable String tryGet(String path) throws InterruptedException {
        try {
            HttpResponse<String> answer = client.send(request(path), BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : null;
        } catch (IOException notThere) {
            return null;
        }
    }

    /** The body of the answer to a GET. */
    public String get(String path) throws IOException, InterruptedException {
        return body(path, client.send(request(path), BodyHandlers.ofString()));
    }

    /** The body of the answer with any status. */
    public String body(String path) throws IOException, InterruptedException {
        return client.send(request(path), BodyHandlers.ofString()).body();
    }

    /** The status of the answer to a POST. */
    public int status(String path, String json) throws IOException, InterruptedException {
        return client.send(posted(path, json), BodyHandlers.ofString()).statusCode();
    }

    /** The body of the answer to a POST. */
    public String post(String path, String json) throws IOException, InterruptedException {
        return body(path, client.send(posted(path, json), BodyHandlers.ofString()));
    }

    private HttpRequest posted(String path, String json) {
        return HttpRequest.newBuilder(base.resolve(path))
                .timeout(TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build();
    }

    void delete(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(base.resolve(path)).timeout(TIMEOUT).DELETE().build();
        String _ = body(path, client.send(request, BodyHandlers.ofString()));
    }

    /** An answer that continues until it is closed. */
    public InputStream open(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(base.resolve(path))
                        .header("Accept", "text/event-stream")
                        .build();
        HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
        if (answer.statusCode() != 200) {
            answer.body().close();
            throw new IOException(path + " answered " + answer.statusCode());
        }
        return answer.body();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(base.resolve(path)).timeout(TIMEOUT).build();
    }

    private static String body(String path, HttpResponse<String> answer) throws IOException {
        if (answer.statusCode() >= 300) {
            throw new IOException(path + " answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
