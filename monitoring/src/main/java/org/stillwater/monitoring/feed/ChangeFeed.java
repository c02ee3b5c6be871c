package org.stillwater.monitoring.feed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Every change of a VM or host in one order, for streams and pages.
 *
 * <p>The newest changes lie in one bounded ring; a subscription is no more than a position in it.
 * So a subscriber has no cost without changes, the cost of publishing does not depend on the number
 * of subscribers, and a slow one can neither delay the engine nor grow memory: when the ring has
 * overwritten its position, it starts again from a snapshot.
 *
 * <p>A revision is given and the state published under one short lock. A subscriber that takes the
 * revision first and reads the states afterwards therefore misses no change; it may see a change
 * twice (in the state and as a delta), which does no harm because deltas carry whole states.
 *
 * <p>Revisions grow over restarts, because they start from the wall clock: a revision of an earlier
 * run of the engine never equals one of this run. Thread-safe.
 *
 * <p>It is longer than other classes because its ring, revisions and subscriptions share one lock.
 */
public final class ChangeFeed {

    /**
     * Revisions that one life may use per millisecond before it would reach into the next one's.
     */
    private static final long REVISIONS_PER_MILLISECOND = 1_000;

    private final FeedSettings settings;
    private final long first;
    private final @Nullable Delta[] ring;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private volatile Consumer<VmId> follower = _ -> {};
    private volatile long revision;
    private final AtomicLong refreshes = new AtomicLong();
    private volatile boolean statisticsWanted;
    private volatile boolean closed;

    /**
     * An empty feed.
     *
     * @param settings its limits
     * @param startEpochMillis wall-clock time of the engine's start
     */
    public ChangeFeed(FeedSettings settings, long startEpochMillis) {
        this.settings = settings;
        this.ring = new @Nullable Delta[settings.kept()];
        this.first = startEpochMillis * REVISIONS_PER_MILLISECOND;
        this.revision = first;
    }

    /**
     * Replaces the listener that is called at once, on the thread of the change and under the VM's
     * lock, when a VM changes or is removed; it must not block or take locks.
     */
    public void follower(Consumer<VmId> next) {
        follower = next;
    }

    /** Revision of the newest change. */
    public long revision() {
        return revision;
    }

    /** Grows whenever a host's numbers, or those of its VMs, are new. */
    public long refreshes() {
        return refreshes.get();
    }

    /** A host has new numbers. */
    public void hostRefreshed() {
        refreshes.incrementAndGet();
    }

    /** Number of open subscriptions. */
    public int subscribers() {
        return subscriptions.size();
    }

    /** Publishes a VM that became known, with the state it has. Under the VM's lock. */
    public void vmAdded(VmManager vm) {
        lock.lock();
        try {
            long next = revision + 1;
            VmState state = at(vm.state(), next);
            vm.publish(state);
            append(new Delta.VmAdded(next, state.observedNanos(), vm.id(), vm.definition(), state));
        } finally {
            lock.unlock();
        }
    }

