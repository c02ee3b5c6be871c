package org.stillwater.server.xapi;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.XapiPoolDefinition;
import org.stillwater.core.connection.XapiPoolStore;
import org.stillwater.core.connection.XapiPoolStore.Stored;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.settings.XapiSettings;
import org.stillwater.server.xapi.PoolRefused.Reason;
import org.stillwater.server.xapi.PoolTest.ShownCertificate;
import org.stillwater.xapi.client.PoolProbe;
import org.stillwater.xapi.host.XapiPool;

/**
 * Adds, changes and removes XAPI pools while the engine runs. A change is durable before it holds,
 * and made only after a login to the pool. One change at a time; any thread; blocks while a pool or
 * the database answers.
 *
 * <p>It is long because all changes share one lock and one order: test, store, watch, record.
 */
public final class PoolAdministration {

    private static final Logger log = LoggerFactory.getLogger(PoolAdministration.class);

    /** Pools of the settings and of users together. */
    private static final int MOST_POOLS = 1_000;

    private final XapiPools pools;
    private final XapiPoolStore store;
    private final MonitoringEngine engine;
    private final Consumer<ClusterId> clusterRemoved;
    private final PoolTester tester;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ClusterId, Stored> known = new ConcurrentHashMap<>();

    /**
     * No pools before {@link #start}.
     *
     * @param clusterRemoved learns which clusters were removed with their pools
     */
    public PoolAdministration(
            XapiPools pools,
            XapiPoolStore store,
            MonitoringEngine engine,
            EngineClock clock,
            Consumer<ClusterId> clusterRemoved) {
        this.pools = pools;
        this.store = store;
        this.engine = engine;
        this.clusterRemoved = clusterRemoved;
        this.tester = new PoolTester(clock);
    }

    /**
     * Watches the stored pools and goes on with removals. A stored pool has a cluster, so an engine
     * without clusters of XAPI asks the database for nothing.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void start() throws StoreUnavailable {
        if (engine.fleet().clusters().clusters().stream()
                .noneMatch(cluster -> cluster.hypervisor() == Hypervisor.XAPI)) {
            return;
        }
        lock.lock();
        try {
            for (Stored each : store.load()) {
                begin(each);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads pools again whose passwords could not be decrypted: there may be other keys now.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void reload() throws StoreUnavailable {
        lock.lock();
        try {
            if (known.values().stream().allMatch(each -> each.trouble() == null)) {
                return;
            }
            for (Stored each : store.load()) {
                Stored before = known.get(each.pool().id());
                if (before != null && before.trouble() != null) {
                    begin(each);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void begin(Stored stored) {
        XapiPoolDefinition pool = stored.pool();
        Stored now = stored;
        try {
            if (stored.removing()) {
                removeInventory(pool, new CountDownLatch(1));
            } else if (isOfSettings(pool.name())) {
                now = troubled(pool, "a pool of the settings has its name");
            } else if (stored.trouble() == null) {
                pools.watch(pool);
            }
        } catch (IOException e) {
            now = new Stored(pool, stored.removing(), String.valueOf(e.getMessage()));
        }
        if (now.trouble() != null) {
            log.warn("pool={} is not watched: {}", pool.name(), now.trouble());
        }
        known.put(pool.id(), now);
    }

    private static Stored troubled(XapiPoolDefinition pool, String why) {
        return new Stored(pool, false, why);
    }

    private boolean isOfSettings(String name) {
        return pools.ofSettings().stream().anyMatch(each -> each.name().equals(name));
    }

    // ------------------------------------------------------------------------------- readers

    /** All pools, by name. */
    public List<PoolView> pools() {
        List<PoolView> all = new ArrayList<>();
        pools.ofSettings().forEach(each -> all.add(view(each)));
        known.values().forEach(each -> all.add(view(each)));
        all.sort(Comparator.comparing(PoolView::name).thenComparing(PoolView::ofSettings));
        return all;
    }

    private PoolView view(XapiSettings.Pool pool) {
        XapiPool watched = pools.watched(pool.name());
        ClusterId read = watched == null ? null : watched.cluster();
        String given = pool.uuid();
        return new PoolView(
                read == null && given != null ? ClusterId.parse(given) : read,
                pool.name(),
                true,
                pool.addresses(),
                pool.port(),
                pool.tls(),
                pool.user(),
                null,
                pool.trust() != null,
                pool.encodings().stream().map(PoolEncodings::word).toList(),
                false,
                null,
                pools.condition(pool.name()));
    }

