package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.api.HttpLoadConnection;

/**
 * Changes of VMs at an even rate, on threads of its own: pauses one VM after the other, then
 * resumes them in the same order, and so on.
 */
final class VmChanges implements AutoCloseable {

    /** Connections to the simulator: as many changes may be under way. */
    private static final int CAUSES = 8;

    private final SimulatorProcess simulator;
    private final List<String> vms;
    private final int perSecond;
    private final long changes;
    private final long begun;
    private final HarnessClock clock = new HarnessClock();
    private final AtomicLong made = new AtomicLong();
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    private final List<Thread> causes = new ArrayList<>();

    private VmChanges(
            SimulatorProcess simulator, List<String> vms, int perSecond, long changes, long begun) {
        this.simulator = simulator;
        this.vms = List.copyOf(vms);
        this.perSecond = perSecond;
        this.changes = changes;
        this.begun = begun;
    }

    /**
     * Begins to change VMs.
     *
     * @param changes how many in all
     * @param begun monotonic time of the first one, nanoseconds
     */
    static VmChanges start(
            SimulatorProcess simulator, List<String> vms, int perSecond, long changes, long begun) {
        VmChanges all = new VmChanges(simulator, vms, perSecond, changes, begun);
        for (int cause = 0; cause < CAUSES; cause++) {
            int first = cause;
            all.causes.add(
                    Thread.ofPlatform().name("changes-" + cause).start(() -> all.change(first)));
        }
        return all;
    }

    private void change(int first) {
        try (HttpLoadConnection wire = new HttpLoadConnection(simulator.controlPort())) {
            for (long i = first; i < changes; i += CAUSES) {
                clock.waitUntil(begun + i * (1_000_000_000L / perSecond));
                boolean pauses = i / vms.size() % 2 == 0;
                order(wire, vms.get((int) (i % vms.size())), pauses);
                made.incrementAndGet();
            }
        } catch (IOException e) {
            failure.compareAndSet(null, e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void order(HttpLoadConnection wire, String vm, boolean pauses)
            throws IOException {
        int status =
                wire.send(
                                ("POST /vms/"
                                                + vm
                                                + (pauses ? "/pause" : "/resume")
                                                + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                                + "Content-Type: application/json\r\n"
                                                + "Content-Length: 2\r\n\r\n{}")
                                        .getBytes(StandardCharsets.US_ASCII))
                        .status();
        if (status >= 300) {
            throw new IOException("an order for " + vm + " was answered " + status);
        }
    }

    /** Changes made so far. */
    long made() {
        return made.get();
    }

    /**
     * Waits until all are made.
     *
     * @throws BenchFailure if the simulator refuses one
     */
    void await() throws InterruptedException {
        for (Thread cause : causes) {
            cause.join();
        }
        check();
    }

    /**
     * Whether all went well so far.
     *
     * @throws BenchFailure if the simulator refused a change
     */
    void check() {
        IOException trouble = failure.get();
        if (trouble != null) {
            throw new BenchFailure("the simulator does not follow: " + trouble.getMessage());
        }
    }

    /** Ends the changes; the one under way is still made. */
    void stop() {
        causes.forEach(Thread::interrupt);
    }

    @Override
    public void close() {
        stop();
    }
}
