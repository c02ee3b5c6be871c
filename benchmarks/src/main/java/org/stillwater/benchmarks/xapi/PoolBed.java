package org.stillwater.benchmarks.xapi;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.EngineProcess;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Http;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.testkit.FreePorts;
import org.stillwater.xapi.client.XapiEncoding;

/**
 * The engine in a process of its own, on a fresh database, watching simulated pools in another one.
 * Every wait has an end, which names the missing event and the location of the logs.
 */
final class PoolBed implements AutoCloseable {

    /** Lost pools are tried again soon: the pause would be counted as the engine's. */
    private static final String RECONNECT = "20ms";

    private static final Duration START_PATIENCE = Duration.ofMinutes(3);
    private static final Duration INTAKE_PATIENCE = Duration.ofMinutes(10);
    private static final Duration QUIET_PATIENCE = Duration.ofMinutes(3);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String VMS = "/api/v1/vms?limit=1&fields=id";

    private final PoolProcess pools;
    private final EngineProcess engine;
    private final Path folder;
    private final HarnessClock clock = new HarnessClock();

    private PoolBed(PoolProcess pools, EngineProcess engine, Path folder) {
        this.pools = pools;
        this.engine = engine;
        this.folder = folder;
    }

    /**
     * Starts the engine and waits until it answers.
     *
     * @param folder for its database and log; emptied
     * @param encodings of each pool; null lets the engine negotiate
     * @param options more options of the engine
     */
    static PoolBed start(
            XapiPlan plan,
            Path folder,
            PoolProcess pools,
            List<@Nullable XapiEncoding> encodings,
            List<String> options)
            throws IOException, InterruptedException {
        Folders.makeEmpty(folder);
        List<String> all = new ArrayList<>();
        all.add("--stillwater.wire.tls.enabled=false");
        all.add("--stillwater.xapi.reconnect-at-least=" + RECONNECT);
        all.add("--stillwater.xapi.reconnect-at-most=" + RECONNECT);
        for (int i = 0; i < pools.pools().size(); i++) {
            PoolProcess.Pool pool = pools.pools().get(i);
            String prefix = "--stillwater.xapi.pools[" + i + "].";
            all.add(prefix + "name=" + name(i));
            all.add(prefix + "addresses=" + pool.address());
            all.add(prefix + "port=" + pool.port());
            all.add(prefix + "tls=false");
            all.add(prefix + "password=stillwater");
            XapiEncoding encoding = encodings.get(i);
            if (encoding != null) {
                all.add(
                        prefix
                                + "encodings="
                                + encoding.name().toLowerCase(Locale.ROOT).replace('_', '-'));
            }
        }
        all.addAll(options);
        EngineProcess engine =
                EngineProcess.start(
                        new EngineProcess.Start(
                                plan.engine(),
                                folder,
                                plan.engineHeap(),
                                plan.engineJvmOptions(),
                                all),
                        FreePorts.next());
        PoolBed bed = new PoolBed(pools, engine, folder);
        boolean served = false;
        try {
            bed.await(
                    START_PATIENCE,
                    "the engine's list of VMs",
                    () -> bed.http().tryGet(VMS) != null);
            served = true;
            return bed;
        } finally {
            if (!served) {
                bed.close();
            }
        }
    }

    /** The name of a pool in the engine's settings. */
    static String name(int number) {
        return "pool-" + number;
    }

    EngineProcess engine() {
        return engine;
    }

    Http http() {
        return engine.http();
    }

    PoolControl control() {
        return pools.control();
    }

    HarnessClock clock() {
        return clock;
    }

    Path engineLog() {
        return folder.resolve("engine.log");
    }

    /** Waits until the engine lists this number of VMs. */
    void awaitVms(int vms) throws InterruptedException {
        awaitVms(vms, LOOK_NANOS);
    }

    /**
     * Waits until the engine lists this number of VMs.
     *
     * @param lookNanos time between two looks
     */
    void awaitVms(int vms, long lookNanos) throws InterruptedException {
        await(
                INTAKE_PATIENCE,
                "a list of " + vms + " VMs",
                lookNanos,
                () -> total(http().tryGet(VMS)) == vms);
    }

    /** Total number of VMs by a page; -1 without a page. */
    static int total(@Nullable String page) {
        String mark = "\"total\":";
        int at = page == null ? -1 : page.indexOf(mark);
        if (page == null || at < 0) {
            return -1;
        }
        int from = at + mark.length();
        int to = from;
        while (to < page.length() && Character.isDigit(page.charAt(to))) {
            to++;
        }
        return to == from ? -1 : Integer.parseInt(page.substring(from, to));
    }

    /** Waits until all hosts are up and no VM and no row changed for a while. */
    void awaitQuiet(int hosts, Duration quiet) throws InterruptedException {
        double[] last = {-1};
        long[] since = {clock.nanoTime()};
        await(
                QUIET_PATIENCE,
                "%d hosts that are up, and %s without a change".formatted(hosts, quiet),
                TimeUnit.MILLISECONDS.toNanos(200),
                () -> {
                    Meters meters = engine.meters();
                    double made =
                            meters.sum("stillwater_vm_changes_total")
                                    + meters.sum("stillwater_writer_rows_total");
                    int up = total(http().tryGet("/api/v1/hosts?limit=1&total=true&status=up"));
                    if (made != last[0] || up != hosts) {
                        last[0] = made;
                        since[0] = clock.nanoTime();
                        return false;
                    }
                    return clock.nanoTime() - since[0] >= quiet.toNanos();
                });
    }

    /** Evaluated repeatedly. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    void await(Duration patience, String what, Condition condition) throws InterruptedException {
        await(patience, what, LOOK_NANOS, condition);
    }

    /**
     * Looks again and again until it holds.
     *
     * @param what the awaited event
     * @throws BenchFailure if it does not in time, or a program ends
     */
    void await(Duration patience, String what, long lookNanos, Condition condition)
            throws InterruptedException {
        long deadline = clock.nanoTime() + patience.toNanos();
        String trouble = "";
        while (true) {
            try {
                if (condition.holds()) {
                    return;
                }
                trouble = "";
            } catch (IOException e) {
                trouble = " (" + e.getMessage() + ")";
            }
            engine.requireAlive();
            pools.requireAlive();
            if (clock.nanoTime() > deadline) {
                throw missing(what, patience, trouble);
            }
            clock.waitUntil(clock.nanoTime() + lookNanos);
        }
    }

    /** The failure of a wait. */
    BenchFailure missing(String what, Duration patience, String trouble) {
        return new BenchFailure(
                "%s did not come within %d s%s; logs: %s and %s"
                        .formatted(what, patience.toSeconds(), trouble, engineLog(), pools.log()));
    }

    @Override
    public void close() {
        engine.close();
    }
}
