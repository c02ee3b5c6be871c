package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every implemented scenario and trap of the monitoring specification has a test whose display name
 * begins with its number, and the reference page lists the tests. Run with {@code
 * -Dstillwater.docs.update=true} to write the page.
 */
class ScenarioTableTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve(Path.of("docs", "reference", "scenarios.md"));

    private static final String HEAD =
            """
            # Scenarios and traps

            Which test shows which scenario (S) or trap (T) of the monitoring specification, sections 10 and 11. The page is generated
            from the tests' display names; a number without a test breaks the build.

            | Number | Test | What it shows |
            |---|---|---|
            """;

    /** A display name of one or more string literals, and the test method that follows it. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "@DisplayName\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)\\)[^{;]*?\\bvoid\\s+(\\w+)\\s*\\(",
                    Pattern.DOTALL);

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern NUMBERS = Pattern.compile("^((?:[ST]\\d+[ ,/]+)+)(.*)$");

    private static final Set<String> NOT_SOURCES = Set.of("target", ".git", ".stillwater");

    private record Shown(String test, String sentence) {}

    /** Scenarios first, then traps, each by number. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt((String number) -> number.charAt(0))
                    .thenComparingInt(number -> Integer.parseInt(number.substring(1)));

    private static Set<String> required() {
        Set<String> all = new TreeSet<>(BY_NUMBER);
        add(all, "S", 1, 79);
        add(all, "S", 93, 95);
        all.addAll(List.of("S100", "S102", "S105"));
        add(all, "T", 1, 36);
        add(all, "T", 44, 50);
        return all;
    }

    private static void add(Set<String> all, String letter, int first, int last) {
        for (int i = first; i <= last; i++) {
            all.add(letter + i);
        }
    }

    private static Map<String, List<Shown>> found() throws IOException {
        Map<String, List<Shown>> found = new TreeMap<>(BY_NUMBER);
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        // Other modules are built beside this test: their folders change.
                        return NOT_SOURCES.contains(String.valueOf(folder.getFileName()))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(".java")) {
                            files.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        files.sort(null);
        for (Path file : files) {
            collect(file, found);
        }
        return found;
    }

    private static void collect(Path file, Map<String, List<Shown>> found) throws IOException {
        Matcher named = NAMED.matcher(Files.readString(file));
        String type = file.getFileName().toString().replace(".java", "");
        while (named.find()) {
            StringBuilder name = new StringBuilder();
            Matcher literal = LITERAL.matcher(named.group(1));
            while (literal.find()) {
                name.append(literal.group(1));
            }
            Matcher numbers = NUMBERS.matcher(name);
            if (numbers.matches()) {
                Shown shown = new Shown(type + "#" + named.group(2), numbers.group(2));
                Arrays.stream(numbers.group(1).split("[ ,/]+"))
                        .forEach(number ->
                                found.computeIfAbsent(number, _ -> new ArrayList<>()).add(shown));
            }
        }
    }

    private static String render(Map<String, List<Shown>> found) {
        StringBuilder page = new StringBuilder(HEAD);
        found.forEach((number, tests) ->
                tests.forEach(shown ->
                        page.append(
                                "| %s | `%s` | %s |\n"
                                        .formatted(
                                                number,
                                                shown.test(),
                                                shown.sentence().replace("|", "\\|")))));
        return page.toString();
    }

    @Test
    void everyNumberHasATest() throws IOException {
        Set<String> missing = required();
        missing.removeAll(found().keySet());

        assertThat(missing).isEmpty();
    }

    @Test
    void theReferencePageIsUpToDate() throws IOException {
        String page = render(found());
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, page);
        }

        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }
}
