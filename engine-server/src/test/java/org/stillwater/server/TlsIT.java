package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;

/** An engine with TLS and a certificate of its own. */
class TlsIT {

    @TempDir private static Path folder;

    private static TestDatabase database;
    private static RunningEngine engine;

    @BeforeAll
    static void start() {
        database = TestDatabase.migrated();
        engine =
                RunningEngine.start(
                        database,
                        List.of(),
                        "--stillwater.tls.enabled=true",
                        "--stillwater.tls.folder=" + folder.resolve("pki"),
                        "--stillwater.tls.check-interval=100ms",
                        "--stillwater.tls.names=engine.example,192.0.2.7",
                        "--stillwater.http.head-timeout=5s",
                        "--stillwater.http.body-timeout=7s",
                        "--stillwater.http.body-rate=1MB");
    }

    @AfterAll
    static void stop() {
        engine.close();
        database.close();
    }

    private static SSLContext trusting(X509Certificate authority) throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null);
        trusted.setCertificateEntry("ca", authority);
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static X509Certificate certificate(String pem) throws Exception {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
    }

    private static X509Certificate authority() throws Exception {
        return certificate(Files.readString(folder.resolve("pki/ca.pem")));
    }

    private static HttpResponse<String> get(String path) throws Exception {
        try (HttpClient client =
                HttpClient.newBuilder().sslContext(trusting(authority())).build()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create(engine.address().replace("http:", "https:") + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void clientsTrustItByItsAuthorityAndSpeakHttp2() throws Exception {
        HttpResponse<String> answer = get("/api/v1/summary");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(answer.headers().firstValue("Strict-Transport-Security")).isPresent();
        assertThat(answer.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
    }

    /**
     * Parts as large as Tomcat lets pass, each long before the time limit of a single read. The
     * stream ends, and not its connection, for which the time limit of a head was over before.
     */
    @Test
    @Timeout(60)
    void aBodyOverHttp2HasToComeInTime() throws Exception {
        byte[] part = new byte[2_048];
        Arrays.fill(part, (byte) 'x');
        try (HttpClient client = HttpClient.newBuilder().sslContext(trusting(authority())).build();
                SubmissionPublisher<ByteBuffer> body = new SubmissionPublisher<>();
                ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
            CompletableFuture<HttpResponse<String>> answer =
                    client.sendAsync(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    engine.address().replace("http:", "https:")
                                                            + "/ovirt-engine/sso/oauth/token"))
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .POST(HttpRequest.BodyPublishers.fromPublisher(body))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            var _ =
                    timer.scheduleAtFixedRate(
                            () -> {
                                int _ = body.offer(ByteBuffer.wrap(part), null);
                            },
                            0,
                            100,
                            TimeUnit.MILLISECONDS);
            assertThat(answer.handle((given, e) -> e == null ? given.body() : e.toString()).get())
                    .contains("RST_STREAM");
        }
    }

    /** The first frame of the server has its settings (RFC 9113, 3.4 and 6.5). */
    @Test
    @Timeout(60)
    void aConnectionOfHttp2HasFewStreams() throws Exception {
        URI address = URI.create(engine.address());
        try (SSLSocket socket =
                (SSLSocket)
                        trusting(authority())
                                .getSocketFactory()
                                .createSocket(address.getHost(), address.getPort())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.getOutputStream()
                    .write(
                            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
                                    .getBytes(StandardCharsets.ISO_8859_1));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int lengthAndType = in.readInt();
            assertThat(lengthAndType & 0xff).as("SETTINGS").isEqualTo(4);
            int _ = in.skipBytes(5);
            Map<Short, Integer> settings = new HashMap<>();
            for (int left = lengthAndType >>> 8; left > 0; left -= 6) {
                settings.put(in.readShort(), in.readInt());
            }
            short mostStreams = 3;
            assertThat(settings).containsEntry(mostStreams, 32);
        }
    }

    @Test
    void theCertificateHasEveryNameAndItsKeysAreItsOwners() throws Exception {
        X509Certificate mine = certificate(Files.readString(folder.resolve("pki/server.pem")));
        assertThat(mine.getSubjectAlternativeNames().toString())
                .contains("localhost", "127.0.0.1", "engine.example", "192.0.2.7");
        for (String key : List.of("pki/ca.key.pem", "pki/server.key.pem")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(folder.resolve(key))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void theAuthorityIsHandedOut() throws Exception {
        HttpResponse<String> plain = get("/ca.crt");
        assertThat(certificate(plain.body())).isEqualTo(authority());
        HttpResponse<String> pem =
                get(
                        "/ovirt-engine/services/pki-resource?resource=ca-certificate&format=X509-PEM-CA");
        assertThat(pem.body()).isEqualTo(plain.body());
        assertThat(pem.headers().firstValue("Content-Type")).contains("application/x-x509-ca-cert");
        HttpResponse<String> mine =
                get(
                        "/ovirt-engine/services/pki-resource?resource=engine-certificate&format=X509-PEM");
        assertThat(mine.headers().firstValue("Content-Type")).contains("application/x-x509-cert");
        assertThat(certificate(mine.body()).getIssuerX500Principal())
                .isEqualTo(authority().getSubjectX500Principal());
        HttpResponse<String> ssh =
                get(
                        "/ovirt-engine/services/pki-resource?resource=engine-certificate&format=OPENSSH-PUBKEY");
        assertThat(ssh.body()).startsWith("ecdsa-sha2-nistp256 ");
        assertThat(ssh.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
        HttpResponse<String> tickets =
                get(
                        "/ovirt-engine/services/pki-resource?resource=proxy-ticket-certificate&format=X509-PEM");
        assertThat(certificate(tickets.body()).getPublicKey().getAlgorithm()).isEqualTo("RSA");
        assertThat(
                        get("/ovirt-engine/services/pki-resource?resource=proxy-ticket-certificate&format=X509-PEM-CA")
                                .statusCode())
                .isEqualTo(400);
        assertThat(
                        get("/ovirt-engine/services/pki-resource?resource=x&format=X509-PEM")
                                .statusCode())
                .isEqualTo(400);
        assertThat(
                        get("/ovirt-engine/services/pki-resource?resource=ca-certificate&format=x")
                                .statusCode())
                .isEqualTo(400);
        assertThat(get("/ovirt-engine/services/pki-resource").statusCode()).isEqualTo(400);
    }

    @Test
    void aChangedCertificateIsTakenWithoutARestart() throws Exception {
        Path file = folder.resolve("pki/server.pem");
        X509Certificate before = certificate(Files.readString(file));
        // Without its certificate the engine makes itself another.
        Files.move(file, folder.resolve("old.pem"), StandardCopyOption.REPLACE_EXISTING);
        RunningEngine.await(
                () -> {
                    try {
                        return !get("/ca.crt")
                                .sslSession()
                                .orElseThrow()
                                .getPeerCertificates()[0]
                                .equals(before);
                    } catch (Exception e) {
                        return false;
                    }
                },
                () -> "still the certificate of before");
        assertThat(certificate(Files.readString(file))).isNotEqualTo(before);
    }
}
