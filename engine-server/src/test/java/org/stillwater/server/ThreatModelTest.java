package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each defence that the threat model names is shown by a test that exists. */
class ThreatModelTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/explanation/threat-model.md");
    private static final Pattern NAME =
            Pattern.compile("`([A-Z]\\w+(?:Test|IT))?(?:#([a-z]\\w+))?`");
    private static final Set<String> NO_SOURCES = Set.of(".git", ".stillwater", "target");

    /** The sources of every class, by its simple name; those of several classes are joined. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes is) {
                        return NO_SOURCES.contains(folder.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes is)
                            throws IOException {
                        String name = file.getFileName().toString();
                        if (name.matches("[A-Z]\\w+(Test|IT)\\.java")) {
                            sources.merge(
                                    name.substring(0, name.length() - 5),
                                    Files.readString(file),
                                    String::concat);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return sources;
    }

    /** A method alone is one of the class that was named last. */
    @Test
    void everyTestThatItNamesExists() throws IOException {
        Map<String, String> sources = sources();
        Set<String> missing = new TreeSet<>();
        String type = "";
        int named = 0;
        for (Matcher name = NAME.matcher(Files.readString(PAGE)); name.find(); ) {
            type = name.group(1) == null ? type : name.group(1);
            String method = name.group(2);
            if (name.group(1) == null && method == null) {
                continue;
            }
            named++;
            String source = sources.getOrDefault(type, "");
            if (source.isEmpty() || (method != null && !source.contains("void " + method + "("))) {
                missing.add(method == null ? type : type + "#" + method);
            }
        }
        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(50);
    }
}
