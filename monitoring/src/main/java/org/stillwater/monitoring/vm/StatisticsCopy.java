package org.stillwater.monitoring.vm;

import static org.stillwater.monitoring.vm.StatisticsLayout.*;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.core.vm.VmStatisticsView;

/**
 * A consistent copy of one VM's numbers, on its way to a reader. The arrays are the reader's own,
 * except those of texts, which are never changed in place.
 */
@SuppressWarnings("ArrayRecordComponent") // used once, by the thread that made it
record StatisticsCopy(
        VmNic[] nics,
        long[] numbers,
        byte[] history,
        String[] diskNames,
        @Nullable String @Nullable [] lunIds,
        byte @Nullable [] disksUsage) {

    boolean isEmpty() {
        return numbers[OBSERVED] == 0;
    }

    VmStatisticsView view() {
        return new VmStatisticsView(
                Instant.ofEpochMilli(numbers[OBSERVED]),
                fraction(CPU_USER),
                fraction(CPU_SYSTEM),
                percent(CPU_USAGE),
                percent(MEMORY_USAGE),
                percent(NETWORK_USAGE),
                whole(ELAPSED),
                whole(MEMORY_FREE),
                whole(MEMORY_UNUSED),
                whole(MEMORY_BUFFERED),
                whole(MEMORY_CACHED),
                whole(BALLOON_CURRENT),
                whole(BALLOON_MAXIMUM),
                whole(BALLOON_TARGET),
                whole(BALLOON_MINIMUM),
                percent(MIGRATION_PROGRESS),
                PackedDisksUsage.unpack(disksUsage),
                nicViews(),
                diskViews(),
                UsageRings.samples(history, UsageRings.CPU),
                UsageRings.samples(history, UsageRings.MEMORY),
                UsageRings.samples(history, UsageRings.NETWORK));
    }

    private List<VmStatisticsView.Nic> nicViews() {
        List<VmStatisticsView.Nic> views = new ArrayList<>(nics.length);
        for (int i = 0; i < nics.length; i++) {
            int at = nic(i);
            long flags = numbers[at + NIC_FLAGS];
            if (everReported(numbers, at)) {
                views.add(
                        new VmStatisticsView.Nic(
                                nics[i].id(),
                                nics[i].name(),
                                nics[i].mac(),
                                (flags & REPORTED) != 0 ? InterfaceStatus.UP : InterfaceStatus.NONE,
                                nics[i].speedMegabitsPerSecond(),
                                (flags & RECEIVED_KNOWN) != 0 ? whole(at + NIC_RECEIVED) : null,
                                (flags & SENT_KNOWN) != 0 ? whole(at + NIC_SENT) : null,
                                whole(at + NIC_RECEIVED_OFFSET),
                                whole(at + NIC_SENT_OFFSET),
                                rate(at + NIC_RECEIVE_RATE),
                                rate(at + NIC_SEND_RATE),
                                whole(at + NIC_RECEIVE_DROPPED),
                                whole(at + NIC_SEND_DROPPED),
                                fraction(at + NIC_SAMPLE_TIME)));
            }
        }
        return views;
    }

    private List<VmStatisticsView.Disk> diskViews() {
        List<VmStatisticsView.Disk> views = new ArrayList<>(diskNames.length);
        for (int i = 0; i < diskNames.length; i++) {
            int at = disk(nics.length, i);
            views.add(
                    new VmStatisticsView.Disk(
                            diskNames[i],
                            image(at),
                            lunIds == null ? null : lunIds[i],
                            fraction(at + DISK_READ_RATE),
                            fraction(at + DISK_WRITE_RATE),
                            whole(at + DISK_READS),
                            whole(at + DISK_WRITES),
                            whole(at + DISK_SIZE),
                            fraction(at + DISK_READ_LATENCY) / NANOS_PER_SECOND,
                            fraction(at + DISK_WRITE_LATENCY) / NANOS_PER_SECOND,
                            fraction(at + DISK_FLUSH_LATENCY) / NANOS_PER_SECOND));
        }
        return views;
    }

    private @Nullable String image(int at) {
        long upper = numbers[at + DISK_IMAGE_UPPER];
        long lower = numbers[at + DISK_IMAGE_LOWER];
        return upper == NONE && lower == NONE ? null : new VmId(upper, lower).toString();
    }

    private double fraction(int at) {
        return Double.longBitsToDouble(numbers[at]);
    }

    private @Nullable Double rate(int at) {
        double value = fraction(at);
        return Double.isNaN(value) ? null : value;
    }

    private @Nullable Long whole(int at) {
        return numbers[at] == NONE ? null : (Long) numbers[at];
    }

    private @Nullable Integer percent(int at) {
        return numbers[at] == NONE ? null : (Integer) Math.clamp(numbers[at], 0, 100);
    }
}
