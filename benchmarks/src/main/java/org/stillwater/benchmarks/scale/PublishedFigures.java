package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The figures of {@code bench stable} that README, {@code docs/figures.md} and the page of sizes
 * publish. The bench wrote the data ({@code docs/figures/a.json}, {@code b.json}, {@code c.json});
 * the tables between two marks of each page are made from the data, so that pages and data cannot
 * differ. A {@link RunOfAll run of everything} has a section of its own.
 */
public final class PublishedFigures {

    static final String BEGIN =
            "<!-- figures of bench stable: made by ./stillwater bench publish -->";
    static final String END = "<!-- end of figures -->";

    private static final List<String> NAMES = List.of("a", "b", "c");

    private final Map<String, JsonNode> data;
    private final @Nullable RunOfAll all;

    private PublishedFigures(Map<String, JsonNode> data, @Nullable RunOfAll all) {
        this.data = data;
        this.all = all;
    }

    /**
     * Reads the data of a checkout.
     *
     * @throws BenchFailure if a file is missing, or the files are of more than one commit
     */
    public static PublishedFigures read(Path checkout) throws IOException {
        JsonMapper mapper = JsonMapper.builder().build();
        Map<String, JsonNode> data = new LinkedHashMap<>();
        Set<String> commits = new TreeSet<>();
        for (String name : NAMES) {
            Path file = checkout.resolve("docs/figures/" + name + ".json");
            if (!Files.isRegularFile(file)) {
                throw new BenchFailure(
                        file + " is missing: write it with ./stillwater bench stable --json");
            }
            JsonNode figures = mapper.readTree(Files.readString(file));
            commits.add(figures.path("commit").asString("unknown"));
            data.put(name, figures);
        }
        if (commits.size() != 1) {
            throw new BenchFailure(
                    "the figures are of several commits ("
                            + String.join(", ", commits)
                            + "): measure a, b and c on one");
        }
        String commit = commits.iterator().next();
        if (commit.equals("unknown") || commit.endsWith("-dirty")) {
            throw new BenchFailure(
                    "the figures are of commit '" + commit + "': measure a clean checkout");
        }
        Path folder = checkout.resolve("docs/figures");
        RunOfAll all =
                Files.isRegularFile(folder.resolve(RunOfAll.DATA)) ? RunOfAll.read(folder) : null;
        if (all != null && !all.commit().equals(commit)) {
            throw new BenchFailure(
                    RunOfAll.DATA
                            + " is of commit "
                            + all.commit()
                            + ", the figures of "
                            + commit
                            + ": run ./stillwater bench all --publish, or delete it");
        }
        return new PublishedFigures(data, all);
    }

    /** The pages that show figures, with their expected content. */
    public Map<Path, String> pages(Path checkout) throws IOException {
        Map<Path, String> pages = new LinkedHashMap<>();
        Path readme = checkout.resolve("README.md");
        Path figures = checkout.resolve("docs/figures.md");
        pages.put(readme, replaced(readme, summary()));
        String text = replaced(figures, table());
        pages.put(
                figures,
                all == null
                        ? text
                        : replaced(figures, text, RunOfAll.BEGIN, RunOfAll.END, all.section()));
        Path sizing = checkout.resolve("docs/reference/sizing.md");
        pages.put(
                sizing,
                replaced(
                        sizing,
                        Files.readString(sizing),
                        SizingTable.BEGIN,
                        SizingTable.END,
                        SizingTable.of(node("a"), node("b"))));
        Path folder = checkout.resolve("docs/figures");
        Path profile = folder.resolve(ProfilePictures.DATA);
        if (Files.isRegularFile(profile)) {
            ProfilePictures.of(ProfilePictures.read(profile))
                    .forEach((name, picture) -> pages.put(folder.resolve(name), picture));
        }
        return pages;
    }

    /** The pages with tables that differ from the data. */
    public List<Path> outdated(Path checkout) throws IOException {
        List<Path> outdated = new ArrayList<>();
        for (Map.Entry<Path, String> page : pages(checkout).entrySet()) {
            if (!Files.isRegularFile(page.getKey())
                    || !Files.readString(page.getKey()).equals(page.getValue())) {
                outdated.add(page.getKey());
            }
        }
        return outdated;
    }

    private static String replaced(Path page, String table) throws IOException {
        return replaced(page, Files.readString(page), BEGIN, END, table);
    }

    private static String replaced(
            Path page, String text, String beginMark, String endMark, String content) {
        int begin = text.indexOf(beginMark);
        int end = text.indexOf(endMark, begin);
        if (begin < 0 || end < 0) {
            throw new BenchFailure(
                    page + " lacks the marks '" + beginMark + "' and '" + endMark + "'");
        }
        return text.substring(0, begin) + beginMark + "\n\n" + content + "\n" + text.substring(end);
    }

