package org.stillwater.xapi.host;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.xapi.client.RrdUpdates;
import org.stillwater.xapi.client.RrdUpdates.Row;
import org.stillwater.xapi.client.XapiRecord;

/**
 * Metrics of one host and of the VMs on it, in the engine's units. XAPI reports rates, the engine
 * reads counters: rates are added up over all rows. Not thread-safe.
 */
final class HostSamples {

    private static final long MEBIBYTE = 1024 * 1024;
    private static final long KIBIBYTE = 1024;
    private static final double PERCENT = 100;
    private static final double NANOS = 1e9;

    private RrdLegend legend = new RrdLegend(List.of());
    private double @Nullable [] newest;
    private long newestSeconds;
    private final Map<String, double[]> counters = new HashMap<>();

    /** Memory of VMs of the legend that lack it there and had it before: of paused ones. */
    private final Map<VmId, Memory> lastMemory = new HashMap<>();

    /**
     * Memory of a VM in bytes; not a number if it is unknown.
     *
     * @param allocated memory that it has
     * @param free memory that its guest has free
     */
    private record Memory(double allocated, double free) {
        static final Memory UNKNOWN = new Memory(Double.NaN, Double.NaN);

        static Memory of(VmColumns columns, double[] row) {
            return new Memory(columns.memory(row), columns.memoryFree(row));
        }

        boolean isKnown() {
            return allocated > 0 && Double.isFinite(free);
        }
    }

    /** The counters of the legend's counted columns, at the same places. */
    private List<double[]> counted = List.of();

    /** Adds a host's reply; rows of a coarser archive are not mixed in. */
    void take(RrdUpdates updates, long stepSeconds) {
        if (updates.stepSeconds() != stepSeconds || updates.rows().isEmpty()) {
            return;
        }
        if (!legend.isOf(updates.columns())) {
            RrdLegend next = new RrdLegend(updates.columns());
            keepMemory(next);
            legend = next;
            counters.keySet().removeIf(key -> !legend.has(key.substring(0, key.indexOf('/'))));
            counted =
                    legend.counted().stream()
                            .map(each -> counters.computeIfAbsent(each.key(), _ -> new double[1]))
                            .toList();
        }
        for (int i = 0; i < counted.size(); i++) {
            counted.get(i)[0] +=
                    bytes(updates.rows(), legend.counted().get(i).column(), stepSeconds);
        }
        Row row = updates.rows().getFirst();
        newest = row.values();
        newestSeconds = row.seconds();
    }

    /**
     * A host measures no memory of a paused VM: these columns leave the legend, while others of the
     * VM stay. Its guest stands still, so its last numbers hold.
     */
    private void keepMemory(RrdLegend next) {
        double[] row = newest;
        Map<VmId, Memory> kept = new HashMap<>();
        for (VmId vm : next.vms()) {
            if (!next.of(vm).hasMemory()) {
                VmColumns before = legend.of(vm);
                Memory last =
                        row != null && before.hasMemory()
                                ? Memory.of(before, row)
                                : lastMemory.getOrDefault(vm, Memory.UNKNOWN);
                if (last.isKnown()) {
                    kept.put(vm, last);
                }
            }
        }
        lastMemory.clear();
        lastMemory.putAll(kept);
    }

    private static double bytes(List<Row> rows, int column, long stepSeconds) {
        double bytes = 0;
        for (Row row : rows) {
            double rate = row.values()[column];
            bytes += Double.isFinite(rate) && rate > 0 ? rate * stepSeconds : 0;
        }
        return bytes;
    }

    /** End of the newest row, by the host's clock; 0 for none. */
    long newestSeconds() {
        return newestSeconds;
    }

    private double value(Map<String, Integer> places, String name) {
        Integer place = places.get(name);
        double[] values = newest;
        return place == null || values == null ? Double.NaN : values[place];
    }

    private long counter(String uuid, String name) {
        double[] counted = counters.get(RrdLegend.key(uuid, name));
        return counted == null ? VmSample.NOT_REPORTED : (long) counted[0];
    }

    // ------------------------------------------------------------------------------- a VM

    /**
     * Fills in a VM's numbers.
     *
     * @return false, changing nothing, if the newest row has none of the VM
     */
    boolean fill(PoolVm vm, PoolObjects objects, Instant now, VmSample sample) {
        double[] row = newest;
        VmColumns columns = legend.of(vm.id());
        if (row == null || !columns.isThere()) {
            return false;
        }
        sample.cpuUserPercent = columns.cpu(row) * PERCENT;
        sample.cpuSystemPercent = 0;
        sample.cpuWaitPercent = columns.waiting(row) * PERCENT;
        if (vm.startedAt() != null) {
            sample.elapsedSeconds =
                    Math.max(0, now.getEpochSecond() - vm.startedAt().getEpochSecond());
        }
        Memory memory =
                vm.status() == VmStatus.PAUSED && !columns.hasMemory()
                        ? lastMemory.getOrDefault(vm.id(), Memory.UNKNOWN)
                        : Memory.of(columns, row);
        if (memory.isKnown()) {
            double used = Math.max(0, memory.allocated() - memory.free());
            sample.memoryUsagePercent = Math.round(PERCENT * used / memory.allocated());
            sample.memoryFreeKibibytes = (long) (memory.free() / KIBIBYTE);
            sample.memoryUnusedKibibytes = (long) (memory.free() / KIBIBYTE);
        }
        XapiRecord record = objects.find(PoolObjects.VM, vm.ref());
        if (record != null) {
            nics(columns, record, objects, sample);
            disks(columns, row, record, objects, sample);
        }
        return true;
    }

