package org.stillwater.benchmarks.xapi;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.core.port.EngineClock;
import org.stillwater.xapi.client.CertificatePins;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolClaims;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolListener;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiEncoding;
import org.stillwater.xapi.client.XapiRecord;

/** One reading of a whole pool: from the login until its records are published. */
final class PoolReading {

    private static final XapiClass TASK = XapiClass.of("task");
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /**
     * What it took.
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

    /** Logs in, reads everything by one encoding, and logs out. */
    static Taken read(PoolProcess pool, XapiEncoding encoding) throws InterruptedException {
        BlockingQueue<Taken> taken = new LinkedBlockingQueue<>();
        long begun = CLOCK.nanoTime();
        PoolConnection connection =
                new PoolConnection(
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
        PoolListener listener =
                new PoolListener() {
                    @Override
                    public void synced(Map<XapiClass, Map<String, XapiRecord>> objects) {
                        if (!objects.containsKey(TASK)) {
                            taken.add(
                                    new Taken(
                                            objects.values().stream().mapToInt(Map::size).sum(),
                                            CLOCK.nanoTime() - begun,
                                            ManagementFactory.getThreadMXBean()
                                                    .getCurrentThreadCpuTime()));
                        }
                    }

                    @Override
                    public void changed(List<Change> changes) {}

                    @Override
                    public void message(XapiRecord message) {}

                    @Override
                    public void lost(Exception reason) {}
                };
        try (PoolConnection open = connection;
                PoolWatch _ =
                        PoolWatch.start(
                                open,
                                listener,
                                CLOCK,
                                PoolWatch.Sync.EVENTS,
                                PoolWatch.Times.USUAL)) {
            Taken first = taken.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (first == null) {
                throw new BenchFailure("the pool was not read within " + PATIENCE);
            }
            return first;
        }
    }
}
