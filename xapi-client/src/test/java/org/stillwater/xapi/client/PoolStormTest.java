package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Store.Row;

/** A large pool in which very much changes. */
@Tag("full") // a minute of changes
@Timeout(300)
class PoolStormTest {

    private static final int VMS = 5_000;
    private static final int PER_SECOND = 1_000;
    private static final int CHANGES = 60 * PER_SECOND;
    private static final long MOST_GROWTH_BYTES = 64L << 20;

    /** Notes when each change was seen; numbers of one VM must grow. */
    private static final class Watching implements PoolListener {
        final CountDownLatch synced = new CountDownLatch(1);
        final AtomicLongArray seenNanos = new AtomicLongArray(CHANGES);
        final Map<String, Integer> last = new ConcurrentHashMap<>();
        final AtomicInteger backwards = new AtomicInteger();
        volatile int newest = -1;

        @Override
        public void synced(Map<XapiClass, Map<String, XapiRecord>> objects) {
            if (!objects.containsKey(XapiClass.of("task"))) {
                synced.countDown();
            }
        }

        @Override
        public void changed(List<Change> changes) {
            long now = Lab.CLOCK.nanoTime();
            for (Change each : changes) {
                String name = each.after() == null ? "" : each.after().text("name_label");
                if (!each.type().name().equals("VM") || !name.startsWith("change-")) {
                    continue;
                }
                int number = Integer.parseInt(name.substring("change-".length()));
                seenNanos.set(number, now);
                Integer before = last.put(each.ref(), number);
                if (before != null && before >= number) {
                    backwards.incrementAndGet();
                }
                newest = Math.max(newest, number);
            }
        }

        @Override
        public void message(XapiRecord message) {}

        @Override
        public void lost(Exception reason) {
            throw new AssertionError(reason);
        }
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    @DisplayName(
            "X40 1 000 changes a second for a minute in 5 000 VMs: lag within 1 s, order kept,"
                    + " memory bounded")
    void storm() throws Exception {
        try (Lab lab = new Lab("127.11.40", Era.TODAY, 16, VMS, false)) {
            Watching watching = new Watching();
            PoolWatch _ = lab.watch(lab.connect(), watching);
            assertThat(watching.synced.await(60, TimeUnit.SECONDS)).isTrue();
            List<String> vms =
                    lab.pool.objects("VM").stream()
                            .filter(each -> each.text("power_state").equals("Running"))
                            .filter(each -> !each.flag("is_control_domain"))
                            .map((Row each) -> each.text("uuid"))
                            .toList();
            long[] madeNanos = new long[CHANGES];
            long begun = Lab.CLOCK.nanoTime();
            long early = 0;
            for (int i = 0; i < CHANGES; i++) {
                long due = begun + TimeUnit.SECONDS.toNanos(1) / PER_SECOND * i;
                for (long left = due - Lab.CLOCK.nanoTime();
                        left > 0;
                        left = due - Lab.CLOCK.nanoTime()) {
                    LockSupport.parkNanos(
                            left); // changes come at their rate, however long one takes
                }
                if (i == 10 * PER_SECOND) {
                    early = usedBytes();
                }
                madeNanos[i] = Lab.CLOCK.nanoTime();
                lab.pool.order(
                        "VM", vms.get(i % vms.size()), "rename", Map.of("name", "change-" + i));
            }
            long end = Lab.CLOCK.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (watching.newest < CHANGES - 1 && Lab.CLOCK.nanoTime() < end) {
                LockSupport.parkNanos(1_000_000);
            }
            long[] lags = new long[CHANGES];
            int seen = 0;
            for (int i = 0; i < CHANGES; i++) {
                // One that a later change of its VM took the place of was never to be seen.
                if (watching.seenNanos.get(i) != 0) {
                    lags[seen++] = watching.seenNanos.get(i) - madeNanos[i];
                }
            }
            long[] sorted = Arrays.copyOf(lags, seen);
            Arrays.sort(sorted);
            Duration usual = Duration.ofNanos(sorted[seen / 2]);
            Duration slow = Duration.ofNanos(sorted[(int) (seen * 0.99)]);
            long growth = usedBytes() - early;
            System.out.printf(
                    "X40: %d of %d changes seen, lag p50 %d ms, p99 %d ms, most %d ms, heap %+d"
                            + " KiB%n",
                    seen,
                    CHANGES,
                    usual.toMillis(),
                    slow.toMillis(),
                    Duration.ofNanos(sorted[seen - 1]).toMillis(),
                    growth >> 10);
            assertThat(watching.newest).isEqualTo(CHANGES - 1);
            assertThat(watching.backwards).hasValue(0);
            assertThat(slow).isLessThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(growth).isLessThan(MOST_GROWTH_BYTES);
        }
    }
}
