package org.stillwater.monitoring.benchmark;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkCell;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkMatrix.Cause;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.FindingEvent;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.vm.VmView;

/** Converts dips to findings, and ends findings without present dips. */
final class BenchmarkFindings {

    private static final String LEVELS = BenchmarkMatrix.ALL_CELLS;

    private final FleetReader fleet;
    private final RegressionMonitor regressions;
    private final double leastChange;

    BenchmarkFindings(FleetReader fleet, RegressionMonitor regressions, double leastChange) {
        this.fleet = fleet;
        this.regressions = regressions;
        this.leastChange = leastChange;
    }

    /** Open findings about an object. */
    List<Finding> open(BenchmarkSubject subject) {
        String prefix = subject.key() + "/";
        return regressions.findings().stream()
                .filter(Finding::isOpen)
                .filter(finding ->
                        finding.where().level().startsWith(LEVELS)
                                && finding.where().name().startsWith(prefix))
                .toList();
    }

    /** The open finding that has a cell, or null. */
    @Nullable Finding of(BenchmarkMatrix matrix, BenchmarkCell cell) {
        String name = matrix.name(cell);
        for (Finding each : open(matrix.subject())) {
            if (each.members().contains(name)) {
                return each;
            }
        }
        return null;
    }

    /** Removed objects that still have an open finding. */
    Set<BenchmarkSubject> removed() {
        FindingNames names = new FindingNames(fleet);
        Set<BenchmarkSubject> removed = new HashSet<>();
        for (Finding each : regressions.findings()) {
            if (each.isOpen() && each.where().level().startsWith(LEVELS)) {
                VmId vm = names.vm(each.where());
                HostId host = names.host(each.where());
                BenchmarkSubject subject =
                        vm != null
                                ? new BenchmarkSubject(BenchmarkSubject.Kind.VM, vm.toUuid())
                                : host != null
                                        ? new BenchmarkSubject(
                                                BenchmarkSubject.Kind.HOST, host.value())
                                        : null;
                if (subject != null && isRemoved(subject)) {
                    removed.add(subject);
                }
            }
        }
        return removed;
    }

    private boolean isRemoved(BenchmarkSubject subject) {
        return switch (subject.kind()) {
            case VM -> fleet.vm(VmId.of(subject.id())) == null;
            case HOST -> fleet.host(new HostId(subject.id())) == null;
        };
    }

    /** Changes of the findings about an object. A removed one has no more dips. */
    List<FindingEvent> events(
            BenchmarkSubject subject, List<BenchmarkMatrix> matrices, Instant now) {
        List<BenchmarkMatrix> compared = isRemoved(subject) ? List.of() : matrices;
        List<FindingEvent> events = new ArrayList<>();
        List<Finding> before = open(subject);
        Set<Shared> present = new HashSet<>();
        Set<String> dips = new HashSet<>();
        for (BenchmarkMatrix matrix : compared) {
            for (Cause cause : matrix.causes()) {
                present.add(cause.where());
                cause.cells().forEach(cell -> dips.add(matrix.name(cell)));
                Finding known = null;
                for (Finding each : before) {
                    if (each.where().equals(cause.where())) {
                        known = each;
                    }
                }
                Finding built = finding(matrix, cause, known, now);
                if (known == null) {
                    events.add(new FindingEvent.Began(built));
                } else if (!built.equals(known)) {
                    events.add(new FindingEvent.Changed(built));
                }
            }
        }
        for (Finding each : before) {
            Finding.Ending ending =
                    present.contains(each.where()) ? null : ending(each, dips, compared);
            if (ending != null) {
                events.add(new FindingEvent.Ended(shown(each, matrices).ended(now, ending)));
            }
        }
        return events;
    }

    /** Why a finding that the detector does not show now ends; null if it lasts. */
    private Finding.@Nullable Ending ending(
            Finding finding, Set<String> dips, List<BenchmarkMatrix> matrices) {
        if (dips.containsAll(finding.members())) {
            return Finding.Ending.MERGED;
        }
        boolean remembered = false;
        int members = 0;
        int back = 0;
        for (BenchmarkMatrix matrix : matrices) {
            for (BenchmarkCell cell : matrix.cells()) {
                if (finding.members().contains(matrix.name(cell))) {
                    remembered |= matrix.at(0).isBefore(finding.begin());
                    members++;
                    back += cell.dip() == null && isBack(finding, matrix, cell) ? 1 : 0;
                }
            }
        }
        if (members > 0 && 2 * back > members) {
            return Finding.Ending.RECOVERED;
        }
        // While a level returns, the detector does not show the old step for some runs.
        return remembered ? null : Finding.Ending.ADOPTED;
    }

    /** A finding with its newest runs; without runs it keeps the points that it has. */
    private static Finding shown(Finding finding, List<BenchmarkMatrix> matrices) {
        for (BenchmarkMatrix matrix : matrices) {
            List<BenchmarkCell> members =
                    matrix.cells().stream()
                            .filter(cell -> finding.members().contains(matrix.name(cell)))
                            .toList();
            List<Finding.Evidence> points = evidence(matrix, members, finding.begin());
            if (!points.isEmpty()) {
                return finding.shownBy(points);
            }
        }
        return finding;
    }

