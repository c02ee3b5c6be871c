package org.stillwater.core.trust;

import java.util.List;
import java.util.stream.Collectors;

/** The sentence about a certificate that no trusted authority signed. Stateless. */
public final class AuthorityRefusal {

    /** Names of trusted authorities that a sentence lists. */
    private static final int MOST_NAMES = 5;

    private AuthorityRefusal() {}

    /**
     * Names the wanted authorities, then the one that signed.
     *
     * @param certificate the refused certificate, as in "the host's certificate"
     * @param trusted subjects of the trusted authorities
     * @param issuer authority that the certificate names
     */
    public static String describe(String certificate, List<String> trusted, String issuer) {
        return certificate
                + " is not signed by "
                + wanted(trusted)
                + (trusted.contains(issuer)
                        ? ", but by another one of the same name"
                        : ", but by " + issuer);
    }

    private static String wanted(List<String> trusted) {
        List<String> names = trusted.stream().distinct().toList();
        if (names.size() == 1) {
            return "the configured authority " + names.getFirst();
        }
        String listed = names.stream().limit(MOST_NAMES).collect(Collectors.joining("; "));
        int more = names.size() - MOST_NAMES;
        return "one of the configured authorities "
                + listed
                + (more > 0 ? "; and " + more + " more" : "");
    }
}
