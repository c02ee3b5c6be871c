package org.stillwater.ovirt.fleet;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Definitions in full, as far as the API shows them, and the times when VMs were recorded: read
 * once, and again for a VM that was changed, by one thread behind everything else. Definitions that
 * operations record are here before the operations end. Requests only look, so that none of them
 * ever waits for the database; VMs with unread definitions appear without them.
 *
 * <p>Of VMs that were found on hosts there is no specification, and none is requested, until a user
 * defines them. Bounded by the number of VMs, and by a setting.
 */
public final class Specifications implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Specifications.class);
    private static final int BATCH = 500;
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final FleetReader fleet;
    private final Workers workers;
    private final DefinitionStore store;
    private final EngineClock clock;
    private final int most;
    private final Map<VmId, VmSpecification> specifications = new ConcurrentHashMap<>();
    private final Map<VmId, UUID> leases = new ConcurrentHashMap<>();
    private final Map<VmId, Integer> created = new ConcurrentHashMap<>();
    private final Set<VmId> stale = ConcurrentHashMap.newKeySet();
    private final AtomicLong changes = new AtomicLong();
    private final PowerAgents agents;
    private volatile boolean closed;

    // Of the one thread that reads.
    private boolean recordsKnown;
    private boolean failed;
    private long failedNanos;

    private @Nullable SupervisedWorker worker;

    /**
     * Nothing is known before {@link #start()}.
     *
     * @param most specifications kept; VMs beyond appear without
     * @param secretOption whether an option of a type of fence agent is never returned
     */
    public Specifications(
            FleetReader fleet,
            Workers workers,
            DefinitionStore store,
            EngineClock clock,
            int most,
            BiPredicate<String, String> secretOption) {
        this.fleet = fleet;
        this.workers = workers;
        this.store = store;
        this.clock = clock;
        this.most = most;
        this.agents = new PowerAgents(secretOption);
    }

    /** Begins to read, once monitoring has recovered its VMs. */
    public synchronized void start() {
        if (worker == null && !closed) {
            worker = workers.worker("ovirt-specifications", new Loop());
            worker.start();
        }
    }

    /** A VM's specification, or null. */
    public @Nullable VmSpecification of(VmId id) {
        return specifications.get(id);
    }

    /** The storage domain on which a VM has a lease, or null. */
    public @Nullable UUID lease(VmId id) {
        return leases.get(id);
    }

    /** When a VM was recorded; the epoch if that is not known yet. */
    public Instant created(VmId id) {
        return Instant.ofEpochSecond(Integer.toUnsignedLong(created.getOrDefault(id, 0)));
    }

    /** Grows with every change. */
    public long changes() {
        return changes.get() + agents.changes();
    }

    /** Fence agents of hosts. */
    public PowerAgents agents() {
        return agents;
    }

    /**
     * A VM was added or changed, by an operation that has not ended yet: it has this definition
     * until it is read again. Definitions of one VM come in the order in which they were recorded.
     */
    void recorded(VmId vm, DefinitionStore.Definition definition) {
        recorded(vm, clock.now().truncatedTo(ChronoUnit.SECONDS));
        synchronized (stale) {
            stale.add(vm);
            keep(vm, definition);
        }
        changes.incrementAndGet();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
        }
    }

    /** The reading thread's loop: waits for changes, and reads stale definitions. */
    private final class Loop implements SupervisedWorker.Work {
        private @Nullable Subscription changesOfVms;
        private List<Delta> deltas = List.of();

        @Override
        public boolean await() throws InterruptedException {
            Subscription present = changesOfVms;
            if (present == null) {
                changesOfVms = fleet.changes().subscribe(null, false);
                recordsKnown = false;
                return !closed; // existing data is read before any wait
            }
            if (closed || present.isOver()) {
                end();
                return false;
            }
            try {
                deltas = present.next(LOOK).deltas();
            } catch (SubscriberLagged _) {
                LOG.debug("definitions are read again: too many changes at once");
                end();
            }
            return true;
        }

        @Override
        public void perform() {
            List<Delta> taken = deltas;
            deltas = List.of();
            taken.forEach(Specifications.this::take);
            catchUp();
        }

        private void end() {
            Subscription present = changesOfVms;
            changesOfVms = null;
            if (present != null) {
                present.close();
            }
        }
    }

    /** Reads stale definitions, unless the database did not answer a moment ago. */
    private void catchUp() {
        if (failed && clock.nanoTime() - failedNanos < PAUSE.toNanos()) {
            return;
        }
        try {
            if (!recordsKnown) {
                store.loadRecords(this::recorded);
                recordsKnown = true;
            }
            read();
            agents.read(store);
            failed = false;
        } catch (StoreUnavailable e) {
            failed = true;
            failedNanos = clock.nanoTime();
            LOG.debug("definitions are not read yet: {}", e.getMessage());
        }
    }

    private void take(Delta delta) {
        if (delta instanceof Delta.VmAdded added) {
            recorded(added.vmId(), clock.now().truncatedTo(ChronoUnit.SECONDS));
            if (!added.definition().origin().isFound()) {
                stale.add(added.vmId());
            }
        } else if (delta instanceof Delta.VmRemoved removed) {
            specifications.remove(removed.vmId());
            leases.remove(removed.vmId());
            created.remove(removed.vmId());
            stale.remove(removed.vmId());
            changes.incrementAndGet();
        }
    }

    private void recorded(VmId vm, @Nullable Instant at, boolean defined) {
        if (at != null) {
            recorded(vm, at);
        }
        if (defined) {
            stale.add(vm);
        }
    }

    private void recorded(VmId id, Instant at) {
        if (created.putIfAbsent(id, (int) at.getEpochSecond()) == null) {
            changes.incrementAndGet();
        }
    }

    /** Reads stale definitions; those that could not be read stay stale. */
    private void read() throws StoreUnavailable {
        while (!stale.isEmpty() && !closed) {
            List<VmId> batch = stale.stream().limit(BATCH).toList();
            batch.forEach(stale::remove);
            boolean read = false;
            try {
                store.load(batch).forEach(this::keepRead);
                read = true;
            } catch (RuntimeException e) {
                // One that cannot be read costs the others nothing.
                LOG.warn("definitions are read one by one: {}", e.toString());
                batch.forEach(this::readAlone);
                read = true;
            } finally {
                if (!read) {
                    stale.addAll(batch);
                }
            }
            changes.incrementAndGet();
        }
    }

    private void readAlone(VmId vm) {
        try {
            store.load(List.of(vm)).forEach(this::keepRead);
        } catch (StoreUnavailable e) {
            stale.add(vm);
        } catch (RuntimeException e) {
            LOG.warn("vm={} is shown without its specification: {}", vm, e.toString());
        }
    }

    /** A definition that was recorded while another was read is newer, and is read again. */
    private void keepRead(VmId id, DefinitionStore.Definition definition) {
        synchronized (stale) {
            if (!stale.contains(id)) {
                keep(id, definition);
            }
        }
    }

    private void keep(VmId id, DefinitionStore.Definition definition) {
        UUID lease = definition.lease();
        if (lease == null) {
            leases.remove(id);
        } else if (leases.size() < most || leases.containsKey(id)) {
            leases.put(id, lease);
        }
        // One that cannot be read is named by the store.
        VmSpecification specification =
                definition.problem() == null ? definition.specification() : null;
        if (specification == null) {
            specifications.remove(id);
        } else if (specifications.size() < most || specifications.containsKey(id)) {
            specifications.put(id, specification);
        }
    }
}
