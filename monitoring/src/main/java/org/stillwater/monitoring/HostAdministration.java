package org.stillwater.monitoring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.Removal;
import org.stillwater.core.store.HostStore.StoredHost;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.trust.Confirmation;
import org.stillwater.monitoring.work.PendingWorkRegistry;

/**
 * Adds, changes and removes hosts and clusters. Each change is durable before it holds; two changes
 * of one host or cluster wait for each other. Any thread; blocks while the database is written.
 *
 * <p>It is longer than other classes because all changes share the locks of hosts and clusters.
 */
public final class HostAdministration {

    private static final Logger LOG = LoggerFactory.getLogger(HostAdministration.class);

    /** Time for which a change of a host or cluster waits for another change. */
    private static final Duration CHANGE_PATIENCE = Duration.ofSeconds(10);

    private final HostStore hostStore;
    private final HostServices services;
    private final WatchedHosts hosts;
    private final Clusters clusters;
    private final PendingWorkRegistry work;
    private final TagRegistry tags;
    private final KeyedLocks changes = new KeyedLocks("changes of hosts");
    private final HostAddresses addresses = new HostAddresses();
    private final PooledHostOrders pooled = new PooledHostOrders();
    private final HostMonitors monitors;
    private final SettingsHosts ofSettings;

    HostAdministration(
            HostStore hostStore,
            HostServices services,
            WatchedHosts hosts,
            Clusters clusters,
            PendingWorkRegistry work,
            TagRegistry tags) {
        this.tags = tags;
        this.hostStore = hostStore;
        this.services = services;
        this.hosts = hosts;
        this.clusters = clusters;
        this.work = work;
        this.monitors = new HostMonitors(services, hosts, clusters);
        this.ofSettings = new SettingsHosts(this, hosts, clusters);
    }

