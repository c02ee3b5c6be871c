package org.stillwater.core.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A run of the benchmark as its agent reported it. Immutable.
 *
 * @param id identity, chosen by the agent
 * @param subject where it ran
 * @param startedAt when it began, by the clock of the agent
 * @param receivedAt when the engine received it
 * @param engine name and version of the program that read and wrote
 * @param machine name that the machine gives itself
 * @param kernel its operating system
 * @param direct whether it bypassed the cache of the operating system
 * @param fileBytes size of the file
 * @param seconds how long a cell ran at most
 * @param results its cells, each once
 * @param postedBy the user that posted it
 */
public record BenchmarkRun(
        UUID id,
        BenchmarkSubject subject,
        Instant startedAt,
        Instant receivedAt,
        String engine,
        String machine,
        String kernel,
        boolean direct,
        long fileBytes,
        int seconds,
        List<BenchmarkResult> results,
        String postedBy) {

    /** Cells of a whole matrix. */
    public static final int MOST_CELLS = 36;

    /** Longest text of a report. */
    public static final int LONGEST_TEXT = 200;

    private static final long MOST_FILE_BYTES = 1L << 50;
    private static final int MOST_SECONDS = 3_600;

    /** Runs in the order in which they began. */
    public static final Comparator<BenchmarkRun> OLDEST_FIRST =
            Comparator.comparing(BenchmarkRun::startedAt).thenComparing(BenchmarkRun::id);

    public BenchmarkRun {
        results = List.copyOf(results);
        check("engine", engine);
        check("machine", machine);
        check("kernel", kernel);
        if (fileBytes < 1 || fileBytes > MOST_FILE_BYTES) {
            throw new IllegalArgumentException("fileBytes must be positive, not " + fileBytes);
        }
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw new IllegalArgumentException(
                    "seconds must be 1 to " + MOST_SECONDS + ", not " + seconds);
        }
        if (results.isEmpty() || results.size() > MOST_CELLS) {
            throw new IllegalArgumentException(
                    "results must have 1 to " + MOST_CELLS + " cells, not " + results.size());
        }
        Set<String> cells = new HashSet<>();
        for (BenchmarkResult each : results) {
            if (!cells.add(each.operation().label() + each.recordBytes())) {
                throw new IllegalArgumentException(
                        "results has two cells of "
                                + each.operation().label()
                                + " with "
                                + each.recordBytes()
                                + " bytes");
            }
        }
    }

    private static void check(String name, String text) {
        if (text.isBlank() || text.length() > LONGEST_TEXT) {
            throw new IllegalArgumentException(
                    name + " must have 1 to " + LONGEST_TEXT + " characters");
        }
    }

    /** How it measured. */
    public BenchmarkSetup setup() {
        int version = engine.indexOf('-');
        return new BenchmarkSetup(
                version > 0 ? engine.substring(0, version) : engine, direct, fileBytes, seconds);
    }

    /** How long its cells took together. */
    public Duration took() {
        return Duration.ofMillis(results.stream().mapToLong(BenchmarkResult::millis).sum());
    }

    /** Speed of a cell; NaN if the run did not measure it. */
    public double megabytesPerSecond(BenchmarkOperation operation, int recordBytes) {
        for (BenchmarkResult each : results) {
            if (each.isOf(operation, recordBytes)) {
                return each.megabytesPerSecond();
            }
        }
        return Double.NaN;
    }

    /** Whether an agent repeats this run: all that it sent is the same. */
    public boolean repeats(BenchmarkRun other) {
        return equals(
                new BenchmarkRun(
                        other.id,
                        other.subject,
                        other.startedAt,
                        receivedAt,
                        other.engine,
                        other.machine,
                        other.kernel,
                        other.direct,
                        other.fileBytes,
                        other.seconds,
                        other.results,
                        postedBy));
    }
}
