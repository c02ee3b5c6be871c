package org.stillwater.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The engine at an address: requests of its native interface, each answered or ended by {@link
 * Trouble}. {@link HttpURLConnection} loads a third of the classes of the newer client, and a
 * command makes few requests. Thread-safe.
 */
final class Engine {

    private static final String API = "/api/v1";
    private static final int CONFLICT = 409;
    private static final int GONE = 410;

    /** Bytes of an answer: far more than one page of a list. */
    private static final int LONGEST_ANSWER = 64 << 20;

    private static final int LONGEST_ERROR = 64 << 10;
    private static final int LONGEST_LINE = 16 << 20;

    /** The engine's answer to a limit above its bound. */
    private static final Pattern LIMIT = Pattern.compile("limit must be [01] to (\\d{1,9})");

    private final URI address;
    private final @Nullable String authorization;
    private final @Nullable SSLSocketFactory tls;
    private final int timeoutMillis;

    /** The engine's bounds of pages by path, where they are lower than usual. */
    private final Map<String, Integer> mostEntries = new ConcurrentHashMap<>();

    /**
     * @param address of the engine, with the prefix of a proxy if it has one
     * @param authorization value of the header, null for none
     * @param tls null for the authorities that Java trusts
     * @param timeout how long it may take to connect, and to send the next bytes
     */
    Engine(
            URI address,
            @Nullable String authorization,
            @Nullable SSLSocketFactory tls,
            Duration timeout) {
        // A second POST after a lost connection could be a second operation.
        System.setProperty("sun.net.http.retryPost", "false");
        this.address = address;
        this.authorization = authorization;
        this.tls = tls;
        this.timeoutMillis = (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }

    /** One event of a stream: its name and its data. */
    record Event(String name, Json data) {}

    /** The answer to a GET of a path below {@code /api/v1}. */
    Json get(String path) {
        return json("GET", path, null);
    }

    /**
     * One page of a list.
     *
     * @param query without limit and cursor
     * @param limit entries that are wanted; the page has fewer if the engine's bound is lower
     * @param cursor end of the page before, empty for the first page
     */
    Json page(String path, List<Parameter> query, int limit, String cursor) {
        int most = mostEntries.getOrDefault(path, Integer.MAX_VALUE);
        try {
            return get(path(path, limited(query, Math.min(limit, most), cursor)));
        } catch (Trouble.LimitExceeded bound) {
            if (bound.most() < 1 || bound.most() >= Math.min(limit, most)) {
                throw bound; // a wrong number of the user's
            }
            mostEntries.put(path, bound.most());
            return get(path(path, limited(query, bound.most(), cursor)));
        }
    }

    private static List<Parameter> limited(List<Parameter> query, int limit, String cursor) {
        List<Parameter> limited = new ArrayList<>(query);
        limited.add(new Parameter("limit", Integer.toString(limit)));
        limited.add(new Parameter("cursor", cursor));
        return limited;
    }

    /** The answer to a POST. */
    Json post(String path, Json body) {
        return json("POST", path, body.written());
    }

    /** The answer to a PUT without a body. */
    Json put(String path) {
        return json("PUT", path, null);
    }

    /** The answer to a DELETE. */
    Json delete(String path) {
        return json("DELETE", path, null);
    }

    /** Writes the answer to a GET of a path as it comes. */
    void download(String path, OutputStream out) throws IOException {
        HttpURLConnection connection = open("GET", path);
        InputStream body;
        try {
            check(connection);
            body = connection.getInputStream();
        } catch (IOException e) {
            throw noAnswer(e);
        }
        try (body) {
            body.transferTo(out);
        }
    }

    private Json json(String method, String path, @Nullable String body) {
        HttpURLConnection connection = open(method, path);
        try {
            connection.setRequestProperty("Accept", "application/json");
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body.getBytes(StandardCharsets.UTF_8));
                }
            }
            check(connection);
            String text = text(connection.getInputStream(), LONGEST_ANSWER);
            return text.isBlank() ? Json.Null.NULL : Json.parse(text);
        } catch (IOException e) {
            throw noAnswer(e);
        }
    }

    /**
     * Reads a stream of server-sent events (HTML standard, 9.2).
     *
     * @param opened called when the engine has accepted the request
     * @param each takes a name and the data of an event, and returns whether to continue
     * @return whether {@code each} ended it; false if the engine did
     */
    boolean events(String path, Runnable opened, BiPredicate<String, String> each) {
        HttpURLConnection connection = open("GET", path);
        try {
            connection.setRequestProperty("Accept", "text/event-stream");
            check(connection);
            opened.run();
            try (BufferedReader lines =
                    new BufferedReader(
                            new InputStreamReader(
                                    connection.getInputStream(), StandardCharsets.UTF_8))) {
                return readEvents(lines, each);
            }
        } catch (IOException e) {
            throw noAnswer(e);
        } finally {
            connection.disconnect();
        }
    }

    static boolean readEvents(BufferedReader lines, BiPredicate<String, String> each)
            throws IOException {
        String name = "message";
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!data.isEmpty() && !each.test(name, data.toString())) {
                    return true;
                }
                name = "message";
                data.setLength(0);
            } else if (line.startsWith("event:")) {
                name = line.substring("event:".length()).strip();
            } else if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n")
                        .append(line, "data:".length(), line.length());
                if (data.length() > LONGEST_LINE) {
                    throw new IOException("an event has more than " + LONGEST_LINE + " characters");
                }
            }
        }
        return false;
    }

    private HttpURLConnection open(String method, String path) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(address + API + path).toURL().openConnection();
            if (tls != null && connection instanceof HttpsURLConnection secured) {
                secured.setSSLSocketFactory(tls);
            }
            connection.setRequestMethod(method);
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            connection.setConnectTimeout(timeoutMillis);
            connection.setReadTimeout(timeoutMillis);
            connection.setRequestProperty("User-Agent", "stillwater-cli");
            if (authorization != null) {
                connection.setRequestProperty("Authorization", authorization);
            }
            return connection;
        } catch (IOException e) {
            throw noAnswer(e);
        }
    }

    private void check(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status >= 200 && status < 300) {
            return;
        }
        InputStream body = connection.getErrorStream();
        String detail = detail(body == null ? "" : text(body, LONGEST_ERROR));
        throw refused(status, detail, connection.getHeaderField("Retry-After"));
    }

    /** The sentence of a problem (RFC 9457); empty if the body is none. */
    private static String detail(String body) {
        try {
            Json problem = Json.parse(body);
            Json detail = problem.get("detail");
            return detail.isNull() ? problem.get("title").text() : detail.text();
        } catch (Trouble _) {
            return "";
        }
    }

    private Trouble refused(int status, String detail, @Nullable String later) {
        String said = detail.isEmpty() ? "the engine answers " + status : detail;
        return switch (status) {
            case 400 -> {
                Matcher bound = LIMIT.matcher(detail);
                yield bound.matches()
                        ? new Trouble.LimitExceeded(said, Integer.parseInt(bound.group(1)))
                        : new Trouble(Exit.REFUSED, said);
            }
            case 401 ->
                    new Trouble(
                            Exit.NOT_ALLOWED,
                            authorization == null
                                    ? "the engine at "
                                            + address
                                            + " asks for a login: give --user and"
                                            + " --password-file, or --token-file"
                                    : "the engine at "
                                            + address
                                            + " does not accept this user and password, or this"
                                            + " token");
            case 403 -> new Trouble(Exit.NOT_ALLOWED, said);
            case 300, 301, 302, 303, 307, 308 ->
                    new Trouble(
                            Exit.NO_ANSWER,
                            address
                                    + " sends to another address ("
                                    + status
                                    + "); give that with --url");
            case 404 ->
                    new Trouble.Missing(
                            detail.isEmpty()
                                    ? "there is no resource at "
                                            + address
                                            + ", or it is no Stillwater engine"
                                    : said);
            case GONE -> new Trouble.Gone(said);
            case CONFLICT -> new Trouble(Exit.REFUSED, said);
            case 429, 503 ->
                    new Trouble(
                            Exit.REFUSED,
                            said + (later == null ? "" : " Try again in " + later + " s."));
            default -> new Trouble(Exit.REFUSED, said);
        };
    }

    private Trouble noAnswer(IOException e) {
        String why =
                switch (e) {
                    case SSLException _ ->
                            isAuthority(e)
                                    ? "no authority that this machine trusts has signed the"
                                            + " certificate of "
                                            + address
                                            + ": give its authority with --ca FILE (the engine's"
                                            + " own is tls/ca.pem in its data folder)"
                                    : "TLS with " + address + " fails: " + e.getMessage();
                    case UnknownHostException _ ->
                            "there is no machine " + address.getHost() + ": check --url";
                    case SocketTimeoutException _ ->
                            address
                                    + " has not answered for "
                                    + timeoutMillis / 1000
                                    + " s; a longer --timeout waits longer";
                    case NoRouteToHostException _ ->
                            "no network leads to " + address.getHost() + ": check --url";
                    default ->
                            "no engine answers at "
                                    + address
                                    + " ("
                                    + e.getMessage()
                                    + "): start one with ./stillwater demo, or name another with"
                                    + " --url";
                };
        return new Trouble(Exit.NO_ANSWER, why, e);
    }

    private static boolean isAuthority(Throwable trouble) {
        return String.valueOf(trouble.getMessage()).contains("PKIX");
    }

    private static String text(InputStream in, int most) throws IOException {
        try (in) {
            byte[] bytes = in.readNBytes(most);
            if (bytes.length == most && in.read() >= 0) {
                throw new IOException("the answer is longer than " + most + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** A path with its query: names and values in turn; those without a value are left out. */
    static String path(String path, List<Parameter> query) {
        StringBuilder out = new StringBuilder(path);
        for (Parameter each : query) {
            if (!each.value().isEmpty()) {
                out.append(out.indexOf("?") < 0 ? '?' : '&')
                        .append(Texts.encoded(each.name()))
                        .append('=')
                        .append(Texts.encoded(each.value()));
            }
        }
        return out.toString();
    }

    /** A query parameter. */
    record Parameter(String name, String value) {}
}
