package org.stillwater.server.replay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client in their order, from a file {@code clients/NAME.requests}. Immutable.
 *
 * <pre>
 * # What client this is and where its requests come from: the paragraph of the reference page.
 *
 * &#64;header Version: 4           sent with every request from here on
 *
 * ### adds a VM
 * # a remark
 * POST /ovirt-engine/api/vms?clone=true
 * Correlation-Id: one
 *
 * &lt;vm&gt;&lt;cluster id="{{cluster}}"/&gt;&lt;/vm&gt;
 * &gt; status 201
 * &gt; /vm/name = web
 * &gt; /vm/&#64;id -&gt; vm              kept for later requests
 * &gt; /vm/name ~ [a-z]+           a regular expression
 * &gt; /vm/status                  is there
 * &gt; no /vm/lease                is not there
 * &gt; until /vm/status = up       asks again until it is
 * &gt; until status 404
 * &gt; header Content-Type ~ application/xml.*
 * &gt; text ~ type=vnc             anywhere in the answer
 * &gt; refused is already in use   a fault with this detail
 * &gt; departs why the engine refuses what oVirt does
 * </pre>
 */
public final class Recording {

    /** Every client of which there is a recording, by the name of its file. */
    public static final List<String> CLIENTS =
            List.of("go-ovirt-client", "ovirt-engine-sdk-ruby", "ovirt-web-ui");

    private final String client;
    private final String about;
    private final List<Exchange> exchanges;

    private Recording(String client, String about, List<Exchange> exchanges) {
        this.client = client;
        this.about = about;
        this.exchanges = List.copyOf(exchanges);
    }

