package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.testkit.VirtualClock;

@Timeout(60)
class SnapshotTurnsTest {

    private static final Duration NOT_AT_ALL = Duration.ZERO;

    private final VirtualClock clock = new VirtualClock();
    private final SnapshotTurns turns = new SnapshotTurns(clock, 2);

    @Test
    void readersBeginInTheirOrder() throws Exception {
        SnapshotTurns.Turn first = turns.lineUp();
        SnapshotTurns.Turn second = turns.lineUp();
        SnapshotTurns.Turn third = turns.lineUp();
        SnapshotTurns.Turn fourth = turns.lineUp();
        assertThat(second.await(NOT_AT_ALL)).as("the first one has not begun").isFalse();
        assertThat(first.await(NOT_AT_ALL)).isTrue();
        assertThat(second.await(NOT_AT_ALL)).isTrue();
        assertThat(third.await(NOT_AT_ALL)).isFalse();

        first.close();

        assertThat(fourth.await(NOT_AT_ALL)).as("the third one came before").isFalse();
        assertThat(third.await(NOT_AT_ALL)).isTrue();
        assertThat(fourth.await(NOT_AT_ALL)).isFalse();
    }

    @Test
    void aReaderThatLeavesTheQueueHoldsUpNoOther() throws Exception {
        turns.lineUp().close();
        SnapshotTurns.Turn first = turns.lineUp();
        SnapshotTurns.Turn gone = turns.lineUp();
        SnapshotTurns.Turn second = turns.lineUp();
        assertThat(first.await(NOT_AT_ALL)).isTrue();

        gone.close();

        assertThat(second.await(NOT_AT_ALL)).isTrue();
    }

    @Test
    void theNextReaderBeginsBesideASlowOne() throws Exception {
        SnapshotTurns.Turn slow = turns.lineUp();
        assertThat(slow.await(NOT_AT_ALL)).isTrue();
        clock.advance(Duration.ofSeconds(1));
        SnapshotTurns.Turn other = turns.lineUp();
        assertThat(other.await(NOT_AT_ALL)).isTrue();
        SnapshotTurns.Turn third = turns.lineUp();

        clock.advance(SnapshotTurns.LONGEST.minusSeconds(1).minusNanos(1));
        assertThat(third.await(NOT_AT_ALL)).isFalse();

        clock.advance(Duration.ofNanos(1));
        assertThat(third.await(NOT_AT_ALL)).isTrue();
        slow.close();
        SnapshotTurns.Turn fourth = turns.lineUp();
        assertThat(fourth.await(NOT_AT_ALL)).as("the slow one's place was taken").isFalse();
    }

    @Test
    void theEndOfATurnWakesTheNextReader() throws Exception {
        SnapshotTurns single = new SnapshotTurns(clock, 1);
        SnapshotTurns.Turn first = single.lineUp();
        assertThat(first.await(NOT_AT_ALL)).isTrue();
        SnapshotTurns.Turn second = single.lineUp();
        boolean[] begun = {false};
        Thread reader =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                begun[0] = second.await(Duration.ofMinutes(5));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });

        first.close();

        reader.join();
        assertThat(begun[0]).isTrue();
    }
}
