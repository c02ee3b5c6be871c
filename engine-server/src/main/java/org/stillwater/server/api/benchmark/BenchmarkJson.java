package org.stillwater.server.api.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkCell;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkResult;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSetup;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.benchmark.BenchmarkMonitor;
import org.stillwater.monitoring.benchmark.BenchmarkPermit;
import org.stillwater.monitoring.benchmark.PermittedRun;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;

/** Benchmark runs as records that Jackson writes. Any thread. */
final class BenchmarkJson {

    private static final long MILLIS_PER_SECOND = 1_000;

    private final FleetReader fleet;
    private final BenchmarkMonitor monitor;

    BenchmarkJson(FleetReader fleet, BenchmarkMonitor monitor) {
        this.fleet = fleet;
        this.monitor = monitor;
    }

    /** One page of runs. */
    record RunList(List<RunItem> items, int total, @Nullable String next) {}

    /** A run without its cells. */
    record RunItem(
            String id,
            @Nullable String vmId,
            @Nullable String hostId,
            String objectName,
            String startedAt,
            String receivedAt,
            String engine,
            String machine,
            String kernel,
            boolean direct,
            long fileBytes,
            int seconds,
            int cells,
            String postedBy,
            long durationMillis) {}

    /** A run with its cells. */
    record RunDetails(RunItem run, List<ResultItem> results) {}

    /** A cell of a run. */
    record ResultItem(
            String operation,
            int recordBytes,
            long bytes,
            long millis,
            double megabytesPerSecond) {}

    /** How runs measured. */
    record SetupItem(String engine, boolean direct, long fileBytes, int seconds) {}

    /** The matrix of an object. */
    record MatrixItem(
            @Nullable String vmId,
            @Nullable String hostId,
            String objectName,
            @Nullable SetupItem setup,
            int runs,
            int leastRuns,
            @Nullable String firstAt,
            @Nullable String lastAt,
            List<Integer> records,
            List<String> operations,
            List<CellItem> cells) {}

    /** A cell of the matrix. */
    record CellItem(
            String operation,
            int recordBytes,
            double last,
            String lastAt,
            int runs,
            @Nullable Double baseline,
            @Nullable Double low,
            @Nullable Double high,
            boolean dip,
            @Nullable String begin,
            @Nullable Double changePercent,
            @Nullable String findingId) {}

    /** The points of a cell. */
    record SeriesItem(String operation, int recordBytes, List<PointItem> points, CellItem cell) {}

    /** A point of a cell. */
    record PointItem(String at, String run, double megabytesPerSecond) {}

    /** Whether a run may begin. */
    record PermitItem(
            boolean granted,
            @Nullable String reason,
            String text,
            @Nullable String permit,
            @Nullable String expiresAt,
            @Nullable String retryAt,
            @Nullable Long retryAfterSeconds) {}

    /** Permitted runs. */
    record PermittedList(List<PermittedItem> items, int total) {}

    /** A run that is permitted, and not posted. */
    record PermittedItem(
            String permit,
            @Nullable String vmId,
            @Nullable String hostId,
            String objectName,
            String grantedAt,
            String expiresAt,
            String state) {}

    PermittedItem permitted(PermittedRun run) {
        return new PermittedItem(
                run.permit().toString(),
                vmId(run.subject()),
                hostId(run.subject()),
                name(run.subject()),
                run.grantedAt().toString(),
                run.expiresAt().toString(),
                run.isLost() ? "lost" : "permitted");
    }

    RunItem run(BenchmarkRun run) {
        return new RunItem(
                run.id().toString(),
                vmId(run.subject()),
                hostId(run.subject()),
                name(run.subject()),
                run.startedAt().toString(),
                run.receivedAt().toString(),
                run.engine(),
                run.machine(),
                run.kernel(),
                run.direct(),
                run.fileBytes(),
                run.seconds(),
                run.results().size(),
                run.postedBy(),
                run.took().toMillis());
    }

    RunDetails details(BenchmarkRun run) {
        return new RunDetails(run(run), run.results().stream().map(BenchmarkJson::result).toList());
    }

    private static ResultItem result(BenchmarkResult result) {
        return new ResultItem(
                result.operation().label(),
                result.recordBytes(),
                result.bytes(),
                result.millis(),
                result.megabytesPerSecond());
    }

