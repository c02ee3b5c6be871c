package org.stillwater.server.http;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The path by which the engine decides about a request: without the context path, decoded once,
 * without matrix parameters, with single slashes. Access, admission, audit, the guard against other
 * origins, and the form of errors all read this one path, so that no two of them can differ about a
 * request. Immutable.
 *
 * <p>Paths that different parts of a server could read differently are refused: an encoded slash,
 * backslash, semicolon, percent sign or control character, bytes that are no UTF-8, and the
 * segments {@code .} and {@code ..} in any writing. Clients of oVirt send {@code //} and matrix
 * parameters: these two are read on its interface only, and refused elsewhere.
 */
public final class RequestPath {

    /** Prefix of all paths of oVirt's interface. */
    private static final String OVIRT = "/ovirt-engine/";

    private static final String API = "/ovirt-engine/api";
    private static final Pattern SLASHES = Pattern.compile("/{2,}");
    private static final String ATTRIBUTE = RequestPath.class.getName();
    private static final int HEX = 16;

    private final String raw;
    private final String path;
    private final @Nullable String problem;

    private RequestPath(String raw, String path, @Nullable String problem) {
        this.raw = raw;
        this.path = path;
        this.problem = problem;
    }

    /** The path of a request; as far as it can be read if it is to be refused. */
    public static String of(HttpServletRequest request) {
        return read(request).path;
    }

    /** Why a request is to be refused for its path; null if it is not. */
    public static @Nullable String problem(HttpServletRequest request) {
        return read(request).problem;
    }

    /** The path in a raw one; as far as it can be read if it is to be refused. */
    public static String of(String raw) {
        return parse(raw).path;
    }

    /** Whether a path, as this class makes it, is of oVirt's interface. */
    public static boolean isOvirt(String path) {
        return path.startsWith(OVIRT);
    }

    /** Whether a path, as this class makes it, is another one or below it. */
    public static boolean isIn(String path, String parent) {
        return path.startsWith(parent)
                && (path.length() == parent.length() || path.charAt(parent.length()) == '/');
    }

    /** Read once for each request, and again where it is forwarded elsewhere. */
    private static RequestPath read(HttpServletRequest request) {
        String uri = request.getRequestURI();
        if (uri == null) {
            return parse("");
        }
        String context = request.getContextPath();
        String raw =
                context != null && !context.isEmpty() && uri.startsWith(context)
                        ? uri.substring(context.length())
                        : uri;
        if (request.getAttribute(ATTRIBUTE) instanceof RequestPath known && known.raw.equals(raw)) {
            return known;
        }
        RequestPath path = parse(raw);
        request.setAttribute(ATTRIBUTE, path);
        return path;
    }

    private static RequestPath parse(String raw) {
        if (!raw.startsWith("/")) {
            return new RequestPath(raw, raw, raw.equals("*") ? null : "it has no slash in front");
        }
        List<String> problems = new ArrayList<>(0);
        StringBuilder path = new StringBuilder(raw.length());
        boolean parameters = false;
        boolean emptied = false;
        for (int from = 0; from < raw.length(); ) {
            int end = raw.indexOf('/', from + 1);
            int to = end < 0 ? raw.length() : end;
            String segment = raw.substring(from + 1, to);
            int semicolon = segment.indexOf(';');
            String name = semicolon < 0 ? segment : segment.substring(0, semicolon);
            if (semicolon >= 0) {
                parameters = true;
                String _ = decoded(segment.substring(semicolon), problems);
            }
            String decoded = decoded(name, problems);
            if (decoded.equals(".") || decoded.equals("..")) {
                problems.add("it has a segment of dots");
            }
            if (decoded.indexOf(';') >= 0) {
                problems.add("it has an encoded semicolon");
            }
            if (!decoded.isEmpty() || to == raw.length()) {
                path.append('/').append(decoded);
            } else {
                emptied = true;
            }
            if (semicolon >= 0 && decoded.isEmpty()) {
                problems.add("it has a parameter of no segment");
            }
            from = to;
        }
        String all = path.toString();
        // Only as clients of oVirt write it: a prefix in another writing gets no exceptions.
        if (!raw.startsWith(OVIRT)) {
            if (parameters) {
                problems.add("it has a semicolon");
            }
            if (emptied) {
                problems.add("it has slashes in a row");
            }
        }
        if (isIn(all, API) && !isIn(SLASHES.matcher(raw).replaceAll("/"), API)) {
            // Tomcat finds the servlet by the decoded path, Spring by the raw one.
            problems.add("the path of the interface is not written as it is");
        }
        return new RequestPath(raw, all, problems.isEmpty() ? null : problems.getFirst());
    }

    /** A segment without its percent signs. */
    private static String decoded(String segment, List<String> problems) {
        boolean plain = true;
        for (int at = 0; at < segment.length() && plain; at++) {
            char c = segment.charAt(at);
            plain = c > ' ' && c < 0x7f && c != '%' && c != '\\';
        }
        if (plain) {
            return segment;
        }
        ByteBuffer bytes = ByteBuffer.allocate(segment.length() * 3);
        for (int at = 0; at < segment.length(); at++) {
            char c = segment.charAt(at);
            if (c != '%') {
                bytes.put(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
                continue;
            }
            int high = digit(segment, at + 1);
            int low = digit(segment, at + 2);
            if (high < 0 || low < 0) {
                problems.add("a percent sign does not stand before two hexadecimal digits");
                return segment;
            }
            bytes.put((byte) (high * HEX + low));
            at += 2;
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException _) {
            problems.add("it is no UTF-8");
            return segment;
        }
        if (text.chars().anyMatch(RequestPath::isAmbiguous)) {
            problems.add("it has an encoded separator or a control character");
        }
        return text;
    }

    private static int digit(String text, int at) {
        return at < text.length() && HexFormat.isHexDigit(text.charAt(at))
                ? HexFormat.fromHexDigit(text.charAt(at))
                : -1;
    }

    private static boolean isAmbiguous(int c) {
        return c == '/'
                || c == '\\'
                || c == '%'
                || Character.isISOControl(c)
                || c == 0x2028
                || c == 0x2029;
    }
}
