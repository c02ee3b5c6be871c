package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.stillwater.server.settings.OidcSettings;
import org.stillwater.testkit.VirtualClock;

class ForeignTokensTest {

    private static final Duration PAUSE = Duration.ofSeconds(5);

    private HttpServer server;
    private String issuer;
    private RSAKey rsa;
    private ECKey elliptic;
    private OidcSettings settings;
    private ForeignTokens tokens;
    private volatile JWKSet published = new JWKSet();
    private volatile int status = 200;
    private final AtomicInteger requests = new AtomicInteger();
    private final VirtualClock clock = new VirtualClock();

    @BeforeEach
    void start() throws IOException, JOSEException {
        rsa = new RSAKeyGenerator(2048).keyID("one").algorithm(JWSAlgorithm.RS256).generate();
        elliptic =
                new ECKeyGenerator(Curve.P_256)
                        .keyID("two")
                        .algorithm(JWSAlgorithm.ES256)
                        .generate();
        published = new JWKSet(rsa);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        issuer = "http://127.0.0.1:" + server.getAddress().getPort();
        server.createContext(
                "/.well-known/openid-configuration",
                exchange ->
                        answer(
                                exchange,
                                "{\"issuer\": \"%1$s\", \"jwks_uri\": \"%1$s/jwks\"}"
                                        .formatted(issuer)));
        server.createContext(
                "/jwks",
                exchange -> {
                    requests.incrementAndGet();
                    answer(exchange, published.toString());
                });
        server.start();
        settings =
                new Binder(
                                new MapConfigurationPropertySource(
                                        Map.of(
                                                "stillwater.security.oidc.issuer",
                                                issuer,
                                                "stillwater.security.oidc.client-id",
                                                "stillwater")))
                        .bindOrCreate("stillwater.security.oidc", OidcSettings.class);
        tokens = new ForeignTokens(settings, clock);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private String signed(JWSAlgorithm algorithm, JWK key, @Nullable String type)
            throws JOSEException {
        SignedJWT token =
                new SignedJWT(
                        new JWSHeader.Builder(algorithm)
                                .keyID(key.getKeyID())
                                .type(type == null ? null : new JOSEObjectType(type))
                                .build(),
                        new JWTClaimsSet.Builder()
                                .issuer(issuer)
                                .subject("robot")
                                .audience(List.of("stillwater"))
                                .issueTime(Date.from(Instant.now()))
                                .expirationTime(Date.from(Instant.now().plusSeconds(300)))
                                .build());
        token.sign(key instanceof RSAKey of ? new RSASSASigner(of) : new ECDSASigner((ECKey) key));
        return token.serialize();
    }

    private @Nullable String owner(String token) {
        ForeignTokens.Bearer bearer = tokens.bearer(token);
        return bearer == null ? null : bearer.caller().name();
    }

    @Test
    void aProviderMayChangeToKeysOfAnotherAlgorithm() throws Exception {
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "JWT"))).isEqualTo("robot@oidc");
        String later = signed(JWSAlgorithm.ES256, elliptic, "JWT");
        assertThat(owner(later)).as("by a key that is not published").isNull();
        published = new JWKSet(elliptic);
        clock.advance(PAUSE);
        assertThat(owner(later)).isEqualTo("robot@oidc");
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "JWT"))).as("a former key").isNull();
    }

    @Test
    void aKeySignsByItsOwnAlgorithmOnly() throws Exception {
        assertThat(owner(signed(JWSAlgorithm.PS256, rsa, "JWT"))).isNull();
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "JWT"))).isEqualTo("robot@oidc");
    }

    @Test
    void accessTokensMayHaveTheTypeOfRfc9068() throws Exception {
        for (String type : new String[] {"JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"}) {
            assertThat(owner(signed(JWSAlgorithm.RS256, rsa, type)))
                    .as(type)
                    .isEqualTo("robot@oidc");
        }
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, null))).isEqualTo("robot@oidc");
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "logout+jwt"))).isNull();
    }

    private String invented(int number) throws JOSEException {
        RSAKey key = new RSAKey.Builder(rsa).keyID("invented-" + number).build();
        return signed(JWSAlgorithm.RS256, key, "JWT");
    }

    /** They need no credentials, and each made the engine request the keys. */
    @Test
    void inventedKeysMakeTheEngineRequestTheKeysSeldom() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(owner(invented(i))).isNull();
        }
        assertThat(requests).hasValue(1);
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "JWT"))).isEqualTo("robot@oidc");
        clock.advance(PAUSE);
        assertThat(owner(invented(20))).isNull();
        assertThat(owner(invented(21))).isNull();
        assertThat(requests).hasValue(2);
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "JWT"))).isEqualTo("robot@oidc");
    }

    @Test
    void keysThatTheProviderDoesNotGiveAreRequestedSeldom() throws Exception {
        assertThat(owner(invented(0))).isNull();
        requests.set(0);
        status = 503;
        clock.advance(PAUSE);
        for (int i = 0; i < 20; i++) {
            assertThat(owner(invented(i))).isNull();
        }
        assertThat(requests).hasValue(1);
        assertThat(owner(signed(JWSAlgorithm.RS256, rsa, "JWT")))
                .as("by a key that is known")
                .isEqualTo("robot@oidc");
    }

    private ClientRegistration.Builder registration() {
        return ClientRegistration.withRegistrationId("oidc")
                .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
                .clientId("stillwater")
                .redirectUri("{baseUrl}/login/oauth2/code/oidc")
                .authorizationUri(issuer + "/authorize")
                .tokenUri(issuer + "/token")
                .issuerUri(issuer);
    }

    /** A failure here would be no refused login, but an error of the engine. */
    @Test
    void anIdentityIsCheckedWithoutAnotherDiscovery() throws Exception {
        server.removeContext("/.well-known/openid-configuration");
        Jwt identity =
                OidcLogin.identities(settings)
                        .createDecoder(registration().jwkSetUri(issuer + "/jwks").build())
                        .decode(signed(JWSAlgorithm.RS256, rsa, "JWT"));
        assertThat(identity.getSubject()).isEqualTo("robot");
    }

    @Test
    void aProviderWithoutAnAddressOfKeysIsARefusedLogin() {
        ClientRegistration keyless = registration().build();
        assertThatThrownBy(() -> OidcLogin.identities(settings).createDecoder(keyless))
                .isInstanceOf(OAuth2AuthenticationException.class)
                .hasMessageContaining("jwks_uri");
    }
}