    MatrixItem matrix(BenchmarkSubject subject) {
        BenchmarkMatrix matrix = monitor.history(subject).newest();
        if (matrix == null) {
            return new MatrixItem(
                    vmId(subject),
                    hostId(subject),
                    name(subject),
                    null,
                    0,
                    BenchmarkMatrix.LEAST_RUNS,
                    null,
                    null,
                    List.of(),
                    List.of(),
                    List.of());
        }
        BenchmarkSetup setup = matrix.setup();
        return new MatrixItem(
                vmId(subject),
                hostId(subject),
                name(subject),
                new SetupItem(setup.engine(), setup.direct(), setup.fileBytes(), setup.seconds()),
                matrix.runs().size(),
                BenchmarkMatrix.LEAST_RUNS,
                matrix.runs().getFirst().startedAt().toString(),
                matrix.runs().getLast().startedAt().toString(),
                matrix.cells().stream()
                        .map(BenchmarkCell::recordBytes)
                        .distinct()
                        .sorted()
                        .toList(),
                matrix.cells().stream().map(cell -> cell.operation().label()).distinct().toList(),
                matrix.cells().stream().map(cell -> cell(matrix, cell)).toList());
    }

    private CellItem cell(BenchmarkMatrix matrix, BenchmarkCell cell) {
        BenchmarkCell.Level level = cell.level();
        BenchmarkCell.Dip dip = cell.dip();
        Finding finding = monitor.finding(matrix, cell);
        return new CellItem(
                cell.operation().label(),
                cell.recordBytes(),
                cell.last(),
                cell.lastAt().toString(),
                cell.runs(),
                level == null ? null : level.baseline(),
                level == null ? null : level.low(),
                level == null ? null : level.high(),
                dip != null,
                dip == null ? null : dip.begin().toString(),
                dip == null ? null : Math.round(dip.point().relativeChange() * 1_000) / 10.0,
                finding == null ? null : finding.id().toString());
    }

    SeriesItem series(BenchmarkMatrix matrix, BenchmarkCell cell) {
        return new SeriesItem(
                cell.operation().label(),
                cell.recordBytes(),
                matrix.runs().stream()
                        .map(run ->
                                new PointItem(
                                        run.startedAt().toString(),
                                        run.id().toString(),
                                        run.megabytesPerSecond(
                                                cell.operation(), cell.recordBytes())))
                        .filter(point -> !Double.isNaN(point.megabytesPerSecond()))
                        .toList(),
                cell(matrix, cell));
    }

    static PermitItem permit(BenchmarkPermit permit, Instant now) {
        return switch (permit) {
            case BenchmarkPermit.Granted yes ->
                    new PermitItem(
                            true,
                            null,
                            yes.text(),
                            yes.id().toString(),
                            yes.expiresAt().toString(),
                            null,
                            null);
            case BenchmarkPermit.Refused no ->
                    new PermitItem(
                            false,
                            no.reason().label(),
                            no.text(),
                            null,
                            null,
                            no.retryAt().toString(),
                            // Rounded up: a request a moment too early is refused again.
                            Math.max(
                                    1,
                                    (Duration.between(now, no.retryAt()).toMillis()
                                                    + MILLIS_PER_SECOND
                                                    - 1)
                                            / MILLIS_PER_SECOND));
        };
    }

    private static @Nullable String vmId(BenchmarkSubject subject) {
        return subject.kind() == BenchmarkSubject.Kind.VM ? subject.id().toString() : null;
    }

    private static @Nullable String hostId(BenchmarkSubject subject) {
        return subject.kind() == BenchmarkSubject.Kind.HOST ? subject.id().toString() : null;
    }

    /** A removed object is shown by its identity. */
    private String name(BenchmarkSubject subject) {
        String otherwise = subject.id().toString();
        return switch (subject.kind()) {
            case VM -> {
                VmView vm = fleet.vm(VmId.of(subject.id()));
                yield vm == null ? otherwise : vm.definition().name();
            }
            case HOST -> {
                HostView host = fleet.host(new HostId(subject.id()));
                yield host == null ? otherwise : host.state().definition().name();
            }
        };
    }
}
