package org.stillwater.server.xapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.connection.XapiPoolDefinition;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.XapiSettings;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolAuthorities;
import org.stillwater.xapi.client.PoolClaims;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiEncoding;
import org.stillwater.xapi.host.XapiHosts;
import org.stillwater.xapi.host.XapiPool;

/**
 * Watches of pools, those of the settings and those that users added, and the connections to their
 * hosts. Thread-safe.
 *
 * <p>It is long because the settings of all pools become connections here.
 */
public final class XapiPools implements AutoCloseable {

    /** Prefix of the names of the threads that read pools. Each pool has two. */
    public static final String WATCH = "xapi-watch-";

    private static final Logger log = LoggerFactory.getLogger(XapiPools.class);

    /** A person waits for a test. */
    private static final Duration MOST_TEST = Duration.ofSeconds(15);

    private final XapiSettings settings;
    private final Path dataFolder;
    private final EngineClock clock;
    private final XapiHosts hosts;
    private final Map<String, PoolAuthorities> authorities = new ConcurrentHashMap<>();
    private final PoolClaims claims = new PoolClaims();
    private final String originator = "stillwater-" + UUID.randomUUID();
    private volatile Function<ClusterId, @Nullable Cluster> clusters = _ -> null;
    private volatile @Nullable Parts parts;
    private volatile @Nullable Running running;

    /** The engine, once it runs. */
    private record Parts(MonitoringEngine engine, VmStore vms, DefinitionStore definitions) {}

    /** The parts that exist while the engine runs. */
    private record Running(
            PoolFile file,
            PoolKeeping keeping,
            EngineInventory inventory,
            SupervisedWorker worker) {}

    /**
     * The condition of a pool.
     *
     * @param heard time since its last answer; null before the first
     */
    public record Condition(
            String name,
            @Nullable String trouble,
            @Nullable String coordinator,
            @Nullable String encoding,
            int hosts,
            int vms,
            XapiPool.LeftOut leftOut,
            @Nullable Duration heard) {}

    /**
     * The waiting data of a pool.
     *
     * @param pool its name
     * @param sinceNanos beginning of the wait, by the engine's monotonic clock; null if nothing
     *     waits
     */
    public record Waiting(String pool, @Nullable Long sinceNanos) {}

    /**
     * Watches no pool before {@link #start}.
     *
     * @param dataFolder folder for the certificates of pools
     */
    public XapiPools(XapiSettings settings, Path dataFolder, EngineClock clock) {
        this.settings = settings;
        this.dataFolder = dataFolder;
        this.clock = clock;
        this.hosts = new XapiHosts(clock, settings.metricsTimeout(), settings.metricsStandstill());
    }

    /**
     * Connections to all hosts: to those of pools by XAPI, to others by another connector.
     *
     * @param others connects to hosts with agents of their own
     */
    public HostConnector beside(HostConnector others) {
        return (host, listener) ->
                switch (hypervisor(host)) {
                    case VDSM -> others.open(host, listener);
                    case XAPI -> hosts.open(host, listener);
                };
    }

    /**
     * Storage domains of disks: those of VMs of pools from the pools.
     *
     * @param others of all other VMs
     */
    public DiskPlaces beside(DiskPlaces others) {
        return hosts.diskPlaces(others);
    }

    private Hypervisor hypervisor(HostDefinition host) {
        Cluster cluster = clusters.apply(host.cluster());
        return cluster == null ? Hypervisor.VDSM : cluster.hypervisor();
    }

    /**
     * Restarts agents of hosts that have agents of their own; hosts of pools are left to XAPI.
     *
     * @param others restarts agents
     */
    public SoftFence beside(SoftFence others) {
        return new SoftFence() {
            @Override
            public void restartAgent(HostDefinition host, Consumer<Answer> receiver) {
                switch (hypervisor(host)) {
                    case VDSM -> others.restartAgent(host, receiver);
                    case XAPI ->
                            receiver.accept(
                                    new Answer.Failed("hosts of pools are left to XAPI itself"));
                }
            }

            @Override
            public int atOnce() {
                return others.atOnce();
            }
        };
    }

    /** The receiver of orders to the pools. */
    public HypervisorPools control() {
        return hosts;
    }

    /** Sets the source of clusters; before any connection is opened. */
    public void lookUp(Function<ClusterId, @Nullable Cluster> found) {
        clusters = found;
    }

    /**
     * Begins to watch the pools of the settings; those of users may be added from now on.
     *
     * @throws IOException if a file of authorities cannot be read, with one sentence for the
     *     operator
     */
    public void start(MonitoringEngine engine, VmStore vms, DefinitionStore definitions)
            throws IOException {
        parts = new Parts(engine, vms, definitions);
        for (XapiSettings.Pool pool : settings.pools()) {
            watch(pool.name(), access(pool));
            if (!pool.tls()) {
                log.warn(
                        "Pool {} is reached without TLS: everybody on the way can read and command",
                        pool.name());
            }
        }
        if (!settings.pools().isEmpty()) {
            log.info("XAPI pools watched: {}", settings.pools().size());
        }
    }