    /** Gives a VM another definition and publishes the change. Under the VM's lock. */
    public void vmRedefined(VmManager vm, VmStatic definition) {
        lock.lock();
        try {
            long next = revision + 1;
            VmState state = at(vm.state(), next);
            ClusterId before = vm.definition().cluster();
            vm.redefine(definition);
            vm.publish(state);
            append(
                    new Delta.VmRedefined(
                            next, state.observedNanos(), vm.id(), before, definition, state));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a VM a revision, because it has other tags, and publishes the change. Under its lock.
     */
    public void vmTagged(VmManager vm) {
        lock.lock();
        try {
            long next = revision + 1;
            VmState state = at(vm.state(), next);
            vm.publish(state);
            append(new Delta.VmTagged(next, state.observedNanos(), vm.id(), state));
        } finally {
            lock.unlock();
        }
    }

    /** Gives a VM its next state and publishes the change. Under the VM's lock. */
    public VmState vmChanged(
            VmManager vm, VmState unpublished, RuntimeFields fields, boolean placementChanged) {
        lock.lock();
        try {
            long next = revision + 1;
            VmState state = at(unpublished, next);
            HostId before = vm.state().placement().runOn();
            vm.publish(state);
            append(
                    new Delta.VmChanged(
                            next,
                            state.observedNanos(),
                            vm.id(),
                            fields,
                            placementChanged,
                            before,
                            vm.definition().cluster(),
                            state));
            follower.accept(vm.id());
            return state;
        } finally {
            lock.unlock();
        }
    }

    /** Publishes the removal of a VM. Under the VM's lock. */
    public void vmRemoved(VmManager vm, long observedNanos) {
        lock.lock();
        try {
            append(
                    new Delta.VmRemoved(
                            revision + 1,
                            observedNanos,
                            vm.id(),
                            vm.definition().cluster(),
                            vm.state().placement().runOn()));
            follower.accept(vm.id());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Publishes a new host.
     *
     * @return its state with the revision
     */
    public HostState hostAdded(HostState state, long observedNanos) {
        lock.lock();
        try {
            HostState published = state.withRevision(revision + 1);
            append(new Delta.HostAdded(published.revision(), observedNanos, published));
            return published;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Publishes the change of a host that was in this cluster before.
     *
     * @return its state with the revision
     */
    public HostState hostChanged(HostState state, ClusterId before, long observedNanos) {
        lock.lock();
        try {
            HostState published = state.withRevision(revision + 1);
            append(new Delta.HostChanged(published.revision(), observedNanos, before, published));
            return published;
        } finally {
            lock.unlock();
        }
    }

    /** Publishes the removal of a host that was in this cluster. */
    public void hostRemoved(HostId host, ClusterId cluster, long observedNanos) {
        lock.lock();
        try {
            append(new Delta.HostRemoved(revision + 1, observedNanos, host, cluster));
        } finally {
            lock.unlock();
        }
    }

    /** Publishes an audit entry. */
    public void audited(AuditEntry entry, long observedNanos) {
        lock.lock();
        try {
            append(new Delta.Audited(revision + 1, observedNanos, entry));
        } finally {
            lock.unlock();
        }
    }

    /** Publishes an alert of a rule. */
    public void alerted(Alert alert, long observedNanos) {
        lock.lock();
        try {
            append(new Delta.Alerted(revision + 1, observedNanos, alert));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a revision to a change that the feed does not publish.
     *
     * @return its revision
     */
    public long untold(long observedNanos) {
        lock.lock();
        try {
            append(new Delta.Untold(revision + 1, observedNanos));
            return revision;
        } finally {
            lock.unlock();
        }
    }

    /** Publishes that a host's VMs have new statistics. */
    public void statisticsRefreshed(HostId host) {
        refreshes.incrementAndGet();
        if (!statisticsWanted) {
            return;
        }
        lock.lock();
        try {
            for (Subscription subscription : subscriptions) {
                subscription.refreshed(host);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static VmState at(VmState state, long revision) {
        return new VmState(
                state.runtime(),
                state.placement(),
                revision,
                state.observedAt(),
                state.observedNanos());
    }

    private void append(Delta delta) {
        ring[(int) (delta.revision() % ring.length)] = delta;
        revision = delta.revision();
        changed.signalAll();
    }

    /**
     * Opens a subscription to everything after a revision.
     *
     * @param after the last revision the subscriber has seen; null for none
     * @param statistics whether it receives new statistics
     * @return the subscription; {@link Subscription#resumed()} is true if it continues after {@code
     *     after}; otherwise it begins at the present revision, and the subscriber must read a
     *     snapshot after this call
     */
    public Subscription subscribe(@Nullable Long after, boolean statistics) {
        lock.lock();
        try {
            boolean resumed = after != null && after <= revision && after >= oldestKept() - 1;
            Subscription subscription =
                    new Subscription(
                            this, resumed && after != null ? after : revision, resumed, statistics);
            if (closed) {
                subscription.end();
            } else {
                subscriptions.add(subscription);
            }
            statisticsWanted |= statistics;
            return subscription;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Changes after a revision.
     *
     * @return null if that is no longer kept, or never was a revision of this life: the reader must
     *     read everything again
     */
    public @Nullable Changes since(long after) {
        lock.lock();
        try {
            if (after > revision || after < oldestKept() - 1) {
                return null;
            }
            List<Delta> deltas = new ArrayList<>((int) (revision - after));
            for (long next = after + 1; next <= revision; next++) {
                Delta delta = ring[(int) (next % ring.length)];
                if (delta != null) {
                    deltas.add(delta);
                }
            }
            return new Changes(revision, deltas);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Changes after a revision.
     *
     * @param revision the newest; the next query requests changes after it
     * @param deltas in order; bounded by the feed's ring
     */
    public record Changes(long revision, List<Delta> deltas) {
        public Changes {
            deltas = List.copyOf(deltas);
        }
    }

    /** Ends all subscriptions. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            subscriptions.forEach(Subscription::end);
            subscriptions.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void remove(Subscription subscription) {
        lock.lock();
        try {
            subscription.end();
            subscriptions.remove(subscription);
            statisticsWanted = subscriptions.stream().anyMatch(Subscription::wantsStatistics);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Revision of the oldest delta in the ring; one past the newest when the ring is empty. */
    private long oldestKept() {
        return Math.max(first + 1, revision - ring.length + 1);
    }

    boolean goBack(Subscription subscription, long to) {
        lock.lock();
        try {
            boolean near = to >= revision - ring.length / 4 && to >= oldestKept() - 1;
            if (near && to <= subscription.position) {
                subscription.position = to;
                return true;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Moves a subscription behind the newest change; returns that change's revision. */
    long restart(Subscription subscription) {
        lock.lock();
        try {
            subscription.position = revision;
            return revision;
        } finally {
            lock.unlock();
        }
    }

    FeedBatch next(Subscription subscription, Duration patience)
            throws InterruptedException, SubscriberLagged {
        long remaining = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (true) {
                FeedBatch batch = take(subscription);
                if (!batch.isEmpty() || remaining <= 0 || subscription.isOver()) {
                    return batch;
                }
                remaining = changed.awaitNanos(remaining);
            }
        } finally {
            lock.unlock();
        }
    }

    private FeedBatch take(Subscription subscription) throws SubscriberLagged {
        long from = subscription.position + 1;
        if (from < oldestKept()) {
            throw new SubscriberLagged(from, oldestKept());
        }
        long to = Math.min(revision, subscription.position + settings.batch());
        List<Delta> deltas = new ArrayList<>();
        for (long next = from; next <= to; next++) {
            Delta delta = ring[(int) (next % ring.length)];
            if (delta != null) {
                deltas.add(delta);
            }
        }
        subscription.position = to;
        Set<HostId> refreshed = Set.of();
        if (!subscription.refreshedHosts.isEmpty()) {
            refreshed = new LinkedHashSet<>(subscription.refreshedHosts);
            subscription.refreshedHosts.clear();
        }
        return deltas.isEmpty() && refreshed.isEmpty()
                ? FeedBatch.EMPTY
                : new FeedBatch(deltas, refreshed);
    }
}
