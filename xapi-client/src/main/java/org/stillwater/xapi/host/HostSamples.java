package org.stillwater.xapi.host;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.text.SafeText;
import org.stillwater.xapi.client.RrdColumn;
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

    /** Adds a host's reply; rows of a coarser archive are not mixed in. */
    void take(RrdUpdates updates, long stepSeconds) {
        if (updates.stepSeconds() != stepSeconds || updates.rows().isEmpty()) {
            return;
        }
        if (!legend.isOf(updates.columns())) {
            legend = new RrdLegend(updates.columns());
            counters.keySet().removeIf(key -> !legend.has(key.substring(0, key.indexOf('/'))));
        }
        for (RrdLegend.Counted each : legend.counted()) {
            count(each.key(), updates.rows(), each.column(), stepSeconds);
        }
        Row row = updates.rows().getFirst();
        newest = row.values();
        newestSeconds = row.seconds();
    }

    private void count(String key, List<Row> rows, int column, long stepSeconds) {
        double bytes = 0;
        for (Row row : rows) {
            double rate = row.values()[column];
            bytes += Double.isFinite(rate) && rate > 0 ? rate * stepSeconds : 0;
        }
        counters.computeIfAbsent(key, _ -> new double[1])[0] += bytes;
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
        String uuid = vm.id().toString();
        Map<String, Integer> places = legend.of(uuid);
        if (newest == null || places.isEmpty()) {
            return false;
        }
        double cpu = 0;
        for (int i = 0; places.containsKey("cpu" + i); i++) {
            double share = value(places, "cpu" + i);
            cpu += Double.isFinite(share) ? share : 0;
        }
        sample.cpuUserPercent = cpu * PERCENT;
        sample.cpuSystemPercent = 0;
        sample.cpuWaitPercent = waiting(places) * PERCENT;
        if (vm.startedAt() != null) {
            sample.elapsedSeconds =
                    Math.max(0, now.getEpochSecond() - vm.startedAt().getEpochSecond());
        }
        double memory = value(places, "memory");
        double free = value(places, "memory_internal_free");
        if (memory > 0 && Double.isFinite(free)) {
            sample.memoryUsagePercent = Math.round(PERCENT * Math.max(0, memory - free) / memory);
            sample.memoryFreeKibibytes = (long) (free / KIBIBYTE);
            sample.memoryUnusedKibibytes = (long) (free / KIBIBYTE);
        }
        XapiRecord record = objects.find(PoolObjects.VM, vm.ref());
        if (record != null) {
            nics(uuid, places, record, objects, sample);
            disks(places, record, objects, sample);
        }
        return true;
    }

    /**
     * Share of time in which a virtual CPU waits for a CPU of the host; NaN if it is not reported.
     */
    private double waiting(Map<String, Integer> places) {
        double share = Double.NaN;
        for (String state : RrdColumn.CONTENDED) {
            double part = value(places, state);
            if (Double.isFinite(part)) {
                share = (Double.isNaN(share) ? 0 : share) + part;
            }
        }
        return Math.clamp(share, 0, 1);
    }

    private void nics(
            String uuid,
            Map<String, Integer> places,
            XapiRecord vm,
            PoolObjects objects,
            VmSample sample) {
        for (String ref : vm.list("VIFs")) {
            XapiRecord vif = objects.find(PoolObjects.VIF, ref);
            String name = vif == null ? "" : "vif_" + vif.text("device");
            if (vif == null
                    || !places.containsKey(name + "_rx")
                    || sample.nicCount() >= ReportedText.VM_NICS.mostEntries()) {
                continue;
            }
            VmSample.Nic nic = sample.addNic();
            nic.mac = VmSample.Nic.macOf(vif.text("MAC"));
            nic.receivedBytes = counter(uuid, name + "_rx");
            nic.sentBytes = counter(uuid, name + "_tx");
            nic.sampleTimeSeconds = newestSeconds;
            sample.nicsReported = true;
        }
    }

    private void disks(
            Map<String, Integer> places, XapiRecord vm, PoolObjects objects, VmSample sample) {
        for (String ref : vm.list("VBDs")) {
            XapiRecord vbd = objects.find(PoolObjects.VBD, ref);
            XapiRecord vdi =
                    vbd == null ? null : objects.find(PoolObjects.VDI, vbd.reference("VDI"));
            if (vbd == null || vdi == null || vbd.text("device").isEmpty()) {
                continue;
            }
            String name = "vbd_" + vbd.text("device");
            VmId image = VmMapping.image(vdi);
            if (image == null
                    || !places.containsKey(name + "_read")
                    || sample.diskCount() >= ReportedText.VM_DISKS.mostEntries()) {
                continue;
            }
            VmSample.Disk disk = sample.addDisk();
            disk.name = SafeText.of(vbd.text("device"), ReportedText.VM_DISKS.mostCharacters());
            disk.imageId = image;
            disk.readRate = value(places, name + "_read");
            disk.writeRate = value(places, name + "_write");
            disk.actualSizeBytes = vdi.number("physical_utilisation");
            disk.readLatencyNanos = value(places, name + "_read_latency") * NANOS;
            disk.writeLatencyNanos = value(places, name + "_write_latency") * NANOS;
            sample.disksReported = true;
        }
    }

    // ------------------------------------------------------------------------------- the host

    /**
     * The host's numbers; leaves out numbers that the newest row lacks.
     *
     * @param vms number of VMs on it
     * @param migrating number of those that leave it
     */
    HostStatistics statistics(PoolHost host, PoolObjects objects, int vms, int migrating) {
        HostValues values = new HostValues();
        values.put(HostField.VM_COUNT, vms);
        values.put(HostField.VM_ACTIVE, vms);
        values.put(HostField.VM_MIGRATING, migrating);
        values.put(HostField.BOOT_TIME, host.bootEpochSeconds());
        Map<String, Integer> places = legend.host();
        if (newest != null && !places.isEmpty()) {
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
