package org.stillwater.benchmarks.xapi;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.core.time.EngineClock;
import org.stillwater.xapi.client.CertificatePins;
import org.stillwater.xapi.client.CpuTurn;
import org.stillwater.xapi.client.HostMetrics;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolClaims;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolListener;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiEncoding;
import org.stillwater.xapi.client.XapiRecord;

/**
 * The adapter alone with a pool, in this process: it reads all of it, from the login until its
 * records are published, or batches of changes.
 */
final class PoolReading {

    private static final XapiClass TASK = XapiClass.of("task");
    private static final XapiClass VM = XapiClass.of("VM");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration METRICS_PATIENCE = Duration.ofSeconds(10);

    /**
     * Its costs.
     *
     * @param objects records of the classes that the engine reads
     * @param wallNanos from before the login until they are published
     * @param cpuNanos of the thread that reads and decodes
     */
    record Taken(int objects, long wallNanos, long cpuNanos) {}

    private static final EngineClock CLOCK =
            new EngineClock() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public Instant now() {
                    return Instant.now();
                }
            };

    /** There are no certificates without TLS. */
    private static final CertificatePins NO_PINS =
            new CertificatePins() {
                @Override
                public @Nullable String pinned(String address) {
                    return null;
                }

                @Override
                public void pin(String address, String sha256) {}

                @Override
                public void refused(String address, String sha256) {}

                @Override
                public void seen(String address, Instant notAfter) {}
            };

    private PoolReading() {}

    private static PoolConnection connection(PoolProcess.Pool pool, XapiEncoding encoding) {
        return new PoolConnection(
                PoolAccess.of(
                                List.of(pool.address()),
                                pool.port(),
                                "root",
                                () -> "stillwater",
                                "bench")
                        .plain()
                        .with(encoding),
                NO_PINS,
                new PoolClaims(),
                CLOCK);
    }

    private static PoolWatch watch(PoolConnection connection, PoolListener listener) {
        return PoolWatch.start(
                connection, listener, CLOCK, PoolWatch.Sync.EVENTS, PoolWatch.Times.USUAL);
    }

    /** Logs in, reads everything by one encoding, and logs out. */
    static Taken read(PoolProcess.Pool pool, XapiEncoding encoding) throws InterruptedException {
        long begun = CLOCK.nanoTime();
        Listener listener = new Listener(begun);
        try (PoolConnection open = connection(pool, encoding);
                PoolWatch _ = watch(open, listener)) {
            return listener.awaitRead(pool);
        }
    }

    /**
     * Watches a pool by one encoding while VMs of it change at once, again and again.
     *
     * @param vms how many change at once
     * @param warmUp batches that do not count
     * @param rounds batches that count
     * @return processor time of the thread that requests a batch, reads it and applies it
     */
    static List<Long> batches(
            PoolProcess pools, XapiEncoding encoding, int vms, int warmUp, int rounds)
            throws IOException, InterruptedException {
        PoolProcess.Pool pool = pools.pool();
        Listener listener = new Listener(CLOCK.nanoTime());
        List<Long> cpu = new ArrayList<>();
        try (PoolConnection open = connection(pool, encoding);
                PoolWatch _ = watch(open, listener)) {
            Taken _ = listener.awaitRead(pool);
            Applied before = null;
            for (int i = 0; i < warmUp + rounds; i++) {
                boolean freezes = i % 2 == 0;
                PoolControl.Commit _ =
                        pools.control()
                                .pool(
                                        pool.uuid(),
                                        freezes ? "freeze" : "thaw",
                                        "{\"vms\":" + vms + "}");
                Applied now = listener.awaitApplied(pool, vms);
                if (before != null && i >= warmUp) {
                    cpu.add(now.cpuNanos() - before.cpuNanos());
                }
                before = now;
            }
        }
        return cpu;
    }

    /**
     * Reads the metrics of all hosts of a pool repeatedly, while its clock stands still: one row
     * each time.
     *
     * @return processor time of this whole process for each round
     */
    static List<Long> metrics(PoolProcess pools, int warmUp, int rounds)
            throws IOException, InterruptedException {
        PoolProcess.Pool pool = pools.pool();
        List<Long> cpu = new ArrayList<>();
        try (PoolConnection open = connection(pool, XapiEncoding.JSON_RPC)) {
            List<HostMetrics> hosts = new ArrayList<>();
            for (String address : pools.control().addresses(pool.uuid())) {
                hosts.add(HostMetrics.shown(open, address, METRICS_PATIENCE, CpuTurn.FREE));
            }
            for (int i = 0; i < warmUp + rounds; i++) {
                pools.control().advance(HostMetrics.STEP_SECONDS);
                long before = processCpuNanos();
                int rows = 0;
                for (HostMetrics each : hosts) {
                    rows += each.poll().rows().size();
                }
                long took = processCpuNanos() - before;
                if (rows < hosts.size()) {
                    throw new BenchFailure(
                            "%d hosts gave %d rows; log: %s"
                                    .formatted(hosts.size(), rows, pools.log()));
                }
                if (i >= warmUp) {
                    cpu.add(took);
                }
            }
        }
        return cpu;
    }

    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** A batch was applied; the processor time of its thread since that began. */
    private record Applied(int changes, long cpuNanos) {}

    /** Records the reads, on the reading thread. */
    private static final class Listener implements PoolListener {

        private final BlockingQueue<Taken> taken = new LinkedBlockingQueue<>();
        private final BlockingQueue<Applied> applied = new LinkedBlockingQueue<>();
        private final long begun;
        private volatile @Nullable Exception trouble;

        Listener(long begun) {
            this.begun = begun;
        }

        private static long cpuNanos() {
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }

        @Override
        public void synced(Map<XapiClass, Map<String, XapiRecord>> objects) {
            if (!objects.containsKey(TASK)) {
                taken.add(
                        new Taken(
                                objects.values().stream().mapToInt(Map::size).sum(),
                                CLOCK.nanoTime() - begun,
                                cpuNanos()));
            }
        }

        @Override
        public void changed(List<Change> changes) {
            int vms = 0;
            for (Change each : changes) {
                vms += each.type().equals(VM) ? 1 : 0;
            }
            if (vms > 0) {
                applied.add(new Applied(vms, cpuNanos()));
            }
        }

        @Override
        public void message(XapiRecord message) {}

        @Override
        public void lost(Exception reason) {
            trouble = reason;
        }

        Taken awaitRead(PoolProcess.Pool pool) throws InterruptedException {
            Taken first = taken.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (first == null) {
                throw missing("objects", pool);
            }
            return first;
        }

        /** Waits for one batch, or more if the server divided it. */
        Applied awaitApplied(PoolProcess.Pool pool, int vms) throws InterruptedException {
            int changes = 0;
            while (true) {
                Applied next = applied.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (next == null) {
                    throw missing(vms + " changes", pool);
                }
                changes += next.changes();
                if (changes >= vms) {
                    return next;
                }
            }
        }

        private BenchFailure missing(String what, PoolProcess.Pool pool) {
            return new BenchFailure(
                    "%s of the pool at %s did not come within %s; last trouble: %s"
                            .formatted(what, pool.coordinator(), PATIENCE, trouble));
        }
    }
}
