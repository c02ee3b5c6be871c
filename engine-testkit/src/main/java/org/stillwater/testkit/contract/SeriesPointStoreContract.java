package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.SeriesPointStore.Position;
import org.stillwater.core.store.StoreUnavailable;

/** Contract of every {@link SeriesPointStore}. A subclass hands out an empty one. */
public abstract class SeriesPointStoreContract {

    private static final Duration WIDTH = Duration.ofMinutes(5);
    private static final long FIRST = 5_900_000;
    private static final Position END = new Position(FIRST + 100, 0);

    private SeriesPointStore store;

    /** A store without points. */
    protected abstract SeriesPointStore emptyPoints() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyPoints();
    }

    private static SeriesPoints points(long interval, int slice, int part, double... values) {
        ByteBuffer packed = ByteBuffer.allocate(values.length * SeriesPoints.BYTES);
        for (int i = 0; i < values.length; i++) {
            packed.putLong(Long.MIN_VALUE + i).putFloat((float) values[i]).put((byte) (i % 8));
        }
        return new SeriesPoints(interval, slice, part, packed.array());
    }

    private List<String> read(int slice, long from, Position before, int limit)
            throws StoreUnavailable {
        return store.read(WIDTH, slice, from, before, limit).stream()
                .map(SeriesPointStoreContract::text)
                .toList();
    }

    private static String text(SeriesPoints points) {
        StringBuilder text = new StringBuilder();
        text.append(points.interval() - FIRST).append('/').append(points.part()).append(':');
        for (int i = 0; i < points.size(); i++) {
            assertThat(points.key(i)).isEqualTo(Long.MIN_VALUE + i);
            text.append(' ').append(points.value(i)).append('m').append(points.marks(i));
        }
        return text.toString();
    }

    @Test
    @DisplayName("points are read as they were written, by slice, the newest first, by pages")
    void asWritten() throws StoreUnavailable {
        store.write(
                WIDTH,
                List.of(
                        points(FIRST, 3, 0, 1.5, Double.NaN, 1e-30),
                        points(FIRST, 3, 1, 2),
                        points(FIRST, 15, 0, 7)));
        store.write(WIDTH, List.of(points(FIRST + 1, 3, 0, 3), points(FIRST + 2, 3, 0, 4)));

        assertThat(read(3, FIRST, END, 10))
                .containsExactly(
                        "2/0: 4.0m0", "1/0: 3.0m0", "0/1: 2.0m0", "0/0: 1.5m0 NaNm1 1.0E-30m2");
        assertThat(read(3, FIRST, END, 2)).containsExactly("2/0: 4.0m0", "1/0: 3.0m0");
        assertThat(read(3, FIRST, new Position(FIRST + 1, 0), 1)).containsExactly("0/1: 2.0m0");
        assertThat(read(3, FIRST, new Position(FIRST, 1), 9))
                .containsExactly("0/0: 1.5m0 NaNm1 1.0E-30m2");
        assertThat(read(3, FIRST + 1, new Position(FIRST + 2, 0), 9)).containsExactly("1/0: 3.0m0");
        assertThat(read(15, FIRST, END, 9)).containsExactly("0/0: 7.0m0");
        assertThat(read(0, FIRST, END, 9)).isEmpty();
    }

    @Test
    @DisplayName("points that are written again replace those of the same place")
    void replaced() throws StoreUnavailable {
        store.write(WIDTH, List.of(points(FIRST, 3, 0, 1)));
        store.write(WIDTH, List.of(points(FIRST, 3, 0, 2, 3)));

        assertThat(read(3, FIRST, END, 9)).containsExactly("0/0: 2.0m0 3.0m1");
    }

    @Test
    @DisplayName("points of another width are not read: they cannot be compared")
    void width() throws StoreUnavailable {
        store.write(Duration.ofMinutes(1), List.of(points(5 * FIRST + 5, 3, 0, 1)));
        store.write(WIDTH, List.of(points(FIRST, 3, 0, 2)));

        assertThat(read(3, FIRST, END, 9)).containsExactly("0/0: 2.0m0");
    }

    @Test
    @DisplayName("only points of old intervals are removed")
    void removed() throws StoreUnavailable {
        store.write(
                WIDTH,
                List.of(
                        points(FIRST, 3, 0, 1),
                        points(FIRST, 4, 0, 1),
                        points(FIRST + 1, 3, 0, 2)));

        assertThat(store.removeBefore(Instant.ofEpochMilli(WIDTH.toMillis() * FIRST).plusMillis(1)))
                .isEqualTo(2);
        assertThat(read(3, FIRST, END, 9)).containsExactly("1/0: 2.0m0");
        assertThat(read(4, FIRST, END, 9)).isEmpty();
    }
}
