package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A class of more than about 400 lines has the reason in its comment. */
class ClassSizesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int MOST_LINES = 450;

    private static final Pattern HEAD =
            Pattern.compile(
                    "(?m)^(?:public |final |abstract |sealed |non-sealed"
                            + " )*(?:class|record|enum|interface) ");

    private static final Pattern REASON =
            Pattern.compile("is long(?:er than other classes)? because [a-z]");

    @Test
    void aLongClassHasAReasonAtItsHead() throws IOException {
        List<String> without = new ArrayList<>();
        int examined = 0;
        for (Path source : sources()) {
            String text = Files.readString(source);
            examined++;
            if (text.lines().count() > MOST_LINES && !REASON.matcher(head(text)).find()) {
                without.add(ROOT.relativize(source).toString());
            }
        }
        assertThat(without).isEmpty();
        assertThat(examined).isGreaterThan(1_000);
    }

    /** Text up to the class, without the breaks of comments. */
    private static String head(String text) {
        var head = HEAD.matcher(text);
        return text.substring(0, head.find() ? head.start() : 0).replaceAll("\\s*\n \\*\\s*", " ");
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java"))
                                .forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }
}
