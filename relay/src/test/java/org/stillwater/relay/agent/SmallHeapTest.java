package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.testkit.VirtualClock;

class SmallHeapTest {

    @Test
    @DisplayName("a heap that grew by a quarter, and by 6 MiB at least, is collected")
    void growth() {
        assertThat(SmallHeap.isDue(0, 6 << 20)).isFalse();
        assertThat(SmallHeap.isDue(0, (6 << 20) + 1)).isTrue();
        assertThat(SmallHeap.isDue(20 << 20, 26 << 20)).isFalse();
        assertThat(SmallHeap.isDue(20 << 20, 27 << 20)).isTrue();
        assertThat(SmallHeap.isDue(40 << 20, 50 << 20)).isFalse();
        assertThat(SmallHeap.isDue(40 << 20, 51 << 20)).isTrue();
        assertThat(SmallHeap.isDue(40 << 20, 10 << 20)).isFalse();
    }

    @Test
    @DisplayName("the old generation of this process is collected when it has grown")
    void process() {
        GarbageCollectorMXBean full =
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(each -> each.getName().equals("MarkSweepCompact"))
                        .findFirst()
                        .orElse(null);
        ManualLoop loop = new ManualLoop(new VirtualClock());
        SmallHeap.ofProcess().watch(loop);
        assumeThat(full).as("the serial collector, which relays use").isNotNull();
        System.gc();
        loop.pass(SmallHeap.CHECK);
        long before = full.getCollectionCount();
        loop.pass(SmallHeap.CHECK);
        assertThat(full.getCollectionCount()).as("nothing has grown").isEqualTo(before);
        List<byte[]> held = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            held.add(new byte[16 << 20]); // too long for the young generation of a small heap
        }
        loop.pass(SmallHeap.CHECK);
        assertThat(full.getCollectionCount()).isGreaterThan(before);
        assertThat(held).hasSize(12);
    }
}
