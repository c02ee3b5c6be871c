package org.stillwater.server.http;

import jakarta.servlet.ServletRequest;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The address that a request comes from, for the audit log and for limits. It is the peer of the
 * connection; behind a proxy that {@code stillwater.http.trusted-proxies} names, it is the address
 * that this proxy reports. A client cannot choose it. Stateless.
 */
public final class ClientAddress {

    /** Address of a connection that has none, as over a local socket. */
    private static final String UNKNOWN = "unknown";

    /** A client of IPv6 has a whole network of this many bytes to choose addresses from. */
    private static final int NETWORK_BYTES = 8;

    private ClientAddress() {}

    /** The address as text, for the audit log and for people. */
    public static String of(ServletRequest request) {
        return known(request.getRemoteAddr());
    }

    /**
     * The key under which limits count a client: an IPv4 address, or the /64 network of an IPv6
     * address, because one client chooses among 2^64 of those (RFC 4291, section 2.5.1).
     */
    public static String network(ServletRequest request) {
        return network(known(request.getRemoteAddr()));
    }

    private static String known(@Nullable String address) {
        return address == null || address.isEmpty() ? UNKNOWN : address;
    }

    /**
     * The key of an address.
     *
     * @param address the text of an address
     * @return the key, or the text itself if it is no address
     */
    public static String network(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        InetAddress parsed;
        try {
            parsed = InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException _) {
            return address;
        }
        return parsed instanceof Inet6Address && !parsed.isLoopbackAddress()
                ? inNetwork(Arrays.copyOf(parsed.getAddress(), NETWORK_BYTES))
                : parsed.getHostAddress();
    }

    private static String inNetwork(byte[] prefix) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < prefix.length; at += 2) {
            text.append(
                            Integer.toHexString(
                                    (Byte.toUnsignedInt(prefix[at]) << Byte.SIZE)
                                            | Byte.toUnsignedInt(prefix[at + 1])))
                    .append(':');
        }
        return text.append(":/64").toString();
    }
}
