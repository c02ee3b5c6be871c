package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * One run of {@code bench all}: every measurement on one commit, with its command and its printed
 * results. Kept as {@value #DATA} beside the figures.
 *
 * @param commit of the checkout, see {@link PublishedFigures}
 * @param machine of all parts
 * @param parts in the order in which they ran
 */
public record RunOfAll(String commit, String machine, List<Part> parts) {

    /** The file in {@code docs/figures}. */
    public static final String DATA = "all.json";

    static final String BEGIN = "<!-- one run of bench all: made by ./stillwater bench publish -->";
    static final String END = "<!-- end of the run -->";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /**
     * One measurement.
     *
     * @param name of the part
     * @param command that was run
     * @param seconds that it took
     * @param exitCode 0 if it was measured to its end
     * @param results the printed results; empty where a JSON file beside has them only
     */
    public record Part(
            String name, String command, long seconds, int exitCode, List<String> results) {

        /** A copy. */
        public Part {
            results = List.copyOf(results);
        }
    }

    /** A copy. */
    public RunOfAll {
        parts = List.copyOf(parts);
    }

    /** The run of a folder of figures. */
    public static RunOfAll read(Path folder) throws IOException {
        return MAPPER.readValue(Files.readString(folder.resolve(DATA)), RunOfAll.class);
    }

    /** Writes the run into a folder. */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(DATA), MAPPER.writeValueAsString(this) + "\n");
    }

    /** The section of {@code docs/figures.md}. */
    String section() {
        StringBuilder out = new StringBuilder();
        out.append("Commit `").append(commit).append("`. ").append(machine).append(".\n");
        for (Part part : parts) {
            out.append("\n**").append(part.name()).append("**: `").append(part.command());
            out.append("`, ").append(minutes(part.seconds()));
            if (part.exitCode() != 0) {
                out.append(", **not measured to its end** (exit code ");
                out.append(part.exitCode()).append(')');
            }
            out.append(".\n");
            if (!part.results().isEmpty()) {
                out.append("\n```text\n");
                part.results().forEach(line -> out.append(line).append('\n'));
                out.append("```\n");
            }
        }
        return out.toString();
    }

    private static String minutes(long seconds) {
        return String.format(Locale.ROOT, "%d min %d s", seconds / 60, seconds % 60);
    }
}
