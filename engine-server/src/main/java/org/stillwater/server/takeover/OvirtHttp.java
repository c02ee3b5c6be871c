package org.stillwater.server.takeover;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.tls.EngineTrust;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An engine over HTTP: logs in at its single sign-on, reads, and logs out. Redirects are not
 * followed, so that the token reaches the named engine only. One thread at a time.
 */
public final class OvirtHttp implements OvirtReader, AutoCloseable {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final Duration CONNECT = Duration.ofSeconds(15);
    private static final Duration ANSWER = Duration.ofMinutes(5);

    /** Most bytes of one answer: a page of VMs takes a few MiB. */
    private static final int MOST_BYTES = 256 << 20;

    private final HttpClient client;
    private final String engine;
    private final String token;
    private final Duration longest;

    private OvirtHttp(HttpClient client, String engine, String token, Duration longest) {
        this.client = client;
        this.engine = engine;
        this.token = token;
        this.longest = longest;
    }

    /**
     * Logs in.
     *
     * @param url where the engine is: {@code https://engine.example}, with or without {@code
     *     /ovirt-engine} or {@code /ovirt-engine/api}
     * @param user with its profile, such as {@code admin@internal}
     * @param authority certificates that sign the engine's, PEM; null for those of this Java
     * @throws NotRead if it does not let us in
     */
    public static OvirtHttp login(URI url, String user, String password, @Nullable Path authority)
            throws NotRead {
        return login(url, user, password, authority, ANSWER);
    }

    /** The same, with the longest time to the head of each answer, and then to its end. */
    static OvirtHttp login(
            URI url, String user, String password, @Nullable Path authority, Duration longest)
            throws NotRead {
        String engine = engine(url);
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .connectTimeout(CONNECT)
                        .followRedirects(HttpClient.Redirect.NEVER);
        if (authority != null) {
            builder.sslContext(trusting(authority));
        }
        HttpClient client = builder.build();
        String form =
                "grant_type=password&scope=ovirt-app-api&username="
                        + URLEncoder.encode(user, StandardCharsets.UTF_8)
                        + "&password="
                        + URLEncoder.encode(password, StandardCharsets.UTF_8);
        JsonNode answer =
                send(
                        client,
                        HttpRequest.newBuilder(URI.create(engine + "/sso/oauth/token"))
                                .header("Accept", "application/json")
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .POST(HttpRequest.BodyPublishers.ofString(form)),
                        longest);
        String token = OvirtJson.text(answer, "access_token");
        if (token.isEmpty()) {
            throw new NotRead(
                    "the engine does not let " + user + " in: " + OvirtJson.text(answer, "error"));
        }
        return new OvirtHttp(client, engine, token, longest);
    }

    private static String engine(URI url) throws NotRead {
        String scheme = String.valueOf(url.getScheme());
        if (url.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
            throw new NotRead("an engine's address is https://NAME, not " + url);
        }
        String path = url.getPath() == null ? "" : url.getPath().replaceAll("/+$", "");
        path = path.replaceAll("/ovirt-engine(/api)?$", "");
        return scheme + "://" + url.getRawAuthority() + path + "/ovirt-engine";
    }

    private static SSLContext trusting(Path file) throws NotRead {
        try (InputStream in = Files.newInputStream(file)) {
            return EngineTrust.context(
                    CertificateFactory.getInstance("X.509").generateCertificates(in));
        } catch (IOException | GeneralSecurityException e) {
            throw new NotRead("the certificates in " + file + " cannot be used: " + e, e);
        }
    }

    @Override
    public JsonNode get(String path) throws NotRead {
        return send(
                client,
                HttpRequest.newBuilder(URI.create(engine + "/api" + path))
                        .header("Accept", "application/json")
                        .header("Authorization", "Bearer " + token)
                        .GET(),
                longest);
    }

    private static JsonNode send(HttpClient client, HttpRequest.Builder request, Duration longest)
            throws NotRead {
        HttpRequest built = request.timeout(longest).build();
        String what = built.method() + " " + built.uri().getPath();
        try {
            HttpResponse<InputStream> response =
                    client.send(built, HttpResponse.BodyHandlers.ofInputStream());
            byte[] body = body(response.body(), what, longest);
            boolean login = built.method().equals("POST");
            if (response.statusCode() != 200 && !(login && response.statusCode() == 400)) {
                throw new NotRead(what + " answers " + response.statusCode());
            }
            return MAPPER.readTree(body);
        } catch (IOException e) {
            throw new NotRead(reason(built.uri(), what, e), e);
        } catch (JacksonException e) {
            throw new NotRead(what + " answers no JSON: is this an oVirt engine?", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NotRead(what + " was interrupted", e);
        }
    }

    /** The request's own time limit ends with the head of the answer. */
    private static byte[] body(InputStream answer, String what, Duration longest)
            throws NotRead, InterruptedException {
        FutureTask<byte[]> reading = new FutureTask<>(() -> answer.readNBytes(MOST_BYTES + 1));
        try (answer) {
            Thread _ = Thread.ofVirtual().name("ovirt-answer").start(reading);
            byte[] body = reading.get(longest.toMillis(), TimeUnit.MILLISECONDS);
            if (body.length > MOST_BYTES) {
                throw new NotRead(what + " answers more than " + MOST_BYTES + " bytes");
            }
            return body;
        } catch (TimeoutException e) {
            throw new NotRead(
                    what + ": the answer has no end after " + longest.toSeconds() + " s", e);
        } catch (ExecutionException | IOException e) {
            throw new NotRead(
                    what
                            + ": the connection was closed in the middle of the answer ("
                            + (e.getCause() == null ? e : e.getCause()).getMessage()
                            + "): look at the log of the engine, or of a proxy before it, and try"
                            + " again",
                    e);
        }
    }

    /** The remedy for an operator, where the exception does not name it. */
    static String reason(URI url, String what, IOException e) {
        for (Throwable each = e; each != null; each = each.getCause()) {
            switch (each) {
                case UnresolvedAddressException _ -> {
                    return "there is no machine of the name " + url.getHost();
                }
                case CertificateException _ -> {
                    return "its certificate is not trusted: name the certificate of its authority"
                            + " by --ca or --engine-ca, of an oVirt engine"
                            + " /etc/pki/ovirt-engine/ca.pem, and its address by a name in the"
                            + " certificate ("
                            + each.getMessage()
                            + ")";
                }
                case HttpTimeoutException _ -> {
                    return what + ": no answer in time";
                }
                default -> {
                    // its cause may have the details
                }
            }
        }
        if (e instanceof ConnectException) {
            return "nothing accepts connections at " + url.getRawAuthority();
        }
        return what + ": " + e;
    }

    /** Logs out. */
    @Override
    public void close() {
        try {
            JsonNode _ =
                    send(
                            client,
                            HttpRequest.newBuilder(URI.create(engine + "/services/sso-logout"))
                                    .header("Accept", "application/json")
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "scope=ovirt-app-api&token=" + token)),
                            longest);
        } catch (NotRead _) {
            // the token ends by itself
        } finally {
            client.close();
        }
    }
}
