package org.stillwater.xapi.host;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.xapi.client.RrdColumn;

/** A VM's columns of a legend, by their kind, so that no name is built for a value. Immutable. */
final class VmColumns {

    /** Place of a column that does not exist. */
    static final int NONE = -1;

    /** A VM without columns. */
    static final VmColumns EMPTY = new VmColumns(Map.of(), Map.of());

    /**
     * Traffic of an interface.
     *
     * @param received place among the counters; {@link #NONE}: not counted
     * @param sent the same
     */
    record Nic(int received, int sent) {}

    /** Columns of a disk; each may be {@link #NONE}. */
    record Disk(int read, int write, int readLatency, int writeLatency) {}

    private final boolean any;
    private final int[] cpus;
    private final int[] contended;
    private final int memory;
    private final int memoryFree;
    private final Map<String, Nic> nics = new HashMap<>();
    private final Map<String, Disk> disks = new HashMap<>();

    /**
     * Columns of a VM.
     *
     * @param places of averages, by name
     * @param counters of traffic, by name
     */
    VmColumns(Map<String, Integer> places, Map<String, Integer> counters) {
        this.any = !places.isEmpty();
        int count = 0;
        while (places.containsKey("cpu" + count)) {
            count++;
        }
        this.cpus = new int[count];
        for (int i = 0; i < count; i++) {
            cpus[i] = place(places, "cpu" + i);
        }
        this.contended =
                RrdColumn.CONTENDED.stream()
                        .mapToInt(state -> place(places, state))
                        .filter(place -> place != NONE)
                        .toArray();
        this.memory = place(places, "memory");
        this.memoryFree = place(places, "memory_internal_free");
        for (String name : places.keySet()) {
            String received = device(name, "vif_", "_rx");
            String read = device(name, "vbd_", "_read");
            if (received != null) {
                nics.put(
                        received,
                        new Nic(place(counters, name), place(counters, "vif_" + received + "_tx")));
            } else if (read != null) {
                disks.put(
                        read,
                        new Disk(
                                place(places, name),
                                place(places, "vbd_" + read + "_write"),
                                place(places, name + "_latency"),
                                place(places, "vbd_" + read + "_write_latency")));
            }
        }
    }

    private static int place(Map<String, Integer> places, String name) {
        return places.getOrDefault(name, NONE);
    }

    private static @Nullable String device(String name, String prefix, String suffix) {
        return name.startsWith(prefix)
                        && name.endsWith(suffix)
                        && name.length() > prefix.length() + suffix.length()
                ? name.substring(prefix.length(), name.length() - suffix.length())
                : null;
    }

    /** Whether there are any. */
    boolean isThere() {
        return any;
    }

    /** Sum of the shares of its virtual CPUs; unknown ones are left out. */
    double cpu(double[] row) {
        double sum = 0;
        for (int place : cpus) {
            sum += Double.isFinite(row[place]) ? row[place] : 0;
        }
        return sum;
    }

    /**
     * Share of time in which a virtual CPU waits for a CPU of the host; NaN if it is not reported.
     */
    double waiting(double[] row) {
        double share = Double.NaN;
        for (int place : contended) {
            if (Double.isFinite(row[place])) {
                share = (Double.isNaN(share) ? 0 : share) + row[place];
            }
        }
        return Math.clamp(share, 0, 1);
    }

    /** Whether the host measures its memory: not while it is paused. */
    boolean hasMemory() {
        return memory != NONE;
    }

    /** Allocated memory; NaN if it is not reported. */
    double memory(double[] row) {
        return value(row, memory);
    }

    /** Memory that the guest has free; NaN if it is not reported. */
    double memoryFree(double[] row) {
        return value(row, memoryFree);
    }

    /** Traffic of an interface by its device number; null if it has no columns. */
    @Nullable Nic nic(String device) {
        return nics.get(device);
    }

    /** Columns of a disk by its device; null if it has none. */
    @Nullable Disk disk(String device) {
        return disks.get(device);
    }

    /** The value of a column; NaN if it is not there. */
    static double value(double[] row, int place) {
        return place == NONE ? Double.NaN : row[place];
    }
}
