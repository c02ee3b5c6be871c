package org.stillwater.relay.agent;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the heap as small as its content. The numbers of VMs live from one poll to the next, long
 * enough to reach the old generation, which the serial collector collects only when the heap cannot
 * grow any more: a relay of a few hosts would fill a heap that is made for many. So the relay
 * collects it whenever it has grown by a quarter; the JVM then returns what is free. Used on the
 * loop.
 */
final class SmallHeap {

    static final Duration CHECK = Duration.ofSeconds(5);

    /** Growth below this is not worth a collection. */
    private static final long LEAST_GROWTH_BYTES = 6L << 20;

    private static final int PART = 4;

    private final @Nullable MemoryPoolMXBean old;

    private SmallHeap(@Nullable MemoryPoolMXBean old) {
        this.old = old;
    }

    /** The heap of this process. With another collector than the serial one nothing happens. */
    static SmallHeap ofProcess() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP && pool.getName().equals("Tenured Gen")) {
                return new SmallHeap(pool);
            }
        }
        return new SmallHeap(null);
    }

    /** Checks from now on, at each {@link #CHECK}. */
    void watch(Loop loop) {
        if (old != null) {
            loop.after(
                    CHECK,
                    () -> {
                        check();
                        watch(loop);
                    });
        }
    }

    @SuppressWarnings("ExplicitGC") // the collector has no such limit of its own
    private void check() {
        MemoryUsage left = old == null ? null : old.getCollectionUsage();
        if (old != null && left != null && isDue(left.getUsed(), old.getUsage().getUsed())) {
            System.gc();
        }
    }

    /**
     * Whether a collection is due.
     *
     * @param leftBytes use after the last collection; 0 before the first
     * @param usedBytes present use
     */
    static boolean isDue(long leftBytes, long usedBytes) {
        return usedBytes - leftBytes > Math.max(LEAST_GROWTH_BYTES, leftBytes / PART);
    }
}
