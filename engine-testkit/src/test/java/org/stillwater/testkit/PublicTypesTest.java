package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A package shows its doors and hides the rest. Of a module's types a quarter is public at most;
 * the modules whose packages show more today are listed with their share, which may shrink only.
 */
class PublicTypesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int MOST_PERCENT = 25;

    private static final Pattern PUBLIC =
            Pattern.compile(
                    "(?m)^public (?:final |abstract |sealed |non-sealed )*"
                            + "(?:class|record|enum|interface|@interface) ");

    /** Public types in per cent of a module's top-level types, rounded up. */
    private static final Map<String, Integer> LARGER =
            Map.ofEntries(
                    Map.entry("benchmarks", 36),
                    Map.entry("commands", 59),
                    Map.entry("dal", 29),
                    Map.entry("engine-core", 80),
                    Map.entry("engine-server", 38),
                    Map.entry("engine-testkit", 82),
                    Map.entry("fake-vdsm", 31),
                    Map.entry("fake-xapi", 66),
                    Map.entry("monitoring", 62),
                    Map.entry("ovirt-api", 55),
                    Map.entry("relay", 65),
                    Map.entry("vdsm-client", 27),
                    Map.entry("vdsm-protocol", 90),
                    Map.entry("xapi-client", 39));

    @Test
    void noModuleShowsMoreOfItself() throws IOException {
        Map<String, Integer> larger = new TreeMap<>();
        int examined = 0;
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path sources = module.resolve("src/main/java");
                if (Files.isDirectory(sources)) {
                    int percent = publicPercent(sources);
                    examined++;
                    if (percent > MOST_PERCENT) {
                        larger.put(module.getFileName().toString(), percent);
                    }
                }
            }
        }
        assertThat(larger).as("modules with more than %s %%", MOST_PERCENT).isNotEmpty();
        for (Map.Entry<String, Integer> each : larger.entrySet()) {
            assertThat(each.getValue())
                    .as("public types of %s in per cent", each.getKey())
                    .isLessThanOrEqualTo(LARGER.getOrDefault(each.getKey(), MOST_PERCENT));
        }
        assertThat(examined).isGreaterThan(14);
    }

    private static int publicPercent(Path sources) throws IOException {
        int shown = 0;
        int all = 0;
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java"))
                            .filter(each -> !each.endsWith("package-info.java"))
                            .toList()) {
                all++;
                if (PUBLIC.matcher(Files.readString(file)).find()) {
                    shown++;
                }
            }
        }
        return (100 * shown + all - 1) / all;
    }
}
