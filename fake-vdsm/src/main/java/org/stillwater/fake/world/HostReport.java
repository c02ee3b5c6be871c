package org.stillwater.fake.world;

import static org.stillwater.fake.world.JsonOut.key;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stillwater.fake.net.JsonBody;

/**
 * Writes a host's report about itself in {@code getStats} (§3.5) and the storage verbs. Stateless;
 * the caller holds the monitor of the host.
 */
final class HostReport {

    /** Memory of the host's own system. */
    static final int SYSTEM_MIB = 4_096;

    /** Memory a guest takes beside its own (§3.4 {@code guestOverhead}). */
    static final int GUEST_OVERHEAD_MIB = 65;

    static final int CPUS = 16;
    static final int NUMA_NODES = 2;
    static final List<String> STORAGE_DOMAINS =
            List.of("f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6", "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a");

    private static final DateTimeFormatter DATE_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss 'GMT'");
    static final int SWAP_MIB = 16_383;
    static final String BOND = "bond0";
    static final List<String> CARDS = List.of("ens1f0", "ens1f1");

    /** Free space of a host's local file systems by default. */
    static final Map<String, Integer> DISKS_FREE_MIB = disks();

    private static final List<String> PAGE_SIZES = List.of("2048", "1048576");
    private static final List<String> PAGE_COUNTS =
            List.of(
                    "free_hugepages",
                    "vm.free_hugepages",
                    "nr_hugepages",
                    "nr_hugepages_mempolicy",
                    "nr_overcommit_hugepages",
                    "resv_hugepages",
                    "surplus_hugepages");
    private static final byte[] NAME = key("name");
    private static final byte[] RX = key("rx");
    private static final byte[] TX = key("tx");
    private static final byte[] STATE_UP = JsonOut.ascii("\"state\": \"up\"");
    private static final byte[] STATE_DOWN = JsonOut.ascii("\"state\": \"down\"");
    private static final byte[] RX_DROPPED = key("rxDropped");
    private static final byte[] COUNTS_AT_REST =
            JsonOut.ascii("\"txDropped\": \"0\", \"rxErrors\": \"0\", \"txErrors\": \"0\"");
    private static final byte[] SPEED = key("speed");
    private static final byte[] DUPLEX = key("duplex");
    private static final byte[] SAMPLE_TIME = key("sampleTime");

    private HostReport() {}

    private static Map<String, Integer> disks() {
        Map<String, Integer> disks = new LinkedHashMap<>();
        disks.put("/tmp", 18_811);
        disks.put("/var/log", 7_410);
        disks.put("/var/run/vdsm/", 64_201);
        return Collections.unmodifiableMap(disks);
    }

    static JsonBody stats(FakeHost host, HostMoment moment) {
        JsonOut out = new JsonOut(8192);
        boolean sampled = host.isSampled(moment.now());
        long chance = Meter.chance(host.seed, moment.lastSample() / Meter.PERIOD_MILLIS);
        int freeMib = freeMib(host, moment);
        out.object();
        processors(out, host, moment, sampled, chance);
        memoryUsed(out, host, sampled, freeMib, chance);
        if (sampled) {
            network(out, host, moment);
            pages(out);
            out.name("diskStats").object();
            host.diskFreeMib().forEach((path, mib) -> free(out, path, mib));
            out.endObject();
            out.name("thpState")
                    .text("always")
                    .name("bootTime")
                    .numberText(host.bootEpochSeconds());
            numaMemory(out, host, freeMib);
            processorStatistics(out, host, moment);
            out.name("v2vJobs").object().endObject();
        }
        out.name("storageDomains");
        storage(out, host, moment, STORAGE_DOMAINS);
        out.name("multipathHealth").object().endObject();
        out.name("memFree")
                .number(freeMib)
                .name("swapTotal")
                .number(SWAP_MIB)
                .name("swapFree")
                .number(host.swapFreeMib());
        guests(out, host);
        out.name("dateTime")
                .text(
                        DATE_TIME.format(
                                Instant.ofEpochMilli(moment.wallMillis()).atOffset(ZoneOffset.UTC)))
                .name("momStatus")
                .text("active")
                .name("ksmState")
                .bool(false)
                .name("ksmPages")
                .number(100)
                .name("ksmMergeAcrossNodes")
                .bool(true)
                .name("memShared")
                .number(0)
                .name("ksmCpu")
                .number(0)
                .name("netConfigDirty")
                .text("False")
                .name("haStats")
                .object()
                .name("configured")
                .bool(false)
                .name("active")
                .bool(false)
                .name("score")
                .number(0)
                .name("globalMaintenance")
                .bool(false)
                .name("localMaintenance")
                .bool(false)
                .endObject();
        return out.endObject().body();
    }

    /** The {@code network} part alone, for {@code Host.getNetworkStatistics}. */
    static JsonBody networkStatistics(FakeHost host, HostMoment moment) {
        JsonOut out = new JsonOut(2048).object();
        network(out, host, moment);
        return out.endObject().body();
    }

