package org.stillwater.server.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.ovirt.action.ProxyTicketSigner;
import org.stillwater.server.settings.ProxyTicketSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tickets in the form of oVirt's {@code TicketEncoder}: JSON in base64, with an RSA signature
 * (RSASSA-PSS with SHA-256, the longest salt) over the values of the fields that {@code
 * signedFields} lists, one after the other. oVirt's proxy takes no other kind of signature since
 * SHA-1 was given up. Thread-safe.
 */
@Component
class ProxyTickets implements ProxyTicketSigner {

    private static final int SALT_BYTES = 8;
    private static final String DIGEST = "SHA-256";
    private static final int DIGEST_BYTES = 32;

    /** To the second, in UTC. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ProxyTicketKey key;
    private final Duration validity;
    private final EngineClock clock;
    private final SecureRandom random;

    @Autowired
    ProxyTickets(ProxyTicketKey key, ProxyTicketSettings settings, EngineClock clock) {
        this(key, settings, clock, new SecureRandom());
    }

    ProxyTickets(
            ProxyTicketKey key,
            ProxyTicketSettings settings,
            EngineClock clock,
            SecureRandom random) {
        this.key = key;
        this.validity = settings.validity();
        this.clock = clock;
        this.random = random;
    }

    @Override
    public String sign(String data) throws Unusable {
        ProxyTicketKey.Pair pair = key.pair();
        try {
            return ticket(data, pair);
        } catch (GeneralSecurityException e) {
            throw new Unusable("the platform does not sign with this key: " + e.getMessage(), e);
        }
    }

    private String ticket(String data, ProxyTicketKey.Pair pair) throws GeneralSecurityException {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        Instant now = clock.now();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("salt", Base64.getEncoder().encodeToString(salt));
        fields.put("validFrom", TIME.format(now));
        fields.put("validTo", TIME.format(now.plus(validity)));
        fields.put("data", data);
        String signature = signature(String.join("", fields.values()), pair.key());
        fields.put("signedFields", String.join(",", fields.keySet()));
        fields.put("v2_signature", signature);
        fields.put("certificate", PemFiles.pem(pair.certificate()));
        return Base64.getEncoder()
                .encodeToString(JSON.writeValueAsString(fields).getBytes(StandardCharsets.UTF_8));
    }

    private String signature(String text, RSAPrivateKey secret) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("RSASSA-PSS");
        signature.setParameter(
                new PSSParameterSpec(
                        DIGEST,
                        "MGF1",
                        MGF1ParameterSpec.SHA256,
                        longestSalt(secret),
                        PSSParameterSpec.TRAILER_FIELD_BC));
        signature.initSign(secret, random);
        signature.update(text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(signature.sign());
    }

    /** Bytes of salt that fit beside the digest and two bytes of padding (RFC 8017 §9.1.1). */
    private static int longestSalt(RSAPrivateKey secret) {
        int encoded = (secret.getModulus().bitLength() - 1 + Byte.SIZE - 1) / Byte.SIZE;
        return encoded - DIGEST_BYTES - 2;
    }
}
