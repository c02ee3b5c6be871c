package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLException;
import org.stillwater.xapi.client.Decoder.Result;
import org.stillwater.xapi.client.Replies.Reply;

/** HTTP/1.1 to the hosts of a pool. Bodies have a length, replies are read as they come. */
final class Http implements AutoCloseable {

    /** Named plainly: pools limit clients by it. */
    private static final String USER_AGENT = "Stillwater";

    private final PoolAccess access;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;
    private volatile boolean repairs;

    Http(PoolAccess access, CertificatePins pins) {
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

    /** Calls one host. */
    <T> Reply<T> call(
            String address,
            XapiEncoding encoding,
            boolean oldNotation,
            String method,
            List<?> arguments,
            Duration timeout,
            Result<T> result)
            throws IOException {
        HttpRequest request =
                to(address, encoding.path(), timeout)
                        .header("Content-Type", encoding.contentType())
                        .header("Accept", encoding.contentType())
                        .POST(
                                HttpRequest.BodyPublishers.ofByteArray(
                                        CallWriter.write(encoding, method, arguments)))
                        .build();
        HttpResponse<InputStream> response = send(request);
        try (InputStream body = repairs ? new Utf8Repair(response.body()) : response.body()) {
            String type = response.headers().firstValue("content-type").orElse("");
            if (response.statusCode() != 200 || !type.startsWith(encoding.contentType())) {
                throw new XapiException.Protocol(
                        address + " answers " + response.statusCode() + " " + type, null);
            }
            return Replies.read(encoding, oldNotation, body, result);
        }
    }

    /** From now on bytes that are no UTF-8 cost no reply. */
    void repairTexts() {
        repairs = true;
    }

    /** Reads a URL that is no call. */
    HttpResponse<InputStream> get(String address, String path, String accept, Duration timeout)
            throws IOException {
        return send(to(address, path, timeout).header("Accept", accept).GET().build());
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
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
