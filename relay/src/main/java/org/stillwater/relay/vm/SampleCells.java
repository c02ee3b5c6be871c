package org.stillwater.relay.vm;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Value;

/** Converts the statistics of a VM to cells and back. */
final class SampleCells {

    private SampleCells() {}

    /** Passes the texts of the cells to a sample, which then reuses them. */
    public static void known(Cells before, VmSample sample) {
        sample.knownDisksUsageDigest = before.whole(CellKey.DISKS_USAGE_DIGEST, 0);
        sample.knownNumaDigest = before.whole(CellKey.NUMA_DIGEST, 0);
    }

    static void write(VmSample sample, Cells before, Cells.Draft draft) {
        decimal(draft, CellKey.CPU_USER, sample.cpuUserPercent);
        decimal(draft, CellKey.CPU_SYSTEM, sample.cpuSystemPercent);
        whole(draft, CellKey.ELAPSED, sample.elapsedSeconds);
        whole(draft, CellKey.MEMORY_USAGE, sample.memoryUsagePercent);
        whole(draft, CellKey.MEMORY_FREE, sample.memoryFreeKibibytes);
        whole(draft, CellKey.MEMORY_UNUSED, sample.memoryUnusedKibibytes);
        whole(draft, CellKey.MEMORY_BUFFERED, sample.memoryBufferedKibibytes);
        whole(draft, CellKey.MEMORY_CACHED, sample.memoryCachedKibibytes);
        whole(draft, CellKey.BALLOON_CURRENT, sample.balloonCurrentKibibytes);
        whole(draft, CellKey.BALLOON_MAXIMUM, sample.balloonMaximumKibibytes);
        whole(draft, CellKey.BALLOON_TARGET, sample.balloonTargetKibibytes);
        whole(draft, CellKey.BALLOON_MINIMUM, sample.balloonMinimumKibibytes);
        whole(draft, CellKey.MIGRATION_PROGRESS, sample.migrationProgressPercent);
        if (sample.disksUsageDigest != 0) {
            String usage = sample.disksUsage;
            draft.whole(CellKey.DISKS_USAGE_DIGEST, sample.disksUsageDigest)
                    .text(
                            CellKey.DISKS_USAGE,
                            usage == null ? before.text(CellKey.DISKS_USAGE) : usage);
        }
        List<VmJobReport> jobs = sample.jobs;
        if (jobs != null) {
            draft.text(CellKey.JOBS, Packed.jobs(jobs));
        }
        if (sample.numaDigest != 0) {
            List<VmNumaNode> nodes = sample.numaNodes;
            draft.whole(CellKey.NUMA_DIGEST, sample.numaDigest)
                    .text(
                            CellKey.NUMA,
                            nodes == null ? before.text(CellKey.NUMA) : Packed.numa(nodes));
        }
        if (sample.nicsReported) {
            draft.flag(CellKey.NICS_REPORTED, true);
            int count = Math.min(sample.nicCount(), CellKey.MOST_NICS);
            for (int i = 0; i < count; i++) {
                write(sample.nic(i), CellKey.nic(i), draft);
            }
        }
        if (sample.disksReported) {
            draft.flag(CellKey.DISKS_REPORTED, true);
            int count = Math.min(sample.diskCount(), CellKey.MOST_DISKS);
            for (int i = 0; i < count; i++) {
                write(sample.disk(i), CellKey.disk(i), draft);
            }
        }
    }

    private static void write(VmSample.Nic nic, int row, Cells.Draft draft) {
        // Always present: it is the number of interfaces.
        draft.whole(row + CellKey.MAC, nic.mac);
        whole(draft, row + CellKey.RECEIVED_BYTES, nic.receivedBytes);
        whole(draft, row + CellKey.SENT_BYTES, nic.sentBytes);
        whole(draft, row + CellKey.RECEIVE_DROPPED, nic.receiveDropped);
        whole(draft, row + CellKey.SEND_DROPPED, nic.sendDropped);
        decimal(draft, row + CellKey.SAMPLE_TIME, nic.sampleTimeSeconds);
    }

    private static void write(VmSample.Disk disk, int row, Cells.Draft draft) {
        draft.text(row + CellKey.DISK_NAME, disk.name);
        VmId image = disk.imageId;
        draft.text(row + CellKey.IMAGE, image == null ? null : image.toString());
        draft.text(row + CellKey.LUN, disk.lunId);
        decimal(draft, row + CellKey.READ_RATE, disk.readRate);
        decimal(draft, row + CellKey.WRITE_RATE, disk.writeRate);
        whole(draft, row + CellKey.READ_OPERATIONS, disk.readOperations);
        whole(draft, row + CellKey.WRITE_OPERATIONS, disk.writeOperations);
        whole(draft, row + CellKey.ACTUAL_SIZE, disk.actualSizeBytes);
        decimal(draft, row + CellKey.READ_LATENCY, disk.readLatencyNanos);
        decimal(draft, row + CellKey.WRITE_LATENCY, disk.writeLatencyNanos);
        decimal(draft, row + CellKey.FLUSH_LATENCY, disk.flushLatencyNanos);
    }