    /** The parts that watch pools; made for the first one. */
    private synchronized Running running() throws IOException {
        Running present = running;
        if (present != null) {
            return present;
        }
        Parts all = parts;
        if (all == null) {
            throw new IOException("the engine is not running");
        }
        MonitoringEngine engine = all.engine();
        PoolFile file;
        try {
            file =
                    new PoolFile(
                            dataFolder.resolve("xapi").resolve("pools.properties"),
                            clock,
                            (event, message) ->
                                    engine.commandAccess()
                                            .audit(event, null, null, Map.of("message", message)));
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
        PoolKeeping keeping =
                new PoolKeeping(
                        engine.fleet(),
                        engine.administration(),
                        engine.commandAccess(),
                        all.vms(),
                        all.definitions(),
                        clock,
                        settings.mostTags());
        PoolRemover remover =
                new PoolRemover(
                        keeping,
                        engine.fleet(),
                        engine.administration(),
                        engine.commandAccess(),
                        all.definitions());
        EngineInventory inventory =
                new EngineInventory(keeping, remover, engine.commandAccess(), file);
        SupervisedWorker worker = engine.workers().worker("xapi-inventory", inventory);
        present = new Running(file, keeping, inventory, worker);
        running = present;
        // A platform thread: the first reading of a pool must not hold a carrier of virtual
        // threads.
        worker.startOnPlatformThread();
        return present;
    }

    private void watch(String name, PoolAccess access) throws IOException {
        Running present = running();
        Parts all = parts;
        if (all == null) {
            throw new IOException("the engine is stopping");
        }
        XapiPool _ =
                hosts.watch(
                        name,
                        access.port(),
                        new PoolConnection(access, present.file(), claims, clock),
                        present.inventory(),
                        switch (settings.sync()) {
                            case EVENTS -> PoolWatch.Sync.EVENTS;
                            case RECORDS -> PoolWatch.Sync.RECORDS;
                        },
                        new PoolWatch.Times(
                                settings.hold(),
                                settings.patience(),
                                settings.reconnectAtLeast(),
                                settings.reconnectAtMost(),
                                settings.refetchPause()),
                        (loop, turns) ->
                                supervised(
                                        all.engine().workers(), WATCH + name + "-" + loop, turns));
    }

    // ------------------------------------------------------------------------------- pools of
    // users

    /** The pools of the settings. */
    List<XapiSettings.Pool> ofSettings() {
        return settings.pools();
    }

    /**
     * Watches a pool that a user added.
     *
     * @throws IOException if its authorities or the file of certificates cannot be read, with one
     *     sentence for people
     */
    void watch(XapiPoolDefinition pool) throws IOException {
        watch(pool.name(), access(pool));
    }

    /**
     * Reaches a watched pool in another way from now on, or watches it.
     *
     * @throws IOException as {@link #watch(XapiPoolDefinition)}
     */
    void change(XapiPoolDefinition pool) throws IOException {
        XapiPool present = watched(pool.name());
        if (present == null) {
            watch(pool);
        } else {
            present.use(access(pool));
        }
    }

    /** Ends the watch of a pool and removes its hosts and VMs. */
    void remove(XapiPoolDefinition pool, EngineInventory.Ending ending) throws IOException {
        Running present = running();
        List<String> addresses = new ArrayList<>(pool.addresses());
        XapiPool watched = watched(pool.name());
        if (watched != null) {
            watched.hosts().forEach(host -> addresses.add(host.address()));
            hosts.unwatch(watched);
        }
        present.file().forget(pool.id(), addresses);
        present.inventory().remove(new EngineInventory.Removal(pool.id(), pool.name(), ending));
    }

    /** The condition of a pool of this name; null if it is not watched. */
    @Nullable Condition condition(String name) {
        XapiPool pool = watched(name);
        return pool == null ? null : condition(pool);
    }

    /** A watched pool; null if there is none of this name. */
    @Nullable XapiPool watched(String name) {
        for (XapiPool pool : hosts.pools()) {
            if (pool.name().equals(name)) {
                return pool;
            }
        }
        return null;
    }

    /**
     * Certificates of hosts of pools.
     *
     * @throws IOException if the file cannot be read
     */
    PoolFile certificates() throws IOException {
        return running().file();
    }

    private PoolAccess access(XapiPoolDefinition pool) throws IOException {
        return access(pool, pool.id().toString(), settings.callTimeout());
    }

    /**
     * The access by which a pool is tested.
     *
     * @throws IOException if its authorities cannot be read, with one sentence for people
     */
    PoolAccess testAccess(XapiPoolDefinition pool) throws IOException {
        Duration usual = settings.callTimeout();
        return access(pool, null, usual.compareTo(MOST_TEST) < 0 ? usual : MOST_TEST);
    }

    private PoolAccess access(XapiPoolDefinition pool, @Nullable String uuid, Duration callTimeout)
            throws IOException {
        String trust = pool.trust();
        List<XapiEncoding> encodings = new ArrayList<>();
        for (String word : pool.encodings()) {
            XapiSettings.Encoding encoding = PoolEncodings.WORDS.get(word);
            if (encoding != null) { // a newer engine may know others
                encodings.add(encoding(encoding));
            }
        }
        if (encodings.isEmpty()) {
            throw new IOException("this engine knows none of the encodings " + pool.encodings());
        }
        return new PoolAccess(
                pool.addresses(),
                pool.port(),
                true,
                trust == null ? null : PoolAuthorities.ofText(trust),
                pool.user(),
                pool::password,
                originator,
                encodings,
                uuid,
                settings.connectTimeout(),
                callTimeout,
                settings.passwordPause());
    }

    /** Runs a loop on a supervised platform thread; returns the action that ends it. */
    private static Runnable supervised(Workers workers, String name, PoolWatch.Turns turns) {
        SupervisedWorker worker =
                workers.worker(
                        name,
                        new SupervisedWorker.Work() {
                            @Override
                            public boolean await() throws InterruptedException {
                                return turns.await();
                            }

                            @Override
                            public void perform() {
                                turns.perform();
                            }
                        });
        worker.startOnPlatformThread();
        return () -> {
            boolean _ = worker.stop(Duration.ZERO); // it may wait for the pool
            workers.forget(worker);
        };
    }

    private PoolAccess access(XapiSettings.Pool pool) throws IOException {
        return new PoolAccess(
                pool.addresses(),
                pool.port(),
                pool.tls(),
                pool.trust() == null ? null : authorities(pool.name(), pool.trust()),
                pool.user(),
                pool::password,
                originator,
                pool.encodings().stream().map(XapiPools::encoding).toList(),
                pool.uuid(),
                settings.connectTimeout(),
                settings.callTimeout(),
                settings.passwordPause());
    }

    private static XapiEncoding encoding(XapiSettings.Encoding encoding) {
        return switch (encoding) {
            case JSON_RPC -> XapiEncoding.JSON_RPC;
            case JSON_IN_XML -> XapiEncoding.JSON_IN_XML;
            case XML_RPC -> XapiEncoding.XML_RPC;
        };
    }

    private PoolAuthorities authorities(String pool, Path pem) throws IOException {
        PoolAuthorities read = PoolAuthorities.of(pem);
        authorities.put(pool, read);
        return read;
    }

    /**
     * Reads the files of authorities now; new connections use them, those that stand stay.
     *
     * @return one line for the operator for each pool that has such a file
     * @throws IOException with one sentence for the operator when a present file is missing or
     *     broken; the previous authorities stay in use
     */
    public List<String> rereadAuthorities() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, PoolAuthorities> each : new TreeMap<>(authorities).entrySet()) {
            try {
                lines.add("pool " + each.getKey() + ": " + each.getValue().reread());
            } catch (IOException broken) {
                throw new IOException("pool " + each.getKey() + ": " + broken.getMessage(), broken);
            }
        }
        return lines;
    }

    /** The condition of each pool. */
    public List<Condition> conditions() {
        return hosts.pools().stream().map(this::condition).toList();
    }

    private Condition condition(XapiPool pool) {
        Long heard = pool.heardNanos();
        return new Condition(
                pool.name(),
                pool.trouble(),
                pool.coordinator(),
                pool.encoding(),
                pool.hosts().size(),
                pool.vms().size(),
                pool.leftOut(),
                heard == null ? null : Duration.ofNanos(clock.nanoTime() - heard));
    }

    /** The data of pools that is not processed yet. */
    public List<Waiting> waiting() {
        List<Waiting> all = new ArrayList<>();
        for (XapiPool pool : hosts.pools()) {
            all.add(new Waiting(pool.name(), pool.waitingSinceNanos()));
        }
        return all;
    }

    /** Refused objects of pools, each as a sentence. */
    public List<String> refused() {
        Running present = running;
        if (present == null) {
            return List.of();
        }
        List<String> all = new ArrayList<>(present.file().refusals().values());
        all.addAll(present.keeping().refused());
        for (XapiPool pool : hosts.pools()) {
            pool.unreadable().forEach(each -> all.add("pool " + pool.name() + ": " + each));
        }
        return List.copyOf(all);
    }

    /** Ends all watches, logs out, and saves the file. Idempotent. */
    @Override
    public void close() {
        Running present;
        synchronized (this) {
            parts = null;
            present = running;
            running = null;
        }
        if (present != null) {
            present.inventory().close();
            boolean _ = present.worker().stop(Duration.ofSeconds(5));
        }
        hosts.close();
        if (present != null) {
            present.file().save();
        }
    }
}
