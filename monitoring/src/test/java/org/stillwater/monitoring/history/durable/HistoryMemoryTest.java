package org.stillwater.monitoring.history.durable;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;

class HistoryMemoryTest {

    private static final int FLEET = 20_000;

    /** What is held of a VM: its hour and its last row. */
    private static final int MOST_BYTES_PER_VM = 320;

    private static final Instant AT = Instant.parse("2026-01-01T10:00:00Z");

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final class Fleet implements HistorySource {

        private final long[] ids = new Random(1).longs(2 * FLEET).toArray();
        private final double[] values = new double[HistoryMetric.of(Subject.VM).size()];

        @Override
        public int vmCount() {
            return FLEET;
        }

        @Override
        public void vms(Visitor visitor) {
            for (int vm = 0; vm < FLEET; vm++) {
                visitor.look(ids[2 * vm], ids[2 * vm + 1], AT.toEpochMilli(), values);
            }
        }

        @Override
        public void hosts(Visitor visitor) {
            // none
        }
    }

    private static long allocated(Runnable work) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void anHourOfAVmFitsItsBudgetAndASampleOfAStableFleetAllocatesNothing() {
        Fleet fleet = new Fleet();
        OpenHour warm = new OpenHour(AT, AT, AT, FLEET);
        warm.take(fleet, AT, 0, true);
        warm.take(fleet, AT, 0, true);

        OpenHour[] hour = new OpenHour[1];
        long held = allocated(() -> hour[0] = new OpenHour(AT, AT, AT, FLEET));
        assertThat(held / FLEET).as("bytes per VM").isLessThanOrEqualTo(MOST_BYTES_PER_VM);

        OpenHour.Changed[] first = new OpenHour.Changed[1];
        allocated(() -> first[0] = hour[0].take(fleet, AT, 0, true));
        assertThat(first[0].vms().size()).isEqualTo(FLEET);
        assertThat(hour[0].subjects()).isEqualTo(FLEET);

        long stable = allocated(() -> first[0] = hour[0].take(fleet, AT, 0, true));
        assertThat(first[0].vms().size()).isZero();
        assertThat(stable).as("bytes for all %d VMs", FLEET).isLessThan(10_000);
    }
}
