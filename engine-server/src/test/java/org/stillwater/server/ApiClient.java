package org.stillwater.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A client of both interfaces of one engine, over HTTP/1.1. Thread-safe. */
final class ApiClient {

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String address;

    /**
     * A client of the engine at this address.
     *
     * @param address {@code http://HOST:PORT}
     */
    ApiClient(String address) {
        this.address = address;
    }

    /** The header {@code Authorization} of a user with a password. */
    static String basic(String user, String password) {
        return "Basic "
                + Base64.getEncoder()
                        .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    String address() {
        return address;
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path));
    }

    /**
     * Sends a request with these headers and no others.
     *
     * @param body null for none
     * @param headers names and values in turn
     */
    HttpResponse<String> send(
            String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request =
                request(path)
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    HttpResponse<String> send(HttpRequest request) {
        return send(request, HttpResponse.BodyHandlers.ofString());
    }

    <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body) {
        try {
            return http.send(request, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> get(String path) {
        return send("GET", path, null);
    }

    HttpResponse<String> post(String path, String json) {
        return send("POST", path, json, "Content-Type", "application/json");
    }

    HttpResponse<String> post(String path) {
        return send("POST", path, null);
    }

    HttpResponse<String> put(String path, String json) {
        return send("PUT", path, json, "Content-Type", "application/json");
    }

    HttpResponse<String> delete(String path) {
        return send("DELETE", path, null);
    }

    /** The value of a path, which must exist. */
    JsonNode json(String path) {
        HttpResponse<String> answer = get(path);
        if (answer.statusCode() != 200) {
            throw new AssertionError(path + ": " + answer.statusCode() + " " + answer.body());
        }
        return RunningEngine.JSON.readTree(answer.body());
    }
}
