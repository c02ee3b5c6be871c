package org.stillwater.core.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.regression.ChangePoint;
import org.stillwater.core.regression.ChangePointDetector;
import org.stillwater.core.regression.DetectorOptions;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.Regression;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;

/**
 * The matrix of record sizes and operations over the runs of one object and one setup. Each cell is
 * a series with a point for each run; the detector of regressions finds its change points.
 * Immutable.
 *
 * @param subject where the runs ran
 * @param setup how they measured
 * @param runs the runs, oldest first
 * @param cells its cells, by operation and record size
 */
public record BenchmarkMatrix(
        BenchmarkSubject subject,
        BenchmarkSetup setup,
        List<BenchmarkRun> runs,
        List<BenchmarkCell> cells) {

    /** Level of findings about one cell. */
    public static final String CELL = "benchmark-cell";

    /** Level of findings about most record sizes of one operation. */
    public static final String OPERATION = "benchmark-operation";

    /** Level of findings about most operations of one record size. */
    public static final String RECORD_SIZE = "benchmark-record-size";

    /** Level of findings about most cells of an object. */
    public static final String ALL_CELLS = "benchmark";

    /** Runs that a level takes before a change to another one, or from it, can be found. */
    public static final int LEAST_RUNS = 8;

    /** Runs that make up a level and its band. */
    private static final int LEAST_OF_LEVEL = 6;

    /** Number of newest runs; their median decides whether an old level is back. */
    private static final int RECENT = 5;

    /** Half the width of the band, in standard deviations. */
    private static final double BAND = 3.5;

    /** Standard deviation of a normal distribution per median of absolute deviations. */
    private static final double NORMAL_PER_MAD = 1.4826;

    /** Finer noise than a thousandth is rounding. */
    private static final double LEAST_DEVIATION = 1e-3;

    /** How far apart the begins of one cause may be, in runs: noise moves them. */
    private static final int TOGETHER = 3;

    /** Runs before a begin, and from it on, that are its evidence. */
    private static final int AROUND = 48;

    private static final DetectorOptions OPTIONS =
            new DetectorOptions(LEAST_RUNS, 9, 4.5, 0.02, 10_000);

    public BenchmarkMatrix {
        runs = List.copyOf(runs);
        cells = List.copyOf(cells);
    }

    /** A detector for {@link #of}; one per thread. */
    public static ChangePointDetector detector() {
        return new ChangePointDetector(OPTIONS);
    }

    /** Matrices of the runs of one object, the one with the newest run last. */
    public static List<BenchmarkMatrix> perSetup(
            BenchmarkSubject subject,
            List<BenchmarkRun> all,
            double leastChange,
            ChangePointDetector detector) {
        Map<BenchmarkSetup, List<BenchmarkRun>> setups =
                all.stream()
                        .sorted(BenchmarkRun.OLDEST_FIRST)
                        .collect(Collectors.groupingBy(BenchmarkRun::setup));
        List<BenchmarkMatrix> matrices = new ArrayList<>();
        setups.forEach(
                (setup, runs) -> matrices.add(of(subject, setup, runs, leastChange, detector)));
        matrices.sort(
                Comparator.comparing(
                        (BenchmarkMatrix matrix) -> matrix.runs.getLast(),
                        BenchmarkRun.OLDEST_FIRST));
        return List.copyOf(matrices);
    }

    /**
     * The matrix of runs of one setup.
     *
     * @param runs the runs, oldest first, at least one
     * @param leastChange smallest relative change that is a dip, such as 0.1
     */
    static BenchmarkMatrix of(
            BenchmarkSubject subject,
            BenchmarkSetup setup,
            List<BenchmarkRun> runs,
            double leastChange,
            ChangePointDetector detector) {
        Map<BenchmarkOperation, TreeSet<Integer>> measured = new TreeMap<>();
        for (BenchmarkRun run : runs) {
            for (BenchmarkResult result : run.results()) {
                measured.computeIfAbsent(result.operation(), _ -> new TreeSet<>())
                        .add(result.recordBytes());
            }
        }
        List<BenchmarkCell> cells = new ArrayList<>();
        measured.forEach((operation, sizes) -> {
            for (int size : sizes) {
                cells.add(cell(operation, size, runs, leastChange, detector));
            }
        });
        return new BenchmarkMatrix(subject, setup, runs, cells);
    }

    private static BenchmarkCell cell(
            BenchmarkOperation operation,
            int recordBytes,
            List<BenchmarkRun> runs,
            double leastChange,
            ChangePointDetector detector) {
        double[] speeds =
                runs.stream()
                        .mapToDouble(run -> run.megabytesPerSecond(operation, recordBytes))
                        .toArray();
        int newest = speeds.length - 1;
        while (Double.isNaN(speeds[newest])) {
            newest--;
        }
        double recent = recent(speeds);
        List<ChangePoint> points = detector.detect(speeds);
        ChangePoint begin = null;
        int from = 0;
        int until = speeds.length;
        double before = Double.NaN;
        for (int i = 0; i < points.size(); i++) {
            ChangePoint point = points.get(i);
            int at = (int) point.index();
            int next = i + 1 < points.size() ? (int) points.get(i + 1).index() : speeds.length;
            if (begin == null) {
                if (point.relativeChange() <= -leastChange) {
                    begin = point;
                    before = median(speeds, from, at);
                    until = at;
                } else {
                    from = at;
                }
            } else if (isBack(median(speeds, at, next), before, leastChange)) {
                begin = null;
                from = at;
                until = speeds.length;
            }
        }
        boolean dips = begin != null && !isBack(recent, before, leastChange);
        return new BenchmarkCell(
                operation,
                recordBytes,
                speeds[newest],
                runs.get(newest).startedAt(),
                recent,
                (int) Arrays.stream(speeds).filter(speed -> !Double.isNaN(speed)).count(),
                level(speeds, from, until),
                begin == null || !dips ? null : dip(begin, speeds, runs));
    }

    /**
     * Whether a speed is that of an old level again. Half of the least change that makes a dip is
     * still a dip: a dip of just the least change does not come and go with noise.
     */
    public static boolean isBack(double speed, double before, double leastChange) {
        return speed > before * (1 - leastChange / 2);
    }

    private static double recent(double[] speeds) {
        double[] known = Arrays.stream(speeds).filter(speed -> !Double.isNaN(speed)).toArray();
        return median(Arrays.copyOfRange(known, Math.max(0, known.length - RECENT), known.length));
    }

    private static BenchmarkCell.Dip dip(
            ChangePoint point, double[] speeds, List<BenchmarkRun> runs) {
        return new BenchmarkCell.Dip(
                runs.get((int) point.index()).startedAt(),
                runs.get((int) point.earliest()).startedAt(),
                runs.get((int) point.latest()).startedAt(),
                point,
                median(speeds, (int) point.index(), speeds.length));
    }

    private static double median(double[] speeds, int from, int until) {
        double[] known =
                Arrays.stream(speeds, from, until).filter(speed -> !Double.isNaN(speed)).toArray();
        return median(known);
    }

    private static double median(double[] known) {
        if (known.length == 0) {
            return Double.NaN;
        }
        Arrays.sort(known);
        int half = known.length / 2;
        return known.length % 2 == 1 ? known[half] : (known[half - 1] + known[half]) / 2;
    }

    private static BenchmarkCell.@Nullable Level level(double[] speeds, int from, int until) {
        double[] logs =
                Arrays.stream(speeds, from, until)
                        .filter(speed -> !Double.isNaN(speed))
                        .map(Math::log)
                        .toArray();
        if (logs.length < LEAST_OF_LEVEL) {
            return null;
        }
        double middle = median(logs.clone());
        double[] deviations = Arrays.stream(logs).map(log -> Math.abs(log - middle)).toArray();
        double deviation = Math.max(LEAST_DEVIATION, NORMAL_PER_MAD * median(deviations));
        return new BenchmarkCell.Level(
                Math.exp(middle),
                Math.exp(middle - BAND * deviation),
                Math.exp(middle + BAND * deviation));
    }

    /** The cell of an operation and a record size, or null. */
    public @Nullable BenchmarkCell cell(BenchmarkOperation operation, int recordBytes) {
        for (BenchmarkCell each : cells) {
            if (each.operation() == operation && each.recordBytes() == recordBytes) {
                return each;
            }
        }
        return null;
    }

    /** Median speed of a cell in the runs before a time, in MB/s; NaN without such runs. */
    public double median(BenchmarkCell cell, Instant until) {
        return median(
                runs.stream()
                        .filter(run -> run.startedAt().isBefore(until))
                        .mapToDouble(
                                run -> run.megabytesPerSecond(cell.operation(), cell.recordBytes()))
                        .filter(speed -> !Double.isNaN(speed))
                        .toArray());
    }

    /** The runs of a cell around a begin, each a point at its own time; null without such runs. */
    public Finding.@Nullable Evidence evidence(BenchmarkCell cell, Instant begin) {
        List<@Nullable Double> speeds = new ArrayList<>();
        List<Instant> times = new ArrayList<>();
        int before = 0;
        for (BenchmarkRun run : runs) {
            double speed = run.megabytesPerSecond(cell.operation(), cell.recordBytes());
            if (!Double.isNaN(speed)) {
                speeds.add(speed);
                times.add(run.startedAt());
                before += run.startedAt().isBefore(begin) ? 1 : 0;
            }
        }
        int from = Math.max(0, before - AROUND);
        int until = Math.min(times.size(), before + AROUND);
        return from == until
                ? null
                : new Finding.Evidence(
                        RegressionMetric.BENCHMARK_THROUGHPUT,
                        name(cell),
                        times.get(from),
                        speeds.subList(from, until),
                        times.subList(from, until),
                        List.of());
    }

    /** Begin of the names of its objects within findings. */
    public String key() {
        return subject.key() + "/" + setup.key();
    }

    /** Name of a cell within findings. */
    public String name(BenchmarkCell cell) {
        return key() + "/" + cell.operation().label() + "/" + cell.recordBytes();
    }

    /**
     * Dips that have one cause together.
     *
     * @param where one cell, most of an operation, most of a record size, or most cells
     * @param cells the cells, at least one
     * @param begin median of their begins, on the axis of runs
     */
    public record Cause(SeriesOwner.Shared where, List<BenchmarkCell> cells, int begin) {

        public Cause {
            cells = List.copyOf(cells);
        }
    }

    /** The causes of the present dips: one cell that became slower alone is one of its own. */
    public List<Cause> causes() {
        List<SeriesOwner> owners = new ArrayList<>();
        Map<String, List<ChangePoint>> dips = new TreeMap<>();
        Map<String, BenchmarkCell> named = new TreeMap<>();
        for (BenchmarkCell each : cells) {
            if (each.runs() < 2 * LEAST_RUNS) {
                continue; // no change of it could be found
            }
            String name = name(each);
            named.put(name, each);
            owners.add(
                    new SeriesOwner(
                            name,
                            List.of(
                                    new SeriesOwner.Shared(
                                            RECORD_SIZE, key() + "/" + each.recordBytes()),
                                    new SeriesOwner.Shared(
                                            OPERATION, key() + "/" + each.operation().label()),
                                    new SeriesOwner.Shared(ALL_CELLS, key()))));
            BenchmarkCell.Dip dip = each.dip();
            if (dip != null) {
                dips.put(name, List.of(dip.point()));
            }
        }
        if (dips.isEmpty()) {
            return List.of();
        }
        List<Cause> causes = new ArrayList<>();
        for (Regression each : Regression.perCause(owners, dips, TOGETHER)) {
            List<BenchmarkCell> members = new ArrayList<>();
            for (String member : each.members()) {
                BenchmarkCell cell = named.get(member);
                if (cell != null) {
                    members.add(cell);
                }
            }
            SeriesOwner.Shared where = each.where();
            causes.add(
                    new Cause(
                            where == null
                                    ? new SeriesOwner.Shared(CELL, each.members().getFirst())
                                    : where,
                            members,
                            (int) each.index()));
        }
        return List.copyOf(causes);
    }

    /** Typical time between two runs, at least a second. */
    public Duration interval() {
        long[] distances = new long[Math.max(1, runs.size() - 1)];
        for (int i = 1; i < runs.size(); i++) {
            distances[i - 1] =
                    Duration.between(runs.get(i - 1).startedAt(), runs.get(i).startedAt())
                            .toSeconds();
        }
        Arrays.sort(distances);
        return Duration.ofSeconds(Math.max(1, distances[distances.length / 2]));
    }

    /** Begin of a run by its index on the axis. */
    public Instant at(int run) {
        return runs.get(run).startedAt();
    }
}
