package org.stillwater.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import tools.jackson.databind.json.JsonMapper;

/**
 * A small OpenID Connect provider: each user is logged in as {@link #person}. Codes are worth one
 * token, for the client and the proof that they were asked with.
 */
final class OidcIssuer implements AutoCloseable {

    static final String CLIENT = "stillwater";
    static final String SECRET = "the engine's own";

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

    /** The answer to a request for a token. */
    record Person(String name, Object roles) {}

    private record Asked(String nonce, String challenge, String redirect) {}

    private final HttpServer server;

    /** A provider that is started again has the keys that it had. */
    private static final KeyPair KEYS = pair();

    private static final KeyPair OTHERS = pair();

    private final Map<String, Asked> codes = new ConcurrentHashMap<>();

    volatile Person person = new Person("ada", List.of());

    /** Whether tokens are signed by a key that is not published. */
    volatile boolean forged;

    /** For whom tokens are made. */
    volatile String audience = CLIENT;

    private OidcIssuer(HttpServer server) {
        this.server = server;
    }

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts one on this port; 0 takes a free one. */
    static OidcIssuer start(int port) throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        OidcIssuer issuer = new OidcIssuer(server);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/realm/.well-known/openid-configuration", issuer::configuration);
        server.createContext("/realm/authorize", issuer::authorize);
        server.createContext("/realm/token", issuer::token);
        server.createContext("/realm/jwks", issuer::jwks);
        server.start();
        return issuer;
    }

    int port() {
        return server.getAddress().getPort();
    }

    String address() {
        return "http://127.0.0.1:" + port() + "/realm";
    }

    private void configuration(HttpExchange exchange) throws IOException {
        answer(
                exchange,
                200,
                Map.of(
                        "issuer", address(),
                        "authorization_endpoint", address() + "/authorize",
                        "token_endpoint", address() + "/token",
                        "jwks_uri", address() + "/jwks",
                        "response_types_supported", List.of("code"),
                        "subject_types_supported", List.of("public"),
                        "id_token_signing_alg_values_supported", List.of("RS256"),
                        "token_endpoint_auth_methods_supported", List.of("client_secret_basic")));
    }

    private void authorize(HttpExchange exchange) throws IOException {
        Map<String, String> asked = parameters(exchange.getRequestURI().getRawQuery());
        if (!CLIENT.equals(asked.get("client_id"))
                || !"code".equals(asked.get("response_type"))
                || !"S256".equals(asked.get("code_challenge_method"))
                || !asked.getOrDefault("scope", "").contains("openid")) {
            answer(exchange, 400, Map.of("error", "invalid_request"));
            return;
        }
        String code = UUID.randomUUID().toString();
        codes.put(
                code,
                new Asked(
                        asked.getOrDefault("nonce", ""),
                        asked.getOrDefault("code_challenge", ""),
                        asked.getOrDefault("redirect_uri", "")));
        exchange.getResponseHeaders()
                .set(
                        "Location",
                        asked.get("redirect_uri")
                                + "?code="
                                + code
                                + "&state="
                                + java.net.URLEncoder.encode(
                                        asked.getOrDefault("state", ""), StandardCharsets.UTF_8));
        exchange.sendResponseHeaders(302, -1);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        Map<String, String> asked =
                parameters(
                        new String(
                                exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        Asked known = codes.remove(asked.getOrDefault("code", ""));
        String credentials =
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString(
                                        (encoded(CLIENT) + ":" + encoded(SECRET))
                                                .getBytes(StandardCharsets.UTF_8));
        if (!credentials.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            answer(exchange, 401, Map.of("error", "invalid_client"));
        } else if (known == null
                || !known.redirect().equals(asked.get("redirect_uri"))
                || !known.challenge().equals(challenge(asked.getOrDefault("code_verifier", "")))) {
            answer(exchange, 400, Map.of("error", "invalid_grant"));
        } else {
            answer(
                    exchange,
                    200,
                    Map.of(
                            "access_token",
                            UUID.randomUUID().toString(),
                            "token_type",
                            "Bearer",
                            "expires_in",
                            300,
                            "id_token",
                            jwt(known.nonce(), Instant.now().plusSeconds(300))));
        }
    }

    private static String encoded(String text) {
        return java.net.URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String challenge(String verifier) {
        try {
            return URL.encodeToString(
                    MessageDigest.getInstance("SHA-256")
                            .digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void jwks(HttpExchange exchange) throws IOException {
        RSAPublicKey key = (RSAPublicKey) KEYS.getPublic();
        answer(
                exchange,
                200,
                Map.of(
                        "keys",
                        List.of(
                                Map.of(
                                        "kty", "RSA",
                                        "use", "sig",
                                        "alg", "RS256",
                                        "kid", "one",
                                        "n", URL.encodeToString(unsigned(key.getModulus())),
                                        "e",
                                                URL.encodeToString(
                                                        unsigned(key.getPublicExponent()))))));
    }

    private static byte[] unsigned(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return bytes[0] == 0 ? java.util.Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    /** A token about the person, signed. */
    String jwt(String nonce, Instant end) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", address());
        claims.put("sub", "subject-of-" + person.name());
        claims.put("aud", audience);
        claims.put("preferred_username", person.name());
        claims.put("realm", Map.of("roles", person.roles()));
        claims.put("iat", end.minusSeconds(300).getEpochSecond());
        claims.put("exp", end.getEpochSecond());
        if (!nonce.isEmpty()) {
            claims.put("nonce", nonce);
        }
        String text = part(Map.of("alg", "RS256", "kid", "one", "typ", "JWT")) + "." + part(claims);
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign((forged ? OTHERS : KEYS).getPrivate());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return text + "." + URL.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String part(Map<String, Object> json) {
        return URL.encodeToString(JSON.writeValueAsBytes(json));
    }

    private static Map<String, String> parameters(String form) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String each : (form == null ? "" : form).split("&", -1)) {
            int at = each.indexOf('=');
            if (at > 0) {
                all.put(
                        each.substring(0, at),
                        URLDecoder.decode(each.substring(at + 1), StandardCharsets.UTF_8));
            }
        }
        return all;
    }

    private static void answer(HttpExchange exchange, int status, Map<String, ?> json) {
        byte[] bytes = JSON.writeValueAsBytes(json);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
