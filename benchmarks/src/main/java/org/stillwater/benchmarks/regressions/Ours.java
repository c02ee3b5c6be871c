package org.stillwater.benchmarks.regressions;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
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

    /** What it finds in each series; drifts are no steps and do not alert. */
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

    /**
     * Points from the begin of a step, it included, until the watch reports it; sorted. A step that
     * is not reported has {@code Integer.MAX_VALUE}.
     *
     * @param leastPercent smallest step that counts
     */
    static int[] delays(List<LabelledSeries> series, int leastPercent) {
        ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);
        return series.stream()
                .filter(each -> each.kind() == Kind.STEP)
                .filter(each -> each.cell().stepPercent() >= leastPercent)
                .mapToInt(each -> delay(detector, each))
                .sorted()
                .toArray();
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
        return Integer.MAX_VALUE;
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

    /** The value that this share of sorted values does not exceed. */
    static int quantile(int[] sorted, double share) {
        return sorted.length == 0
                ? 0
                : sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
    }
}
