package org.stillwater.server.xapi;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.trust.CertificateFingerprint;

/**
 * A pool as a user wants it.
 *
 * @param name its name in this engine
 * @param addresses addresses of its hosts
 * @param port TCP port of XAPI
 * @param user login name
 * @param password its password; null for the present one
 * @param trust authorities in PEM; null if each host keeps its first certificate
 * @param encodings encodings by name, best first
 * @param confirmed certificates that the user has compared with those of the hosts
 */
public record PoolWish(
        String name,
        List<String> addresses,
        int port,
        String user,
        @Nullable String password,
        @Nullable String trust,
        List<String> encodings,
        Set<CertificateFingerprint> confirmed) {

    public PoolWish {
        addresses = List.copyOf(addresses);
        encodings = List.copyOf(encodings);
        confirmed = Set.copyOf(confirmed);
    }

    /** Name and addresses. */
    @Override
    public String toString() {
        return "PoolWish[" + name + " at " + addresses + "]";
    }
}
