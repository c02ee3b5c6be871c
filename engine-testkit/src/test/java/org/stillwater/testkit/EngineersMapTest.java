package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every type that the engineer's map names exists in the main sources of its row's module. */
class EngineersMapTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/reference/engineers-map.md");

    /** A row of the table: question, module and the rest. */
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| [^|]+\\? \\| `([a-z-]+)` \\| (.+) \\|$");

    /** The name of a type: a constant in capitals such as {@code GUEST_IPS} is none. */
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w+)`");

    @Test
    void everyTypeExistsInItsModule() throws IOException {
        var types = new TreeMap<String, TreeSet<String>>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            Matcher type = TYPE.matcher(row.group(2));
            while (type.find()) {
                types.computeIfAbsent(row.group(1), _ -> new TreeSet<>()).add(type.group(1));
            }
        }
        assertThat(types.values().stream().mapToInt(TreeSet::size).sum()).isGreaterThan(15);
        for (String module : types.keySet()) {
            assertThat(sources(module)).as(module).containsAll(types.get(module));
        }
    }

    private static List<String> sources(String module) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toList());
        }
    }
}