    /** README: a few lines of A and B. */
    private String summary() {
        JsonNode a = node("a");
        JsonNode b = node("b");
        StringBuilder out = new StringBuilder();
        out.append("| | ").append(fleet(a)).append(" | ").append(fleet(b)).append(" |\n");
        out.append("|---|---|---|\n");
        row(
                out,
                "CPU per VM and cycle, whole engine process",
                "%s ms",
                "cpuMillisPerVmCycle",
                a,
                b);
        row(
                out,
                "SQL statements of monitoring per stable cycle",
                "%s",
                "monitoringSqlPerStableCycle",
                a,
                b);
        row(
                out,
                "SQL statements of history and warehouse per cycle",
                "%s",
                List.of("historySqlPerStableCycle", "warehouseSqlPerStableCycle"),
                a,
                b);
        row(out, "live heap", "%s MiB", "heapLiveMiB", a, b);
        latency(out, "event to subscriber, p50 / p99", "eventToSubscriberMillis", a, b);
        latency(out, "event to committed row, p50 / p99", "eventToCommittedMillis", a, b);
        out.append("\nCommit `").append(a.path("commit").asString("")).append("`:\n\n```sh\n");
        out.append(a.path("command").asString("")).append('\n');
        out.append(b.path("command").asString("")).append("\n```\n");
        return out.toString();
    }

    /** docs/figures.md: every figure of A, B and C. */
    private String table() {
        StringBuilder out = new StringBuilder();
        out.append("Commit `").append(node("a").path("commit").asString("")).append("`. ");
        out.append(node("a").path("machine").asString("")).append(".\n\n");
        for (String name : NAMES) {
            out.append("- ").append(name.toUpperCase(Locale.ROOT)).append(": `");
            out.append(node(name).path("command").asString(""));
            int runs = node(name).path("runs").size();
            out.append("`, ").append(runs).append(runs == 1 ? " run\n" : " runs\n");
        }
        out.append("\n| figure | ");
        out.append(
                NAMES.stream()
                        .map(name -> name.toUpperCase(Locale.ROOT) + ": " + fleet(node(name)))
                        .collect(Collectors.joining(" | ")));
        out.append(" |\n|---|---|---|---|\n");
        for (String figure : node("a").path("spread").propertyNames()) {
            out.append("| `").append(figure).append("` | ");
            out.append(
                    NAMES.stream()
                            .map(name -> withSpread(node(name), figure))
                            .collect(Collectors.joining(" | ")));
            out.append(" |\n");
            if (figure.equals("cpuMillisPerVmCycle")) {
                out.append("| … single cycles, least to most | ");
                out.append(
                        NAMES.stream()
                                .map(name -> cycles(node(name)))
                                .collect(Collectors.joining(" | ")));
                out.append(" |\n");
            }
        }
        for (String latency :
                List.of(
                        "eventToMemoryMillis",
                        "eventToSubscriberMillis",
                        "eventToCommittedMillis")) {
            out.append("| `").append(latency).append("` p50 / p99 / max | ");
            out.append(
                    NAMES.stream()
                            .map(name -> node(name).path(latency))
                            .map(value ->
                                    number(value.path("p50"))
                                            + " / "
                                            + number(value.path("p99"))
                                            + " / "
                                            + number(value.path("max")))
                            .collect(Collectors.joining(" | ")));
            out.append(" |\n");
        }
        return out.toString();
    }

    private JsonNode node(String name) {
        return java.util.Objects.requireNonNull(data.get(name));
    }

    private static String fleet(JsonNode figures) {
        int hosts = figures.path("hosts").asInt();
        return thousands(figures.path("vms").asInt())
                + " VMs on "
                + thousands(hosts)
                + (hosts == 1 ? " host" : " hosts")
                + (figures.path("tls").asBoolean() ? "" : ", no TLS");
    }

    private static String thousands(int number) {
        return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
    }

    private static void row(
            StringBuilder out, String label, String form, String figure, JsonNode a, JsonNode b) {
        row(out, label, form, List.of(figure), a, b);
    }

    private static void row(
            StringBuilder out,
            String label,
            String form,
            List<String> figures,
            JsonNode a,
            JsonNode b) {
        out.append("| ").append(label).append(" | ");
        out.append(form.formatted(joined(figures, a))).append(" | ");
        out.append(form.formatted(joined(figures, b))).append(" |\n");
    }

    private static String joined(List<String> figures, JsonNode of) {
        return figures.stream()
                .map(figure -> number(of.path(figure)))
                .collect(Collectors.joining(" + "));
    }

    private static void latency(
            StringBuilder out, String label, String figure, JsonNode a, JsonNode b) {
        out.append("| ").append(label).append(" | ").append(halves(a.path(figure))).append(" | ");
        out.append(halves(b.path(figure))).append(" |\n");
    }

    private static String halves(JsonNode latency) {
        return number(latency.path("p50")) + " / " + number(latency.path("p99")) + " ms";
    }

    private static String withSpread(JsonNode figures, String figure) {
        JsonNode spread = figures.path("spread").path(figure);
        String median = number(figures.path(figure));
        return figures.path("runs").size() < 2
                ? median
                : median
                        + " ("
                        + number(spread.path("min"))
                        + "–"
                        + number(spread.path("max"))
                        + ")";
    }

    private static String cycles(JsonNode figures) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (JsonNode run : figures.path("runs")) {
            JsonNode cycles = run.path("cpuMillisPerVmCycleByCycle");
            least = Math.min(least, cycles.path("min").asDouble());
            most = Math.max(most, cycles.path("max").asDouble());
        }
        return number(least) + "–" + number(most);
    }

    private static String number(JsonNode value) {
        return value.isNumber() ? number(value.asDouble()) : "–";
    }

    /** Three digits that count; whole numbers from a hundred on, with their thousands apart. */
    private static String number(double value) {
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, "%,d", Math.round(value)).replace(',', ' ');
        }
        String format = size >= 10 ? "%.0f" : size >= 1 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }
}
