package org.stillwater.server.tls;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.ovirt.action.ProxyTicketSigner.Unusable;

/**
 * Certificates for clients that are to trust them, without a login (REST specification §1.6). The
 * authority of QEMU's certificates is the engine's, as in oVirt.
 */
@RestController
class PkiController {

    private static final String AUTHORITY = "application/x-x509-ca-cert";
    private static final String CERTIFICATE = "application/x-x509-cert";
    private static final int POINT_BYTES = 32;

    /** A resource that oVirt does not have: there, the engine's certificate checks tickets. */
    private static final String TICKETS = "proxy-ticket-certificate";

    private final EngineCertificate certificates;
    private final ProxyTicketKey tickets;

    PkiController(EngineCertificate certificates, ProxyTicketKey tickets) {
        this.certificates = certificates;
        this.tickets = tickets;
    }

    @GetMapping("/ca.crt")
    ResponseEntity<String> authority() {
        X509Certificate authority = certificates.authority();
        return authority == null ? none() : text(200, AUTHORITY, PemFiles.pem(authority));
    }

    @GetMapping("/ovirt-engine/services/pki-resource")
    ResponseEntity<String> resource(
            @RequestParam(defaultValue = "") String resource,
            @RequestParam(defaultValue = "") String format) {
        return switch (resource) {
            case "ca-certificate", "qemu-ca-certificate" ->
                    certificate(certificates.authority(), format, true);
            case "engine-certificate" -> certificate(certificates.certificate(), format, false);
            case TICKETS -> tickets(format);
            default ->
                    refuse(
                            "Unknown resource; there are ca-certificate, engine-certificate, "
                                    + TICKETS
                                    + " and qemu-ca-certificate.");
        };
    }

    private ResponseEntity<String> tickets(String format) {
        try {
            return certificate(tickets.pair().certificate(), format, false);
        } catch (Unusable e) {
            return text(
                    503, MediaType.TEXT_PLAIN_VALUE, "No certificate: " + e.getMessage() + "\n");
        }
    }

    private static ResponseEntity<String> certificate(
            @Nullable X509Certificate certificate, String format, boolean authority) {
        return switch (format) {
            case "X509-PEM-CA" ->
                    !authority
                            ? refuse("This certificate is no authority's.")
                            : certificate == null
                                    ? none()
                                    : text(200, AUTHORITY, PemFiles.pem(certificate));
            case "X509-PEM" ->
                    certificate == null
                            ? none()
                            : text(200, CERTIFICATE, PemFiles.pem(certificate));
            case "OPENSSH-PUBKEY" -> certificate == null ? none() : key(certificate.getPublicKey());
            default ->
                    refuse("Unknown format; there are X509-PEM-CA, X509-PEM and OPENSSH-PUBKEY.");
        };
    }

    private static ResponseEntity<String> key(PublicKey key) {
        String line = openSsh(key);
        return line == null
                ? refuse("OpenSSH does not support this type of key.")
                : text(200, MediaType.TEXT_PLAIN_VALUE, line + " ovirt-engine\n");
    }

    private static ResponseEntity<String> refuse(String why) {
        return text(400, MediaType.TEXT_PLAIN_VALUE, why + "\n");
    }

    private static ResponseEntity<String> none() {
        return text(
                404,
                MediaType.TEXT_PLAIN_VALUE,
                "The engine speaks no TLS, or its authority is not known to it.\n");
    }

    private static ResponseEntity<String> text(int status, String type, String body) {
        return ResponseEntity.status(status).contentType(MediaType.parseMediaType(type)).body(body);
    }

    /** As in RFC 4253 §6.6 and RFC 5656 §3.1; null for other kinds of keys. */
    static @Nullable String openSsh(PublicKey key) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            if (key instanceof RSAPublicKey rsa) {
                put(out, "ssh-rsa".getBytes(StandardCharsets.US_ASCII));
                put(out, rsa.getPublicExponent().toByteArray());
                put(out, rsa.getModulus().toByteArray());
                return "ssh-rsa " + Base64.getEncoder().encodeToString(bytes.toByteArray());
            }
            if (key instanceof ECPublicKey ec && ec.getParams().getOrder().bitLength() == 256) {
                put(out, "ecdsa-sha2-nistp256".getBytes(StandardCharsets.US_ASCII));
                put(out, "nistp256".getBytes(StandardCharsets.US_ASCII));
                byte[] point = new byte[1 + 2 * POINT_BYTES];
                point[0] = 4; // both coordinates follow in full
                coordinate(ec.getW().getAffineX().toByteArray(), point, 1);
                coordinate(ec.getW().getAffineY().toByteArray(), point, 1 + POINT_BYTES);
                put(out, point);
                return "ecdsa-sha2-nistp256 "
                        + Base64.getEncoder().encodeToString(bytes.toByteArray());
            }
            return null;
        } catch (IOException e) {
            throw new IllegalStateException("a write to memory failed", e);
        }
    }

    private static void put(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void coordinate(byte[] number, byte[] into, int at) {
        byte[] plain =
                number.length > POINT_BYTES
                        ? Arrays.copyOfRange(number, number.length - POINT_BYTES, number.length)
                        : number;
        System.arraycopy(plain, 0, into, at + POINT_BYTES - plain.length, plain.length);
    }
}
