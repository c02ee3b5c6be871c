package org.stillwater.server.http;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.tomcat.util.http.MimeHeaders;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.settings.AddressRange;
import org.stillwater.server.settings.HttpSettings;

/**
 * Takes the headers {@code Forwarded} and {@code X-Forwarded-*} off every request, before anything
 * else reads it. If the peer is a trusted proxy, the request gets the client's address, scheme,
 * host and port that the proxy reports; so all other code sees one truth and no header that a
 * client can write. Thread-safe.
 */
final class ForwardedHeaders extends ValveBase {

    private static final String STANDARD = "forwarded";
    private static final String FAMILY = "x-forwarded-";
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private final List<AddressRange> proxies;
    private final HttpSettings.Forwarding forwarding;

    ForwardedHeaders(List<AddressRange> proxies, HttpSettings.Forwarding forwarding) {
        super(true);
        this.proxies = List.copyOf(proxies);
        this.forwarding = forwarding;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        MimeHeaders headers = request.getCoyoteRequest().getMimeHeaders();
        List<String> names = names(headers);
        if (!names.isEmpty()) {
            InetAddress peer = peer(request.getRemoteAddr());
            if (peer != null && isTrusted(peer)) {
                apply(
                        request,
                        forwarding == HttpSettings.Forwarding.STANDARD
                                ? ForwardedRequest.ofStandard(
                                        peer, this::isTrusted, name -> values(request, name))
                                : ForwardedRequest.ofFamily(
                                        peer, this::isTrusted, name -> values(request, name)));
            }
            names.forEach(headers::removeHeader);
        }
        getNext().invoke(request, response);
    }

    private static List<String> names(MimeHeaders headers) {
        List<String> names = List.of();
        for (int at = 0; at < headers.size(); at++) {
            if (!headers.getName(at).startsWithIgnoreCase(STANDARD, 0)
                    && !headers.getName(at).startsWithIgnoreCase(FAMILY, 0)) {
                continue;
            }
            String name = headers.getName(at).toString();
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.equals(STANDARD) || lower.startsWith(FAMILY)) {
                names = names.isEmpty() ? new ArrayList<>() : names;
                names.add(name);
            }
        }
        return names;
    }

    private static List<String> values(Request request, String name) {
        return Collections.list(request.getHeaders(name));
    }

    private boolean isTrusted(InetAddress address) {
        for (AddressRange range : proxies) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable InetAddress peer(@Nullable String address) {
        try {
            return address == null ? null : InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException _) {
            return null; // a local socket
        }
    }

    private static void apply(Request request, ForwardedRequest reported) {
        String address = reported.address().getHostAddress();
        request.setRemoteAddr(address);
        request.setRemoteHost(address);
        boolean wasUsual = request.getServerPort() == (request.isSecure() ? HTTPS : HTTP);
        if (reported.scheme() != null) {
            request.getCoyoteRequest().scheme().setString(reported.scheme());
            request.setSecure(reported.scheme().equals("https"));
        }
        if (reported.host() != null) {
            request.getCoyoteRequest().serverName().setString(reported.host());
        }
        int usual = request.isSecure() ? HTTPS : HTTP;
        if (reported.port() != 0) {
            request.getCoyoteRequest().setServerPort(reported.port());
        } else if (reported.host() != null || wasUsual) {
            request.getCoyoteRequest().setServerPort(usual);
        }
    }
}
