package org.stillwater.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.RSAKeyGenParameterSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.ovirt.action.ProxyTicketSigner;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.ProxyTicketSettings;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.JsonNode;

/** Tickets as oVirt's proxy reads them: its {@code TicketDecoder}, with the certificate given. */
class ProxyTicketsTest {

    private static final String DATA = "%7B%22host%22%3A%2210.9.0.11%22%7D";

    private final VirtualClock clock = new VirtualClock();

    /** Holds the engine's own pair, made once for the tests that need any pair. */
    @TempDir static Path ready;

    @TempDir Path folder;

    @BeforeAll
    static void makePair() throws Exception {
        ProxyTicketKey.Pair _ = keyIn(ready, Map.of(), new VirtualClock()).pair();
    }

    /** A new key takes seconds. */
    private void copyReadyPair() throws IOException {
        Path from = ready.resolve("proxy-tickets");
        Path to = Files.createDirectories(folder.resolve("proxy-tickets"));
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file)),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** Random bytes that are all the same. */
    private static final class Sevens extends SecureRandom {

        private static final long serialVersionUID = 1;

        @Override
        public void nextBytes(byte[] bytes) {
            Arrays.fill(bytes, (byte) 7);
        }
    }

    private ProxyTicketKey key(Map<String, String> more) {
        return keyIn(folder, more, clock);
    }

    private static ProxyTicketKey keyIn(Path folder, Map<String, String> more, VirtualClock clock) {
        Map<String, String> all = new HashMap<>(more);
        all.put("stillwater.data-folder", folder.toString());
        Binder binder = new Binder(new MapConfigurationPropertySource(all));
        return new ProxyTicketKey(
                settings(more), binder.bindOrCreate("stillwater", FleetSettings.class), clock);
    }

    private static ProxyTicketSettings settings(Map<String, String> more) {
        return new Binder(new MapConfigurationPropertySource(more))
                .bindOrCreate("stillwater.ovirt.proxy-tickets", ProxyTicketSettings.class);
    }

    private ProxyTickets tickets(ProxyTicketKey key, SecureRandom random) {
        return new ProxyTickets(key, settings(Map.of()), clock, random);
    }

    @Test
    void theProxyReadsATicketUntilItsTimeIsOver() throws Exception {
        copyReadyPair();
        ProxyTicketKey key = key(Map.of());
        ProxyTickets tickets = tickets(key, new SecureRandom());
        ProxyTicketDecoder proxy = new ProxyTicketDecoder(PemFiles.pem(key.pair().certificate()));
        String ticket = tickets.sign(DATA);
        assertThat(proxy.decode(ticket, clock.now())).isEqualTo(DATA);
        assertThat(proxy.decode(ticket, clock.now().plusSeconds(120))).isEqualTo(DATA);
        assertThatThrownBy(() -> proxy.decode(ticket, clock.now().plusSeconds(121)))
                .hasMessage("Ticket life time expired");
        assertThatThrownBy(() -> proxy.decode(ticket, clock.now().minusSeconds(1)))
                .hasMessage("Ticket life time expired");
        assertThat(ticket).doesNotContain("\n");
        JsonNode fields = ProxyTicketDecoder.fields(ticket);
        assertThat(PemFiles.certificates(fields.path("certificate").asString()))
                .containsExactly(key.pair().certificate());
        String forged =
                new String(Base64.getDecoder().decode(ticket), StandardCharsets.UTF_8)
                        .replace("10.9.0.11", "10.9.0.12");
        assertThatThrownBy(() ->
                        proxy.decode(
                                Base64.getEncoder()
                                        .encodeToString(forged.getBytes(StandardCharsets.UTF_8)),
                                clock.now()))
                .hasMessage("Invalid ticket signature");
    }

    @Test
    void aTicketIsMadeOfItsTimeAndItsRandomBytes() throws Exception {
        copyReadyPair();
        ProxyTicketKey key = key(Map.of());
        clock.advance(Duration.ofMillis(999));
        String ticket = tickets(key, new Sevens()).sign(DATA);
        JsonNode fields = ProxyTicketDecoder.fields(ticket);
        assertThat(fields.path("salt").asString()).isEqualTo("BwcHBwcHBwc=");
        assertThat(fields.path("validFrom").asString()).isEqualTo("20260101000000");
        assertThat(fields.path("validTo").asString()).isEqualTo("20260101000200");
        assertThat(fields.path("signedFields").asString()).isEqualTo("salt,validFrom,validTo,data");
        assertThat(fields.propertyNames())
                .containsExactly(
                        "salt",
                        "validFrom",
                        "validTo",
                        "data",
                        "signedFields",
                        "v2_signature",
                        "certificate");
        assertThat(tickets(key, new Sevens()).sign(DATA)).isEqualTo(ticket);
        assertThat(tickets(key, new SecureRandom()).sign(DATA)).isNotEqualTo(ticket);
    }

    @Test
    void theEnginesKeyStaysAndItsCertificateIsRenewed() throws Exception {
        copyReadyPair();
        ProxyTicketKey.Pair first = key(Map.of()).pair();
        Path kept = folder.resolve("proxy-tickets/key.pem");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rw-------");
        assertThat(first.key().getModulus().bitLength()).isEqualTo(3_072);
        ProxyTicketKey again = key(Map.of());
        assertThat(again.pair()).isEqualTo(first);
        clock.advance(Duration.ofDays(3_640));
        ProxyTicketKey.Pair renewed = again.pair();
        assertThat(renewed.key()).isEqualTo(first.key());
        X509Certificate certificate = renewed.certificate();
        assertThat(certificate).isNotEqualTo(first.certificate());
        assertThat(certificate.getPublicKey()).isEqualTo(first.certificate().getPublicKey());
        assertThat(certificate.getNotAfter().toInstant())
                .isAfter(clock.now().plus(Duration.ofDays(3_600)));
        assertThat(key(Map.of()).pair()).isEqualTo(renewed);
    }

    @Test
    void aForeignFileIsNotReplacedAndTheReasonIsGiven() throws Exception {
        Path file = Files.createDirectories(folder.resolve("proxy-tickets")).resolve("key.pem");
        Files.writeString(file, "mine");
        ProxyTickets tickets = tickets(key(Map.of()), new SecureRandom());
        assertThatThrownBy(() -> tickets.sign(DATA))
                .isInstanceOf(ProxyTicketSigner.Unusable.class)
                .hasMessageContaining("stillwater.ovirt.proxy-tickets.key")
                .hasRootCauseMessage("the engine did not write " + file);
        assertThat(file).hasContent("mine");
        Files.delete(file);
        assertThat(tickets.sign(DATA)).isNotEmpty();
    }

    private Map<String, String> given(Path certificate, Path key) {
        return Map.of(
                "stillwater.ovirt.proxy-tickets.certificate", certificate.toString(),
                "stillwater.ovirt.proxy-tickets.key", key.toString());
    }

    @Test
    void aPairThatTheSettingsNameIsUsed() throws Exception {
        copyReadyPair();
        ProxyTicketKey.Pair own = key(Map.of()).pair();
        Path certificate = folder.resolve("given.pem");
        Path secret = folder.resolve("given.key.pem");
        Files.writeString(certificate, PemFiles.pem(own.certificate()));
        Files.writeString(secret, PemFiles.pem(own.key()));
        ProxyTicketKey given = key(given(certificate, secret));
        assertThat(given.pair()).isEqualTo(own);
        clock.advance(Duration.ofDays(3_640));
        assertThat(given.pair()).as("the engine renews no certificate of others").isEqualTo(own);
        Files.writeString(secret, PemFiles.pem(otherKey()));
        assertThatThrownBy(() -> key(given(certificate, secret)))
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining("the key is not that of the certificate");
        Files.delete(secret);
        assertThatThrownBy(() -> key(given(certificate, secret)))
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining(secret.toString());
    }

    private static PrivateKey otherKey() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(new RSAKeyGenParameterSpec(2_048, BigInteger.valueOf(65_537)));
        return generator.generateKeyPair().getPrivate();
    }

    /** The engine's own certificate for TLS is of this kind. */
    @Test
    void aKeyThatTheProxyCannotCheckIsRefusedAtTheStart() throws Exception {
        OwnAuthority elliptic = new OwnAuthority(folder.resolve("elliptic"));
        elliptic.provide(
                Set.of("engine.example"), clock.now(), Duration.ofDays(30), Duration.ofDays(1));
        assertThatThrownBy(() -> key(given(elliptic.certificate(), elliptic.key())))
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining("a key of kind EC, and proxies check RSA signatures only");
    }
}
