package org.stillwater.server.api.stream;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.web.Streams;

/**
 * Makes and drops the answers to the first requests of a console until the JVM has compiled their
 * code: a first answer of interpreted code takes a second at a hundred thousand VMs. Afterwards it
 * keeps the first rows up to date.
 *
 * <p>It begins with the first thousand VMs, while the engine still connects to hosts; a first
 * answer about fewer is quick. It takes a part of one core, and stops rehearsing when its processor
 * time is spent. Its thread is a platform thread: it never holds a carrier of the virtual threads.
 */
@Component
final class ConsoleRehearsal implements SmartLifecycle {

    private static final String WORKER = "console-rehearsal";
    private static final int LEAST_VMS = 1_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** As much as both questions need until the JVM has compiled all of their code. */
    private static final long BUDGET_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** It rests for this multiple of its working time. */
    private static final int REST = 3;

    private static final long MOST_AT_ONCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** As console/src/main/web/index.html asks. */
    static final ListQuery FIRST_ROWS =
            new ListQuery(
                    "id,name,status,hostId,hostName,clusterId,clusterName,guestIps,fqdn,tags,pauseStatus,"
                        + "exitStatus,observedAt,revision,statistics.usageCpuPercent,"
                        + "statistics.usageMemoryPercent,statistics.cpuHistory",
                    null,
                    "true",
                    "trouble,name",
                    null,
                    "60",
                    "true",
                    null);

    /** As console/src/main/web/worker/main.ts asks. */
    static final StreamQuery ALL_ROWS =
            new StreamQuery(
                    "vm,host",
                    null,
                    null,
                    null,
                    null,
                    "id,name,status,hostId,clusterId,guestIps,fqdn,tags,pauseStatus,exitStatus,observedAt,"
                        + "revision",
                    null,
                    "50",
                    "packed",
                    null);

    private final FleetReader fleet;
    private final VmLists lists;
    private final SubscriptionServer streams;
    private final Streams ids;
    private final EngineClock clock;
    private final Workers workers;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private @Nullable SupervisedWorker worker; // guarded by this

    ConsoleRehearsal(
            FleetReader fleet,
            VmLists lists,
            SubscriptionServer streams,
            Streams ids,
            EngineClock clock,
            Workers workers) {
        this.fleet = fleet;
        this.lists = lists;
        this.streams = streams;
        this.ids = ids;
        this.clock = clock;
        this.workers = workers;
    }

    @Override
    public synchronized void start() {
        SupervisedWorker started = workers.worker(WORKER, new Turns());
        worker = started;
        started.startOnPlatformThread();
    }

    /**
     * The turns of its thread. A failure costs a turn only: readers get the same answers, later.
     */
    private final class Turns implements SupervisedWorker.Work {

        private @Nullable Budget budget;
        private long pauseNanos;

        @Override
        public boolean await() throws InterruptedException {
            return !stopped.await(pauseNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public void perform() throws InterruptedException {
            pauseNanos = LOOK_NANOS; // after a failure, too
            lists.refresh();
            if (fleet.vmCount() < LEAST_VMS) {
                return;
            }
            Budget left = budget;
            if (left == null) {
                left = new Budget();
                budget = left;
            }
            if (!left.isSpent()) {
                try {
                    rehearse(left);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                pauseNanos = 0;
            }
        }
    }

    private void rehearse(Budget budget) throws IOException, InterruptedException {
        budget.begin();
        lists.rehearse(FIRST_ROWS);
        budget.rest();
        StreamFilter filter =
                new StreamFilter(fleet, Caller.withRole("rehearsal", Role.READER), ALL_ROWS);
        streams.rehearse(
                filter,
                new EventOutlet(OutputStream.nullOutputStream(), ids.ids()),
                budget::goesOn);
        budget.rest();
    }

    private void pause(long nanos) throws InterruptedException {
        boolean _ = stopped.await(nanos, TimeUnit.NANOSECONDS);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** The time that it may take. Used by its thread. */
    private final class Budget {

        private final long before = cpuNanos();
        private long since;
        private boolean interrupted;

        /** Work begins; the time before it, in which the thread waited for VMs, earns no rest. */
        void begin() {
            since = clock.nanoTime();
        }

        boolean isSpent() {
            return interrupted || cpuNanos() - before >= BUDGET_NANOS;
        }

        /** Rests, if it has worked for long enough; whether it may work on. */
        boolean goesOn() {
            if (clock.nanoTime() - since >= MOST_AT_ONCE_NANOS) {
                try {
                    rest();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
            return !isSpent() && stopped.getCount() > 0;
        }

        void rest() throws InterruptedException {
            pause(REST * (clock.nanoTime() - since));
            since = clock.nanoTime();
        }
    }

    @Override
    public synchronized void stop() {
        stopped.countDown();
        SupervisedWorker running = worker;
        worker = null;
        if (running != null) {
            boolean _ = running.stop(Duration.ZERO);
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }

    /** After the web server, before the hosts. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE - 1;
    }
}
