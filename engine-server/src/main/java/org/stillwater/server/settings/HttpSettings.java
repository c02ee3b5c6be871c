package org.stillwater.server.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The engine's port, beside the settings {@code server.*}.
 *
 * @param sendBuffer bytes that the system buffers for one client that does not read them yet
 *     (SO_SNDBUF); 0 leaves it to the system, which takes some megabytes each for far or slow
 *     clients. A bound for thousands of slow readers of streams
 * @param connectionsPerAddress most connections from one address (of IPv6, one /64 network) at a
 *     time; further ones are closed at once. A proxy counts as one address
 * @param headTimeout longest time in total for a TLS handshake together with the head of the first
 *     request, and for the head of each further one; then the connection is no longer read. Over
 *     HTTP/2, the handshake only
 * @param bodyTimeout longest time in total for the bytes of a body, beside the time for its size at
 *     bodyRate. Over HTTP/2, a body that takes longer ends its stream only
 * @param bodyRate bytes in a second that extend the time of a body
 * @param trustedProxies addresses of trusted proxies, separated by commas, such as 192.0.2.10 or
 *     2001:db8::/64; the engine removes forwarded headers of all others
 * @param forwarding which headers those proxies write: x-forwarded (X-Forwarded-For, -Proto, -Host,
 *     -Port) or standard (Forwarded, RFC 7239). The engine removes the others, because a proxy
 *     passes on a client's own headers of that kind
 * @param allowedHosts names and addresses, by commas and without ports, by which clients may
 *     address the engine (header Host). Left out, these are the loopback names where requests
 *     without credentials have a role on a loopback address, and all names otherwise
 * @param allowedOrigins origins, separated by commas, of pages that may send changes, besides the
 *     engine's own, such as https://console.example.org
 */
@ConfigurationProperties("stillwater.http")
public record HttpSettings(
        @DefaultValue("0B") DataSize sendBuffer,
        @DefaultValue("1000") int connectionsPerAddress,
        @DefaultValue("20s") Duration headTimeout,
        @DefaultValue("30s") Duration bodyTimeout,
        @DefaultValue("1KB") DataSize bodyRate,
        @DefaultValue List<String> trustedProxies,
        @DefaultValue("x-forwarded") String forwarding,
        @DefaultValue List<String> allowedHosts,
        @DefaultValue List<String> allowedOrigins) {

    /** The kind of headers that proxies write. */
    public enum Forwarding {
        /** {@code X-Forwarded-For} and its family. */
        X_FORWARDED("x-forwarded"),
        /** {@code Forwarded} (RFC 7239). */
        STANDARD("standard");

        private final String label;

        Forwarding(String label) {
            this.label = label;
        }
    }

    public HttpSettings {
        Checks.size("http.send-buffer", sendBuffer, DataSize.ofBytes(0), DataSize.ofMegabytes(64));
        Checks.number("http.connections-per-address", connectionsPerAddress, 1, 1_000_000);
        Checks.duration(
                "http.head-timeout", headTimeout, Duration.ofMillis(100), Duration.ofMinutes(10));
        Checks.duration(
                "http.body-timeout", bodyTimeout, Duration.ofMillis(100), Duration.ofMinutes(10));
        Checks.size("http.body-rate", bodyRate, DataSize.ofBytes(1), DataSize.ofMegabytes(1));
        trustedProxies = trustedProxies.stream().map(String::strip).toList();
        for (String range : trustedProxies) {
            Checks.require(
                    AddressRange.isOne(range),
                    "http.trusted-proxies",
                    "addresses, or networks such as 192.0.2.0/24 without bits behind the prefix",
                    range);
        }
        Checks.require(
                forwardingOf(forwarding) != null,
                "http.forwarding",
                "x-forwarded or standard",
                forwarding);
        allowedHosts =
                allowedHosts.stream().map(each -> each.strip().toLowerCase(Locale.ROOT)).toList();
        for (String host : allowedHosts) {
            Checks.require(
                    host.matches("[0-9a-z._-]{1,253}|\\[[0-9a-f:.]{2,45}]"),
                    "http.allowed-hosts",
                    "names or addresses without a port; an IPv6 address in brackets",
                    host);
        }
        allowedOrigins =
                allowedOrigins.stream().map(each -> each.strip().toLowerCase(Locale.ROOT)).toList();
        for (String origin : allowedOrigins) {
            Checks.require(
                    isOrigin(origin),
                    "http.allowed-origins",
                    "a scheme, a host and perhaps a port, such as https://console.example.org",
                    origin);
        }
    }

    /** The proxies. */
    public List<AddressRange> proxies() {
        return trustedProxies.stream().map(AddressRange::of).toList();
    }

    /** The kind of headers that the proxies write. */
    public Forwarding forwardedBy() {
        return forwardingOf(forwarding) == Forwarding.STANDARD
                ? Forwarding.STANDARD
                : Forwarding.X_FORWARDED;
    }

    private static @Nullable Forwarding forwardingOf(String label) {
        for (Forwarding each : Forwarding.values()) {
            if (each.label.equals(label)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isOrigin(String text) {
        try {
            URI origin = new URI(text);
            return origin.getHost() != null
                    && List.of("http", "https").contains(String.valueOf(origin.getScheme()))
                    && origin.getRawUserInfo() == null
                    && origin.getRawPath().isEmpty()
                    && origin.getRawQuery() == null
                    && origin.getRawFragment() == null;
        } catch (URISyntaxException _) {
            return false;
        }
    }
}
