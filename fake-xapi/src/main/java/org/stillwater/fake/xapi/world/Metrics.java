package org.stillwater.fake.xapi.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.fake.xapi.world.Store.Row;

/**
 * The measurements of hosts. A value follows from the seed, the source and the time alone, so that
 * every row of every archive can be computed on demand. Source: rrd_updates.ml, rrdd.
 */
public final class Metrics {

    /** Archives of every source: seconds per row, rows. */
    private static final List<long[]> ARCHIVES =
            List.of(
                    new long[] {5, 120},
                    new long[] {60, 120},
                    new long[] {3600, 168},
                    new long[] {86400, 366});

    private static final long KIB = 1024;
    private static final double MIB = 1 << 20;

    /**
     * A request.
     *
     * @param start seconds since 1970 by the host's clock; negative: before the last update
     * @param interval seconds per row that are wanted at least
     * @param function {@code AVERAGE} and so on
     * @param host whether the host's own sources are wanted
     * @param vms those wanted; empty: all that run there
     * @param storages those wanted
     */
    public record Query(
            long start,
            long interval,
            String function,
            boolean host,
            Set<String> vms,
            Set<String> storages) {}

    /** A row. */
    @SuppressWarnings("ArrayRecordComponent") // written out and thrown away
    public record Values(long time, double[] values) {}

    /** The answer: rows newest first. */
    public record Updates(
            long start, long step, long end, List<String> legend, List<Values> rows) {}

    private interface Source {
        double at(double share);
    }

    private final Pool pool;

    Metrics(Pool pool) {
        this.pool = pool;
    }

    /** Seconds since 1970 by the clock of a host. */
    private long now(String host) {
        return pool.clock.now().getEpochSecond() + pool.hosts.skewSeconds(host);
    }

    /** The second of five at which a host updates its metrics; rows are at multiples of five. */
    private long second(String host) {
        long second = 0;
        for (Row each : pool.store.all("host")) {
            if (each.ref().equals(host)) {
                return second % 5;
            }
            second++;
        }
        return 0;
    }

    Updates updates(String host, Query query) {
        long now = now(host);
        long lastUpdate = now - Math.floorMod(now - second(host), 5L);
        long start = query.start < 0 ? lastUpdate + query.start : query.start;
        long[] archive = ARCHIVES.getLast();
        for (long[] each : ARCHIVES) {
            long last = lastUpdate - lastUpdate % each[0];
            if (each[0] >= query.interval && start > last - each[0] * each[1]) {
                archive = each;
                break;
            }
        }
        long step = archive[0];
        long end = lastUpdate - lastUpdate % step;
        Map<String, Map<String, Source>> objects = objects(host, query);
        List<String> legend = new ArrayList<>();
        objects.forEach((prefix, sources) ->
                sources.keySet().forEach(name -> legend.add(query.function + ":" + prefix + name)));
        List<Values> rows = new ArrayList<>();
        for (long time = end; time >= start && rows.size() < archive[1]; time -= step) {
            double[] values = new double[legend.size()];
            int at = 0;
            for (Map.Entry<String, Map<String, Source>> object : objects.entrySet()) {
                for (Map.Entry<String, Source> source : object.getValue().entrySet()) {
                    values[at++] =
                            source.getValue()
                                    .at(
                                            Seeds.share(
                                                    pool.seed(),
                                                    object.getKey() + source.getKey(),
                                                    time));
                }
            }
            rows.add(new Values(time, values));
        }
        return new Updates(start - start % step + step, step, end, legend, rows);
    }

    private Map<String, Map<String, Source>> objects(String host, Query query) {
        Map<String, Map<String, Source>> objects = new LinkedHashMap<>();
        Row row = pool.host(host);
        if (query.host) {
            objects.put("host:" + row.text("uuid") + ":", ofHost(row));
        }
        for (String ref : row.list("resident_VMs")) {
            Row vm = pool.store.get("VM", ref);
            if (query.vms.isEmpty() || query.vms.contains(vm.text("uuid"))) {
                objects.put("vm:" + vm.text("uuid") + ":", ofVm(vm));
            }
        }
        for (String uuid : query.storages) {
            if (pool.store.byUuid("SR", uuid) != null) {
                objects.put("sr:" + uuid + ":", Map.of("cache_size", share -> share * MIB));
            }
        }
        return objects;
    }

