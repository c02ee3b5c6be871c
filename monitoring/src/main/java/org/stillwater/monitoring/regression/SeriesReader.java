package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.SeriesPointStore.Position;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Reads the series of the search for regressions: present values from memory, older ones from the
 * database, in pages. It holds the lock of the search while it copies from memory, and not while
 * the database answers. Thread-safe.
 */
public final class SeriesReader implements SeriesValues {

    private static final int ROWS = 64;

    private final RegressionMonitor monitor;
    private final SeriesPointStore store;
    private final Duration kept;

    /**
     * A reader of a search and of the points that it stores.
     *
     * @param kept how long they are kept; zero for not at all
     */
    public SeriesReader(RegressionMonitor monitor, SeriesPointStore store, Duration kept) {
        this.monitor = monitor;
        this.store = store;
        this.kept = kept;
    }

    @Override
    public Duration interval() {
        return monitor.settings().interval();
    }

    @Override
    public Duration reach() {
        Duration window = interval().multipliedBy(monitor.settings().window());
        return kept.compareTo(window) > 0 ? kept : window;
    }

    @Override
    public long newest() {
        return monitor.onSeries(series -> {
            long over = series.interval() - 1;
            // The search began within its first interval: that one is no whole one.
            return over > monitor.firstInterval() ? over : UNKNOWN;
        });
    }

    @Override
    public void visit(RegressionMetric metric, long interval, Visitor visitor) {
        boolean _ =
                monitor.onSeries(series -> {
                    for (MeasuredSeries each : series.all(metric)) {
                        visitor.look(each.owner(), each.value(interval));
                    }
                    return true;
                });
    }

    @Override
    public Map<String, float[]> past(
            RegressionMetric metric,
            Collection<String> owners,
            long from,
            int count,
            BooleanSupplier goesOn)
            throws StoreUnavailable {
        Map<Integer, List<String>> slices = new TreeMap<>();
        Map<String, float[]> found = new HashMap<>();
        for (String owner : owners) {
            float[] values = new float[count];
            Arrays.fill(values, Float.NaN);
            found.put(owner, values);
            slices.computeIfAbsent(
                            SeriesPoints.slice(SeriesPoints.key(metric, owner)),
                            _ -> new ArrayList<>())
                    .add(owner);
        }
        if (kept.isZero()) {
            slices.clear();
        }
        for (Map.Entry<Integer, List<String>> slice : slices.entrySet()) {
            Map<Long, float[]> wanted = new HashMap<>();
            for (String owner : slice.getValue()) {
                float[] values = found.get(owner);
                if (values != null) {
                    wanted.put(SeriesPoints.key(metric, owner), values);
                }
            }
            if (!read(slice.getKey(), wanted, from, count, goesOn)) {
                found.keySet().removeAll(slice.getValue());
            }
        }
        fromMemory(metric, found, from, count);
        return found;
    }

    /** Whether a slice was read to its begin. */
    private boolean read(
            int slice, Map<Long, float[]> wanted, long from, int count, BooleanSupplier goesOn)
            throws StoreUnavailable {
        Position before = new Position(from + count, 0);
        while (goesOn.getAsBoolean()) {
            List<SeriesPoints> rows = store.read(interval(), slice, from, before, ROWS);
            for (SeriesPoints row : rows) {
                int index = (int) (row.interval() - from);
                for (int i = 0; i < row.size(); i++) {
                    float[] values = wanted.get(row.key(i));
                    if (values != null) {
                        values[index] = row.value(i);
                    }
                }
            }
            if (rows.size() < ROWS) {
                return true;
            }
            before = Position.of(rows.getLast());
        }
        return false;
    }

    /** The newest points may not be durable yet, or points are not kept at all. */
    private void fromMemory(
            RegressionMetric metric, Map<String, float[]> found, long from, int count) {
        boolean _ =
                monitor.onSeries(series -> {
                    found.forEach((owner, values) -> {
                        MeasuredSeries known = series.find(metric, owner);
                        for (int i = 0; known != null && i < count; i++) {
                            double value = known.value(from + i);
                            if (value > 0) {
                                values[i] = (float) value;
                            }
                        }
                    });
                    return true;
                });
    }
}