    private PoolView view(Stored stored) {
        XapiPoolDefinition pool = stored.pool();
        boolean isWatched = !stored.removing() && stored.trouble() == null;
        return new PoolView(
                pool.id(),
                pool.name(),
                false,
                pool.addresses(),
                pool.port(),
                true,
                pool.user(),
                pool.trust(),
                pool.trust() != null,
                pool.encodings(),
                stored.removing(),
                stored.trouble(),
                isWatched ? pools.condition(pool.name()) : null);
    }

    // ------------------------------------------------------------------------------- tests

    /** Logs in to a pool that is to be added; nothing is stored. */
    public PoolTest test(PoolWish wish) {
        try {
            PoolTest test = tried(definition(wish, wish.password()), wish.confirmed());
            PoolProbe.Found found = test.found();
            PoolRefused refusal =
                    found == null ? null : duplicate(wish.name(), id(found), found.coordinator());
            return refusal == null ? test : new PoolTest(found, refusal, test.certificates());
        } catch (PoolRefused e) {
            return new PoolTest(null, e, List.of());
        }
    }

    private static ClusterId id(PoolProbe.Found found) {
        return ClusterId.parse(found.uuid());
    }

    /** A pool with an identity that no pool has: the test finds the true one. */
    private static XapiPoolDefinition definition(PoolWish wish, @Nullable String password)
            throws PoolRefused {
        return definition(new ClusterId(new UUID(0, 0)), wish, password == null ? "" : password);
    }

    private static XapiPoolDefinition definition(ClusterId id, PoolWish wish, String password)
            throws PoolRefused {
        try {
            return new XapiPoolDefinition(
                    id,
                    wish.name(),
                    wish.addresses(),
                    wish.port(),
                    wish.user(),
                    password,
                    wish.trust(),
                    wish.encodings());
        } catch (IllegalArgumentException e) {
            throw new PoolRefused(Reason.INVALID, String.valueOf(e.getMessage()));
        }
    }

    private PoolTest tried(XapiPoolDefinition pool, Set<CertificateFingerprint> confirmed)
            throws PoolRefused {
        try {
            return tester.test(pools.testAccess(pool), confirmed, pools.certificates());
        } catch (IOException e) {
            throw new PoolRefused(Reason.INVALID, String.valueOf(e.getMessage()));
        }
    }

    /** The test of a pool that is to be stored, which must succeed. */
    private PoolTest required(XapiPoolDefinition pool, Set<CertificateFingerprint> confirmed)
            throws PoolRefused {
        PoolTest test = tried(pool, confirmed);
        if (test.refusal() != null) {
            throw test.refusal();
        }
        return test;
    }

    /** Another pool of this name or identity; null if there is none. */
    private @Nullable PoolRefused duplicate(String name, ClusterId id, String coordinator) {
        for (PoolView each : pools()) {
            if (each.name().equals(name)) {
                return new PoolRefused(
                        Reason.NAME_TAKEN, "There is already a XAPI pool " + name + ".");
            }
            if (id.equals(each.id())) {
                return new PoolRefused(
                        Reason.ALREADY_WATCHED,
                        "The host at %s belongs to pool %s, which is watched already as %s."
                                .formatted(coordinator, id, each.name()));
            }
        }
        return null;
    }

    // ------------------------------------------------------------------------------- changes

