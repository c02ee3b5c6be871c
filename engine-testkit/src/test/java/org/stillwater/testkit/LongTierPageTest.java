package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of the launcher lists the classes with tests of the long tier. */
class LongTierPageTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/reference/launcher.md");

    private static final Pattern TAGGED = Pattern.compile("(?m)^ *@Tag\\(\"full\"\\)");

    @Test
    void everyClassOfTheLongTierIsListed() throws IOException {
        String text = Files.readString(PAGE);
        int begin = text.indexOf("## The long tier of tests");
        String table = text.substring(begin, text.indexOf("The long tier also runs", begin));
        Set<String> missing = new TreeSet<>();
        int found = 0;
        for (Path source : tests()) {
            if (TAGGED.matcher(Files.readString(source)).find()) {
                found++;
                String name = source.getFileName().toString().replace(".java", "");
                if (!Pattern.compile("`" + name + "[`#]").matcher(table).find()) {
                    missing.add(name);
                }
            }
        }
        assertThat(missing).as("classes that %s does not list", PAGE).isEmpty();
        assertThat(found).isGreaterThan(10);
    }

    private static List<Path> tests() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .flatMap(LongTierPageTest::sources)
                    .toList();
        }
    }

    private static Stream<Path> sources(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
