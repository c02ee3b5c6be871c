package org.stillwater.server.api.host;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostProbe;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.AuditedAs;
import tools.jackson.databind.JsonNode;

/**
 * Tests the connection to a host before it is added: {@code /api/v1/hosts:test}, for
 * administrators. The answer shows the certificates of the host, so that a person can compare the
 * fingerprint with the host's own.
 */
@RestController
class HostTestController {

    /** Tests at a time; each opens two connections, one after the other. */
    private static final int MOST_TESTS = 4;

    private final HostProbe probe;
    private final Semaphore tests = new Semaphore(MOST_TESTS);

    HostTestController(HostProbe probe) {
        this.probe = probe;
    }

    /**
     * Result of a test.
     *
     * @param ready whether the agent of the host answers
     * @param why why not
     * @param encrypted whether the engine uses TLS for hosts
     * @param trusted whether TLS did not refuse the host or the engine; false cannot be changed by
     *     a confirmation. Null without a certificate
     * @param named whether the host's certificate is for this address; null without one
     * @param chain the certificates, the host's own first
     */
    record HostTest(
            boolean ready,
            @Nullable String why,
            boolean encrypted,
            @Nullable Boolean trusted,
            @Nullable Boolean named,
            List<TestedCertificate> chain) {}

    /**
     * One of them.
     *
     * @param names its subject names
     */
    record TestedCertificate(
            String fingerprint,
            String subject,
            String issuer,
            String names,
            String notBefore,
            String notAfter) {

        static TestedCertificate of(HostProbe.Shown shown) {
            HostCertificate certificate = shown.certificate();
            return new TestedCertificate(
                    certificate.fingerprint().toString(),
                    certificate.subject(),
                    shown.issuer(),
                    certificate.names().describe(),
                    shown.notBefore().toString(),
                    certificate.notAfter().toString());
        }
    }

    /** Nothing is changed, so nothing is in the audit log. */
    @AuditedAs({})
    @PostMapping("/api/v1/hosts:test")
    HostTest test(@RequestBody JsonNode body) {
        HostDefinition host = definition(JsonObjectReader.of(body));
        if (!tests.tryAcquire()) {
            throw ApiException.tooMany(MOST_TESTS + " hosts are being tested; try again.");
        }
        try {
            HostProbe.Result found = probe.test(host);
            HostFailure failure = found.failure();
            return new HostTest(
                    failure == null,
                    failure == null ? null : failure.describe(),
                    found.encrypted(),
                    found.chain().isEmpty() ? null : !(failure instanceof HostFailure.Untrusted),
                    found.chain().isEmpty()
                            ? null
                            : found.chain().getFirst().certificate().names().match(host.address()),
                    found.chain().stream().map(TestedCertificate::of).toList());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.unavailable("The engine is stopping.");
        } finally {
            tests.release();
        }
    }

    private static HostDefinition definition(JsonObjectReader body) {
        String address = HostController.address(body.requiredText("address"));
        int port = body.number("port", HostDefinition.DEFAULT_PORT);
        boolean olderAgent = body.flag("olderAgent", false);
        body.end();
        try {
            return new HostDefinition(
                    new HostId(UUID.randomUUID()),
                    address,
                    address,
                    port,
                    ClusterId.DEFAULT,
                    new HostTraits(false, false, false, olderAgent, ""));
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
    }
}