    private void nics(VmColumns columns, XapiRecord vm, PoolObjects objects, VmSample sample) {
        for (String ref : vm.list("VIFs")) {
            XapiRecord vif = objects.find(PoolObjects.VIF, ref);
            VmColumns.Nic traffic = vif == null ? null : columns.nic(vif.text("device"));
            if (vif == null
                    || traffic == null
                    || sample.nicCount() >= ReportedText.VM_NICS.mostEntries()) {
                continue;
            }
            VmSample.Nic nic = sample.addNic();
            nic.mac = VmSample.Nic.macOf(vif.text("MAC"));
            nic.receivedBytes = counter(traffic.received());
            nic.sentBytes = counter(traffic.sent());
            nic.sampleTimeSeconds = newestSeconds;
            sample.nicsReported = true;
        }
    }

    private long counter(int place) {
        return place == VmColumns.NONE ? VmSample.NOT_REPORTED : (long) counted.get(place)[0];
    }

    private static void disks(
            VmColumns columns, double[] row, XapiRecord vm, PoolObjects objects, VmSample sample) {
        for (String ref : vm.list("VBDs")) {
            XapiRecord vbd = objects.find(PoolObjects.VBD, ref);
            VmColumns.Disk numbers = vbd == null ? null : columns.disk(vbd.text("device"));
            XapiRecord vdi =
                    vbd == null || numbers == null
                            ? null
                            : objects.find(PoolObjects.VDI, vbd.reference("VDI"));
            VmId image = vdi == null ? null : VmMapping.image(vdi);
            if (vbd == null
                    || numbers == null
                    || vdi == null
                    || image == null
                    || sample.diskCount() >= ReportedText.VM_DISKS.mostEntries()) {
                continue;
            }
            VmSample.Disk disk = sample.addDisk();
            disk.name = SafeText.of(vbd.text("device"), ReportedText.VM_DISKS.mostCharacters());
            disk.imageId = image;
            disk.readRate = VmColumns.value(row, numbers.read());
            disk.writeRate = VmColumns.value(row, numbers.write());
            disk.actualSizeBytes = vdi.number("physical_utilisation");
            disk.readLatencyNanos = VmColumns.value(row, numbers.readLatency()) * NANOS;
            disk.writeLatencyNanos = VmColumns.value(row, numbers.writeLatency()) * NANOS;
            sample.disksReported = true;
        }
    }

    // ------------------------------------------------------------------------------- the host

    /**
     * The host's numbers; leaves out numbers that the newest row lacks.
     *
     * @param current whether the host's metrics were read now; else its row is an old one
     * @param vms number of VMs on it
     * @param migrating number of those that leave it
     */
    HostStatistics statistics(
            PoolHost host, PoolObjects objects, boolean current, int vms, int migrating) {
        HostValues values = new HostValues();
        values.put(HostField.VM_COUNT, vms);
        values.put(HostField.VM_ACTIVE, vms);
        values.put(HostField.VM_MIGRATING, migrating);
        values.put(HostField.BOOT_TIME, host.bootEpochSeconds());
        Map<String, Integer> places = legend.host();
        values.put(
                HostField.STORAGE_DOMAINS,
                PoolDisks.of(
                        host, objects, column -> current ? value(places, column) : Double.NaN));
        if (current && newest != null && !places.isEmpty()) {
            double cpu = value(places, "cpu_avg");
            if (Double.isFinite(cpu)) {
                double busy = Math.clamp(cpu * PERCENT, 0, PERCENT);
                values.put(HostField.CPU_USER, busy);
                values.put(HostField.CPU_SYSTEM, 0.0);
                values.put(HostField.CPU_IDLE, PERCENT - busy);
            }
            values.put(HostField.CPU_LOAD, finite(value(places, "loadavg")));
            double free = value(places, "memory_free_kib");
            double total = value(places, "memory_total_kib");
            if (total > 0 && Double.isFinite(free)) {
                values.put(HostField.MEMORY_FREE, (long) (free / MEBIBYTE));
                values.put(
                        HostField.MEMORY_USED,
                        (int) Math.round(PERCENT * Math.max(0, total - free) / total));
            }
            values.put(HostField.INTERFACES, interfaces(host, objects));
            values.put(HostField.HOST_CLOCK, Instant.ofEpochSecond(newestSeconds));
        }
        return values.statistics();
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? (Double) value : null;
    }

    private Map<String, HostStatistics.Nic> interfaces(PoolHost host, PoolObjects objects) {
        String uuid = host.id().toString();
        Map<String, HostStatistics.Nic> nics = new TreeMap<>();
        host.capabilities()
                .network()
                .nics()
                .forEach((device, nic) -> {
                    long received = counter(uuid, "pif_" + device + "_rx");
                    long sent = counter(uuid, "pif_" + device + "_tx");
                    if (received != VmSample.NOT_REPORTED && sent != VmSample.NOT_REPORTED) {
                        nics.put(
                                device,
                                new HostStatistics.Nic(
                                        carrier(host, device, objects),
                                        nic.speedMegabitsPerSecond(),
                                        received,
                                        sent,
                                        null,
                                        null,
                                        (double) newestSeconds));
                    }
                });
        return nics;
    }

    private static @Nullable Boolean carrier(PoolHost host, String device, PoolObjects objects) {
        for (XapiRecord pif : objects.of(PoolObjects.PIF).values()) {
            if (host.ref().equals(pif.reference("host")) && pif.text("device").equals(device)) {
                XapiRecord metrics =
                        objects.find(PoolObjects.PIF_METRICS, pif.reference("metrics"));
                return metrics == null ? null : (Boolean) metrics.flag("carrier");
            }
        }
        return null;
    }
}
