package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.stillwater.server.settings.OidcSettings;

class ProviderRegistrationTest {

    private static OidcSettings settings(String issuer, Duration timeout) {
        return new Binder(
                        new MapConfigurationPropertySource(
                                Map.of(
                                        "stillwater.security.oidc.issuer",
                                        issuer,
                                        "stillwater.security.oidc.client-id",
                                        "stillwater",
                                        "stillwater.security.oidc.timeout",
                                        timeout.toMillis() + "ms")))
                .bindOrCreate("stillwater.security.oidc", OidcSettings.class);
    }

    /** Many logins end together, where one after the other would take half a minute. */
    @Test
    @Timeout(20)
    void loginsWaitForASilentProviderTogetherAndNoLongerThanIsSet() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
                ExecutorService browsers = Executors.newVirtualThreadPerTaskExecutor()) {
            ProviderRegistration registration =
                    new ProviderRegistration(
                            settings(
                                    "http://127.0.0.1:" + silent.getLocalPort(),
                                    Duration.ofMillis(500)));
            List<Callable<ClientRegistration>> logins = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                logins.add(() -> registration.findByRegistrationId("oidc"));
            }
            for (Future<ClientRegistration> login : browsers.invokeAll(logins)) {
                assertThatThrownBy(login::get)
                        .isInstanceOf(ExecutionException.class)
                        .satisfies(failure ->
                                assertThat(ForeignTokens.reason(failure)).contains("timed out"));
            }
        }
    }

    @Test
    void aProviderThatComesBackIsAskedOnce() throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String issuer = "http://127.0.0.1:" + server.getAddress().getPort() + "/realm";
        AtomicInteger asked = new AtomicInteger();
        server.createContext(
                "/realm/.well-known/openid-configuration",
                exchange -> {
                    boolean back = asked.incrementAndGet() > 2;
                    byte[] body =
                            """
                            {"issuer": "%1$s", "authorization_endpoint": "%1$s/authorize",
                             "token_endpoint": "%1$s/token", "jwks_uri": "%1$s/jwks",
                             "response_types_supported": ["code"],
                             "subject_types_supported": ["public"],
                             "id_token_signing_alg_values_supported": ["RS256"]}
                            """
                                    .formatted(issuer)
                                    .getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "application/json");
                    exchange.sendResponseHeaders(back ? 200 : 503, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        try {
            ProviderRegistration registration =
                    new ProviderRegistration(settings(issuer, Duration.ofSeconds(10)));
            assertThat(registration.findByRegistrationId("another")).isNull();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> registration.findByRegistrationId("oidc"))
                        .hasMessageContaining("503");
            }
            ClientRegistration found = registration.findByRegistrationId("oidc");
            assertThat(found).isNotNull();
            assertThat(found.getProviderDetails().getTokenUri()).isEqualTo(issuer + "/token");
            assertThat(found.getClientSettings().isRequireProofKey()).isTrue();
            assertThat(registration.findByRegistrationId("oidc")).isSameAs(found);
            assertThat(asked).hasValue(3);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aProviderOfAnotherNameIsNone() throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/.well-known/openid-configuration",
                exchange -> {
                    byte[] body =
                            "{\"issuer\": \"https://another.example\"}"
                                    .getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "application/json");
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        try {
            ProviderRegistration registration =
                    new ProviderRegistration(
                            settings(
                                    "http://127.0.0.1:" + server.getAddress().getPort() + "/",
                                    Duration.ofSeconds(10)));
            assertThatThrownBy(() -> registration.findByRegistrationId("oidc"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("stillwater.security.oidc.issuer");
        } finally {
            server.stop(0);
        }
    }
}
