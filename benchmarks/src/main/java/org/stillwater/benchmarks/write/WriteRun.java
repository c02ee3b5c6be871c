package org.stillwater.benchmarks.write;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.stillwater.benchmarks.scale.Administrator;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.Distribution;
import org.stillwater.benchmarks.scale.Folders;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.dal.Database;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.StatementCounts;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.DurableWork;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * The engine's writer and a naive one on the same durable PostgreSQL, in turn, with changes from
 * one stream. One thread makes the changes; the engine's writer has its own.
 */
public final class WriteRun {

    private static final int ADDED_AT_ONCE = 5_000;

    /** Number of changes per timed one. */
    private static final int TIMED = 64;

    /** Instead of a rate: as fast as possible. */
    private static final int FLAT_OUT = Integer.MAX_VALUE;

    private static final long TICK_NANOS = 1_000_000;
    private static final Duration FLUSH_PATIENCE = Duration.ofMinutes(2);

    private final WritePlan plan;
    private final PrintStream out;
    private final HarnessClock clock = new HarnessClock();

    /** The phases, in the order in which each round runs them. */
    enum Phase {
        PACED("engine, paced"),
        FLAT_OUT("engine, flat out"),
        NAIVE("naive, flat out");

        private final String label;

        Phase(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** A comparison that prints its progress here. */
    public WriteRun(WritePlan plan, PrintStream progress) {
        this.plan = plan;
        this.out = progress;
    }

    /**
     * Runs every round.
     *
     * @return the table of the measurements
     * @throws BenchFailure if a row is wrong at the end
     */
    public String measure()
            throws IOException, InterruptedException, SQLException, StoreUnavailable {
        Folders.makeEmpty(plan.folder());
        say("Starting PostgreSQL, durable as shipped");
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(plan.folder().resolve("postgresql"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(settings);
                Database database =
                        Database.open(
                                DatabaseSettings.of(
                                        server.jdbcUrl(), server.user(), server.password()));
                Connection watching =
                        Administrator.connectPatiently(settings.dataFolder(), server.jdbcUrl());
                Connection naive =
                        DriverManager.getConnection(
                                server.jdbcUrl(), server.user(), server.password())) {
            Observer observer = new Observer(watching, server.pid());
            Changes changes = new Changes(fill(database), plan.seed());
            warmUp(database, naive, observer, changes);
            Map<Phase, List<PhaseFigures>> measured = new HashMap<>();
            for (int round = 1; round <= plan.rounds(); round++) {
                for (Phase phase : Phase.values()) {
                    observer.settle();
                    PhaseFigures figures =
                            switch (phase) {
                                case PACED ->
                                        engine(
                                                database,
                                                observer,
                                                changes,
                                                plan.paced(),
                                                plan.rate());
                                case FLAT_OUT ->
                                        engine(
                                                database,
                                                observer,
                                                changes,
                                                plan.flatOut(),
                                                FLAT_OUT);
                                case NAIVE -> naive(naive, observer, changes, plan.flatOut());
                            };
                    measured.computeIfAbsent(phase, _ -> new ArrayList<>()).add(figures);
                    say(
                            "  round %d of %d, %s: %.0f rows/s, commit p50 %.1f p99 %.1f ms"
                                    .formatted(
                                            round,
                                            plan.rounds(),
                                            phase.label(),
                                            figures.rowsPerSecond(),
                                            figures.commit().p50(),
                                            figures.commit().p99()));
                }
            }
            compare(database, changes);
            say("Each of %d rows holds the last change of its VM".formatted(changes.size()));
            return WriteTable.of(measured);
        }
    }

    /**
     * Lets the JVM compile the measured code: an engine with 100 000 VMs has not started just now.
     */
    private void warmUp(Database database, Connection naive, Observer observer, Changes changes)
            throws InterruptedException, SQLException, IOException {
        if (plan.warmUp().isZero()) {
            return;
        }
        say(
                "Warming up: each writer for %d s, flat out, not measured"
                        .formatted(plan.warmUp().toSeconds()));
        naive(naive, observer, changes, plan.warmUp());
        engine(database, observer, changes, plan.warmUp(), FLAT_OUT);
    }

    private List<VmId> fill(Database database) {
        say("Filling in %d VMs".formatted(plan.vms()));
        List<VmId> ids = new ArrayList<>(plan.vms());
        for (int i = 0; i < plan.vms(); i++) {
            // Neither in the order of insertion nor sequential: as identities of VMs are.
            ids.add(new VmId(scattered(i), i));
        }
        VmRuntime first = Changes.first();
        for (int from = 0; from < ids.size(); from += ADDED_AT_ONCE) {
            int to = Math.min(from + ADDED_AT_ONCE, ids.size());
            List<StoredVm> some =
                    ids.subList(from, to).stream()
                            .sorted()
                            .map(id -> new StoredVm(id, definition(id), first, VmPlacement.NOWHERE))
                            .toList();
            WriteOutcome outcome = database.vms().add(some);
            if (!(outcome instanceof WriteOutcome.Written written)
                    || written.rows() != some.size()) {
                throw new BenchFailure("the fleet cannot be filled in: " + outcome);
            }
        }
        return ids;
    }

    private static long scattered(long i) {
        long mixed = (i + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return mixed ^ mixed >>> 32;
    }

    private static VmStatic definition(VmId id) {
        return new VmStatic(
                "vm-" + id.leastSignificantBits(),
                VmOrigin.OVIRT,
                false,
                4096,
                2048,
                1,
                2,
                1,
                List.of());
    }

    /** The engine's writer, with changes at this rate or as fast as it takes them. */
    private PhaseFigures engine(
            Database database, Observer observer, Changes changes, Duration time, int perSecond)
            throws InterruptedException, SQLException, IOException {
        BatchWriter writer = writer(database);
        writer.start(
                new Workers(
                        WorkerSettings.DEFAULT,
                        new WallAndHarnessClock(clock),
                        new SimpleMeterRegistry()));
        StatementCounts counts = database.statements();
        long statements = counts.statements(SqlStage.STATE);
        long commits = counts.commits(SqlStage.STATE);
        long rows = counts.rows(SqlStage.STATE);
        Observer.Reading before = observer.read();
        Latencies latencies = new Latencies(clock);
        boolean paced = perSecond != FLAT_OUT;
        long made = 0;
        long start = clock.nanoTime();
        long end = start + time.toNanos();
        long now = start;
        while (now < end) {
            long due = paced ? (long) ((now - start) / 1e9 * perSecond) : Long.MAX_VALUE;
            int room = plan.backlog() - writer.state().waiting();
            for (; room > 0 && made < due; room--) {
                Changes.Change change = changes.next();
                VmId id = changes.id(change.vm());
                // Paced changes are timed from when they were due, so that waiting for room counts.
                long observed = paced ? start + (long) (made * 1e9 / perSecond) : clock.nanoTime();
                writer.changed(
                        id,
                        change.runtime(),
                        change.fields(),
                        VmPlacement.NOWHERE,
                        PlacementFields.NONE,
                        List.of(),
                        observed);
                if (made % TIMED == 0) {
                    writer.afterCommit(id, () -> latencies.durable(observed));
                }
                made++;
            }
            clock.waitUntil(Math.min(end, now + TICK_NANOS));
            now = clock.nanoTime();
        }
        if (!writer.stop(FLUSH_PATIENCE)) {
            throw new BenchFailure("the writer did not flush: " + writer.state());
        }
        double seconds = (clock.nanoTime() - start) / 1e9;
        Observer.Reading spent = observer.read().minus(before);
        return new PhaseFigures(
                made,
                counts.rows(SqlStage.STATE) - rows,
                seconds,
                counts.statements(SqlStage.STATE) - statements,
                counts.commits(SqlStage.STATE) - commits,
                spent,
                latencies.distribution());
    }

    private BatchWriter writer(Database database) {
        return new BatchWriter(
                WriterSettings.DEFAULT,
                database.vms(),
                database.hosts(),
                new WallAndHarnessClock(clock),
                new MonitoringMeters(new SimpleMeterRegistry()),
                VmId::toString,
                HostId::toString,
                new NoWork());
    }

    /** The naive writer, with changes of the same stream as fast as it can. */
    private PhaseFigures naive(
            Connection connection, Observer observer, Changes changes, Duration time)
            throws SQLException, IOException {
        connection.setAutoCommit(false);
        Observer.Reading before = observer.read();
        Latencies latencies = new Latencies(clock);
        List<Long> timed = new ArrayList<>();
        long rows = 0;
        long made = 0;
        long commits = 0;
        long start = clock.nanoTime();
        long end = start + time.toNanos();
        long now = start;
        try (NaiveWriter writer = new NaiveWriter(connection)) {
            while (now < end) {
                for (int i = 0; i < plan.naiveCommit(); i++) {
                    Changes.Change change = changes.next();
                    if (made % TIMED == 0) {
                        timed.add(clock.nanoTime());
                    }
                    rows += writer.write(changes.id(change.vm()), change.runtime());
                    made++;
                }
                connection.commit();
                commits++;
                timed.forEach(latencies::durable);
                timed.clear();
                now = clock.nanoTime();
            }
        }
        double seconds = (now - start) / 1e9;
        Observer.Reading spent = observer.read().minus(before);
        return new PhaseFigures(
                made, rows, seconds, made, commits, spent, latencies.distribution());
    }

    /** Checks that the database holds the last change of each VM in the stream. */
    private static void compare(Database database, Changes changes) throws StoreUnavailable {
        Map<VmId, VmRuntime> expected = HashMap.newHashMap(changes.size());
        for (int vm = 0; vm < changes.size(); vm++) {
            expected.put(changes.id(vm), changes.runtime(vm));
        }
        AtomicInteger different = new AtomicInteger();
        database.vms()
                .loadAll(vm -> {
                    if (!vm.runtime().equals(expected.remove(vm.id()))) {
                        different.incrementAndGet();
                    }
                });
        if (different.get() > 0 || !expected.isEmpty()) {
            throw new BenchFailure(
                    "%d rows differ from what was written and %d are missing"
                            .formatted(different.get(), expected.size()));
        }
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    /** Times of sampled changes. Handed in by one thread, read after that thread's last. */
    private static final class Latencies {

        private final HarnessClock clock;
        private double[] millis = new double[1 << 12];
        private int count;

        Latencies(HarnessClock clock) {
            this.clock = clock;
        }

        synchronized void durable(long madeNanos) {
            if (count == millis.length) {
                millis = Arrays.copyOf(millis, count * 2);
            }
            millis[count++] = (clock.nanoTime() - madeNanos) / 1e6;
        }

        synchronized Distribution distribution() {
            return Distribution.ofMillis(Arrays.copyOf(millis, count));
        }
    }

    private record WallAndHarnessClock(HarnessClock harness) implements EngineClock {

        @Override
        public long nanoTime() {
            return harness.nanoTime();
        }

        @Override
        public Instant now() {
            return harness.now();
        }
    }

    private static final class NoWork implements DurableWork {

        @Override
        public void opened(OpenWork work) {}

        @Override
        public void opened(OpenHostWork work) {}

        @Override
        public void episodeReached(HostId host, long episode) {}
    }
}
