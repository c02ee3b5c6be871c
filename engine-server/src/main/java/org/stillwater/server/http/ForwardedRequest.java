package org.stillwater.server.http;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Report of trusted proxies about a request that they forward. Immutable.
 *
 * <p>Each proxy adds an address at the end of the list. The list is read from its end, and the
 * first address that is no trusted proxy's is the client's: the client sent the entries further
 * left and can write anything there. An entry that is no address ends the list as well.
 *
 * @param address the client
 * @param scheme {@code http} or {@code https} as the client used it, null if no proxy reports it
 * @param host name or address by which the client reached the first proxy, null if no proxy reports
 *     it
 * @param port its port, 0 if no proxy reports it
 */
record ForwardedRequest(
        InetAddress address, @Nullable String scheme, @Nullable String host, int port) {

    private static final int MOST_HOPS = 32;
    private static final int LAST_PORT = 65_535;

    private static final Pattern HOST =
            Pattern.compile("([0-9A-Za-z._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(?::([0-9]{1,5}))?");

    /**
     * A pair of RFC 7239: the name, and the value with or without quotes. Its quantifiers are
     * possessive: others make the matcher recurse for each character of a value, which is the
     * client's.
     */
    private static final Pattern PAIR =
            Pattern.compile(
                    "\\s*+([!#$%&'*+.^_`|~0-9A-Za-z-]++)"
                            + "=(\"(?:[^\"\\\\]++|\\\\.)*+\"|[^\\s\";,]*+)\\s*+");

    /**
     * Reads the {@code X-Forwarded-*} headers.
     *
     * @param peer the proxy that the connection is of
     * @param header all values of a header, in their order
     */
    static ForwardedRequest ofFamily(
            InetAddress peer,
            Predicate<InetAddress> trusted,
            Function<String, List<String>> header) {
        InetAddress client = client(peer, trusted, words(header.apply("X-Forwarded-For")));
        Authority authority = Authority.of(last(words(header.apply("X-Forwarded-Host"))));
        int port = port(last(words(header.apply("X-Forwarded-Port"))));
        return new ForwardedRequest(
                client,
                scheme(last(words(header.apply("X-Forwarded-Proto")))),
                authority == null ? null : authority.host(),
                port != 0 || authority == null ? port : authority.port());
    }

    /**
     * Reads the header {@code Forwarded} (RFC 7239).
     *
     * @param peer the proxy that the connection is of
     * @param header all values of a header, in their order
     */
    static ForwardedRequest ofStandard(
            InetAddress peer,
            Predicate<InetAddress> trusted,
            Function<String, List<String>> header) {
        List<String> nodes = new ArrayList<>();
        String scheme = null;
        Authority authority = null;
        for (String element : elements(header.apply("Forwarded"))) {
            String node = "";
            scheme = null;
            authority = null;
            Matcher pair = PAIR.matcher(element);
            int at = 0;
            while (at < element.length() && pair.region(at, element.length()).lookingAt()) {
                String value = unquoted(pair.group(2));
                switch (pair.group(1).toLowerCase(Locale.ROOT)) {
                    case "for" -> node = value;
                    case "proto" -> scheme = scheme(value);
                    case "host" -> authority = Authority.of(value);
                    default -> {
                        // the proxy's own address, or an extension
                    }
                }
                at = pair.end() + 1; // behind the semicolon
            }
            nodes.add(node);
        }
        return new ForwardedRequest(
                client(peer, trusted, nodes),
                scheme,
                authority == null ? null : authority.host(),
                authority == null ? 0 : authority.port());
    }

    private static InetAddress client(
            InetAddress peer, Predicate<InetAddress> trusted, List<String> nodes) {
        InetAddress client = peer;
        int hops = 0;
        for (int at = nodes.size() - 1; at >= 0 && hops++ < MOST_HOPS; at--) {
            InetAddress before = address(nodes.get(at));
            if (before == null) {
                return client;
            }
            client = before;
            if (!trusted.test(client)) {
                return client;
            }
        }
        return client;
    }

    /** An address with or without a port: {@code 192.0.2.1:80}, {@code [2001:db8::1]:80}. */
    private static @Nullable InetAddress address(String node) {
        String literal = node;
        if (node.startsWith("[")) {
            int end = node.indexOf(']');
            if (end < 0 || !node.substring(end + 1).matches("(:[0-9]{1,5})?")) {
                return null;
            }
            literal = node.substring(1, end);
        } else if (node.matches("[0-9.]+:[0-9]{1,5}")) {
            literal = node.substring(0, node.indexOf(':'));
        }
        if (!literal.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")) {
            return null; // a zone, a short form or a name
        }
        try {
            return InetAddress.ofLiteral(literal);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** A host and a port, 0 if there is none. */
    private record Authority(String host, int port) {

        static @Nullable Authority of(@Nullable String text) {
            Matcher parts = text == null ? null : HOST.matcher(text);
            if (parts == null || !parts.matches()) {
                return null;
            }
            return new Authority(
                    parts.group(1).toLowerCase(Locale.ROOT), ForwardedRequest.port(parts.group(2)));
        }
    }

    private static @Nullable String scheme(@Nullable String text) {
        String lower = text == null ? "" : text.toLowerCase(Locale.ROOT);
        return lower.equals("http") || lower.equals("https") ? lower : null;
    }

    private static int port(@Nullable String text) {
        if (text == null || !text.matches("[0-9]{1,5}")) {
            return 0;
        }
        int port = Integer.parseInt(text);
        return port <= LAST_PORT ? port : 0;
    }

    private static @Nullable String last(List<String> words) {
        return words.isEmpty() ? null : words.getLast();
    }

    /** Values of all lines, between commas. */
    private static List<String> words(List<String> lines) {
        List<String> words = new ArrayList<>();
        for (String line : lines) {
            for (String word : line.split(",", -1)) {
                words.add(word.strip());
            }
        }
        return words;
    }

    /** Elements between commas that stand in no quotes. */
    private static List<String> elements(List<String> lines) {
        List<String> elements = new ArrayList<>();
        for (String line : lines) {
            boolean quoted = false;
            int from = 0;
            for (int at = 0; at < line.length(); at++) {
                char c = line.charAt(at);
                if (c == '\\' && quoted) {
                    at++;
                } else if (c == '"') {
                    quoted = !quoted;
                } else if (c == ',' && !quoted) {
                    elements.add(line.substring(from, at));
                    from = at + 1;
                }
            }
            elements.add(line.substring(from));
        }
        return elements;
    }

    private static String unquoted(String value) {
        return value.startsWith("\"")
                ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1")
                : value;
    }
}