    static JsonBody storageRepoStats(FakeHost host, HostMoment moment, List<String> domains) {
        JsonOut out = new JsonOut(512);
        storage(out, host, moment, domains);
        return out.body();
    }

    static int freeMib(FakeHost host, HostMoment moment) {
        long wave = Seeds.of(host.seed, moment.now() / 1000) & 63;
        return (int) Math.max(0, host.freeMib() - wave);
    }

    private static void processors(
            JsonOut out, FakeHost host, HostMoment moment, boolean sampled, long chance) {
        long load = 20 + host.domainCount() % 400 + (chance & 63);
        long user = 500 + (chance >>> 8 & 2047);
        long system = 100 + (chance >>> 20 & 511);
        out.name("cpuLoad")
                .hundredthsText(sampled ? load : 0)
                .name("cpuUser")
                .hundredthsText(sampled ? user : 0)
                .name("cpuSys")
                .hundredthsText(sampled ? system : 0)
                .name("cpuIdle")
                .hundredthsText(sampled ? 10_000 - user - system : 10_000)
                .name("cpuSysVdsmd")
                .hundredthsText(sampled ? 20 + (chance >>> 32 & 127) : 0)
                .name("cpuUserVdsmd")
                .hundredthsText(sampled ? 50 + (chance >>> 40 & 127) : 0)
                .name("elapsedTime")
                .hundredthsText(host.vdsmUptimeMillis(moment.now()) / 10);
    }

    private static void memoryUsed(
            JsonOut out, FakeHost host, boolean sampled, int freeMib, long chance) {
        out.name("memUsed");
        if (sampled) {
            out.numberText(100 - 100L * freeMib / host.installedMemoryMib())
                    .name("anonHugePages")
                    .numberText(4096 + (chance >>> 48 & 1023));
        } else {
            out.text("0.00").name("anonHugePages").text("0.00");
        }
    }

    private static void network(JsonOut out, FakeHost host, HostMoment moment) {
        long dropped = host.seed >>> 40 & 511;
        Sample.Traffic first = traffic(host, moment, 1, 900_000_000);
        Sample.Traffic second = traffic(host, moment, 2, 850_000_000);
        Sample.Traffic bond =
                new Sample.Traffic(
                        first.received() + second.received(), first.sent() + second.sent());
        Sample.Traffic loop = traffic(host, moment, 3, 60_000);
        out.name("network").object();
        Sample.Traffic symmetric = new Sample.Traffic(loop.received(), loop.received());
        port(out, moment, "lo", symmetric, 0, 1000, "unknown");
        card(out, host, moment, CARDS.getFirst(), first, dropped, 10_000);
        card(out, host, moment, CARDS.getLast(), second, 0, 10_000);
        card(out, host, moment, BOND, bond, dropped, 20_000);
        port(out, moment, "bond0.100", traffic(host, moment, 4, 800_000_000), 0, 20_000, "full");
        port(out, moment, "ovirtmgmt", traffic(host, moment, 5, 20_000_000), 0, 1000, "unknown");
        if (host.reportsTaps()) {
            for (Domain domain : host.domains()) {
                Sample sample = Sample.of(domain, moment);
                if (sample != null) {
                    taps(out, domain, sample, moment);
                }
            }
        }
        out.endObject();
        // VDSM has the two swapped (§3.5), and an engine may rely on it.
        out.name("rxDropped").text("0").name("txDropped").numberText(2 * dropped);
    }

    private static void taps(JsonOut out, Domain domain, Sample sample, HostMoment moment) {
        List<Nic> nics = domain.machine.nics;
        for (int i = 0; i < nics.size(); i++) {
            Sample.Traffic guest = sample.traffic(nics.get(i));
            Sample.Traffic seenFromHost = guest.fromTheOtherEnd();
            port(out, moment, "vnet" + domain.tap(i), seenFromHost, 0, 1000, "full");
        }
    }

    /** One without a link has no speed, and VDSM writes 1000 then (§3.5.1). */
    private static void card(
            JsonOut out,
            FakeHost host,
            HostMoment moment,
            String name,
            Sample.Traffic traffic,
            long rxDropped,
            int speed) {
        boolean up = host.isLinkUp(name);
        port(
                out,
                moment,
                name,
                traffic,
                rxDropped,
                up ? speed : 1000,
                up ? "full" : "unknown",
                up ? STATE_UP : STATE_DOWN);
    }

    private static void port(
            JsonOut out,
            HostMoment moment,
            String name,
            Sample.Traffic traffic,
            long rxDropped,
            int speed,
            String duplex) {
        port(out, moment, name, traffic, rxDropped, speed, duplex, STATE_UP);
    }

    private static void port(
            JsonOut out,
            HostMoment moment,
            String name,
            Sample.Traffic traffic,
            long rxDropped,
            int speed,
            String duplex,
            byte[] state) {
        out.name(name)
                .object()
                .name(NAME)
                .text(name)
                .name(RX)
                .numberText(traffic.received())
                .name(TX)
                .numberText(traffic.sent())
                .raw(state)
                .name(RX_DROPPED)
                .numberText(rxDropped)
                .raw(COUNTS_AT_REST)
                .name(SPEED)
                .numberText(speed)
                .name(DUPLEX)
                .text(duplex)
                .name(SAMPLE_TIME)
                .secondsFloat(moment.wallMillis())
                .endObject();
    }

