package org.stillwater.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The queries of {@code dashboards} and {@code alerts}, and the series that they name. */
final class Dashboards {

    static final Path BOARDS = Path.of("..", "dashboards");
    static final Path ALERTS = Path.of("..", "alerts");
    private static final Path REFERENCE = Path.of("..", "docs", "reference");
    private static final Pattern METER = Pattern.compile("`(stillwater\\.[a-z.]+)`");

    /** Text in braces, brackets or quotation marks names no series. */
    private static final Pattern INNER = Pattern.compile("\"[^\"]*\"|\\{[^}]*\\}|\\[[^\\]]*\\]");

    /** Names of labels behind these words. */
    private static final Pattern LABELS =
            Pattern.compile("\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");

    private static final Pattern NAME =
            Pattern.compile("(?<![\\w:.])([a-zA-Z_:][a-zA-Z0-9_:]*)(\\s*\\()?");

    private static final Set<String> WORDS =
            Set.of("and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring");

    /** Series that not every engine has, and which ones have them. */
    static final Map<String, String> CONDITIONAL =
            Map.of(
                    "stillwater_disk_free_bytes", "with the embedded database",
                    "stillwater_relay_connected_relays", "with stillwater.relay.enabled",
                    "stillwater_relay_hosts", "with stillwater.relay.enabled",
                    "stillwater_relay_calls_total", "with stillwater.relay.enabled",
                    "stillwater_alerts_waiting", "with a receiver of alerts",
                    "stillwater_alerts_dropped_total", "with a receiver of alerts",
                    "stillwater_alerts_failed_total", "with a receiver of alerts",
                    "stillwater_operations_ended_seconds_count", "from the first operation on");

    private Dashboards() {}

    /** Whether a query names a series that not every engine has. */
    static boolean isConditional(String query) {
        return series(query).stream().anyMatch(CONDITIONAL::containsKey);
    }

    /** The names of all meters on the reference pages. */
    static Set<String> meters() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String page : List.of("meters.md", "server-meters.md")) {
            for (String line : Files.readAllLines(REFERENCE.resolve(page))) {
                if (line.startsWith("| `")) {
                    Matcher name = METER.matcher(line.substring(0, line.indexOf('|', 1)));
                    while (name.find()) {
                        names.add(name.group(1));
                    }
                }
            }
        }
        return names;
    }

    /** The meters that panels and rules show: the longest name that a series begins with. */
    static Set<String> shown(Set<String> meters) throws IOException {
        List<String> queries = new ArrayList<>(panels().values());
        rules().forEach(rule -> queries.add(rule.expression()));
        Set<String> shown = new TreeSet<>();
        for (String query : queries) {
            for (String series : series(query)) {
                meters.stream()
                        .filter(meter -> (series + "_").startsWith(meter.replace('.', '_') + "_"))
                        .max(Comparator.comparingInt(String::length))
                        .ifPresent(shown::add);
            }
        }
        return shown;
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    /** The files of rules. */
    static List<Path> ruleFiles() throws IOException {
        return files(ALERTS, ".yaml");
    }

    /** Each query of a dashboard, by file and title of its panel. */
    static Map<String, String> panels() throws IOException {
        Map<String, String> queries = new LinkedHashMap<>();
        for (Path file : files(BOARDS, ".json")) {
            JsonNode board = JsonMapper.builder().build().readTree(Files.readString(file));
            for (JsonNode panel : board.path("panels")) {
                for (JsonNode target : panel.path("targets")) {
                    queries.put(
                            "%s, %s, %s"
                                    .formatted(
                                            file.getFileName(),
                                            panel.path("title").asString(),
                                            target.path("refId").asString()),
                            target.path("expr").asString());
                }
            }
        }
        return queries;
    }

    /**
     * A rule.
     *
     * @param file the file that contains it
     * @param alert its name if it is an alert, else null
     * @param record the series that it records, else null
     * @param members all of it
     */
    record Rule(Path file, String alert, String record, Map<?, ?> members) {
        String expression() {
            return String.valueOf(members.get("expr"));
        }

        @Override
        public String toString() {
            return file.getFileName() + ", " + (alert == null ? record : alert);
        }
    }

    static List<Rule> rules() throws IOException {
        List<Rule> rules = new ArrayList<>();
        for (Path file : ruleFiles()) {
            Object root =
                    new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
            for (Object group : (List<?>) ((Map<?, ?>) root).get("groups")) {
                for (Object each : (List<?>) ((Map<?, ?>) group).get("rules")) {
                    Map<?, ?> rule = (Map<?, ?>) each;
                    rules.add(
                            new Rule(
                                    file,
                                    (String) rule.get("alert"),
                                    (String) rule.get("record"),
                                    rule));
                }
            }
        }
        return rules;
    }

    /** The names of the series in a query. */
    static Set<String> series(String query) {
        String plain = LABELS.matcher(INNER.matcher(query).replaceAll("")).replaceAll(" ");
        Set<String> names = new TreeSet<>();
        Matcher name = NAME.matcher(plain);
        while (name.find()) {
            if (name.group(2) == null && !WORDS.contains(name.group(1))) {
                names.add(name.group(1));
            }
        }
        return names;
    }
}
