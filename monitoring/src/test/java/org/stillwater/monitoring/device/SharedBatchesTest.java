package org.stillwater.monitoring.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Which batches of hosts share a write. */
class SharedBatchesTest {

    private final SharedBatches<Integer> batches = new SharedBatches<>();

    /** Room for batches with this sum. */
    private static Predicate<Integer> upTo(int most) {
        int[] sum = {0};
        return batch -> {
            sum[0] += batch;
            return sum[0] <= most;
        };
    }

    @Test
    void rowsThatArriveDuringAWriteShareTheNextOne() {
        assertThat(batches.add(1)).as("needs a task").isTrue();
        assertThat(batches.take(upTo(10))).containsExactly(1);
        assertThat(batches.add(2)).isFalse();
        assertThat(batches.add(3)).isFalse();

        assertThat(batches.done()).as("needs another task").isTrue();
        assertThat(batches.take(upTo(10))).containsExactly(2, 3);
        assertThat(batches.done()).isFalse();
        assertThat(batches.add(4)).as("needs a task").isTrue();
    }

    @Test
    void aRepeatedWriteHasTheSameBatches() {
        batches.add(1);
        assertThat(batches.take(upTo(10))).containsExactly(1);
        batches.add(2);
        assertThat(batches.take(upTo(10))).containsExactly(1);
        assertThat(batches.underWay()).containsExactly(1);
    }

    @Test
    void aWriteIsBoundedAndNotEmpty() {
        for (int batch : List.of(11, 5, 5, 1)) {
            batches.add(batch);
        }
        assertThat(batches.take(upTo(10))).as("larger than the room").containsExactly(11);
        batches.done();
        assertThat(batches.take(upTo(10))).containsExactly(5, 5);
        batches.done();
        assertThat(batches.take(upTo(10))).containsExactly(1);
    }

    @Test
    void batchesOfAWriteThatThrewAreWrittenOneByOne() {
        for (int batch : List.of(1, 2, 3)) {
            batches.add(batch);
        }
        batches.take(upTo(10));
        assertThat(batches.giveUp()).isEmpty();
        assertThat(batches.done()).isTrue();
        batches.add(4);

        assertThat(batches.take(upTo(10))).containsExactly(1);
        batches.done();
        assertThat(batches.take(upTo(10))).containsExactly(2);
        assertThat(batches.giveUp()).as("the one at fault").containsExactly(2);
        batches.done();
        assertThat(batches.take(upTo(10))).containsExactly(3);
        batches.done();
        assertThat(batches.take(upTo(10))).containsExactly(4);
        assertThat(batches.done()).isFalse();
    }
}