    private Map<String, Source> ofHost(Row host) {
        Map<String, Source> sources = new LinkedHashMap<>();
        int cpus = Integer.parseInt(host.map("cpu_info").getOrDefault("cpu_count", "1"));
        for (int i = 0; i < cpus; i++) {
            sources.put("cpu" + i, share -> share * 0.6);
        }
        sources.put("cpu_avg", share -> share * 0.5);
        sources.put("loadavg", share -> share * 2);
        Row metrics = pool.store.get("host_metrics", host.text("metrics"));
        double total = metrics.number("memory_total");
        double free = metrics.number("memory_free");
        sources.put("memory_total_kib", _ -> total / KIB);
        sources.put("memory_free_kib", _ -> free / KIB);
        sources.put("memory_reclaimed", _ -> 0);
        sources.put("memory_reclaimed_max", share -> Math.rint(share * MIB));
        sources.put("hostload", share -> share);
        double domains = host.list("resident_VMs").size();
        sources.put("running_domains", _ -> domains);
        for (String ref : host.list("PIFs")) {
            String device = pool.store.get("PIF", ref).text("device");
            sources.put("pif_" + device + "_rx", share -> share * 1e6);
            sources.put("pif_" + device + "_tx", share -> share * 5e5);
        }
        sources.put("pif_aggr_rx", share -> share * 1e6);
        sources.put("pif_aggr_tx", share -> share * 5e5);
        for (String ref : host.list("PBDs")) {
            Row sr = pool.store.get("SR", pool.store.get("PBD", ref).text("SR"));
            io(sources, "", "_" + sr.text("uuid").substring(0, 8), false);
        }
        return sources;
    }

    private Map<String, Source> ofVm(Row vm) {
        Map<String, Source> sources = new LinkedHashMap<>();
        long cpus = vm.number("VCPUs_max");
        for (int i = 0; i < cpus; i++) {
            sources.put("cpu" + i, share -> share * 0.8);
        }
        sources.put("cpu_usage", share -> share * 0.8);
        sources.put("runstate_fullrun", share -> share);
        sources.put("runstate_full_contention", share -> share * 0.01);
        sources.put("runstate_blocked", share -> 1 - share);
        sources.put("runnable_any", share -> share * 0.02);
        boolean paused = vm.text("power_state").equals("Paused");
        double memory = vm.number("memory_static_max");
        if (!paused) {
            sources.put("memory", _ -> memory);
            sources.put("memory_target", _ -> memory);
            if (pool.store.find("VM_guest_metrics", vm.text("guest_metrics")) != null) {
                sources.put("memory_internal_free", share -> Math.rint(memory / KIB * 0.5 * share));
            }
        }
        for (String ref : vm.list("VIFs")) {
            String device = pool.store.get("VIF", ref).text("device");
            sources.put("vif_" + device + "_rx", share -> share * 1e5);
            sources.put("vif_" + device + "_tx", share -> share * 5e4);
        }
        for (String ref : vm.list("VBDs")) {
            String device = pool.store.get("VBD", ref).text("device");
            if (!device.isEmpty()) {
                io(sources, "vbd_" + device + "_", "", true);
            }
        }
        if (paused) {
            sources.replaceAll((name, source) -> _ -> 0); // its processors stand still
        }
        return sources;
    }

    /** Names of hosts end with the storage, those of VMs begin with the drive. */
    private static void io(Map<String, Source> sources, String before, String after, boolean vm) {
        sources.put(before + "read" + after, share -> share * 4e6);
        sources.put(before + "write" + after, share -> share * 2e6);
        for (String way : List.of("read", "write", "total")) {
            sources.put(before + "io_throughput_" + way + after, share -> share * 4e6 / MIB);
            sources.put(before + "iops_" + way + after, share -> Math.rint(share * 500));
        }
        sources.put(before + "read_latency" + after, share -> share * 1500);
        sources.put(before + "write_latency" + after, share -> share * 2500);
        sources.put(before + "latency" + after, share -> share * 2000);
        sources.put(before + "iowait" + after, share -> share * 0.05);
        sources.put(before + "inflight" + after, share -> Math.rint(share * (vm ? 4 : 32)));
        sources.put(before + "avgqu_sz" + after, share -> share * 2);
    }
}