    /**
     * Adds a pool and watches it from now on.
     *
     * @param user the user that adds it
     * @throws PoolRefused if the pool cannot be watched, with the reason; no change is made
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public PoolView add(PoolWish wish, String user) throws PoolRefused, StoreUnavailable {
        if (pools().stream().anyMatch(each -> each.name().equals(wish.name()))) {
            throw new PoolRefused(
                    Reason.NAME_TAKEN, "There is already a XAPI pool " + wish.name() + ".");
        }
        XapiPoolDefinition wanted = definition(wish, wish.password());
        PoolTest test = required(wanted, wish.confirmed());
        PoolProbe.Found found = Objects.requireNonNull(test.found());
        XapiPoolDefinition pool = definition(id(found), wish, wanted.password());
        lock.lock();
        try {
            PoolRefused refusal = duplicate(pool.name(), pool.id(), found.coordinator());
            if (refusal != null) {
                throw refusal;
            }
            if (pools().size() >= MOST_POOLS) {
                throw new PoolRefused(
                        Reason.TOO_MANY, "There are " + MOST_POOLS + " pools already.");
            }
            store(pool, found.name());
            confirm(test, wish.confirmed());
            begin(new Stored(pool, false, null));
        } finally {
            lock.unlock();
        }
        record(
                AuditEvent.XAPI_POOL_ADDED,
                pool,
                user,
                Map.of(
                        "id",
                        pool.id().toString(),
                        "addresses",
                        String.join(", ", pool.addresses())));
        return view(Objects.requireNonNull(known.get(pool.id())));
    }

    /** Stores a pool after its cluster. */
    private void store(XapiPoolDefinition pool, String label) throws PoolRefused, StoreUnavailable {
        boolean isNew;
        try {
            isNew =
                    new PoolClusters(engine.fleet(), engine.administration())
                            .ensure(pool.id(), pool.name(), label);
        } catch (IllegalStateException e) {
            throw new PoolRefused(Reason.TOO_MANY, "The pool is not added: " + e.getMessage());
        }
        Saved saved = Saved.UNKNOWN;
        try {
            saved = store.add(pool);
        } catch (SecretBox.Unusable e) {
            throw new PoolRefused(
                    Reason.NO_KEY, "The password cannot be stored: " + e.getMessage() + ".");
        } finally {
            if (isNew && saved != Saved.SAVED) {
                String _ = engine.administration().removeCluster(pool.id());
            }
        }
        if (saved != Saved.SAVED) {
            throw new PoolRefused(
                    Reason.NAME_TAKEN,
                    "The database has another XAPI pool named %s, or no cluster for it."
                            .formatted(pool.name()));
        }
    }

    /** Hosts are held to the certificates that were confirmed. */
    private void confirm(PoolTest test, Set<CertificateFingerprint> confirmed) {
        try {
            PoolFile file = pools.certificates();
            PoolProbe.Found found = test.found();
            for (ShownCertificate each : test.certificates()) {
                if (found != null && confirmed.contains(each.fingerprint())) {
                    file.confirm(each.address(), each.fingerprint().hex());
                }
            }
            file.confirmRefused(
                    confirmed.stream()
                            .map(CertificateFingerprint::hex)
                            .collect(Collectors.toSet()));
        } catch (IOException e) {
            throw new IllegalStateException("the file was read a moment ago", e);
        }
    }

    /**
     * Changes a pool that a user added; its name and identity stay.
     *
     * @param user the user that changes it
     * @throws PoolRefused if it cannot be watched so, with the reason; no change is made
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public PoolView change(PoolView before, PoolWish wish, String user)
            throws PoolRefused, StoreUnavailable {
        XapiPoolDefinition present = changeable(before);
        XapiPoolDefinition next = changed(present, wish);
        PoolTest test = required(next, wish.confirmed());
        PoolProbe.Found found = Objects.requireNonNull(test.found());
        if (!next.id().equals(id(found))) {
            throw new PoolRefused(
                    Reason.OTHER_POOL,
                    "The host at %s belongs to pool %s, not to %s."
                            .formatted(found.coordinator(), found.uuid(), next.id()));
        }
        lock.lock();
        try {
            if (!present.equals(changeable(before))) {
                throw new PoolRefused(
                        Reason.INVALID, "The pool was changed meanwhile; read it again.");
            }
            if (!store.update(next)) {
                throw removing(next.name());
            }
            confirm(test, wish.confirmed());
            Stored now = new Stored(next, false, null);
            try {
                pools.change(next);
            } catch (IOException e) {
                now = troubled(next, String.valueOf(e.getMessage()));
            }
            known.put(next.id(), now);
        } catch (SecretBox.Unusable e) {
            throw new PoolRefused(
                    Reason.NO_KEY, "The password cannot be stored: " + e.getMessage() + ".");
        } finally {
            lock.unlock();
        }
        record(
                AuditEvent.XAPI_POOL_CHANGED,
                next,
                user,
                Map.of("what", difference(present, next, wish)));
        return view(Objects.requireNonNull(known.get(next.id())));
    }

    private XapiPoolDefinition changed(XapiPoolDefinition present, PoolWish wish)
            throws PoolRefused {
        String password = wish.password();
        XapiPoolDefinition next =
                definition(present.id(), wish, password == null ? present.password() : password);
        if (password != null) {
            return next;
        }
        if (!next.isReachedLike(present)) {
            throw new PoolRefused(
                    Reason.PASSWORD_MISSING,
                    "password is missing: addresses, port, user or trust change, and the stored"
                            + " password belongs to the present ones.");
        }
        Stored stored = known.get(present.id());
        if (stored != null && stored.trouble() != null && present.password().isEmpty()) {
            throw new PoolRefused(
                    Reason.PASSWORD_MISSING, "password is missing: " + stored.trouble() + ".");
        }
        return next;
    }

    private static String difference(
            XapiPoolDefinition before, XapiPoolDefinition after, PoolWish wish) {
        List<String> members = new ArrayList<>();
        note(members, "addresses", before.addresses().equals(after.addresses()));
        note(members, "port", before.port() == after.port());
        note(members, "user", before.user().equals(after.user()));
        note(members, "password", before.password().equals(after.password()));
        note(members, "trust", Objects.equals(before.trust(), after.trust()));
        note(members, "encodings", before.encodings().equals(after.encodings()));
        note(members, "fingerprints", wish.confirmed().isEmpty());
        return members.isEmpty() ? "nothing" : String.join(", ", members);
    }

    private static void note(List<String> members, String member, boolean isSame) {
        if (!isSame) {
            members.add(member);
        }
    }

    /** The definition of a pool that a user added and that is not being removed. */
    private XapiPoolDefinition changeable(PoolView pool) throws PoolRefused {
        if (pool.ofSettings()) {
            throw new PoolRefused(
                    Reason.OF_SETTINGS,
                    "The XAPI pool %s is one of the settings: change it in stillwater.xapi.pools."
                            .formatted(pool.name()));
        }
        Stored stored = pool.id() == null ? null : known.get(pool.id());
        if (stored == null || stored.removing()) {
            throw removing(pool.name());
        }
        return stored.pool();
    }

