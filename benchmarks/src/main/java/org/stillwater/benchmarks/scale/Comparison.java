package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the figures of two files of {@code bench stable --json}, with the noise of their runs
 * beside the change: a figure is dearer or cheaper when the ranges of the runs do not overlap.
 */
public final class Comparison {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String UNKNOWN = "?";

    private final JsonNode before;
    private final JsonNode now;

    private Comparison(JsonNode before, JsonNode now) {
        this.before = before;
        this.now = now;
    }

    /** One figure of both. */
    private record Line(
            String group, String name, JsonNode before, JsonNode now, int runs, int runsBefore) {

        double change() {
            double was = before.path("median").asDouble(Double.NaN);
            return 100 * (now.path("median").asDouble(Double.NaN) - was) / was;
        }

        /** The wider range of the two, in per cent of its median. */
        double noise() {
            return Math.max(noise(before), noise(now));
        }

        private static double noise(JsonNode spread) {
            return 100
                    * (spread.path("max").asDouble() - spread.path("min").asDouble())
                    / Math.abs(spread.path("median").asDouble());
        }

        String verdict() {
            if (now.path("min").asDouble() > before.path("max").asDouble()) {
                return "dearer";
            }
            return now.path("max").asDouble() < before.path("min").asDouble() ? "cheaper" : "";
        }
    }

    /**
     * Reads two files.
     *
     * @throws BenchFailure if one is no result of {@code bench stable}
     */
    public static Comparison of(Path before, Path now) throws IOException {
        return new Comparison(read(before), read(now));
    }

    private static JsonNode read(Path file) throws IOException {
        JsonNode root;
        try {
            root = JSON.readTree(Files.readString(file));
        } catch (JacksonException e) {
            throw new BenchFailure(file + " is no JSON: " + e.getOriginalMessage());
        }
        if (!"stable".equals(root.path("scenario").asString(""))) {
            throw new BenchFailure(file + " was not written by bench stable --json");
        }
        return root;
    }

    /** The table: by group, the largest change first. */
    public String table() {
        StringBuilder out = new StringBuilder();
        out.append(
                String.format(
                        Locale.ROOT,
                        "%nCompared with %s, %d run(s) then, %d now%n",
                        before.path("commit").asString("unknown"),
                        before.path("runs").size(),
                        now.path("runs").size()));
        for (String same :
                new String[] {
                    "vms", "hosts", "intervalSeconds", "tls", "reportSize", "engineHeap", "machine"
                }) {
            if (!before.path(same).equals(now.path(same))) {
                out.append(
                        String.format(
                                Locale.ROOT,
                                "Not alike: %s was %s and is %s%n",
                                same,
                                before.path(same),
                                now.path(same)));
            }
        }
        group(out, "figures", before.path("spread"), now.path("spread"));
        JsonNode profile = now.path("profile");
        for (String name : profile.propertyNames()) {
            group(out, name, before.path("profile").path(name), profile.path(name));
        }
        if (profile.isMissingNode() || before.path("profile").isMissingNode()) {
            out.append("\nStages and statements are compared if both runs had --profile.\n");
        }
        if (before.path("runs").size() < 2 || now.path("runs").size() < 2) {
            out.append(
                    "\n"
                            + "One run shows no noise: a change is significant with --repeat 3 or"
                            + " more.\n");
        }
        return out.toString();
    }

    private void group(StringBuilder out, String group, JsonNode old, JsonNode young) {
        List<Line> lines = new ArrayList<>();
        for (String name : young.propertyNames()) {
            if (old.has(name)) {
                lines.add(
                        new Line(
                                group,
                                name,
                                old.path(name),
                                young.path(name),
                                now.path("runs").size(),
                                before.path("runs").size()));
            } else if (!old.isMissingNode()) {
                lines.add(new Line(group, name, old.path(name), young.path(name), 0, 0));
            }
        }
        for (String name : old.propertyNames()) {
            if (!young.has(name) && !young.isMissingNode()) {
                lines.add(new Line(group, name, old.path(name), young.path(name), 0, 0));
            }
        }
        if (lines.isEmpty()) {
            return;
        }
        lines.sort(
                Comparator.comparingDouble((Line line) ->
                                line.now().path("median").asDouble()
                                        - line.before().path("median").asDouble())
                        .reversed());
        out.append(
                String.format(
                        Locale.ROOT,
                        "%n%-48s %12s %12s %9s %8s%n",
                        group,
                        "before",
                        "now",
                        "change",
                        "noise"));
        lines.forEach(line -> line(out, line));
    }

    private static void line(StringBuilder out, Line line) {
        boolean measured = line.runs() > 1 && line.runsBefore() > 1;
        out.append(
                        String.format(
                                        Locale.ROOT,
                                        "%-48s %12s %12s %9s %8s  %s",
                                        line.name(),
                                        number(line.before()),
                                        number(line.now()),
                                        percent(line.change(), true),
                                        measured ? percent(line.noise(), false) : UNKNOWN,
                                        measured ? line.verdict() : "")
                                .stripTrailing())
                .append(System.lineSeparator());
    }

    private static String number(JsonNode spread) {
        if (!spread.path("median").isNumber()) {
            return "-";
        }
        return Report.number(spread.path("median").asDouble());
    }

    private static String percent(double value, boolean signed) {
        return Double.isFinite(value)
                ? String.format(Locale.ROOT, signed ? "%+.1f %%" : "%.1f %%", value)
                : "-";
    }
}