    /**
     * Adds a host and starts its monitoring.
     *
     * @return false, changing nothing, if its id or name is taken
     * @throws StoreUnavailable if the database cannot be written now
     * @throws IllegalArgumentException if its cluster does not exist, or is a pool, which has its
     *     hosts itself
     * @throws HostAddressInUse if another host is at its address and port
     */
    public boolean addHost(HostDefinition host) throws StoreUnavailable {
        if (!hosts.isOpen()) {
            throw new IllegalStateException("the engine is not running");
        }
        try (KeyedLocks.Held _ = changes.alone(host.id(), CHANGE_PATIENCE);
                KeyedLocks.Held _ = changes.share(host.cluster(), CHANGE_PATIENCE)) {
            if (clusters.cluster(host.cluster()) == null) {
                throw new IllegalArgumentException("there is no cluster " + host.cluster());
            }
            if (isOfPool(host.cluster())) {
                throw new IllegalArgumentException(
                        "the cluster is a XAPI pool, which has its hosts itself: add the host to"
                                + " the pool");
            }
            if (hosts.monitor(host.id()) != null) {
                return false;
            }
            boolean _ = addresses.claim(host);
            boolean added = false;
            try {
                added = hostStore.add(host);
            } finally {
                if (!added) {
                    addresses.release(host.id());
                }
            }
            if (added) {
                monitors.add(host);
            }
            return added;
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Adds hosts of one cluster in one transaction and starts their monitoring. A refused host does
     * not affect the others.
     *
     * @param wanted at most one host of each identity, all of this cluster
     * @return the outcome; a host in neither set has an identity or a name that is taken
     * @throws StoreUnavailable if the database cannot be written now; none is watched then
     * @throws IllegalArgumentException if the cluster does not exist
     */
    public HostStore.Additions addHosts(ClusterId cluster, List<HostDefinition> wanted)
            throws StoreUnavailable {
        if (!hosts.isOpen()) {
            throw new IllegalStateException("the engine is not running");
        }
        List<HostDefinition> sorted =
                wanted.stream().sorted(Comparator.comparing(HostDefinition::id)).toList();
        List<KeyedLocks.Held> held = new ArrayList<>(sorted.size() + 1);
        try {
            // In the order of the hosts, so that two callers do not wait in a circle.
            for (HostDefinition host : sorted) {
                held.add(changes.alone(host.id(), CHANGE_PATIENCE));
            }
            held.add(changes.share(cluster, CHANGE_PATIENCE));
            if (clusters.cluster(cluster) == null) {
                throw new IllegalArgumentException("there is no cluster " + cluster);
            }
            return addAlone(wanted);
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        } finally {
            held.reversed().forEach(KeyedLocks.Held::close);
        }
    }

    private HostStore.Additions addAlone(List<HostDefinition> wanted) throws StoreUnavailable {
        List<HostDefinition> claimed = new ArrayList<>();
        Map<HostId, String> refused = new HashMap<>();
        for (HostDefinition host : wanted) {
            try {
                if (hosts.monitor(host.id()) == null) {
                    boolean _ = addresses.claim(host);
                    claimed.add(host);
                }
            } catch (HostAddressInUse e) {
                refused.put(host.id(), String.valueOf(e.getMessage()));
            }
        }
        claimed.sort(Comparator.comparing(HostDefinition::id));
        Set<HostId> added = Set.of();
        try {
            HostStore.Additions stored = hostStore.addAll(claimed);
            added = stored.added();
            refused.putAll(stored.refused());
        } finally {
            for (HostDefinition host : claimed) {
                if (!added.contains(host.id())) {
                    addresses.release(host.id());
                }
            }
        }
        for (HostDefinition host : claimed) {
            if (added.contains(host.id())) {
                monitors.add(host);
            }
        }
        return new HostStore.Additions(added, refused);
    }

    /**
     * Applies {@link #ensureHost} to each host of the settings; new hosts are added in batches. A
     * host with the address and port of another host, or one that the database refuses, is not
     * changed, logged and part of {@link MonitoringEngine#health()}; it is tried again while others
     * change their addresses, so that the order of the settings does not matter.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    public void ensureHosts(List<HostDefinition> wanted) throws StoreUnavailable {
        ofSettings.ensure(wanted);
    }

    /** Hosts of the settings with the address and port of another host, each as a sentence. */
    List<String> refusedHosts() {
        return ofSettings.refused();
    }

    /** The database has a host that this engine does not watch. */
    static final class NotRecovered extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        NotRecovered(HostDefinition host) {
            super(
                    "host "
                            + host.name()
                            + " is not added: another host has its id, or it is in the database"
                            + " and was not recovered");
        }
    }

    /**
     * Ensures that a configured host of this name is monitored at this address and port. An
     * existing host keeps its id and its cluster.
     *
     * @return the present host
     * @throws StoreUnavailable if the database cannot be written now
     * @throws HostAddressInUse if another host is at its address and port; no change is made
     */
    public HostDefinition ensureHost(HostDefinition host) throws StoreUnavailable {
        try (KeyedLocks.Held _ = changes.alone("host " + host.name(), CHANGE_PATIENCE)) {
            HostMonitor named = hosts.named(host.name());
            HostDefinition known = named == null ? null : named.state().definition();
            return known == null ? ensureAdded(host) : ensureReached(known, host);
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        }
    }

    private HostDefinition ensureAdded(HostDefinition host) throws StoreUnavailable {
        if (!addHost(host)) {
            throw new NotRecovered(host);
        }
        return host;
    }

    private HostDefinition ensureReached(HostDefinition present, HostDefinition host)
            throws StoreUnavailable, KeyedLocks.Busy {
        HostDefinition wanted =
                new HostDefinition(
                        present.id(),
                        host.name(),
                        host.address(),
                        host.port(),
                        present.cluster(),
                        present.traits());
        if (!wanted.equals(present)) {
            try (KeyedLocks.Held _ = changes.alone(present.id(), CHANGE_PATIENCE)) {
                boolean _ = updateStored(wanted);
                HostMonitor monitor = hosts.monitor(present.id());
                if (monitor != null) {
                    var _ = monitor.redefine(wanted);
                }
            }
        }
        return wanted;
    }

    /**
     * Changes a host's address, cluster or properties. Its name stays.
     *
     * @return the reason of a refusal; null when it is done
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     * @throws IllegalArgumentException if there is no such host or cluster, or its name is another
     * @throws HostAddressInUse if another host is at its address and port
     */
    public @Nullable String updateHost(HostDefinition host) throws StoreUnavailable {
        return updateHost(host, Duration.ZERO);
    }

    /**
     * As {@link #updateHost(HostDefinition)}, and waits until readers see it.
     *
     * @param patience longest wait; the host's thread, which may be busy, makes the change visible
     */
    public @Nullable String updateHost(HostDefinition host, Duration patience)
            throws StoreUnavailable {
        return update(host, patience, false);
    }

    /** As {@link #updateHost(HostDefinition)}, for the pool that has the host: into its cluster. */
    public @Nullable String updateHostOfPool(HostDefinition host) throws StoreUnavailable {
        return update(host, Duration.ZERO, true);
    }

    private @Nullable String update(HostDefinition host, Duration patience, boolean ofPool)
            throws StoreUnavailable {
        List<Future<?>> seen = new ArrayList<>();
        String refusal;
        try (KeyedLocks.Held _ = changes.alone(host.id(), CHANGE_PATIENCE);
                KeyedLocks.Held _ = changes.share(host.cluster(), CHANGE_PATIENCE)) {
            refusal = updateAlone(host, seen, ofPool);
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        }
        if (patience.isPositive()) {
            seen.forEach(each -> await(each, patience));
        }
        return refusal;
    }

    private static void await(Future<?> seen, Duration patience) {
        try {
            Object _ = seen.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the change is made anyway
        } catch (ExecutionException | CancellationException | TimeoutException e) {
            // Its thread is busy or was replaced: readers see the change in a moment.
        }
    }

    /** Writes a changed host, at an address and port that no other host has. */
    private boolean updateStored(HostDefinition next) throws StoreUnavailable {
        boolean claimed = addresses.claim(next);
        boolean updated = false;
        try {
            updated = hostStore.update(next);
        } finally {
            if (updated) {
                addresses.keepOnly(next);
            } else if (claimed) {
                addresses.release(next);
            }
        }
        return updated;
    }

    /** Updates a host under its lock, and adds a future that completes when readers see it. */
    private @Nullable String updateAlone(HostDefinition host, List<Future<?>> seen, boolean ofPool)
            throws StoreUnavailable {
        HostMonitor monitor = hosts.monitor(host.id());
        if (monitor == null) {
            throw new IllegalArgumentException("there is no host " + host.id());
        }
        HostState present = monitor.state();
        if (!present.definition().name().equals(host.name())) {
            throw new IllegalArgumentException("a host keeps its name");
        }
        if (clusters.cluster(host.cluster()) == null) {
            throw new IllegalArgumentException("there is no cluster " + host.cluster());
        }
        if (!present.definition().cluster().equals(host.cluster())) {
            int vms = services.registry().on(host.id()).size();
            if (!ofPool && isOfPool(present.definition().cluster())) {
                return "its cluster is the XAPI pool that it belongs to";
            } else if (!ofPool && isOfPool(host.cluster())) {
                return "the cluster is a XAPI pool, which has its hosts itself";
            } else if (!HostAnalysis.isMovable(present.status())) {
                return "put it into maintenance before you change its cluster";
            } else if (vms > 0) {
                return vms + " VMs are on it, which belong to its cluster";
            }
        }
        if (!updateStored(host)) {
            throw new IllegalArgumentException("there is no host " + host.id() + " any more");
        }
        clusters.joined(host);
        HostMonitor now = hosts.monitor(host.id()); // it may have been revived meanwhile
        if (now != null) {
            seen.add(now.redefine(host));
        }
        return null;
    }

    /**
     * Requests a complete poll of a host now.
     *
     * @return false if there is no such host
     */
    public boolean refresh(HostId host) {
        HostMonitor monitor = hosts.monitor(host);
        if (monitor == null) {
            return false;
        }
        monitor.refresh();
        return true;
    }

    /**
     * Gives an order to a host's monitor.
     *
     * @return completed once the result is durable, or when the order is refused; cancelled when
     *     the watching of the host ends first; null if there is no such host
     */
    public @Nullable CompletableFuture<OrderAnswer> order(HostId host, HostFact.Order order) {
        HostMonitor monitor = hosts.monitor(host);
        if (monitor == null) {
            return null;
        }
        return isOfPool(monitor.state().definition().cluster())
                ? pooled.order(monitor, order)
                : monitor.order(order);
    }

    /**
     * Applies its pool's own change to a host, without a call to the pool.
     *
     * @return as {@link #order}; also null while an order to the pool about the host is under way,
     *     which may be the cause of the pool's change
     */
    public @Nullable CompletableFuture<OrderAnswer> follow(HostId host, HostFact.Order order) {
        HostMonitor monitor = hosts.monitor(host);
        return monitor == null || pooled.isUnderWay(host) ? null : monitor.order(order);
    }

    /** Whether the hosts of a cluster are a pool that a hypervisor manages by itself. */
    public boolean isOfPool(ClusterId id) {
        Cluster cluster = clusters.cluster(id);
        return cluster != null && cluster.hypervisor() == Hypervisor.XAPI;
    }

    /** Sets the target of orders to such pools; {@link HypervisorPools#NONE} before. */
    public void poolsBy(HypervisorPools port) {
        pooled.use(port);
    }

    /** Target of orders to pools. */
    public HypervisorPools pools() {
        return pooled.pools();
    }

    /**
     * Removes a host without VMs and all data of the engine about it (monitoring specification
     * §5.4).
     *
     * @param patience time limit for the end of the host's monitor
     * @return the outcome; null if there is no such host
     * @throws StoreUnavailable if the database cannot be written now; the host is watched again
     *     then
     * @throws TimeoutException if the host's monitor is busy for too long; no change is made
     */
    public @Nullable OrderAnswer removeHost(HostId id, Duration patience)
            throws StoreUnavailable, TimeoutException, InterruptedException {
        return remove(id, patience, false);
    }

    /**
     * As {@link #removeHost}, of a pool that is watched no longer: the host may have any status,
     * since there is no pool that could put it into maintenance.
     */
    public @Nullable OrderAnswer removeHostOfPool(HostId id, Duration patience)
            throws StoreUnavailable, TimeoutException, InterruptedException {
        return remove(id, patience, true);
    }

    private @Nullable OrderAnswer remove(HostId id, Duration patience, boolean inAnyStatus)
            throws StoreUnavailable, TimeoutException, InterruptedException {
        try (KeyedLocks.Held _ = changes.alone(id, patience)) {
            return removeAlone(id, patience, inAnyStatus);
        } catch (KeyedLocks.Busy e) {
            throw new TimeoutException(e.getMessage());
        }
    }

    private @Nullable OrderAnswer removeAlone(HostId id, Duration patience, boolean inAnyStatus)
            throws StoreUnavailable, TimeoutException, InterruptedException {
        HostMonitor monitor = hosts.monitor(id);
        if (monitor == null) {
            return null;
        }
        OrderAnswer answer = retired(monitor, patience, inAnyStatus);
        if (!(answer instanceof OrderAnswer.Followed)) {
            return answer;
        }
        monitor.awaitEnd(patience);
        HostState last = monitor.state();
        Removal removal = Removal.IN_USE;
        try {
            removal = hostStore.remove(id);
        } finally {
            if (removal == Removal.IN_USE) {
                hosts.replaceEnded(() -> monitors.anew(last));
            }
        }
        if (removal == Removal.IN_USE) {
            return new OrderAnswer.Refused(last.status(), "VMs in the database refer to it");
        }
        services.audit().record(AuditEvent.USER_REMOVE_VDS, null, id, Map.of());
        hosts.remove(monitor);
        addresses.release(id);
        services.writer().forget(id);
        services.caches().certificates().forget(id);
        work.forget(id);
        monitor.forget();
        services.beliefs().forget(id);
        services.registry().forget(id);
        clusters.left(id);
        tags.forget(id);
        services.feed().hostRemoved(id, last.definition().cluster(), services.clock().nanoTime());
        LOG.info("host={} removed", last.definition().name());
        return answer;
    }

    private OrderAnswer retired(HostMonitor monitor, Duration patience, boolean inAnyStatus)
            throws TimeoutException, InterruptedException {
        CompletableFuture<OrderAnswer> retired = monitor.retire(inAnyStatus);
        if (!hosts.isThreaded()) {
            monitor.pump();
        }
        try {
            return retired.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            throw new IllegalStateException("the monitor of " + monitor.id() + " ended", e);
        } finally {
            retired.cancel(false); // a monitor that is late finds that it is no longer wanted
        }
    }

    /** Abandons a stuck monitor and replaces it. */
    void revive(HostMonitor stuck, Stall stall) {
        monitors.revive(stuck, stall);
    }

    /**
     * Confirms by an administrator's order that the certificate which a host showed last is its
     * own. The confirmation holds at once and is durable soon; the engine connects to the host
     * without a pause.
     *
     * @param user the user that confirms it
     * @return the outcome; null if there is no such host
     */
    public @Nullable Confirmation confirmCertificate(
            HostId id, CertificateFingerprint fingerprint, String user) {
        HostMonitor monitor = hosts.monitor(id);
        if (monitor == null) {
            return null;
        }
        Confirmation confirmation =
                services.caches()
                        .certificates()
                        .confirm(monitor.state().definition(), fingerprint, user);
        if (confirmation instanceof Confirmation.Confirmed) {
            monitor.certificateConfirmed();
        }
        return confirmation;
    }

    /**
     * Adds a cluster.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saving addCluster(Cluster cluster) throws StoreUnavailable {
        return clusters.add(cluster);
    }

    /**
     * Changes a cluster. Its requirements apply to its VMs at once; the engine checks its hosts
     * again within moments.
     *
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public Saving updateCluster(Cluster cluster) throws StoreUnavailable {
        return clusters.update(cluster);
    }

    /**
     * Removes a cluster to which no host and no VM belongs.
     *
     * @return the reason of a refusal; null when it is removed
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     * @throws IllegalArgumentException if there is no such cluster
     */
    public @Nullable String removeCluster(ClusterId id) throws StoreUnavailable {
        try (KeyedLocks.Held _ = changes.alone(id, Duration.ZERO)) {
            return removeAlone(id);
        } catch (KeyedLocks.Busy _) {
            return "it, or a host of it, is being changed";
        }
    }

    private @Nullable String removeAlone(ClusterId id) throws StoreUnavailable {
        if (id.equals(ClusterId.DEFAULT)) {
            return "it takes the hosts that name no other";
        }
        int members = clusters.hosts(id).size();
        long vms =
                services.registry()
                        .all()
                        .filter(vm -> vm.definition().cluster().equals(id))
                        .count();
        if (members > 0 || vms > 0) {
            return members + " hosts and " + vms + " VMs belong to it";
        }
        return switch (clusters.remove(id)) {
            case REMOVED -> null;
            case IN_USE -> "hosts or VMs in the database belong to it";
            case UNKNOWN -> throw new IllegalArgumentException("there is no cluster " + id);
        };
    }

    /** Adds the hosts that the database holds. */
    void recovered(List<StoredHost> stored) {
        for (int i = 0; i < stored.size(); i++) {
            StoredHost host = stored.get(i);
            try {
                boolean _ = addresses.claim(host.definition());
            } catch (HostAddressInUse e) { // an earlier version added both
                addresses.tolerate(host.definition());
                LOG.warn("host={} is watched twice: {}", host.definition().name(), e.getMessage());
            }
            monitors.recover(host, i, stored.size());
        }
    }
}
