package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.stillwater.dal.TestDatabase;
import org.stillwater.server.StillwaterApplication;

/** The health check of an engine, by its settings. */
@Timeout(300)
class HealthProgramIT {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @TempDir Path folder;

    private int health(List<String> options, String... more) {
        out.reset();
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        PrintStream into = new PrintStream(out, true, StandardCharsets.UTF_8);
        return HealthProgram.run(all, into, into);
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private static List<String> options(Path data, int port) {
        return List.of(
                "--server.address=0.0.0.0",
                "--server.port=" + port,
                "--stillwater.tls.enabled=true",
                "--stillwater.data-folder=" + data,
                "--stillwater.http.allowed-hosts=engine.example,192.0.2.7");
    }

    private static ConfigurableApplicationContext engine(
            TestDatabase database, List<String> options) {
        List<String> all = new ArrayList<>(options);
        all.add("--spring.datasource.url=" + database.jdbcUrl());
        all.add("--spring.datasource.username=" + database.worker().user());
        all.add("--spring.datasource.password=" + database.worker().password());
        all.add("--stillwater.database.migration.username=" + database.owner().user());
        all.add("--stillwater.database.migration.password=" + database.owner().password());
        return new SpringApplicationBuilder(StillwaterApplication.class)
                .registerShutdownHook(false)
                .run(all.toArray(String[]::new));
    }

    /** A certificate that did not sign the engine's. */
    private static String anyAuthority() throws Exception {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init((KeyStore) null);
        byte[] encoded =
                ((X509TrustManager) trust.getTrustManagers()[0])
                        .getAcceptedIssuers()[0].getEncoded();
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder().encodeToString(encoded)
                + "\n-----END CERTIFICATE-----\n";
    }

    @Test
    void anEngineIsReadyByItsSettingsAndItsOwnCertificate() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        try (TestDatabase database = TestDatabase.migrated()) {
            int port;
            List<String> options;
            try (ConfigurableApplicationContext engine = engine(database, options(data, 0))) {
                port =
                        Integer.parseInt(
                                String.valueOf(
                                        engine.getEnvironment().getProperty("local.server.port")));
                options = options(data, port);
                assertThat(health(options)).as(this::said).isZero();
                assertThat(said()).isEqualTo("https://127.0.0.1:" + port + " is ready\n");

                AvailabilityChangeEvent.publish(engine, ReadinessState.REFUSING_TRAFFIC);
                assertThat(health(options)).isEqualTo(1);
                assertThat(said()).contains("is not ready: it answers 503");
                assertThat(health(options, "--live")).as(this::said).isZero();
                assertThat(said()).contains("is alive");

                Path other = Files.createDirectories(folder.resolve("other/tls")).getParent();
                assertThat(health(options(other, port))).isEqualTo(1);
                assertThat(said())
                        .contains("the engine's certificate cannot be read", "server.pem");
                Files.writeString(other.resolve("tls/ca.pem"), anyAuthority());
                Files.writeString(other.resolve("tls/server.pem"), anyAuthority());
                assertThat(health(options(other, port))).isEqualTo(1);
                assertThat(said()).contains("does not answer with the engine's certificate");
            }
            assertThat(health(options)).isEqualTo(1);
            assertThat(said()).contains("nothing accepts connections at https://127.0.0.1:" + port);
        }
    }

    @Test
    void aPortThatIsSilentOrNoEngineEndsInTime() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<String> options =
                    List.of(
                            "--server.port=" + silent.getLocalPort(),
                            "--stillwater.tls.enabled=false",
                            "--stillwater.data-folder=" + folder);
            assertThat(health(options, "--timeout", "100ms")).isEqualTo(1);
            assertThat(said()).contains("does not answer within 100 ms");
            Thread _ =
                    Thread.ofVirtual()
                            .start(() -> {
                                for (int each = 0; each < 2; each++) {
                                    try (var client = silent.accept()) {
                                        client.getOutputStream()
                                                .write(
                                                        "x"
                                                                .repeat(5_000)
                                                                .getBytes(
                                                                        StandardCharsets.US_ASCII));
                                    } catch (IOException _) {
                                        // the program has left
                                    }
                                }
                            });
            assertThat(health(options)).isEqualTo(1);
            assertThat(said()).contains("does not answer: ");
        }
    }

    @Test
    void wrongUsageIsRefusedByName() {
        assertThat(health(List.of("--timeout=2m"))).isEqualTo(2);
        assertThat(said()).contains("--timeout needs a time from 100ms to 1m", "2m");
        assertThat(health(List.of("--timeout=soon"))).isEqualTo(2);
        assertThat(health(List.of("now"))).isEqualTo(2);
        assertThat(health(List.of("--server.port=0", "--stillwater.data-folder=" + folder)))
                .isEqualTo(1);
        assertThat(said()).contains("server.port is 0: name the port");
        assertThat(health(List.of("--help"))).isZero();
    }
}