    /** The recording of a client. */
    public static Recording of(String client) {
        String file = "/clients/" + client + ".requests";
        try (InputStream in = Recording.class.getResourceAsStream(file)) {
            String text =
                    new String(
                            Objects.requireNonNull(in, file).readAllBytes(),
                            StandardCharsets.UTF_8);
            return parse(client, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Recording parse(String client, String text) {
        Parser parser = new Parser();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            try {
                parser.line(line);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "%s, line %d: %s".formatted(client, number, e.getMessage()), e);
            }
        }
        try {
            parser.end();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(client + ": " + e.getMessage(), e);
        }
        return new Recording(client, String.join("\n", parser.about), parser.exchanges);
    }

    /** The name of the client. */
    public String client() {
        return client;
    }

    /** The client. */
    String about() {
        return about;
    }

    /** The requests in their order. */
    public List<Exchange> exchanges() {
        return exchanges;
    }

    private enum Section {
        HEAD,
        HEADERS,
        BODY,
        CHECKS
    }

    /** Reads a file line by line. */
    private static final class Parser {

        private final List<String> about = new ArrayList<>();
        private final List<Exchange> exchanges = new ArrayList<>();
        private final Map<String, String> usual = new LinkedHashMap<>();
        private final Set<String> names = new HashSet<>();

        private Section section = Section.HEAD;
        private @Nullable String name;
        private String method = "";
        private String path = "";
        private Map<String, String> headers = new LinkedHashMap<>();
        private StringBuilder body = new StringBuilder();
        private List<Check> checks = new ArrayList<>();
        private @Nullable String departure;

        void line(String line) {
            if (line.startsWith("### ")) {
                end();
                begin(line.substring(4).strip());
            } else if (section != Section.BODY && line.startsWith("@header ")) {
                header(usual, line.substring("@header ".length()));
            } else if (section != Section.HEAD && line.startsWith("> ")) {
                section = Section.CHECKS;
                check(line.substring(2).strip());
            } else {
                plain(line);
            }
        }

        private void plain(String line) {
            switch (section) {
                case HEAD -> head(line);
                case HEADERS -> {
                    if (line.isBlank()) {
                        section = Section.BODY;
                    } else {
                        header(headers, line);
                    }
                }
                case BODY -> body.append(line).append('\n');
                case CHECKS -> {
                    if (!line.isBlank() && !line.startsWith("#")) {
                        throw new IllegalArgumentException("no check: " + line);
                    }
                }
            }
        }

        private void head(String line) {
            if (line.startsWith("#")) {
                if (name == null && exchanges.isEmpty()) {
                    about.add(line.substring(1).strip());
                }
            } else if (!line.isBlank()) {
                String[] words = line.split(" ");
                if (name == null || words.length != 2 || !isPath(words[1])) {
                    throw new IllegalArgumentException("no request: " + line);
                }
                method = words[0];
                path = words[1];
                section = Section.HEADERS;
            }
        }

        private static boolean isPath(String text) {
            return text.startsWith("/") || text.startsWith("{{");
        }

        private void begin(String named) {
            if (!names.add(named)) {
                throw new IllegalArgumentException("a second request named " + named);
            }
            name = named;
            section = Section.HEAD;
            headers = new LinkedHashMap<>(usual);
            body = new StringBuilder();
            checks = new ArrayList<>();
            departure = null;
        }

        void end() {
            if (name == null) {
                return;
            }
            if (checks.stream().noneMatch(Check.Status.class::isInstance)) {
                throw new IllegalArgumentException("\"" + name + "\" says no status");
            }
            boolean refused = checks.stream().anyMatch(Check.Refused.class::isInstance);
            if (departure != null && !refused) {
                throw new IllegalArgumentException(
                        "\"" + name + "\" departs from oVirt without a refusal");
            }
            exchanges.add(
                    new Exchange(
                            name,
                            method,
                            path,
                            headers,
                            body.toString().strip(),
                            checks,
                            departure));
            name = null;
        }

        private static void header(Map<String, String> to, String line) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException("no header: " + line);
            }
            to.put(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
        }

        private void check(String text) {
            if (text.startsWith("departs ")) {
                departure = text.substring("departs ".length());
                return;
            }
            Check check = checkOf(text);
            boolean repeats = check instanceof Check.Until || check instanceof Check.UntilStatus;
            if (repeats && !method.equals("GET")) {
                throw new IllegalArgumentException("only a GET is repeated");
            }
            checks.add(check);
        }

        private static Check checkOf(String text) {
            String[] words = text.split(" ", 2);
            String rest = words.length < 2 ? "" : words[1];
            return switch (words[0]) {
                case "status" ->
                        new Check.Status(
                                Arrays.stream(rest.split(" ")).map(Integer::valueOf).toList());
                case "refused" -> new Check.Refused(rest);
                case "no" -> new Check.Absent(place(rest));
                case "until" -> until(rest);
                case "header" -> {
                    String[] parts = parts(rest, " ~ ");
                    yield new Check.HeaderMatching(parts[0], Pattern.compile(parts[1]));
                }
                case "text" -> new Check.Text(Pattern.compile(parts(text, " ~ ")[1]));
                default -> ofPlace(text);
            };
        }

        private static Check until(String text) {
            if (text.startsWith("status ")) {
                return new Check.UntilStatus(Integer.parseInt(text.substring(7)));
            }
            String[] parts = parts(text, " = ");
            return new Check.Until(place(parts[0]), parts[1]);
        }

        private static Check ofPlace(String text) {
            if (text.contains(" -> ")) {
                String[] parts = parts(text, " -> ");
                return new Check.Kept(place(parts[0]), parts[1]);
            }
            if (text.contains(" = ")) {
                String[] parts = parts(text, " = ");
                return new Check.Equal(place(parts[0]), parts[1]);
            }
            if (text.contains(" ~ ")) {
                String[] parts = parts(text, " ~ ");
                return new Check.Matching(place(parts[0]), Pattern.compile(parts[1]));
            }
            return new Check.Present(place(text));
        }

        private static String[] parts(String text, String by) {
            int at = text.indexOf(by);
            if (at < 0) {
                throw new IllegalArgumentException("\"%s\" is missing: %s".formatted(by, text));
            }
            return new String[] {
                text.substring(0, at).strip(), text.substring(at + by.length()).strip()
            };
        }

        private static String place(String text) {
            if (!text.startsWith("/") && !text.startsWith("count(")) {
                throw new IllegalArgumentException("no place in an answer: " + text);
            }
            return text;
        }
    }
}
