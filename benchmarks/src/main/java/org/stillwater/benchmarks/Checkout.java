package org.stillwater.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checkout that measurements are made in, as git reports it. */
final class Checkout {

    private static final String UNKNOWN = "unknown";

    /** The target of {@code bench stable --json}. */
    private static final String FIGURES = "docs/figures";

    private Checkout() {}

    /**
     * The commit, with {@code -dirty} behind it where a tracked file differs from it, other than
     * the data that the bench itself writes; {@code unknown} without git or outside a checkout.
     */
    static String commit(Path folder) throws IOException, InterruptedException {
        String commit = git(folder, "rev-parse", "--short=10", "HEAD");
        if (commit == null || commit.isBlank()) {
            return UNKNOWN;
        }
        String changes =
                git(
                        folder,
                        "status",
                        "--porcelain",
                        "--untracked-files=no",
                        "--",
                        ":(top)",
                        ":(top,exclude)" + FIGURES);
        return changes == null || changes.isBlank() ? commit : commit + "-dirty";
    }

    /**
     * The folder of the checkout around this one: the nearest that has a README and figures.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Path root(Path folder) {
        for (Path at = folder.toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("docs/figures.md"))) {
                return at;
            }
        }
        throw new IllegalArgumentException(
                "no docs/figures.md here or above: run this inside the checkout");
    }

    private static @Nullable String git(Path folder, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Process git;
        try {
            git =
                    new ProcessBuilder(command)
                            .directory(folder.toAbsolutePath().toFile())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            return null; // git is not installed
        }
        try (InputStream out = git.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? text : null;
        }
    }
}