    /** The runs of the clearest members. */
    private static List<Finding.Evidence> evidence(
            BenchmarkMatrix matrix, List<BenchmarkCell> cells, Instant begin) {
        List<BenchmarkCell> clearest = new ArrayList<>(cells);
        clearest.sort(
                Comparator.comparingDouble(BenchmarkFindings::confidence)
                        .reversed()
                        .thenComparing(matrix::name));
        List<Finding.Evidence> shown = new ArrayList<>();
        for (BenchmarkCell cell : clearest) {
            Finding.Evidence points = matrix.evidence(cell, begin);
            if (points != null && shown.size() < Finding.MOST_EVIDENCE) {
                shown.add(points);
            }
        }
        return shown;
    }

    private static double confidence(BenchmarkCell cell) {
        BenchmarkCell.Dip dip = cell.dip();
        return dip == null ? 0 : dip.point().confidence();
    }

    private boolean isBack(Finding finding, BenchmarkMatrix matrix, BenchmarkCell cell) {
        double before = matrix.median(cell, finding.begin());
        return BenchmarkMatrix.isBack(cell.recent(), before, leastChange);
    }

    private Finding finding(
            BenchmarkMatrix matrix, Cause cause, @Nullable Finding known, Instant now) {
        List<BenchmarkCell> cells = cause.cells();
        List<String> members = cells.stream().map(matrix::name).sorted().toList();
        Instant begin = matrix.at(cause.begin());
        Instant earliest = begin;
        Instant latest = begin;
        for (BenchmarkCell each : cells) {
            BenchmarkCell.Dip dip = each.dip();
            if (dip != null) {
                earliest = dip.earliest().isBefore(earliest) ? dip.earliest() : earliest;
                latest = dip.latest().isAfter(latest) ? dip.latest() : latest;
            }
        }
        Duration interval = matrix.interval();
        BenchmarkSubject subject = matrix.subject();
        return new Finding(
                known == null ? identity(cause.where(), begin) : known.id(),
                cause.where(),
                begin,
                earliest,
                latest,
                known == null ? now : known.detectedAt(),
                interval,
                List.of(change(cells)),
                members,
                members.size(),
                vms(subject),
                known != null
                        ? known.coincidences()
                        : regressions.coincidences(
                                List.of(new SeriesOwner(subject.key(), dependsOn(subject))),
                                begin,
                                // A change since the run before may have done it.
                                earliest.minus(interval.multipliedBy(2)),
                                latest.plus(interval)),
                evidence(matrix, cells, begin),
                null,
                null,
                known == null ? null : known.acknowledged(),
                known == null ? null : known.silencedUntil());
    }

    private static UUID identity(Shared where, Instant begin) {
        return UUID.nameUUIDFromBytes(
                (where.level() + '|' + where.name() + '|' + begin)
                        .getBytes(StandardCharsets.UTF_8));
    }

    /** The cells use one disk by turns, so that the impact is their mean and not their sum. */
    private static Finding.Change change(List<BenchmarkCell> cells) {
        int count = cells.size();
        double[] changes = new double[count];
        double[] lows = new double[count];
        double[] highs = new double[count];
        double confidence = 0;
        double before = 0;
        double after = 0;
        double lost = 0;
        for (int i = 0; i < count; i++) {
            BenchmarkCell.Dip dip = cells.get(i).dip();
            BenchmarkCell.Level level = cells.get(i).level();
            if (dip == null || level == null) {
                throw new IllegalStateException("a cause has cells with dips only");
            }
            changes[i] = dip.point().relativeChange();
            lows[i] = dip.point().low();
            highs[i] = dip.point().high();
            confidence = Math.max(confidence, dip.point().confidence());
            before += Math.log(level.baseline());
            after += Math.log(dip.after());
            lost += level.baseline() - dip.after();
        }
        double median = median(changes);
        return new Finding.Change(
                RegressionMetric.BENCHMARK_THROUGHPUT,
                median,
                Math.min(median, median(lows)),
                Math.max(median, median(highs)),
                confidence,
                Math.exp(before / count),
                Math.exp(after / count),
                RegressionMetric.BENCHMARK_THROUGHPUT.unit().impact(lost / count));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private int vms(BenchmarkSubject subject) {
        return switch (subject.kind()) {
            case VM -> 1;
            case HOST -> fleet.readingsOn(new HostId(subject.id())).size();
        };
    }

    private List<Shared> dependsOn(BenchmarkSubject subject) {
        List<Shared> objects = new ArrayList<>();
        ClusterId cluster = null;
        HostId host = null;
        switch (subject.kind()) {
            case VM -> {
                VmView vm = fleet.vm(VmId.of(subject.id()));
                objects.add(new Shared(SeriesOwner.VM, subject.id().toString()));
                if (vm != null) {
                    host = vm.state().placement().runOn();
                    cluster = vm.definition().cluster();
                }
            }
            case HOST -> {
                host = new HostId(subject.id());
                HostView view = fleet.host(host);
                cluster = view == null ? null : view.state().definition().cluster();
            }
        }
        if (host != null) {
            objects.add(new Shared(SeriesOwner.HOST, host.toString()));
        }
        if (cluster != null) {
            objects.add(new Shared(SeriesOwner.CLUSTER, cluster.toString()));
        }
        return objects;
    }
}