    private static void whole(Cells.Draft draft, int key, long value) {
        if (value != VmSample.NOT_REPORTED) {
            draft.whole(key, value);
        }
    }

    private static void decimal(Cells.Draft draft, int key, double value) {
        if (!Double.isNaN(value)) {
            draft.decimal(key, value);
        }
    }

    /**
     * Fills a cleared sample, in which the receiver may have set known values.
     *
     * @throws IllegalArgumentException if a cell has a wrong form
     */
    static void read(Cells all, VmSample sample) {
        Cells.Cursor cells = all.cursor();
        sample.cpuUserPercent = cells.decimal(CellKey.CPU_USER, Double.NaN);
        sample.cpuSystemPercent = cells.decimal(CellKey.CPU_SYSTEM, Double.NaN);
        sample.elapsedSeconds = whole(cells, CellKey.ELAPSED);
        sample.memoryUsagePercent = whole(cells, CellKey.MEMORY_USAGE);
        sample.memoryFreeKibibytes = whole(cells, CellKey.MEMORY_FREE);
        sample.memoryUnusedKibibytes = whole(cells, CellKey.MEMORY_UNUSED);
        sample.memoryBufferedKibibytes = whole(cells, CellKey.MEMORY_BUFFERED);
        sample.memoryCachedKibibytes = whole(cells, CellKey.MEMORY_CACHED);
        sample.balloonCurrentKibibytes = whole(cells, CellKey.BALLOON_CURRENT);
        sample.balloonMaximumKibibytes = whole(cells, CellKey.BALLOON_MAXIMUM);
        sample.balloonTargetKibibytes = whole(cells, CellKey.BALLOON_TARGET);
        sample.balloonMinimumKibibytes = whole(cells, CellKey.BALLOON_MINIMUM);
        sample.migrationProgressPercent = whole(cells, CellKey.MIGRATION_PROGRESS);
        sample.disksUsageDigest = cells.whole(CellKey.DISKS_USAGE_DIGEST, 0);
        if (sample.disksUsageDigest != sample.knownDisksUsageDigest) {
            sample.disksUsage = all.text(CellKey.DISKS_USAGE);
        }
        sample.nicsReported = cells.whole(CellKey.NICS_REPORTED, 0) == 1;
        sample.disksReported = cells.whole(CellKey.DISKS_REPORTED, 0) == 1;
        sample.jobs = VmCells.jobs(all);
        sample.numaDigest = cells.whole(CellKey.NUMA_DIGEST, 0);
        if (sample.numaDigest != sample.knownNumaDigest) {
            sample.numaNodes = VmCells.numa(all);
        }
        for (int i = 0; i < CellKey.MOST_NICS; i++) {
            int row = CellKey.nic(i);
            if (!(cells.get(row + CellKey.MAC) instanceof Value.Whole(long mac))) {
                break;
            }
            read(cells, row, mac, sample.addNic());
        }
        for (int i = 0; i < CellKey.MOST_DISKS; i++) {
            int row = CellKey.disk(i);
            String name = cells.text(row + CellKey.DISK_NAME);
            if (name == null) {
                break;
            }
            read(cells, row, name, sample.addDisk());
        }
    }

    private static void read(Cells.Cursor cells, int row, long mac, VmSample.Nic nic) {
        nic.mac = mac;
        nic.receivedBytes = whole(cells, row + CellKey.RECEIVED_BYTES);
        nic.sentBytes = whole(cells, row + CellKey.SENT_BYTES);
        nic.receiveDropped = whole(cells, row + CellKey.RECEIVE_DROPPED);
        nic.sendDropped = whole(cells, row + CellKey.SEND_DROPPED);
        nic.sampleTimeSeconds = cells.decimal(row + CellKey.SAMPLE_TIME, Double.NaN);
    }

    private static void read(Cells.Cursor cells, int row, String name, VmSample.Disk disk) {
        disk.name = name;
        disk.imageId = image(cells.get(row + CellKey.IMAGE));
        disk.lunId = cells.text(row + CellKey.LUN);
        disk.readRate = cells.decimal(row + CellKey.READ_RATE, Double.NaN);
        disk.writeRate = cells.decimal(row + CellKey.WRITE_RATE, Double.NaN);
        disk.readOperations = whole(cells, row + CellKey.READ_OPERATIONS);
        disk.writeOperations = whole(cells, row + CellKey.WRITE_OPERATIONS);
        disk.actualSizeBytes = whole(cells, row + CellKey.ACTUAL_SIZE);
        disk.readLatencyNanos = cells.decimal(row + CellKey.READ_LATENCY, Double.NaN);
        disk.writeLatencyNanos = cells.decimal(row + CellKey.WRITE_LATENCY, Double.NaN);
        disk.flushLatencyNanos = cells.decimal(row + CellKey.FLUSH_LATENCY, Double.NaN);
    }

    private static @Nullable VmId image(@Nullable Value value) {
        if (!(value instanceof Value.Text text)) {
            return null;
        }
        if (text.made() instanceof VmId known) {
            return known;
        }
        VmId parsed = VmId.parse(text.value());
        text.made(parsed);
        return parsed;
    }

    private static long whole(Cells.Cursor cells, int key) {
        return cells.whole(key, VmSample.NOT_REPORTED);
    }
}
