package org.stillwater.relay.vm;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.relay.state.Cells;

/**
 * The cells of a VM that change with every poll of an otherwise unchanged VM, for a source that has
 * them without a report. The remaining {@link VmCells} stay the same.
 *
 * <p>Times change with every poll of any VM, numbers with polls of an active VM.
 */
public final class NumberCells {

    private final Cells.Draft draft = new Cells.Draft();

    /** Whether a key belongs to a time. */
    public static boolean isTime(int key) {
        return key == CellKey.STAMP
                || key == CellKey.ELAPSED
                || CellKey.ofNic(key) == CellKey.SAMPLE_TIME;
    }

    /** Whether a key belongs to a number. */
    public static boolean isNumber(int key) {
        return switch (key) {
            case CellKey.CPU_USER,
                    CellKey.CPU_SYSTEM,
                    CellKey.MEMORY_USAGE,
                    CellKey.MEMORY_FREE,
                    CellKey.MEMORY_UNUSED ->
                    true;
            default ->
                    switch (CellKey.ofNic(key)) {
                        case CellKey.RECEIVED_BYTES, CellKey.SENT_BYTES -> true;
                        default ->
                                switch (CellKey.ofDisk(key)) {
                                    case CellKey.READ_RATE,
                                            CellKey.WRITE_RATE,
                                            CellKey.READ_OPERATIONS,
                                            CellKey.WRITE_OPERATIONS,
                                            CellKey.READ_LATENCY,
                                            CellKey.WRITE_LATENCY,
                                            CellKey.FLUSH_LATENCY ->
                                            true;
                                    default -> false;
                                };
                    };
        };
    }

    /** The host's stamp, ms. */
    public NumberCells stamp(long millis) {
        draft.whole(CellKey.STAMP, millis);
        return this;
    }

    /** Processor time, % of one core. */
    public NumberCells cpu(double user, double system) {
        draft.decimal(CellKey.CPU_USER, user).decimal(CellKey.CPU_SYSTEM, system);
        return this;
    }

    /** Uptime of the guest. */
    public NumberCells elapsed(long seconds) {
        draft.whole(CellKey.ELAPSED, seconds);
        return this;
    }

    /** Memory used in the guest, %. */
    public NumberCells memoryUsage(long percent) {
        draft.whole(CellKey.MEMORY_USAGE, percent);
        return this;
    }

    /** Free and unused memory in the guest. */
    public NumberCells memory(long freeKibibytes, long unusedKibibytes) {
        draft.whole(CellKey.MEMORY_FREE, freeKibibytes)
                .whole(CellKey.MEMORY_UNUSED, unusedKibibytes);
        return this;
    }

    /** Sample time of the n-th interface. */
    public NumberCells nicTime(int index, double seconds) {
        draft.decimal(CellKey.nic(index) + CellKey.SAMPLE_TIME, seconds);
        return this;
    }

    /** Bytes of the n-th interface. */
    public NumberCells traffic(int index, long received, long sent) {
        int row = CellKey.nic(index);
        draft.whole(row + CellKey.RECEIVED_BYTES, received).whole(row + CellKey.SENT_BYTES, sent);
        return this;
    }

    /** Rates in B/s and operations of the n-th disk. */
    public NumberCells work(
            int index,
            double readRate,
            double writeRate,
            long readOperations,
            long writeOperations) {
        int row = CellKey.disk(index);
        draft.decimal(row + CellKey.READ_RATE, readRate)
                .decimal(row + CellKey.WRITE_RATE, writeRate)
                .whole(row + CellKey.READ_OPERATIONS, readOperations)
                .whole(row + CellKey.WRITE_OPERATIONS, writeOperations);
        return this;
    }

    /** Latencies of the n-th disk, ns. */
    public NumberCells latencies(int index, double read, double write, double flush) {
        int row = CellKey.disk(index);
        draft.decimal(row + CellKey.READ_LATENCY, read)
                .decimal(row + CellKey.WRITE_LATENCY, write)
                .decimal(row + CellKey.FLUSH_LATENCY, flush);
        return this;
    }

    /** The cells set so far. */
    public Cells build() {
        return draft.build();
    }

    /** A copy of the cells without times and numbers. */
    public static Cells still(Cells cells) {
        Cells.Draft still = new Cells.Draft();
        for (int i = 0; i < cells.size(); i++) {
            int key = cells.key(i);
            if (!isTime(key) && !isNumber(key)) {
                still.put(key, cells.value(i));
            }
        }
        return still.build();
    }

    /**
     * Keys that a VM may have had before and lacks now.
     *
     * @param now its present cells
     * @param nics largest number of interfaces so far
     * @param disks largest number of disks so far
     */
    public static List<Integer> absent(Cells now, int nics, int disks) {
        List<Integer> absent = new ArrayList<>();
        absent(now, CellKey.KIND, CellKey.NUMA + 1, absent);
        absent(now, CellKey.nic(0), CellKey.nic(Math.min(nics, CellKey.MOST_NICS)), absent);
        absent(now, CellKey.disk(0), CellKey.disk(Math.min(disks, CellKey.MOST_DISKS)), absent);
        return absent;
    }

    private static void absent(Cells now, int from, int to, List<Integer> absent) {
        for (int key = from; key < to; key++) {
            if (now.get(key) == null) {
                absent.add(key);
            }
        }
    }
}
