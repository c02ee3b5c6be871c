package org.stillwater.benchmarks.regressions;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stillwater.benchmarks.regressions.LabelledSeries.Kind;
import org.stillwater.benchmarks.regressions.Peers.Answer;
import org.stillwater.benchmarks.regressions.Score.Found;
import org.stillwater.core.regression.ChangePoint;
import org.stillwater.core.regression.ChangePoint.Shape;
import org.stillwater.core.regression.ChangePointDetector;
import org.stillwater.core.regression.DetectorOptions;
import org.stillwater.core.regression.SeriesWatch;

/** The engine's detector, on whole series and point by point. */
final class Ours {

    private static final int WARM_UP = 3;

    private Ours() {}

    /** Its change points of each series; drifts are no steps and do not alert. */
    static List<Answer> detect(List<LabelledSeries> series) {
        ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);
        for (int round = 0; round < WARM_UP; round++) {
            for (LabelledSeries each : series) {
                detector.detect(each.values());
            }
        }
        List<Answer> answers = new ArrayList<>();
        for (LabelledSeries each : series) {
            long begun = cpuNanos();
            List<ChangePoint> points = detector.detect(each.values());
            double micros = (cpuNanos() - begun) / 1e3;
            answers.add(
                    new Answer(
                            points.stream()
                                    .filter(point -> point.shape() == Shape.STEP)
                                    .map(Ours::found)
                                    .toArray(Found[]::new),
                            micros));
        }
        return answers;
    }

    /** CPU time of this thread: other programs on the machine do not count. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Found found(ChangePoint point) {
        return new Found(
                Math.toIntExact(point.index()),
                Math.toIntExact(point.earliest()),
                Math.toIntExact(point.latest()),
                point.low(),
                point.high());
    }

    /** Delays of the first steps of the series of each cell, point by point. */
    static Map<Cell, Delays> delays(List<LabelledSeries> series) {
        ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);
        Map<Cell, List<LabelledSeries>> cells = new LinkedHashMap<>();
        for (LabelledSeries each : series) {
            if (each.kind() == Kind.STEP || each.kind() == Kind.RECOVERY) {
                cells.computeIfAbsent(each.cell(), _ -> new ArrayList<>()).add(each);
            }
        }
        Map<Cell, Delays> delays = new LinkedHashMap<>();
        cells.forEach((cell, all) ->
                delays.put(
                        cell,
                        new Delays(
                                all.stream().mapToInt(each -> delay(detector, each)).toArray())));
        return delays;
    }

    private static int delay(ChangePointDetector detector, LabelledSeries series) {
        int begin = series.begins()[0];
        SeriesWatch watch = detector.watch(series.values().length, begin);
        for (int i = 0; i < series.values().length; i++) {
            for (ChangePoint point : watch.add(series.values()[i])) {
                if (Math.abs(point.index() - begin) <= Score.TOLERANCE) {
                    return i - begin + 1;
                }
            }
        }
        return Delays.NEVER;
    }

    /** Microseconds of one more point of a series without a change, on average. */
    static double microsPerPoint(List<LabelledSeries> series) {
        ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);
        List<double[]> unchanged =
                series.stream()
                        .filter(each -> each.kind() == Kind.UNCHANGED)
                        .map(LabelledSeries::values)
                        .toList();
        List<SeriesWatch> watches = new ArrayList<>();
        for (int i = 0; i < unchanged.size(); i++) {
            watches.add(detector.watch(Corpus.LENGTH, i));
        }
        feed(watches, unchanged);
        long begun = cpuNanos();
        long points = feed(watches, unchanged);
        return (cpuNanos() - begun) / 1e3 / Math.max(1, points);
    }

    private static long feed(List<SeriesWatch> watches, List<double[]> values) {
        for (int i = 0; i < Corpus.LENGTH; i++) {
            for (int s = 0; s < watches.size(); s++) {
                watches.get(s).add(values.get(s)[i]);
            }
        }
        return (long) Corpus.LENGTH * watches.size();
    }
}
