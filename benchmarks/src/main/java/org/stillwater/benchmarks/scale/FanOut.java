package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.stillwater.benchmarks.api.StreamReaders;

/**
 * How changes reach many readers of the stream: VMs are paused and resumed at a rate, and every
 * reader receives each. Processor time is given for each program by itself, because all of them
 * share the machine and only the engine is measured.
 */
final class FanOut {

    private static final String STREAM = "/api/v1/stream?entity=vm&view=light";

    /** Number of readers with a measured latency. */
    private static final int TIMED = 20;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestBed bed;
    private final EngineProcess engine;
    private final SimulatorProcess simulator;
    private final HarnessClock clock = new HarnessClock();
    private final ProcessCpu cpu = ProcessCpu.ofThisMachine();

    FanOut(TestBed bed, EngineProcess engine, SimulatorProcess simulator) {
        this.bed = bed;
        this.engine = engine;
        this.simulator = simulator;
    }

    /** Processor time of each program, nanoseconds. */
    private record Used(long engine, long database, long simulator, long harness) {

        String since(Used before, long deliveries) {
            return String.format(
                    Locale.ROOT,
                    "processor time: engine %.2f s (%.2f s for a million deliveries), PostgreSQL"
                            + " %.2f s, simulator %.2f s, readers and harness %.2f s%n",
                    (engine - before.engine) / 1e9,
                    (engine - before.engine) / 1e3 / Math.max(1, deliveries),
                    (database - before.database) / 1e9,
                    (simulator - before.simulator) / 1e9,
                    (harness - before.harness) / 1e9);
        }
    }

    private Used used() throws IOException {
        long database = cpu.nanosOfTree(engine.databasePid());
        return new Used(
                cpu.nanosOf(engine.pid()),
                database,
                cpu.nanosOf(simulator.pid()),
                cpu.nanosOf(ProcessHandle.current().pid()));
    }

    /**
     * Measures it.
     *
     * @param time how long VMs change
     * @return lines of figures
     */
    String measure(int count, int changesPerSecond, Duration time)
            throws IOException, InterruptedException {
        List<String> vms = new ArrayList<>(simulator.vms().keySet());
        int changes = Math.toIntExact(changesPerSecond * time.toSeconds());
        bed.say("%d readers, %d changes at %d a second", count, changes, changesPerSecond);
        try (StreamReaders readers =
                new StreamReaders(engine.http().port(), STREAM, count, TIMED, clock::nanoTime)) {
            bed.await(
                    Duration.ofMinutes(2),
                    "the snapshots of all readers",
                    engine::requireAlive,
                    () -> readers.ready() == count || isBroken(readers));
            readers.check();
            long before = readers.delivered();
            long readsBefore = readers.reads();
            Used usedBefore = used();
            long begun = clock.nanoTime();
            try (VmChanges causes =
                    VmChanges.start(simulator, vms, changesPerSecond, changes, begun)) {
                causes.await();
            }
            double changing = (clock.nanoTime() - begun) / 1e9;
            long wanted = before + (long) changes * count;
            long patience = clock.nanoTime() + PATIENCE.toNanos();
            while (readers.delivered() < wanted && clock.nanoTime() - patience < 0) {
                clock.waitUntil(clock.nanoTime() + 10_000_000);
            }
            double all = (clock.nanoTime() - begun) / 1e9;
            Used usedAfter = used();
            readers.check();
            readers.stop();
            long told = readers.delivered() - before;
            Distribution latency = Distribution.ofMillis(readers.millis());
            return String.format(
                            Locale.ROOT,
                            "stream, %d readers: %d changes in %.1f s (%.0f/s), %d of %d"
                                    + " deliveries in %.1f s (%.0f/s), %.1f of them at once,"
                                    + " latency p50 %.1f ms, p99 %.1f ms, max %.1f ms%n",
                            count,
                            changes,
                            changing,
                            changes / changing,
                            told,
                            (long) changes * count,
                            all,
                            told / all,
                            (double) told / Math.max(1, readers.reads() - readsBefore),
                            latency.p50(),
                            latency.p99(),
                            latency.max())
                    + usedAfter.since(usedBefore, told);
        }
    }

    private static boolean isBroken(StreamReaders readers) {
        try {
            readers.check();
            return false;
        } catch (IOException _) {
            return true;
        }
    }
}
