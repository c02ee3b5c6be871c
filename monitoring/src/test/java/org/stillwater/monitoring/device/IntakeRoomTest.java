package org.stillwater.monitoring.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;

/** How many VMs of all hosts are taken in at once. */
class IntakeRoomTest {

    private static final HostId ONE = host(1);
    private static final HostId TWO = host(2);
    private static final HostId THREE = host(3);

    private final IntakeRoom room = new IntakeRoom(100);
    private final List<String> called = new ArrayList<>();

    @Test
    void hostsBeyondTheRoomAreCalledInTheOrderOfAsking() {
        assertThat(room.take(ONE, 70, () -> called.add("one"))).isEqualTo(70);
        assertThat(room.take(TWO, 70, () -> called.add("two"))).as("what is left").isEqualTo(30);
        assertThat(room.take(THREE, 5, () -> called.add("three"))).isZero();
        assertThat(room.take(TWO, 5, () -> called.add("two"))).isZero();
        assertThat(called).isEmpty();

        room.release(ONE, 10);
        assertThat(called).as("one at a time").containsExactly("three");
        assertThat(room.take(THREE, 5, () -> called.add("three"))).isEqualTo(5);
        room.pass();
        assertThat(called).containsExactly("three", "two");
        assertThat(room.taken()).isEqualTo(95);
    }

    @Test
    void aHostThatIsWatchedAnewHoldsNothing() {
        assertThat(room.take(ONE, 100, () -> {})).isEqualTo(100);
        assertThat(room.take(TWO, 1, () -> called.add("two"))).isZero();
        room.begin(ONE);
        assertThat(called).containsExactly("two");
        room.release(ONE, 100);
        assertThat(room.taken()).as("an answer of the earlier monitor").isZero();
    }

    private static HostId host(int n) {
        return new HostId(new UUID(0, n));
    }
}
