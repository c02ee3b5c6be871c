package org.stillwater.monitoring.write;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.store.WriteOutcome.Rejected;
import org.stillwater.core.store.WriteOutcome.Unavailable;
import org.stillwater.core.store.WriteOutcome.Written;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.observe.BatchWriteEvent;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * The single writer of all changes of monitoring: a write-behind that loses no change.
 *
 * <p>Changes are kept per VM, as the set of fields that differ from the database and the newest
 * values, so that a VM that changes ten times during a batch is written once; the same applies to
 * hosts. Their number therefore bounds the memory in any outage of the database. Work that follows
 * from a change is written in the change's transaction: one never exists without the other. Actions
 * that need a durable change wait with it: see {@link #afterCommit}.
 *
 * <p>A batch that the database does not accept now is put back behind newer changes and tried again
 * after a doubling pause. A row that the database refuses permanently is reported and skipped, and
 * tried again, with all its fields and its work, when the VM or host changes next or a caller waits
 * for it.
 *
 * <p>Any thread may add changes; one thread writes.
 *
 * <p>It is long because changes, tasks, refusals and outages share one lock, and their order is the
 * promise of the class.
 */
public final class BatchWriter {

    private static final Logger LOG = LoggerFactory.getLogger(BatchWriter.class);

    /** Changes of one report come within this time. */
    private static final long SAME_REPORT_NANOS = Duration.ofMillis(1).toNanos();

    private final WriterSettings settings;
    private final EngineClock clock;
    private final MonitoringMeters meters;
    private final DurableWork workListener;
    private final ThrottledLog warnings;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Condition emptied = lock.newCondition();

    // The writing thread's own.
    private final BisectingWriter<HostChange> hostRows;
    private final BisectingWriter<VmChange> vmRows;

    // Guarded by the lock.
    private final UnwrittenChanges<VmId, PendingVm> vmLedger;
    private final UnwrittenChanges<HostId, PendingHost> hostLedger;
    private final Deque<StoreTask> tasks = new ArrayDeque<>();
    private long oldestNanos;

    /** Beginning of the last batch. */
    private long batchNanos;

    private int flushes;
    private boolean stopping;
    private @Nullable Instant notDurableSince;
    private @Nullable String notDurableReason;
    private long retryNanos;
    private Duration pause;
    private @Nullable SupervisedWorker worker;

    private volatile @Nullable Commits commits;

    /** A follower of commits of VMs and hosts. On the writer's thread; must not block. */
    public interface Commits {

        /** The changes of a VM that the batch took are durable. */
        void committed(VmId id, long epochMillis);

        /** The changes of a host that the batch took are durable. */
        void committed(HostId id, long epochMillis);
    }

    /**
     * A writer that is not started.
     *
     * @param vmNames name of a VM, for messages
     * @param hostNames name of a host, for messages
     * @param workListener receives work when it is durable
     */
    public BatchWriter(
            WriterSettings settings,
            VmStore vms,
            HostStore hosts,
            EngineClock clock,
            MonitoringMeters meters,
            Function<VmId, String> vmNames,
            Function<HostId, String> hostNames,
            DurableWork workListener) {
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        this.vmLedger = new UnwrittenChanges<>(vmNames);
        this.hostLedger = new UnwrittenChanges<>(hostNames);
        this.workListener = workListener;
        this.hostRows = new BisectingWriter<>(change -> change.id().toString(), hosts::write, true);
        this.vmRows = new BisectingWriter<>(change -> change.vmId().toString(), vms::write, true);
        this.pause = settings.firstRetry();
        this.batchNanos = clock.nanoTime();
        this.warnings = new ThrottledLog(LOG, clock, settings.quietPeriod(), "writer");
        meters.gauge(
                "stillwater.writer.queue",
                null,
                "VMs, hosts and tasks that are not durable yet",
                this,
                writer -> writer.state().waiting());
        meters.gauge(
                "stillwater.writer.oldest.age",
                "seconds",
                "Age of the oldest change that is not durable yet",
                this,
                writer -> writer.state().oldestWaitingMillis() / 1000.0);
    }

    /** Replaces the follower of commits; before the start. */
    public void follow(Commits follower) {
        commits = follower;
    }

    /**
     * Durable state of a VM. Any thread.
     *
     * @see Durability
     */
    public Durability durability(VmId id) {
        return durability(vmLedger, id);
    }

    /** Durable state of a host. Any thread. */
    public Durability durability(HostId id) {
        return durability(hostLedger, id);
    }

    private <K extends Comparable<K>, P extends Pending<K, P>> Durability durability(
            UnwrittenChanges<K, P> ledger, K id) {
        lock.lock();
        try {
            P underWay = ledger.underWay(id);
            P oldest = underWay == null ? ledger.waiting(id) : underWay;
            return new Durability(
                    oldest == null ? null : oldest.observedNanos,
                    ledger.refusal(id),
                    oldest == null ? null : notDurableReason);
        } finally {
            lock.unlock();
        }
    }

    /** Starts the writing thread. */
    public void start(Workers workers) {
        SupervisedWorker started = workers.worker("batch-writer", new Loop());
        worker = started;
        started.start();
    }

    /**
     * Takes a VM's change, and the work that follows from it. A change may be work alone.
     *
     * @param fields the reported fields that changed
     * @param placed the engine-decided fields that changed
     * @param work work left to commands because of the change
     * @param observedNanos when the message that led to it arrived
     */
    public void changed(
            VmId id,
            VmRuntime runtime,
            RuntimeFields fields,
            VmPlacement placement,
            PlacementFields placed,
            List<PendingWork> work,
            long observedNanos) {
        List<OpenWork> queued = work.isEmpty() ? List.of() : stamped(id, work);
        lock.lock();
        try {
            noteWaiting();
            PendingVm waiting = vmLedger.waiting(id);
            if (waiting == null) {
                waiting = new PendingVm(id, runtime, placement, observedNanos);
                vmLedger.put(waiting);
                PendingVm before = vmLedger.takeRefused(id);
                if (before != null) {
                    waiting.fields = before.fields;
                    waiting.placed = before.placed;
                    waiting.work = before.work;
                }
            }
            waiting.runtime = runtime;
            waiting.placement = placement;
            waiting.fields = waiting.fields.union(fields);
            waiting.placed = waiting.placed.union(placed);
            waiting.queue(queued);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private List<OpenWork> stamped(VmId id, List<PendingWork> work) {
        Instant now = clock.now();
        List<OpenWork> stamped = new ArrayList<>(work.size());
        for (PendingWork next : work) {
            if (!next.vmId().equals(id)) {
                throw new IllegalArgumentException("work of another VM: " + next);
            }
            stamped.add(new OpenWork(next, now));
        }
        return stamped;
    }

    /**
     * Does something once everything known about a VM until now is durable; at once, on the
     * caller's thread, if it is. Otherwise on the writer's thread; the action must not block. If
     * the database refuses the VM's row the action is left out: the requester sees its reason again
     * and asks again, and each time the row is tried again; a {@link CommitAction} gets the
     * refusal.
     */
    public void afterCommit(VmId id, Runnable action) {
        afterCommit(vmLedger, id, action);
    }

    private <K extends Comparable<K>, P extends Pending<K, P>> void afterCommit(
            UnwrittenChanges<K, P> ledger, K id, Runnable action) {
        lock.lock();
        try {
            P pending = ledger.waiting(id);
            if (pending == null) {
                pending = retried(ledger, id);
            }
            if (pending == null) {
                pending = ledger.underWay(id);
            }
            if (pending != null) {
                pending.then(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    /** The row that was refused, waiting again; null if none was. Under the lock. */
    private <K extends Comparable<K>, P extends Pending<K, P>> @Nullable P retried(
            UnwrittenChanges<K, P> ledger, K id) {
        P before = ledger.takeRefused(id);
        if (before == null) {
            return null;
        }
        noteWaiting();
        P again = before.again(clock.nanoTime());
        ledger.put(again);
        news.signal();
        return again;
    }

    /** An action after a commit that is notified when the row is refused instead. */
    public interface CommitAction extends Runnable {

        /** The database refuses the row: it does not become durable in its present form. */
        void refused();
    }

    /** Takes an action back that was handed to {@link #afterCommit}, if it is not done yet. */
    public void withdraw(VmId id, Runnable action) {
        withdraw(vmLedger, id, action);
    }

    private <K extends Comparable<K>, P extends Pending<K, P>> void withdraw(
            UnwrittenChanges<K, P> ledger, K id, Runnable action) {
        lock.lock();
        try {
            ledger.withdraw(id, action);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops waiting changes of a VM that was deleted. Writes under way meet no row and do no harm.
     */
    public void forget(VmId id) {
        forget(vmLedger, id);
    }

    private <K extends Comparable<K>, P extends Pending<K, P>> void forget(
            UnwrittenChanges<K, P> ledger, K id) {
        P dropped;
        lock.lock();
        try {
            dropped = ledger.forget(id);
            if (isEmpty()) {
                emptied.signalAll();
            }
        } finally {
            lock.unlock();
        }
        leaveOut(dropped);
    }

    /**
     * Takes a host's change, and the work that follows from it.
     *
     * @param change decided and known values; without work
     * @param queued work left to commands because of it
     */
    public void changed(HostChange change, List<HostWork> queued) {
        Instant now = clock.now();
        changed(change.withWork(queued.stream().map(next -> new OpenHostWork(next, now)).toList()));
    }

    /** Takes a host's change, and the work that follows from it. */
    public void changed(HostChange change) {
        lock.lock();
        try {
            noteWaiting();
            PendingHost waiting = hostLedger.waiting(change.id());
            if (waiting == null) {
                PendingHost before = hostLedger.takeRefused(change.id());
                HostChange all = before == null ? change : before.change.then(change);
                hostLedger.put(new PendingHost(all, clock.nanoTime()));
            } else {
                waiting.change = waiting.change.then(change);
            }
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does something once everything known about a host until now is durable, in every respect as
     * {@link #afterCommit(VmId, Runnable)} does for a VM.
     */
    public void afterCommit(HostId id, Runnable action) {
        afterCommit(hostLedger, id, action);
    }

    /** Takes an action back that was handed to {@link #afterCommit}, if it is not done yet. */
    public void withdraw(HostId id, Runnable action) {
        withdraw(hostLedger, id, action);
    }

    /**
     * Drops waiting changes of a host that was removed. Writes under way meet no row and do no
     * harm.
     */
    public void forget(HostId id) {
        forget(hostLedger, id);
    }

    /** Takes other work, in the order of arrival. Callers bound its amount. */
    public void perform(StoreTask task) {
        lock.lock();
        try {
            noteWaiting();
            tasks.add(task);
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private void noteWaiting() {
        if (isEmpty()) {
            oldestNanos = clock.nanoTime();
        }
    }

    private boolean isEmpty() {
        return vmLedger.isEmpty() && hostLedger.isEmpty() && tasks.isEmpty();
    }

    /** State of the writer. */
    public WriterState state() {
        lock.lock();
        try {
            Map<String, String> named = new HashMap<>();
            vmLedger.name(named);
            hostLedger.name(named);
            int waiting = vmLedger.size() + hostLedger.size() + tasks.size();
            return new WriterState(
                    waiting,
                    waiting == 0 ? 0 : Duration.ofNanos(clock.nanoTime() - oldestNanos).toMillis(),
                    notDurableSince,
                    notDurableReason,
                    named);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all earlier changes are durable.
     *
     * @return false if it is not within the time
     */
    public boolean flush(Duration patience) throws InterruptedException {
        long remaining = patience.toNanos();
        lock.lockInterruptibly();
        try {
            flushes++;
            news.signal();
            try {
                while (!isEmpty()) {
                    if (remaining <= 0) {
                        return false;
                    }
                    remaining = emptied.awaitNanos(remaining);
                }
                return true;
            } finally {
                flushes--;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes waiting changes, as far as the database accepts them in time, and ends the thread.
     *
     * @return whether all changes are written
     */
    public boolean stop(Duration patience) {
        SupervisedWorker running = worker;
        lock.lock();
        try {
            stopping = true;
            news.signal();
        } finally {
            lock.unlock();
        }
        if (running != null) {
            boolean _ = running.stop(patience);
        }
        lock.lock();
        try {
            if (!isEmpty()) {
                LOG.warn(
                        "writer stopped with unwritten changes: {} VMs, {} hosts; the database: {}",
                        vmLedger.size(),
                        hostLedger.size(),
                        notDurableReason);
            }
            return isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The writing thread's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitWork();
        }

        @Override
        public void perform() {
            boolean _ = writeDue();
        }
    }

    /** False when the writer is to end. */
    private boolean awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (stopping && isEmpty()) {
                    return false;
                }
                long delay = delayNanos();
                if (delay <= 0) {
                    return true;
                }
                if (delay == Long.MAX_VALUE) {
                    news.await();
                } else {
                    news.awaitNanos(delay);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Time until the next write is due; under the lock. */
    private long delayNanos() {
        if (vmLedger.waiting() == 0 && hostLedger.waiting() == 0 && tasks.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long now = clock.nanoTime();
        if (notDurableSince != null) {
            return retryNanos - now;
        }
        if (stopping || flushes > 0 || vmLedger.waiting() >= settings.batch()) {
            return 0;
        }
        long linger = settings.linger().toNanos();
        long whole = oldestNanos + linger - now;
        // After a pause no other change is to be expected soon, but those of the same report.
        long afterPause =
                Math.max(
                        oldestNanos + Math.min(linger, SAME_REPORT_NANOS) - now,
                        batchNanos + linger - now);
        return Math.min(whole, afterPause);
    }

    /**
     * Writes due changes, if there are any. For the writer's thread; tests that do not start it
     * call this instead.
     *
     * @return whether anything was due
     */
    public boolean writeDue() {
        List<PendingVm> batch;
        List<PendingHost> hostBatch;
        lock.lock();
        try {
            if (delayNanos() > 0) {
                return false;
            }
            batchNanos = clock.nanoTime();
            batch = vmLedger.take(settings.batch());
            hostBatch = hostLedger.take(Integer.MAX_VALUE);
        } finally {
            lock.unlock();
        }
        BatchWriteEvent event = new BatchWriteEvent();
        event.begin();
        Tally tally = new Tally();
        long started = clock.nanoTime();
        boolean ended = false;
        try {
            writeHosts(hostBatch, tally);
            performTasks(tally);
            writeVms(batch, tally);
            hostRows.elsewhere(tally.vmsWritten);
            vmRows.elsewhere(tally.hostsWritten);
            ended = true;
        } catch (RuntimeException e) {
            // A bug must neither end the writer nor lose its changes.
            warnings.about("writing failed", e.toString(), e);
            tally.unavailable = "writing failed: " + e;
            ended = true;
        } finally {
            if (!ended) {
                // An error, which the thread's top frame counts and logs; no change is lost.
                tally.unavailable = "writing ended with an error; see the log";
            }
            settle(hostBatch, batch, tally);
        }
        meters.written(clock.nanoTime() - started, tally.rows, tally.rejected);
        event.vms = batch.size();
        event.rows = tally.rows;
        event.rejected = tally.rejected;
        event.durable = tally.unavailable == null;
        event.commit();
        return true;
    }

    private static final class Tally {
        int rows;
        int rejected;
        List<OpenWork> open = List.of();
        List<OpenHostWork> openAboutHosts = List.of();

        /** Why something of the batch is not durable; null if everything is. */
        @Nullable String unavailable;

        /** Whether a store answered that it is unavailable: then no other one is tried. */
        boolean away;

        boolean hostsWritten;
        boolean vmsWritten;
    }

    /**
     * Writes a batch. A row that makes the store throw, which is a bug, keeps no other row from
     * being written: see {@link BisectingWriter}.
     */
    private <C> WriteOutcome attempt(BisectingWriter<C> bisecting, List<C> changes, Tally tally) {
        WriteOutcome outcome = bisecting.write(changes);
        Throwable bug = bisecting.bug();
        if (bug != null) {
            warnings.about("store failed", bug.toString(), bug);
        }
        tally.away |= bisecting.isAway();
        return outcome;
    }

    private void writeHosts(List<PendingHost> batch, Tally tally) {
        if (batch.isEmpty()) {
            return;
        }
        List<HostChange> changes = batch.stream().map(host -> host.change).toList();
        WriteOutcome outcome = attempt(hostRows, changes, tally);
        tally.hostsWritten = hostRows.hasWritten();
        switch (outcome) {
            case Written(int rows, List<Rejected> rejected, _, List<OpenHostWork> open) -> {
                tally.rows += rows;
                tally.openAboutHosts = open;
                refuse(hostLedger, "host", rejected, batch, tally);
                batch.forEach(PendingHost::written);
            }
            case Unavailable(String reason) -> tally.unavailable = reason;
        }
    }

    /**
     * Performs the tasks that wait now: tasks that arrive meanwhile must not delay the writing of
     * VMs. Neither must a failed task, and hosts that cannot be written must not delay tasks.
     */
    private void performTasks(Tally tally) {
        int left;
        lock.lock();
        try {
            left = tasks.size();
        } finally {
            lock.unlock();
        }
        for (; left > 0 && !tally.away; left--) {
            StoreTask task;
            lock.lock();
            try {
                task = tasks.peek();
            } finally {
                lock.unlock();
            }
            if (task == null) {
                return;
            }
            WriteOutcome outcome;
            try {
                outcome = task.write();
            } catch (RuntimeException | StackOverflowError | LinkageError e) {
                // A bug in one task must not keep everything else from being written.
                warnings.about("task failed", e.toString(), e);
                removeTask();
                perform(task::abandoned);
                continue;
            }
            switch (outcome) {
                case Written written -> {
                    tally.rows += written.rows();
                    for (Rejected row : written.rejected()) {
                        tally.rejected++;
                        warnings.about("row refused", row.key() + ": " + row.reason());
                    }
                    removeTask();
                    perform(() -> task.written(written));
                }
                case Unavailable(String reason) -> {
                    tally.unavailable = reason;
                    tally.away = true;
                }
            }
        }
    }

    private void removeTask() {
        lock.lock();
        try {
            tasks.remove();
        } finally {
            lock.unlock();
        }
    }

    private void writeVms(List<PendingVm> batch, Tally tally) {
        if (tally.away || batch.isEmpty()) {
            return;
        }
        List<VmChange> changes = batch.stream().map(PendingVm::toChange).toList();
        WriteOutcome outcome = attempt(vmRows, changes, tally);
        tally.vmsWritten = vmRows.hasWritten();
        switch (outcome) {
            case Written(int rows, List<Rejected> rejected, List<OpenWork> open, _) -> {
                tally.rows += rows;
                tally.open = open;
                refuse(vmLedger, "vm", rejected, batch, tally);
                batch.forEach(PendingVm::written);
            }
            case Unavailable(String reason) -> tally.unavailable = reason;
        }
    }

    /**
     * Names and leaves out rows that the database refuses; the other rows of the batch are written.
     */
    private <K extends Comparable<K>, P extends Pending<K, P>> void refuse(
            UnwrittenChanges<K, P> ledger,
            String what,
            List<Rejected> rejected,
            List<P> batch,
            Tally tally) {
        if (rejected.isEmpty()) {
            return;
        }
        Map<String, P> byKey = HashMap.newHashMap(batch.size());
        batch.forEach(row -> byKey.put(row.id.toString(), row));
        for (Rejected row : rejected) {
            tally.rejected++;
            P refused = byKey.remove(row.key());
            if (refused == null) {
                continue;
            }
            warnings.about(
                    what + " row refused",
                    "%s=%s, with work that follows from it: %d; %s"
                            .formatted(
                                    what,
                                    ledger.nameOf(refused.id),
                                    refused.workCount(),
                                    words(refused, row)));
            lock.lock();
            try {
                ledger.refuse(refused, words(refused, row));
            } finally {
                lock.unlock();
            }
            leaveOut(refused);
        }
        batch.removeIf(row -> !byKey.containsKey(row.id.toString()));
    }

    /** Reason why a row is refused, with the columns that were to be written. */
    private static String words(Pending<?, ?> refused, Rejected row) {
        String columns = refused.columns();
        return columns.isEmpty() ? row.reason() : row.reason() + "; columns: " + columns;
    }

    /** Releases the actions that wait for a row which will not become durable. */
    private void leaveOut(@Nullable Pending<?, ?> refused) {
        if (refused == null) {
            return;
        }
        List<Runnable> actions;
        lock.lock();
        try {
            actions = refused.takeActions();
        } finally {
            lock.unlock();
        }
        for (Runnable action : actions) {
            if (action instanceof CommitAction told) {
                perform(told::refused);
            }
        }
    }

    /**
     * Puts unwritten changes back, runs the actions that waited for the others, and plans the next
     * attempt.
     */
    private void settle(List<PendingHost> hostBatch, List<PendingVm> batch, Tally tally) {
        List<Runnable> actions = new ArrayList<>();
        List<HostChange> written = new ArrayList<>();
        List<VmId> vms = new ArrayList<>(batch.size());
        long now = clock.nanoTime();
        lock.lock();
        try {
            vmLedger.settle(
                    batch,
                    vm -> {
                        actions.addAll(vm.takeActions());
                        vms.add(vm.id);
                        meters.committed(now - vm.observedNanos);
                    });
            hostLedger.settle(
                    hostBatch,
                    host -> {
                        written.add(host.change);
                        actions.addAll(host.takeActions());
                    });
            if (tally.unavailable != null) {
                meters.unavailable();
                if (notDurableSince == null) {
                    notDurableSince = clock.now();
                    LOG.warn("database unavailable, changes wait in memory: {}", tally.unavailable);
                }
                notDurableReason = tally.unavailable;
                retryNanos = now + pause.toNanos();
                Duration doubled = pause.multipliedBy(2);
                pause =
                        doubled.compareTo(settings.longestRetry()) > 0
                                ? settings.longestRetry()
                                : doubled;
            } else {
                if (notDurableSince != null) {
                    LOG.info("database available again, changes are written");
                    notDurableSince = null;
                    notDurableReason = null;
                }
                pause = settings.firstRetry();
                oldestNanos = hostLedger.oldestNanos(vmLedger.oldestNanos(now));
            }
            if (isEmpty()) {
                emptied.signalAll();
            }
        } finally {
            lock.unlock();
        }
        Commits follower = commits;
        if (follower != null) {
            long nowMillis = clock.now().toEpochMilli();
            vms.forEach(id -> perform(() -> follower.committed(id, nowMillis)));
            written.forEach(host -> perform(() -> follower.committed(host.id(), nowMillis)));
        }
        tally.open.forEach(open -> perform(() -> workListener.opened(open)));
        written.forEach(host ->
                perform(() -> workListener.episodeReached(host.id(), host.condition().episode())));
        tally.openAboutHosts.forEach(open -> perform(() -> workListener.opened(open)));
        actions.forEach(this::perform);
    }

    /** The action's top frame: its exceptions end neither the next one nor the writer. */
    private void perform(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            warnings.about("action after commit failed", e.toString(), e);
        }
    }
}
