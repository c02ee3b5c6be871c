package org.stillwater.server.api.host;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.id.HostId;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.trust.Confirmation;
import org.stillwater.monitoring.trust.HostTrust;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;

/**
 * The certificate that a host is known by: {@code /api/v1/hosts/{id}/certificate}. A confirmation
 * names the certificate by its fingerprint, so that no other one is accepted by mistake.
 */
@RestController
@RequestMapping("/api/v1/hosts/{id}/certificate")
class HostCertificateController {

    private final MonitoringEngine engine;
    private final HostLists lists;
    private final Callers access;
    private final Duration patience;

    HostCertificateController(
            MonitoringEngine engine, HostLists lists, Callers access, RestSettings settings) {
        this.engine = engine;
        this.lists = lists;
        this.access = access;
        this.patience = settings.orderPatience();
    }

    /**
     * Binding of a host's certificate.
     *
     * @param binding {@code name}, {@code pinned}, {@code open} or {@code none}
     * @param fingerprint SHA-256 of the certificate that was accepted last
     * @param refused the certificate that waits for a confirmation
     */
    record Certificate(
            String binding,
            @Nullable String fingerprint,
            @Nullable String subject,
            @Nullable String since,
            @Nullable Refused refused) {

        static Certificate of(HostTrust trust) {
            CertificateBinding binding = trust.binding();
            HostTrust.Refused refused = trust.refused();
            if (binding == null) {
                return new Certificate("none", null, null, null, Refused.of(refused));
            }
            CertificateFingerprint fingerprint = binding.fingerprint();
            return new Certificate(
                    Json.word(binding.kind()),
                    fingerprint == null ? null : fingerprint.toString(),
                    fingerprint == null ? null : binding.subject(),
                    text(binding.since()),
                    Refused.of(refused));
        }
    }

    /**
     * A certificate that is refused.
     *
     * @param names its subject names
     * @param since when the host showed it first
     */
    record Refused(
            String fingerprint,
            String subject,
            String names,
            String notAfter,
            String why,
            String since) {

        static @Nullable Refused of(HostTrust.@Nullable Refused refused) {
            return refused == null
                    ? null
                    : new Refused(
                            refused.certificate().fingerprint().toString(),
                            refused.certificate().subject(),
                            refused.certificate().names().describe(),
                            text(refused.certificate().notAfter()),
                            refused.why(),
                            text(refused.since()));
        }
    }

    private static String text(Instant time) {
        return time.toString();
    }

    @GetMapping
    Certificate certificate(@PathVariable String id) {
        HostView host = lists.visible(Ids.host(id), access.current());
        if (host == null) {
            throw unknown(id);
        }
        return Certificate.of(host.trust());
    }

    /** 200 once it is durable, 202 when that takes long: it holds from now on in either case. */
    @PostMapping("/confirm")
    ResponseEntity<Certificate> confirm(@PathVariable String id, @RequestBody JsonNode body) {
        JsonObjectReader members = JsonObjectReader.of(body);
        String text = members.text("fingerprint");
        members.end();
        if (text == null || text.isBlank()) {
            throw ApiException.badRequest("fingerprint is missing");
        }
        CertificateFingerprint fingerprint;
        try {
            fingerprint = CertificateFingerprint.parse(text);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
        HostId host = Ids.host(id);
        return switch (engine.administration()
                .confirmCertificate(host, fingerprint, access.current().name())) {
            case null -> throw unknown(id);
            case Confirmation.NotShown(boolean waiting) ->
                    throw ApiException.conflict(
                            waiting
                                    ? "The host showed another certificate last; look at it again"
                                            + " and compare its fingerprint with the host's own."
                                    : "No certificate of the host waits for a confirmation.");
            case Confirmation.KnownAlready(CertificateBinding binding) ->
                    ResponseEntity.ok(Certificate.of(new HostTrust(binding, null)));
            case Confirmation.Confirmed(CertificateBinding binding) ->
                    ResponseEntity.status(isDurable() ? HttpStatus.OK : HttpStatus.ACCEPTED)
                            .body(Certificate.of(new HostTrust(binding, null)));
        };
    }

    private boolean isDurable() {
        try {
            return engine.flush(patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the server is stopping
            return false;
        }
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
    }
}
