package org.stillwater.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on a folder of its own; through the cache, which every file system has. */
class BenchGuestTest {

    @TempDir Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return new BenchGuest(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Clock.fixed(Instant.EPOCH, ZoneOffset.UTC),
                        _ -> {})
                .run(arguments);
    }

    private List<Path> files() throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void itMeasuresEachCellAndLeavesOnlyTheResult() throws Exception {
        Path json = folder.resolve("result.json");
        assertThat(
                        run(
                                "--dir=" + folder,
                                "--size=16m",
                                "--seconds=1",
                                "--records=1m,16m",
                                "--engine=direct",
                                "--buffered",
                                "--json=" + json))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(files()).containsExactly(json);
        Map<?, ?> document = (Map<?, ?>) Json.parse(Files.readString(json));
        assertThat(document).isNotNull();
        assertThat(document.get("engine")).isEqualTo("direct");
        assertThat(document.get("direct")).isEqualTo(false);
        assertThat(document.get("startedAt")).isEqualTo("1970-01-01T00:00:00Z");
        List<?> results = (List<?>) document.get("results");
        assertThat(results).hasSize(8);
        assertThat(results)
                .allSatisfy(each ->
                        assertThat((Double) ((Map<?, ?>) each).get("megabytesPerSecond"))
                                .isPositive());
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("sequential-read", "random-write", "1 MiB", "16 MiB");
    }

    @Test
    void aDryRunMakesNoFile() throws Exception {
        assertThat(run("--dir=" + folder, "--size=16m", "--engine=direct", "--dry-run")).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("36 cells of at most 5 s", "writes at most 304 MiB");
        assertThat(files()).isEmpty();
    }

    @Test
    void theFileOfAnotherRunIsRefusedAndStays() throws Exception {
        Path other = Files.createFile(folder.resolve("stillwater-bench-1.data"));
        assertThat(run("--dir=" + folder, "--size=16m", "--engine=direct")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(other.toString());
        assertThat(files()).containsExactly(other);
    }

    @Test
    void aFolderThatIsNotThereIsNamed() {
        assertThat(run("--dir=" + folder.resolve("none"), "--engine=direct")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("none is no folder");
    }

    @Test
    void aFileThatLeavesTooLittleFreeIsRefused() throws Exception {
        long gib = 1L << 30;
        TestFile.refuseToFill(folder, gib, 12 * gib, 100 * gib);
        assertThatThrownBy(() -> TestFile.refuseToFill(folder, 3 * gib, 12 * gib, 100 * gib))
                .hasMessageContaining("would leave less than 10 GiB");
        assertThatThrownBy(() -> TestFile.refuseToFill(folder, gib, gib, gib))
                .hasMessageContaining("less than 512 MiB");
    }

    @Test
    void aCellEndsWithItsTime() throws Exception {
        Options options = Options.of("--dir=" + folder, "--size=16m", "--seconds=1", "--buffered");
        AtomicLong seconds = new AtomicLong();
        DirectEngine engine = new DirectEngine(() -> seconds.getAndAdd(400_000_000));
        try (TestFile file = TestFile.of(options)) {
            file.fill();
            Measurement read = engine.measure(file, DiskOperation.RANDOM_READ, 65_536);
            assertThat(read.bytes()).as("looks at 0.4, 0.8 and 1.2 s").isEqualTo(3 * 65_536);
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void aCellEndsWithTheFile() throws Exception {
        Options options = Options.of("--dir=" + folder, "--size=16m", "--buffered");
        try (TestFile file = TestFile.of(options)) {
            file.fill();
            for (DiskOperation operation : DiskOperation.values()) {
                assertThat(
                                new DirectEngine(new AtomicLong()::incrementAndGet)
                                        .measure(file, operation, 1 << 20)
                                        .bytes())
                        .isEqualTo(16 << 20);
            }
            assertThat(Files.size(file.path())).isEqualTo(16 << 20);
        }
    }

    @Test
    void wrongUsageHasACodeOfItsOwn() {
        assertThat(run("--what")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no option --what");
    }

    @Test
    void theLauncherHasTheSameHelp() {
        assertThat(run("--help")).isZero();
        assertThat(Path.of("../launcher/help/bench-guest.txt"))
                .hasContent(out.toString(StandardCharsets.UTF_8));
    }
}
