package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLException;

/** HTTP/1.1 to the hosts of a pool. Bodies have a length, answers are read as they come. */
final class NetworkTransport implements Transport {

    /** Named plainly: pools limit clients by it. */
    private static final String USER_AGENT = "Stillwater";

    private final PoolAccess access;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;

    NetworkTransport(PoolAccess access, CertificatePins pins) {
        this.access = access;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(access.connectTimeout())
                        .executor(threads);
        if (access.tls()) {
            builder.sslContext(PinningTrust.context(pins, access.authorities()));
        }
        this.client = builder.build();
    }

    private HttpRequest.Builder to(String address, String path, Duration timeout) {
        String scheme = access.tls() ? "https" : "http";
        String host = address.contains(":") ? "[" + address + "]" : address;
        return HttpRequest.newBuilder(
                        URI.create(scheme + "://" + host + ":" + access.port() + path))
                .timeout(timeout)
                .header("User-Agent", USER_AGENT);
    }

    @Override
    public Answer post(
            String address, String path, String contentType, byte[] body, Duration timeout)
            throws IOException {
        return send(
                to(address, path, timeout)
                        .header("Content-Type", contentType)
                        .header("Accept", contentType)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build());
    }

    @Override
    public Answer get(String address, String path, String accept, Duration timeout)
            throws IOException {
        return send(to(address, path, timeout).header("Accept", accept).GET().build());
    }

    private Answer send(HttpRequest request) throws IOException {
        try {
            HttpResponse<InputStream> response =
                    client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("content-type").orElse(""),
                    response.body());
        } catch (SSLException e) {
            throw new XapiException.Untrusted(request.uri().getHost() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException("stopped");
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        threads.shutdownNow();
    }
}
