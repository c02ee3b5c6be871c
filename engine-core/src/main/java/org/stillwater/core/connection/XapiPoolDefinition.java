package org.stillwater.core.connection;

import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;

/**
 * A XAPI pool that users add while the engine runs. The text form leaves the password out.
 *
 * @param id identity of the pool, which is that of its cluster as well
 * @param name unique name, 1–255 characters
 * @param addresses DNS names or IP addresses of hosts of the pool, 1 to {@value #MOST_ADDRESSES}
 * @param port TCP port of XAPI on all hosts, 1–65535
 * @param user name of the login, 1–255 characters
 * @param password its password
 * @param trust certificates of authorities in PEM; null if each host keeps its first certificate
 * @param encodings names of the encodings to try at each login, best first
 */
public record XapiPoolDefinition(
        ClusterId id,
        String name,
        List<String> addresses,
        int port,
        String user,
        String password,
        @Nullable String trust,
        List<String> encodings) {

    /** Port of XAPI with TLS. */
    public static final int DEFAULT_PORT = 443;

    /** A pool has 64 hosts at most. */
    public static final int MOST_ADDRESSES = 64;

    /** Longest name, address, user and password. */
    public static final int LONGEST_TEXT = 255;

    /** Longest text of authorities, characters. */
    public static final int LONGEST_TRUST = 65_536;

    public XapiPoolDefinition {
        addresses = List.copyOf(addresses);
        encodings = List.copyOf(encodings);
        require(isText(name), "a pool's name has 1 to 255 characters");
        require(
                !addresses.isEmpty() && addresses.size() <= MOST_ADDRESSES,
                "a pool has 1 to 64 addresses");
        require(
                addresses.stream().allMatch(XapiPoolDefinition::isText),
                "a pool's address has 1 to 255 characters");
        require(
                new HashSet<>(addresses).size() == addresses.size(),
                "a pool's addresses differ from each other");
        require(port >= 1 && port <= 65_535, "a pool's port is 1 to 65535, not " + port);
        require(isText(user), "a pool's user has 1 to 255 characters");
        require(password.length() <= LONGEST_TEXT, "a pool's password has at most 255 characters");
        require(
                trust == null || trust.length() <= LONGEST_TRUST,
                "the authorities of a pool have at most 65536 characters");
        require(!encodings.isEmpty(), "a pool has one encoding or more");
    }

    private static boolean isText(String text) {
        return !text.isBlank() && text.length() <= LONGEST_TEXT;
    }

    private static void require(boolean met, String rule) {
        if (!met) {
            throw new IllegalArgumentException(rule);
        }
    }

    /** Whether the password would go to the same hosts under the same name. */
    public boolean isReachedLike(XapiPoolDefinition other) {
        return addresses.equals(other.addresses)
                && port == other.port
                && user.equals(other.user)
                && (trust == null ? other.trust == null : trust.equals(other.trust));
    }

    /** Name and addresses. */
    @Override
    public String toString() {
        return "XapiPoolDefinition[" + name + " at " + addresses + ":" + port + "]";
    }
}
