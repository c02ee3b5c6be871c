package org.stillwater.benchmarks.console;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.stillwater.benchmarks.scale.BenchFailure;

/** Location of Chromium on this machine. */
public final class ChromiumProgram {

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

    private ChromiumProgram() {}

    /**
     * The program that {@code CHROMIUM} names, else the first of its usual names on {@code PATH}.
     *
     * @param environment the process's environment
     * @throws BenchFailure if there is none, with the remedy
     */
    public static Path find(Map<String, String> environment) {
        String named = environment.getOrDefault("CHROMIUM", "");
        if (!named.isEmpty()) {
            Path program = Path.of(named);
            if (!Files.isExecutable(program)) {
                throw new BenchFailure("CHROMIUM is " + named + ", which is no program");
            }
            return program;
        }
        for (String folder : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
            for (String name : NAMES) {
                Path program = Path.of(folder, name);
                if (Files.isRegularFile(program) && Files.isExecutable(program)) {
                    return program;
                }
            }
        }
        throw new BenchFailure(
                "found no Chromium on PATH (%s): install one, or set CHROMIUM to its program"
                        .formatted(String.join(", ", NAMES)));
    }
}
