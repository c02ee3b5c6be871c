package org.stillwater.testkit.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.StoreUnavailable;

/** Points of series in memory. Thread-safe. */
public final class InMemorySeriesPointStore extends InMemoryStore implements SeriesPointStore {

    private record Key(int slice, Instant at, int part) {}

    private record Row(Duration width, SeriesPoints points) {}

    private final NavigableMap<Key, Row> stored =
            new TreeMap<>(
                    Comparator.comparingInt(Key::slice)
                            .thenComparing(Key::at)
                            .thenComparingInt(Key::part));
    private int mostRead;

    private static Instant at(Duration width, long interval) {
        return Instant.ofEpochMilli(interval * width.toMillis());
    }

    @Override
    public synchronized void write(Duration width, List<SeriesPoints> points)
            throws StoreUnavailable {
        reach();
        for (SeriesPoints each : points) {
            stored.put(
                    new Key(each.slice(), at(width, each.interval()), each.part()),
                    new Row(width, each));
        }
    }

    @Override
    public synchronized List<SeriesPoints> read(
            Duration width, int slice, long from, Position before, int limit)
            throws StoreUnavailable {
        reach();
        List<SeriesPoints> found = new ArrayList<>();
        Key least = new Key(slice, at(width, from), 0);
        Key bound = new Key(slice, at(width, before.interval()), before.part());
        for (Row row : stored.subMap(least, true, bound, false).descendingMap().values()) {
            if (found.size() < limit && row.width().equals(width)) {
                found.add(row.points());
            }
        }
        mostRead = Math.max(mostRead, found.size());
        return found;
    }

    @Override
    public synchronized int removeBefore(Instant time) throws StoreUnavailable {
        reach();
        int before = stored.size();
        stored.keySet().removeIf(key -> key.at().isBefore(time));
        return before - stored.size();
    }

    /** Number of stored rows. */
    public synchronized int size() {
        return stored.size();
    }

    /** Rows of the largest answer so far. */
    public synchronized int mostRead() {
        return mostRead;
    }
}
