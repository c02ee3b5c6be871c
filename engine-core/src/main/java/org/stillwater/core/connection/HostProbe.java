package org.stillwater.core.connection;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.trust.HostCertificate;

/**
 * Tests the connection to a host that is not added yet: whether its agent answers, and by which
 * certificates. No data is stored, and the host gets no request except the connection. Any thread;
 * a test blocks for at most the time limits of a connection.
 */
public interface HostProbe {

    /**
     * Tests it.
     *
     * @param host its address, port and traits; only these are used
     */
    Result test(HostDefinition host) throws InterruptedException;

    /**
     * Result of a test.
     *
     * @param encrypted whether the engine uses TLS for hosts
     * @param chain the certificates that the host showed, its own first; empty if it showed none
     * @param failure why the host cannot be used as it is; null if its agent answers
     */
    record Result(boolean encrypted, List<Shown> chain, @Nullable HostFailure failure) {

        public Result {
            chain = List.copyOf(chain);
        }
    }

    /**
     * A certificate as a host showed it; unlike that of a connection it may be one that is not
     * trusted.
     *
     * @param certificate the certificate
     * @param issuer its issuer, bounded and without control characters
     * @param notBefore when it begins
     */
    record Shown(HostCertificate certificate, String issuer, Instant notBefore) {

        public Shown {
            issuer = HostCertificate.presentable(issuer);
        }
    }
}