    /** Counters of the host's own interfaces are read live and count since its boot. */
    private static Sample.Traffic traffic(
            FakeHost host, HostMoment moment, int port, long meanPerSample) {
        long seed = Seeds.of(host.seed, port);
        long segment = moment.monotonicMillis() / Meter.PERIOD_MILLIS;
        long into = moment.monotonicMillis() % Meter.PERIOD_MILLIS;
        long from = Meter.chance(seed, segment);
        long to = Meter.chance(seed, segment + 1);
        return new Sample.Traffic(
                Meter.total(meanPerSample, segment, into, from, to, 0),
                Meter.total(meanPerSample / 2, segment, into, from, to, 1));
    }

    private static void pages(JsonOut out) {
        out.name("hugepages").object();
        for (String size : PAGE_SIZES) {
            out.name(size).object();
            PAGE_COUNTS.forEach(count -> out.name(count).number(0));
            out.endObject();
        }
        out.endObject();
    }

    private static void free(JsonOut out, String path, int mib) {
        out.name(path).object().name("free").numberText(mib).endObject();
    }

    private static void numaMemory(JsonOut out, FakeHost host, int freeMib) {
        out.name("numaNodeMemFree").object();
        int nodeTotal = host.installedMemoryMib() / NUMA_NODES;
        int firstFree = freeMib * 2 / 5;
        for (int node = 0; node < NUMA_NODES; node++) {
            int nodeFree = node == 0 ? firstFree : freeMib - firstFree;
            out.name(Integer.toString(node))
                    .object()
                    .name("memFree")
                    .numberText(nodeFree)
                    .name("memPercent")
                    .number(100 - 100L * Math.min(nodeFree, nodeTotal) / nodeTotal)
                    .name("hugepages")
                    .object()
                    .name("4")
                    .object()
                    .name("freePages")
                    .number(nodeFree * 256L)
                    .endObject();
            for (String size : PAGE_SIZES) {
                out.name(size).object().name("freePages").number(0).endObject();
            }
            out.endObject().endObject();
        }
        out.endObject();
    }

    private static void processorStatistics(JsonOut out, FakeHost host, HostMoment moment) {
        out.name("cpuStatistics").object();
        for (int cpu = 0; cpu < CPUS; cpu++) {
            long chance =
                    Meter.chance(
                            Seeds.of(host.seed, 1000 + cpu),
                            moment.lastSample() / Meter.PERIOD_MILLIS);
            long user = 200 + (chance & 2047);
            long system = 50 + (chance >>> 16 & 511);
            out.name(Integer.toString(cpu))
                    .object()
                    .name("nodeIndex")
                    .number(cpu * NUMA_NODES / CPUS)
                    .name("cpuUser")
                    .hundredthsText(user)
                    .name("cpuSys")
                    .hundredthsText(system)
                    .name("cpuIdle")
                    .hundredthsText(10_000 - user - system)
                    .endObject();
        }
        out.endObject();
    }

    private static void storage(
            JsonOut out, FakeHost host, HostMoment moment, List<String> domains) {
        out.object();
        for (String domain : domains) {
            long phase = Seeds.of(Seeds.of(0, domain), "phase") & 8191;
            long tenths = (moment.monotonicMillis() + phase) % 10_000 / 100;
            long delayMicros = 300 + (Seeds.of(phase, moment.now() / 10_000) & 511);
            out.name(domain)
                    .object()
                    .name("code")
                    .number(0)
                    .name("lastCheck")
                    .text(tenths / 10 + "." + tenths % 10)
                    .name("delay")
                    .text(delay(host, domain, moment.now(), delayMicros))
                    .name("valid")
                    .bool(true)
                    .name("version")
                    .number(5)
                    .name("acquired")
                    .bool(true)
                    .name("actual")
                    .bool(true)
                    .endObject();
        }
        out.endObject();
    }

    private static String delay(FakeHost host, String domain, long now, long micros) {
        double factor = host.slowdowns().ofDomain(host, domain, now);
        return factor == 1
                ? "0.000" + micros
                : String.format(Locale.ROOT, "%.6f", micros * factor / 1e6);
    }

    private static void guests(JsonOut out, FakeHost host) {
        int active = 0;
        int incoming = 0;
        int outgoing = 0;
        for (Domain domain : host.domains()) {
            switch (domain.phase) {
                case RUNNING -> active++;
                case MIGRATION_DESTINATION -> incoming++;
                case MIGRATION_SOURCE -> outgoing++;
                case WAIT_FOR_LAUNCH, PAUSED, SAVING, RESTORING, DOWN -> {}
            }
        }
        out.name("vmCount")
                .number(host.domainCount())
                .name("vmActive")
                .number(active)
                .name("vmMigrating")
                .number(outgoing)
                .name("incomingVmMigrations")
                .number(incoming)
                .name("outgoingVmMigrations")
                .number(outgoing);
    }
}
