package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

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
        int[] order = IdOrder.of(upper.length, row -> upper[row]);
        assertThat(order).hasSize(upper.length).doesNotHaveDuplicates();
        for (int i = 1; i < order.length; i++) {
            assertThat(Long.compareUnsigned(upper[order[i - 1]], upper[order[i]])).isNegative();
        }
        assertThat(IdOrder.of(0, _ -> 0)).isEmpty();
        assertThat(IdOrder.of(1, _ -> 9)).containsExactly(0);
        assertThat(IdOrder.of(2, row -> row == 0 ? -1 : 1)).containsExactly(1, 0);
    }
}
