package org.stillwater.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads tickets as oVirt's proxy does, which has a copy of the certificate. The text that is signed
 * consists of the values of the fields, in the order in which the ticket lists them; the salt of
 * the signature is the longest that the key allows.
 */
public final class ProxyTicketDecoder {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

    private final RSAPublicKey by;

    /** For the certificate in a PEM file. */
    public ProxyTicketDecoder(String pem) throws GeneralSecurityException {
        this.by = (RSAPublicKey) PemFiles.certificates(pem).getFirst().getPublicKey();
    }

    /**
     * The data of a ticket.
     *
     * @throws IllegalArgumentException if it is forged, or not valid at this time
     */
    public String decode(String ticket, Instant now) throws GeneralSecurityException {
        JsonNode fields = fields(ticket);
        List<String> signed = List.of(fields.path("signedFields").asString().split(",", -1));
        assertThat(signed).contains("salt", "data");
        int bytes = (by.getModulus().bitLength() + 6) / 8;
        Signature signature = Signature.getInstance("RSASSA-PSS");
        signature.setParameter(
                new PSSParameterSpec(
                        "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, bytes - 32 - 2, 1));
        signature.initVerify(by);
        for (String field : signed) {
            signature.update(fields.path(field).asString().getBytes(StandardCharsets.UTF_8));
        }
        if (!signature.verify(Base64.getDecoder().decode(fields.path("v2_signature").asString()))) {
            throw new IllegalArgumentException("Invalid ticket signature");
        }
        if (now.isBefore(time(fields, "validFrom")) || now.isAfter(time(fields, "validTo"))) {
            throw new IllegalArgumentException("Ticket life time expired");
        }
        return fields.path("data").asString();
    }

    static JsonNode fields(String ticket) {
        return JsonMapper.builder().build().readTree(Base64.getDecoder().decode(ticket));
    }

    private static Instant time(JsonNode fields, String name) {
        return LocalDateTime.parse(fields.path(name).asString(), TIME).toInstant(ZoneOffset.UTC);
    }
}