    private static PoolRefused removing(String name) {
        return new PoolRefused(
                Reason.REMOVING, "The XAPI pool %s is being removed.".formatted(name));
    }

    /**
     * Ends the watch of a pool that a user added and removes its hosts, its VMs and its cluster.
     *
     * @param user the user that removes it
     * @param patience longest wait for the end
     * @return whether it has ended; otherwise it goes on, also after a restart
     * @throws PoolRefused if it is one of the settings, or being removed
     * @throws StoreUnavailable if the database cannot be written now; no change is made
     */
    public boolean remove(PoolView before, String user, Duration patience)
            throws PoolRefused, StoreUnavailable, InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        XapiPoolDefinition pool;
        lock.lock();
        try {
            pool = changeable(before);
            if (!store.beginRemoval(pool.id())) {
                throw removing(pool.name());
            }
            long vms =
                    engine.fleet()
                            .vms()
                            .filter(vm -> vm.definition().cluster().equals(pool.id()))
                            .count();
            record(
                    AuditEvent.XAPI_POOL_REMOVED,
                    pool,
                    user,
                    Map.of(
                            "hosts",
                            Integer.toString(engine.fleet().clusters().hosts(pool.id()).size()),
                            "vms",
                            Long.toString(vms)));
            known.put(pool.id(), new Stored(pool, true, null));
            try {
                removeInventory(pool, ended);
            } catch (IOException e) {
                known.put(pool.id(), new Stored(pool, true, String.valueOf(e.getMessage())));
            }
        } finally {
            lock.unlock();
        }
        return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void removeInventory(XapiPoolDefinition pool, CountDownLatch ended) throws IOException {
        pools.remove(
                pool,
                () -> {
                    removed(pool);
                    ended.countDown();
                });
    }

    /** No host or VM of the pool is left. */
    private void removed(XapiPoolDefinition pool) throws StoreUnavailable {
        boolean _ = store.remove(pool.id()); // false if this is done again
        try {
            String refusal = engine.administration().removeCluster(pool.id());
            if (refusal == null) {
                clusterRemoved.accept(pool.id());
            } else {
                log.warn("pool={} was removed, its cluster stays: {}", pool.name(), refusal);
            }
        } catch (IllegalArgumentException _) {
            // A user removed it meanwhile.
        }
        known.remove(pool.id());
        log.info("pool={} removed", pool.name());
    }

    private void record(
            AuditEvent event, XapiPoolDefinition pool, String user, Map<String, String> details) {
        Map<String, String> all = new HashMap<>(details);
        all.put("pool", pool.name());
        all.put("user", user);
        engine.commandAccess().audit(event, null, null, all);
    }
}
