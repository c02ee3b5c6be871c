package org.stillwater.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console's types fit, and its files are small, hashed and of this origin only. */
@Timeout(120)
class BundleTest {

    private static final Path FILES = Path.of("target", "classes", "static");
    private static final Pattern HASHED = Pattern.compile("[a-z]+-[A-Z0-9]{8}\\.(js|css)(\\.gz)?");
    private static final Pattern IMPORT =
            Pattern.compile("(?:from|import)\\s*\"\\./([^\"]+\\.js)\"");
    private static final String LIBRARY = "/lib/";
    private static final long FIRST_LOAD_BYTES = 100_000; // compressed, without charts

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(FILES.resolve("console"))) {
            return all.toList();
        }
    }

    @Test
    void theFirstLoadIsSmallAndNamesHaveTheHashOfTheirContent() throws Exception {
        long bytes = 0;
        String page = Files.readString(FILES.resolve("index.html"));
        List<String> later = new ArrayList<>();
        for (Path file : files()) {
            String name = file.getFileName().toString();
            assertThat(name).matches(HASHED);
            if (!name.endsWith(".gz")) {
                continue;
            }
            String plain = name.substring(0, name.length() - ".gz".length());
            if (page.contains(plain) || name.startsWith("worker-")) {
                bytes += Files.size(file);
            } else {
                later.add(plain);
            }
        }
        assertThat(bytes).isBetween(10_000L, FIRST_LOAD_BYTES);
        assertThat(later)
                .as("what is loaded when it is wanted")
                .hasSize(2)
                .anyMatch(name -> name.startsWith("chart-"))
                .anyMatch(name -> name.startsWith("insight-"));
        for (Path file : files()) {
            String name = file.getFileName().toString();
            if (page.contains(name) && name.endsWith(".js")) {
                Matcher imported = IMPORT.matcher(Files.readString(file));
                while (imported.find()) {
                    assertThat(page).as("a part of the first load").contains(imported.group(1));
                }
            }
        }
    }

    @Test
    void thePageNamesFilesRelativelyAndHasNoInlineScript() throws Exception {
        String page = Files.readString(FILES.resolve("index.html"));
        assertThat(page)
                .contains("src=\"console/app-", "href=\"console/style-")
                .doesNotContain("=\"/", "http:", "https:", "<style", "{script}");
    }

    /** Node on the path; null if there is none. */
    static Path node() {
        for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(place, "node"))) {
                return Path.of(place, "node");
            }
        }
        return null;
    }

    private static Path compiler(Path folder) throws IOException {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.matches(".*typescript-[0-9.]+\\.jar")) {
                continue;
            }
            try (JarFile jar = new JarFile(entry)) {
                for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
                    JarEntry each = all.nextElement();
                    int at = each.getName().indexOf(LIBRARY);
                    String name = at < 0 ? "" : each.getName().substring(at + LIBRARY.length());
                    if (name.matches("(_?tsc\\.js|lib[^/]*\\.d\\.ts)")) {
                        try (InputStream in = jar.getInputStream(each)) {
                            Files.copy(
                                    in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                }
            }
        }
        return folder.resolve("tsc.js");
    }

    /** The compiler's output for a project. */
    private static String check(Path folder, Path project) throws Exception {
        Path node = node();
        assumeTrue(node != null, "no Node on the path: types are not checked");
        Process check =
                new ProcessBuilder(node.toString(), compiler(folder).toString(), "-p", "" + project)
                        .redirectErrorStream(true)
                        .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor(100, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    @Test
    void theTypesFit(@TempDir Path folder) throws Exception {
        assertThat(check(folder, Path.of("."))).isEmpty();
    }

    @Test
    void aMemberThatTheInterfaceLacksDoesNotFit(@TempDir Path folder) throws Exception {
        Path project = Files.createDirectory(folder.resolve("project"));
        Files.writeString(
                project.resolve("reads.ts"),
                """
                import type { EngineCpu, NewPool } from 'stillwater';
                export const known = (cpu: EngineCpu): string => cpu.items[0]!.stage;
                export const unknown = (cpu: EngineCpu) => cpu.itms;
                export const pool: NewPool = { name: 'desks', sise: 1 };
                """);
        Files.writeString(
                project.resolve("tsconfig.json"),
                "{\"extends\": \"%s\", \"files\": [\"reads.ts\"], \"include\": []}"
                        .formatted(
                                Path.of("tsconfig.json")
                                        .toAbsolutePath()
                                        .toString()
                                        .replace('\\', '/')));
        assertThat(check(folder, project))
                .contains("reads.ts(3,", "'itms'", "reads.ts(4,", "'sise'")
                .doesNotContain("reads.ts(2,");
    }
}
