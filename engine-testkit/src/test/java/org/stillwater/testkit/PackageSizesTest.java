package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A package has about forty files at most: more is several subjects. The larger ones of today are
 * listed with their size; they may shrink only.
 */
class PackageSizesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int MOST = 40;

    /** Packages above the limit, with their files; a smaller one changes the number here. */
    private static final Map<String, Integer> LARGER =
            Map.ofEntries(
                    Map.entry("benchmarks: org.stillwater.benchmarks.scale", 43),
                    Map.entry("dal: org.stillwater.dal", 64),
                    Map.entry("engine-server: org.stillwater.server.security", 53),
                    Map.entry("engine-server: org.stillwater.server.settings", 63),
                    Map.entry("fake-vdsm: org.stillwater.fake.world", 62),
                    Map.entry("monitoring: org.stillwater.monitoring.host", 55),
                    Map.entry("ovirt-api: org.stillwater.ovirt.action", 44),
                    Map.entry("ovirt-api: org.stillwater.ovirt.model", 62),
                    Map.entry("ovirt-api: org.stillwater.ovirt.resource", 59),
                    Map.entry("vdsm-client: org.stillwater.vdsm.client", 54));

    @Test
    void noPackageGrowsAboveItsLimit() throws IOException {
        Map<String, Integer> sizes = sizes();
        Map<String, Integer> larger = new TreeMap<>(sizes);
        larger.values().removeIf(files -> files <= MOST);
        assertThat(larger).as("packages of more than %s files", MOST).isEqualTo(LARGER);
        assertThat(sizes).hasSizeGreaterThan(100);
    }

    private static Map<String, Integer> sizes() throws IOException {
        Map<String, Integer> sizes = new TreeMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path sources = module.resolve("src/main/java");
                if (Files.isDirectory(sources)) {
                    count(module.getFileName() + ": ", sources, sizes);
                }
            }
        }
        return sizes;
    }

    private static void count(String module, Path sources, Map<String, Integer> sizes)
            throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .map(file -> sources.relativize(file.getParent()).toString().replace('/', '.'))
                    .forEach(name -> sizes.merge(module + name, 1, Integer::sum));
        }
    }
}
