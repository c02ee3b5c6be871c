package org.stillwater.core.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.regression.ChangePointDetector;
import org.stillwater.core.regression.SeriesOwner;

@DisplayName("The matrix of benchmark runs")
class BenchmarkMatrixTest {

    private static final Instant BEGIN = Instant.parse("2026-11-01T00:00:00Z");
    private static final Duration EVERY = Duration.ofHours(6);
    private static final double LEAST = 0.1;
    private static final BenchmarkSubject VM =
            new BenchmarkSubject(BenchmarkSubject.Kind.VM, new UUID(1, 1));

    private final ChangePointDetector detector = BenchmarkMatrix.detector();

    /** The speed of a cell relative to its level, by the number of the run. */
    @FunctionalInterface
    private interface Factor {
        double of(BenchmarkOperation operation, int recordBytes, int run);
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 12);
    }

    private static BenchmarkResult result(BenchmarkOperation operation, int size, double speed) {
        long millis = 5_000;
        long bytes = Math.round(speed * millis * 1_000);
        return new BenchmarkResult(operation, size, bytes, millis, bytes / 1e3 / millis);
    }

    private static List<BenchmarkRun> runs(int count, long seed, double noise, Factor factor) {
        Random random = new Random(seed);
        List<BenchmarkRun> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<BenchmarkResult> results = new ArrayList<>();
            for (BenchmarkOperation operation : BenchmarkOperation.values()) {
                for (int size = 64 << 10; size <= 16 << 20; size *= 2) {
                    double level = 100 + 20 * Math.log(size);
                    results.add(
                            result(
                                    operation,
                                    size,
                                    level
                                            * factor.of(operation, size, i)
                                            * Math.exp(noise * random.nextGaussian())));
                }
            }
            runs.add(run(i, "direct", results));
        }
        return runs;
    }

    private static BenchmarkRun run(int number, String engine, List<BenchmarkResult> results) {
        Instant at = BEGIN.plus(EVERY.multipliedBy(number));
        return new BenchmarkRun(
                new UUID(2, number),
                VM,
                at,
                at.plusSeconds(200),
                engine,
                "web-1",
                "Linux 6.1",
                true,
                1L << 30,
                5,
                results,
                "agent@internal");
    }

    private BenchmarkMatrix matrix(List<BenchmarkRun> runs) {
        return BenchmarkMatrix.perSetup(VM, runs, LEAST, detector).getLast();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("a dip at one record size of one operation is exactly that cell")
    void exactlyThatCell(int seed) {
        Random choice = new Random(seed);
        BenchmarkOperation operation = List.of(BenchmarkOperation.values()).get(choice.nextInt(4));
        int size = (64 << 10) << choice.nextInt(9);
        double left = 0.5 + 0.3 * choice.nextDouble();
        int begin = 20 + choice.nextInt(60);

        BenchmarkMatrix matrix =
                matrix(
                        runs(
                                begin + 10,
                                seed,
                                0.05,
                                (op, bytes, run) ->
                                        op == operation && bytes == size && run >= begin
                                                ? left
                                                : 1));

        assertThat(matrix.causes())
                .singleElement()
                .satisfies(cause -> {
                    assertThat(cause.where())
                            .isEqualTo(
                                    new SeriesOwner.Shared(
                                            BenchmarkMatrix.CELL,
                                            matrix.key() + "/" + operation.label() + "/" + size));
                    assertThat(cause.begin()).isBetween(begin - 2, begin + 2);
                });
        assertThat(matrix.cells().stream().filter(cell -> cell.dip() != null))
                .singleElement()
                .satisfies(cell -> {
                    BenchmarkCell.Level level = cell.level();
                    assertThat(level).isNotNull();
                    double usual = 100 + 20 * Math.log(size);
                    assertThat(level.baseline()).isBetween(0.95 * usual, 1.05 * usual);
                    assertThat(level.low()).isLessThan(level.baseline());
                    assertThat(cell.dip().point().relativeChange())
                            .isBetween(left - 1 - 0.1, left - 1 + 0.1);
                });
    }

    @ParameterizedTest(name = "noise {0}")
    @ValueSource(doubles = {0.02, 0.05, 0.1})
    @DisplayName("runs without a change have no dip, however many there are")
    void noChange(double noise) {
        int alarms = 0;
        int cells = 0;
        for (int seed = 1; seed <= 4; seed++) {
            List<BenchmarkRun> runs = runs(120, 100 + seed, noise, (op, size, run) -> 1);
            for (int count = 16; count <= runs.size(); count += 8) {
                for (BenchmarkCell cell : matrix(runs.subList(0, count)).cells()) {
                    alarms += cell.dip() == null ? 0 : 1;
                    cells++;
                }
            }
        }
        assertThat((double) alarms / cells).isLessThan(0.01);
    }

    @Test
    @DisplayName("a dip is found once eight runs show it")
    void delay() {
        int begin = 30;
        List<BenchmarkRun> runs =
                runs(
                        60,
                        5,
                        0.03,
                        (op, size, run) ->
                                op == BenchmarkOperation.RANDOM_READ
                                                && size == 1 << 20
                                                && run >= begin
                                        ? 0.6
                                        : 1);
        int found = begin;
        while (matrix(runs.subList(0, found)).causes().isEmpty()) {
            found++;
        }
        assertThat(found - begin)
                .isBetween(BenchmarkMatrix.LEAST_RUNS, BenchmarkMatrix.LEAST_RUNS + 2);
    }

    @Test
    @DisplayName("cells that became slower together are one cause")
    void together() {
        assertThat(slower((op, size) -> op == BenchmarkOperation.SEQUENTIAL_WRITE))
                .isEqualTo(BenchmarkMatrix.OPERATION + " /sequential-write 9");
        assertThat(slower((op, size) -> size == 512 << 10))
                .isEqualTo(BenchmarkMatrix.RECORD_SIZE + " /524288 4");
        assertThat(slower((op, size) -> true)).isEqualTo(BenchmarkMatrix.ALL_CELLS + "  36");
    }

    @FunctionalInterface
    private interface Slower {
        boolean is(BenchmarkOperation operation, int recordBytes);
    }

    private String slower(Slower cells) {
        BenchmarkMatrix matrix =
                matrix(
                        runs(
                                50,
                                9,
                                0.03,
                                (op, size, run) -> cells.is(op, size) && run >= 35 ? 0.7 : 1));
        assertThat(matrix.causes()).hasSize(1);
        BenchmarkMatrix.Cause cause = matrix.causes().getFirst();
        return cause.where().level()
                + " "
                + cause.where().name().substring(matrix.key().length())
                + " "
                + cause.cells().size();
    }

    @Test
    @DisplayName("a cell that is as fast as before has no dip")
    void recovered() {
        BenchmarkMatrix matrix =
                matrix(
                        runs(
                                80,
                                3,
                                0.03,
                                (op, size, run) ->
                                        size == 1 << 20 && run >= 30 && run < 50 ? 0.6 : 1));
        assertThat(matrix.causes()).isEmpty();
    }

    @Test
    @DisplayName("one slow run is no dip")
    void oneSlowRun() {
        BenchmarkMatrix matrix =
                matrix(runs(60, 4, 0.03, (op, size, run) -> run == 30 || run == 31 ? 0.4 : 1));
        assertThat(matrix.causes()).isEmpty();
    }

    @Test
    @DisplayName("runs of another setup are not compared, and missing cells are gaps")
    void setups() {
        List<BenchmarkRun> runs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            List<BenchmarkResult> results = new ArrayList<>();
            results.add(result(BenchmarkOperation.SEQUENTIAL_READ, 65_536, i < 20 ? 500 : 100));
            if (i % 2 == 0) {
                results.add(result(BenchmarkOperation.RANDOM_READ, 65_536, 50));
            }
            runs.add(run(i, i < 20 ? "fio-3.3" + i % 10 : "direct", results));
        }

        List<BenchmarkMatrix> matrices = BenchmarkMatrix.perSetup(VM, runs, LEAST, detector);

        assertThat(matrices)
                .extracting(each -> each.setup().engine())
                .containsExactly("fio", "direct");
        assertThat(matrices)
                .allSatisfy(each -> {
                    assertThat(each.runs()).hasSize(20);
                    assertThat(each.causes()).isEmpty();
                    assertThat(each.interval()).isEqualTo(EVERY);
                    assertThat(each.cell(BenchmarkOperation.RANDOM_READ, 65_536).runs())
                            .isEqualTo(10);
                    assertThat(each.cell(BenchmarkOperation.RANDOM_WRITE, 65_536)).isNull();
                });
        BenchmarkMatrix few = matrix(runs.subList(0, 3));
        assertThat(few.cell(BenchmarkOperation.SEQUENTIAL_READ, 65_536).level()).isNull();
    }

    @Test
    @DisplayName("numbers that contradict each other are refused by name")
    void refusals() {
        BenchmarkOperation read = BenchmarkOperation.SEQUENTIAL_READ;
        assertThatThrownBy(() -> new BenchmarkResult(read, 65_537, 1, 1, 0.001))
                .hasMessageContaining("recordBytes must be a power of two");
        assertThatThrownBy(() -> new BenchmarkResult(read, 32_768, 1, 1, 0.001))
                .hasMessageContaining("recordBytes must be a power of two");
        assertThatThrownBy(() -> new BenchmarkResult(read, 65_536, 0, 1, 1))
                .hasMessageContaining("bytes must be positive");
        assertThatThrownBy(() -> new BenchmarkResult(read, 65_536, 1_000_000, 0, 1))
                .hasMessageContaining("millis must be 1 to");
        for (double speed :
                new double[] {
                    -1, 0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY
                }) {
            assertThatThrownBy(() -> new BenchmarkResult(read, 65_536, 1_000_000, 1_000, speed))
                    .hasMessageContaining("megabytesPerSecond must be a positive number");
        }
        // MiB/s and kB/s.
        for (double speed : new double[] {0.954, 1_000}) {
            assertThatThrownBy(() -> new BenchmarkResult(read, 65_536, 1_000_000, 1_000, speed))
                    .hasMessageContaining("does not follow from bytes and millis");
        }
        BenchmarkResult fine = new BenchmarkResult(read, 65_536, 1_000_000, 1_000, 1);
        assertThatThrownBy(() -> run(1, "direct", List.of(fine, fine)))
                .hasMessageContaining("two cells of sequential-read with 65536 bytes");
        assertThatThrownBy(() -> run(1, "direct", List.of()))
                .hasMessageContaining("results must have 1 to 36 cells, not 0");
        assertThatThrownBy(() -> run(1, " ", List.of(fine)))
                .hasMessageContaining("engine must have 1 to 200 characters");
    }
}
