package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.JdbcHistoryStore.IdRange;

class IdRangeTest {

    private static final UUID LEAST = new UUID(0, 0);
    private static final UUID LARGEST = new UUID(-1, -1);

    @Test
    void slicesCoverEveryIdentifierOnce() {
        List<IdRange> slices = IdRange.slices(LEAST, LARGEST, 7);
        assertThat(slices).hasSize(7);
        assertThat(slices.getFirst().first()).isEqualTo(LEAST);
        assertThat(slices.getLast().last()).isEqualTo(LARGEST);
        for (int i = 1; i < slices.size(); i++) {
            assertThat(following(slices.get(i - 1).last())).isEqualTo(slices.get(i).first());
        }
    }

    private static UUID following(UUID id) {
        long lower = id.getLeastSignificantBits() + 1;
        return new UUID(id.getMostSignificantBits() + (lower == 0 ? 1 : 0), lower);
    }

    @Test
    void identifiersThatBeginAlikeAreDividedToo() {
        assertThat(IdRange.slices(new UUID(7, 1), new UUID(7, 10), 2))
                .containsExactly(
                        new IdRange(new UUID(7, 1), new UUID(7, 5)),
                        new IdRange(new UUID(7, 6), new UUID(7, 10)));
    }

    @Test
    void oneIdentifierIsOneSlice() {
        assertThat(IdRange.slices(LARGEST, LARGEST, 5))
                .containsExactly(new IdRange(LARGEST, LARGEST));
    }

    @Test
    void rowsAreInTheServersOrderEachOnce() {
        long[] upper = new Random(1).longs(1000).toArray();
        int[] order = order(upper.length, row -> upper[row]);
        assertThat(order).hasSize(upper.length).doesNotHaveDuplicates();
        for (int i = 1; i < order.length; i++) {
            assertThat(Long.compareUnsigned(upper[order[i - 1]], upper[order[i]])).isNegative();
        }
        assertThat(order(0, _ -> 0)).isEmpty();
        assertThat(order(1, _ -> 9)).containsExactly(0);
        assertThat(order(2, row -> row == 0 ? -1 : 1)).containsExactly(1, 0);
    }

    private static int[] order(int size, IdOrder.Upper upper) {
        try (IdOrder order = new IdOrder(size, upper)) {
            return IntStream.range(0, order.size()).map(order::row).toArray();
        }
    }

    @Test
    void twoOrdersAtATimeDoNotShareTheirArray() {
        try (IdOrder one = new IdOrder(3, row -> (long) row << 8);
                IdOrder other = new IdOrder(3, row -> -((long) row << 8))) {
            assertThat(one.row(2)).isEqualTo(2);
            assertThat(other.row(2)).isEqualTo(1); // without sign the largest
        }
    }

    @Test
    void theOrderOfALargeBatchAllocatesLittleOnceThereWasOne() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] upper = new Random(2).longs(100_000).toArray();
        new IdOrder(upper.length, row -> upper[row]).close();
        long before = threads.getCurrentThreadAllocatedBytes();
        new IdOrder(upper.length, row -> upper[row]).close();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }
}
