package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Holds the tests to the XAPI specification's 70 scenarios: each is shown by a test whose display
 * name begins with its number, or named in the explanation with the reason why none does.
 */
class XapiScenarioTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve(Path.of("docs", "explanation", "xapi.md"));
    private static final int SCENARIOS = 70;

    private static final Pattern NAME = Pattern.compile("@DisplayName\\(\\s*\"(X\\d+[^\"]*)\"");
    private static final Pattern NUMBERS = Pattern.compile("^(X\\d+(?:(?:, ?| and )X\\d+)*)");
    private static final Pattern NUMBER = Pattern.compile("X\\d+");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (X[^|]*)\\|");
    private static final Set<String> NOT_SOURCES = Set.of("target", ".git", ".stillwater", "main");

    private static void addNumbers(String text, Set<String> to) {
        Matcher number = NUMBER.matcher(text);
        while (number.find()) {
            to.add(number.group());
        }
    }

    private static Set<String> shown() throws IOException {
        Set<String> shown = new TreeSet<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        return NOT_SOURCES.contains(String.valueOf(folder.getFileName()))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (file.toString().endsWith(".java")) {
                            Matcher name = NAME.matcher(Files.readString(file));
                            while (name.find()) {
                                Matcher numbers = NUMBERS.matcher(name.group(1));
                                if (numbers.find()) {
                                    addNumbers(numbers.group(1), shown);
                                }
                            }
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return shown;
    }

    private static Set<String> explained() throws IOException {
        Set<String> explained = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            addNumbers(row.group(1), explained);
        }
        return explained;
    }

    @Test
    void everyScenarioHasATestOrAReason() throws IOException {
        Set<String> missing =
                IntStream.rangeClosed(1, SCENARIOS)
                        .mapToObj(number -> "X" + number)
                        .collect(Collectors.toCollection(TreeSet::new));
        missing.removeAll(shown());
        missing.removeAll(explained());

        assertThat(missing).isEmpty();
    }
}
