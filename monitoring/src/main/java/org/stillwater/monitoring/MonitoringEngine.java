package org.stillwater.monitoring;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.history.Samples;
import org.stillwater.core.model.AuditEntry;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.AuditFilter;
import org.stillwater.core.model.Cluster;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.CompatibilityVersion;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.HistoryMetric.Subject;
import org.stillwater.core.model.HostCondition;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWork;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.PlacementFields;
import org.stillwater.core.model.RuntimeFields;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmNumaNode;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatisticsView;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.model.WorkKind;
import org.stillwater.core.port.DeviceStore;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.ExternalDataStore;
import org.stillwater.core.port.HistoryStore;
import org.stillwater.core.port.HostConnector;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.HostStore.Removal;
import org.stillwater.core.port.HostStore.StoredHost;
import org.stillwater.core.port.OpenHostWork;
import org.stillwater.core.port.OpenWork;
import org.stillwater.core.port.SoftFence;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.port.Stores;
import org.stillwater.core.port.VmStore;
import org.stillwater.core.port.WorkListener;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.monitoring.device.DeviceServices;
import org.stillwater.monitoring.dwh.Heartbeat;
import org.stillwater.monitoring.dwh.StatisticsDump;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.fence.SoftFencer;
import org.stillwater.monitoring.history.DurableHistory;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQueries;
import org.stillwater.monitoring.history.HistoryQuery;
import org.stillwater.monitoring.history.durable.DurableHistorySettings;
import org.stillwater.monitoring.history.durable.DurableHistoryState;
import org.stillwater.monitoring.history.durable.HistoryRecorder;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.Fleet;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.host.HostSignals;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.host.HostWatchdog;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.host.SignalRelay;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.monitoring.job.VmJobs;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.monitoring.lun.LunSizes;
import org.stillwater.monitoring.numa.NumaNodes;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.trust.Confirmation;
import org.stillwater.monitoring.trust.HostCertificates;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.work.WorkBook;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.BatchWriter;

/**
 * Monitoring as one object: watches hosts, holds what is known about their VMs, writes what
 * changes, and tells readers.
 *
 * <p>Readers may call any method from any thread; none of them locks, waits for a cycle or reads
 * the database.
 */
public final class MonitoringEngine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MonitoringEngine.class);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
    private static final Duration AUDIT_PATIENCE = Duration.ofSeconds(2);
    private static final Duration DUMP_PATIENCE = Duration.ofSeconds(2);
    private static final Duration HISTORY_PATIENCE = Duration.ofSeconds(2);
    private static final Duration WATCHDOG_PATIENCE = Duration.ofSeconds(1);

    /** For how long one who changes a host or cluster waits for another one who does. */
    private static final Duration CHANGE_PATIENCE = Duration.ofSeconds(10);

    private final MonitoringSettings settings;
    private final HostStore hostStore;
    private final VmStore vmStore;
    private final DeviceStore deviceStore;
    private final ExternalDataStore externalDataStore;
    private final HistoryStore historyStore;
    private final EngineClock clock;
    private final MeterRegistry meterRegistry;
    private final VmRegistry registry;
    private final ChangeFeed feed;
    private final WorkBook work;
    private final BatchWriter writer;
    private final AuditLog audit;
    private final MonitoringMeters meters;
    private final Clusters clusters;
    private final HostCertificates certificates;
    private final HostServices services;
    private final StatisticsDump dump;
    private final Heartbeat heartbeat;
    private final HostWatchdog watchdog;
    private final Workers workers;
    private final KeyedLocks changes = new KeyedLocks();
    private final HostAddresses addresses = new HostAddresses();
    private final Map<String, SupervisedWorker> steppers = new HashMap<>(); // of who steps
    private final HistoryQueries historyQueries;
    private final Map<HostId, HostMonitor> monitors = new ConcurrentHashMap<>();
    private volatile VmSignals signals = VmSignals.NONE;
    private volatile Preparation beforeWatching = () -> {};
    private volatile @Nullable SoftFencer fencer;
    private volatile @Nullable HistoryRecorder recorder;
    private final SignalRelay hostSignals;
    private volatile Phase phase = Phase.NEW;
    private boolean threaded = true;
    private boolean connecting;
    private volatile List<String> refusedHosts = List.of(); // of the settings

    private enum Phase {
        NEW,
        RECOVERING,
        RUNNING,
        STOPPED
    }

    /** An engine with supervised threads of its own that does nothing until it is started. */
    public MonitoringEngine(
            MonitoringSettings settings,
            HostConnector connector,
            Stores stores,
            EngineClock clock,
            MeterRegistry meterRegistry) {
        this(
                settings,
                connector,
                stores,
                clock,
                meterRegistry,
                new Workers(WorkerSettings.DEFAULT, clock, meterRegistry));
    }

    /**
     * An engine that does nothing until it is started.
     *
     * @param workers by which its threads are supervised
     */
    public MonitoringEngine(
            MonitoringSettings settings,
            HostConnector connector,
            Stores stores,
            EngineClock clock,
            MeterRegistry meterRegistry,
            Workers workers) {
        this.workers = workers;
        this.settings = settings;
        this.hostStore = stores.hosts();
        this.vmStore = stores.vms();
        this.deviceStore = stores.devices();
        this.externalDataStore = stores.externalData();
        this.historyStore = stores.history();
        this.clock = clock;
        this.meterRegistry = meterRegistry;
        RingFormat recentOfVms = settings.history().format(Subject.VM);
        RingFormat recentOfHosts = settings.history().format(Subject.HOST);
        this.registry = new VmRegistry(settings.usageHistory(), recentOfVms);
        this.feed = new ChangeFeed(settings.feed(), clock.now().toEpochMilli());
        this.meters = new MonitoringMeters(meterRegistry);
        this.work = new WorkBook(vmStore, hostStore, clock, settings.writer().quietPeriod());
        this.writer =
                new BatchWriter(
                        settings.writer(),
                        vmStore,
                        hostStore,
                        clock,
                        meters,
                        this::nameOf,
                        this::nameOf,
                        work);
        this.audit =
                new AuditLog(
                        settings.audit(),
                        settings.writer(),
                        stores.audit(),
                        writer,
                        feed,
                        clock,
                        new Named(),
                        meterRegistry);
        this.clusters =
                new Clusters(
                        settings.clusters(),
                        stores.clusters(),
                        writer,
                        this::stateOf,
                        this::clusterChanged);
        this.certificates =
                new HostCertificates(
                        hostStore,
                        writer,
                        audit,
                        clock,
                        () ->
                                monitors.values().stream()
                                        .map(monitor -> monitor.state().definition()));
        this.hostSignals = new SignalRelay(clock, settings.writer().quietPeriod());
        this.services =
                new HostServices(
                        settings.hosts(),
                        connector,
                        registry,
                        feed,
                        writer,
                        audit,
                        clock,
                        meters,
                        new DeviceServices(
                                registry,
                                feed,
                                writer,
                                audit,
                                clock,
                                meters,
                                vmStore,
                                deviceStore,
                                externalDataStore),
                        new VmJobs(stores.jobs(), writer, meters),
                        new LunSizes(stores.luns(), writer),
                        new NumaNodes(stores.numa(), writer),
                        certificates,
                        new WatchedHosts(),
                        new ForwardedSignals(),
                        clusters,
                        hostSignals,
                        clock.nanoTime(),
                        new AtomicInteger(),
                        recentOfHosts);
        this.watchdog =
                new HostWatchdog(
                        settings.hosts().watchdog(), clock, monitors::values, this::revive);
        this.dump =
                new StatisticsDump(
                        settings.warehouse().dumpInterval(),
                        stores.statistics(),
                        registry,
                        monitors::values,
                        clock,
                        meters,
                        settings.writer().quietPeriod());
        this.heartbeat =
                new Heartbeat(
                        settings.warehouse().heartbeatInterval(),
                        stores.statistics(),
                        clock,
                        meters,
                        settings.writer().quietPeriod());
        this.historyQueries =
                new HistoryQueries(
                        settings.history(), this::recent, settings.hosts().interval(), clock);
        meters.gauge("stillwater.vms", null, "Known VMs", registry, VmRegistry::size);
        meters.gauge(
                "stillwater.work.open",
                null,
                "Work left to commands that none has taken over",
                work,
                WorkBook::size);
        meters.gauge(
                "stillwater.host.work.open",
                null,
                "Work about hosts left to commands that none has taken over",
                work,
                WorkBook::sizeAboutHosts);
        meters.gauge("stillwater.hosts", null, "Watched hosts", monitors, Map::size);
        meters.gauge(
                "stillwater.hosts.up", null, "Hosts that are up", this, MonitoringEngine::hostsUp);
        meters.gauge(
                "stillwater.report.age.max",
                "seconds",
                "Age of the oldest of the hosts' newest complete polls",
                this,
                MonitoringEngine::oldestReportSeconds);
        meters.gauge(
                "stillwater.external.data.open",
                null,
                "TPM and NVRAM data of VMs on their way from hosts to the database",
                monitors,
                MonitoringEngine::externalDataOpen);
        meters.gauge(
                "stillwater.feed.subscribers",
                null,
                "Readers of the change feed",
                feed,
                ChangeFeed::subscribers);
        meters.gauge(
                "stillwater.feed.revision",
                null,
                "Revision of the newest change",
                feed,
                changes -> (double) changes.revision());
    }

    private @Nullable HostState stateOf(HostId id) {
        HostMonitor monitor = monitors.get(id);
        return monitor == null ? null : monitor.state();
    }

    /** The hosts of a cluster are to fit it as it is now. */
    private void clusterChanged(ClusterId id) {
        for (HostId host : clusters.hosts(id)) {
            HostMonitor monitor = monitors.get(host);
            if (monitor != null) {
                monitor.rulesChanged();
            }
        }
    }

    private String nameOf(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? id.toString() : vm.definition().name() + " (" + id + ")";
    }

    private String nameOf(HostId id) {
        HostMonitor monitor = monitors.get(id);
        return monitor == null ? id.toString() : monitor.state().definition().name();
    }

    /** Names as they are now, for entries of the audit log. */
    private final class Named implements AuditLog.Names {
        @Override
        public @Nullable String of(VmId id) {
            VmManager vm = registry.find(id);
            return vm == null ? null : vm.definition().name();
        }

        @Override
        public @Nullable String of(HostId id) {
            HostMonitor monitor = monitors.get(id);
            return monitor == null ? null : monitor.state().definition().name();
        }
    }

    private static double externalDataOpen(Map<HostId, HostMonitor> monitors) {
        return monitors.values().stream().mapToInt(HostMonitor::externalDataOpen).sum();
    }

    private double hostsUp() {
        return monitors.values().stream()
                .filter(monitor -> monitor.state().status() == HostStatus.UP)
                .count();
    }

    private double oldestReportSeconds() {
        double oldest = Double.NaN;
        for (HostMonitor monitor : monitors.values()) {
            double age = monitor.reportAgeSeconds();
            if (!Double.isNaN(age) && !(age <= oldest)) {
                oldest = age;
            }
        }
        return oldest;
    }

    /**
     * Recovers hosts and VMs from the database and begins to watch the hosts. Once only.
     *
     * @throws StoreUnavailable if the database cannot be read; the engine is not started then, and
     *     may be started again
     */
    public void start() throws StoreUnavailable {
        recover();
        connect();
    }

    /**
     * Begins to watch the hosts that were recovered or added so far, each after its share of the
     * spread. Does nothing where that was done, or before {@link #recover()} and after {@link
     * #close()}.
     */
    public synchronized void connect() {
        if (phase != Phase.RUNNING || connecting) {
            return;
        }
        connecting = true;
        if (threaded) {
            monitors.values().forEach(HostMonitor::start);
            watchdog.start(workers);
        }
    }

    /**
     * Recovers hosts and VMs from the database: from now on they can be read. The hosts are left
     * alone until {@link #connect()}, because connecting to a thousand of them takes the processors
     * that readers wait for. Once only.
     *
     * @throws StoreUnavailable if the database cannot be read; the engine is not started then, and
     *     may be started again
     */
    public void recover() throws StoreUnavailable {
        synchronized (this) {
            if (phase != Phase.NEW) {
                throw new IllegalStateException("the engine was started before");
            }
            phase = Phase.RECOVERING;
        }
        List<StoredHost> hosts = null;
        try {
            hosts = read();
        } finally {
            if (hosts == null) {
                notRead();
            }
        }
        if (!run()) {
            return; // closed meanwhile
        }
        beforeWatching.run();
        watch(hosts);
        LOG.info(
                "recovered hosts={} vms={} open work={} about hosts={}",
                hosts.size(),
                registry.size(),
                work.size(),
                work.sizeAboutHosts());
    }

    /** Reads what the database holds, without the engine's monitor: it may be closed meanwhile. */
    private List<StoredHost> read() throws StoreUnavailable {
        clusters.recover();
        List<StoredHost> hosts = new ArrayList<>(hostStore.loadAll());
        certificates.recover(hostStore.loadCertificates());
        vmStore.loadAll(this::recover);
        deviceStore.loadHashes((id, hash) -> {
            VmManager vm = registry.find(id);
            if (vm != null) {
                vm.devices().saved(hash, 0);
            }
        });
        externalDataStore.loadHashes((id, kind, hash) -> {
            VmManager vm = registry.find(id);
            if (vm != null) {
                vm.externalData().recovered(kind, hash);
            }
        });
        work.recover();
        registry.all().forEach(this::queueMissedRestart);
        services.jobs().recover(id -> registry.find(id) != null);
        audit.recover();
        hosts.sort(Comparator.comparing(host -> host.definition().id()));
        return hosts;
    }

    /** It may be started again. */
    private synchronized void notRead() {
        if (phase == Phase.RECOVERING) {
            phase = Phase.NEW;
        }
    }

    /** Starts what writes; false if the engine was closed meanwhile. */
    private synchronized boolean run() {
        if (phase == Phase.STOPPED) {
            return false;
        }
        phase = Phase.RUNNING;
        HistoryRecorder history = recorder;
        if (threaded) {
            writer.start(workers);
            audit.start(workers);
            dump.start(workers);
            heartbeat.start(workers);
            if (history != null) {
                history.start(workers);
            }
            hostSignals.start(workers);
        } else {
            dump.begin();
            heartbeat.begin();
            if (history != null) {
                history.begin();
            }
        }
        return true;
    }

    private synchronized void watch(List<StoredHost> hosts) {
        if (phase != Phase.RUNNING) {
            return;
        }
        for (int i = 0; i < hosts.size(); i++) {
            StoredHost host = hosts.get(i);
            try {
                boolean _ = addresses.claim(host.definition());
            } catch (HostAddressInUse e) { // an earlier version added both
                addresses.tolerate(host.definition());
                LOG.warn("host={} is watched twice: {}", host.definition().name(), e.getMessage());
            }
            watch(
                    host.definition(),
                    HostAnalysis.recovered(host.condition()),
                    connectDelay(i, hosts.size()));
        }
        SoftFencer fences = fencer;
        if (fences != null) {
            work.listen(fences);
            if (threaded) {
                fences.start(workers);
            }
        }
    }

    /**
     * From its start on, the engine tries to bring silent hosts back by restarting their agents.
     * Without it, work of kind {@code FENCE} waits for whoever listens to work.
     *
     * @param port what restarts agents; the caller closes it after the engine
     */
    public synchronized void softFenceBy(SoftFence port) {
        if (phase != Phase.NEW) {
            throw new IllegalStateException("the engine was started before");
        }
        fencer =
                new SoftFencer(
                        port,
                        settings.hosts().policy(),
                        id -> {
                            HostMonitor monitor = monitors.get(id);
                            return monitor == null ? null : monitor.state();
                        },
                        work::isOpen,
                        id -> audit.record(AuditEvent.VDS_SOFT_RECOVER, null, id, Map.of()),
                        clock,
                        meters,
                        settings.writer().quietPeriod());
    }

    /**
     * From its start on, the engine records history in its store, and reads from there what memory
     * lacks. Without it, what was recorded before is kept for reading.
     */
    public synchronized void recordHistory(DurableHistorySettings history) {
        if (phase != Phase.NEW || recorder != null) {
            throw new IllegalStateException("the engine was started, or records history, before");
        }
        historyQueries.readFrom(
                new DurableHistory(
                        historyStore::read,
                        history.interval(),
                        history.retention().minutes(),
                        history.retention().hours(),
                        history.retention().days()));
        Duration freshness = settings.hosts().interval().multipliedBy(3);
        recorder =
                new HistoryRecorder(
                        history,
                        settings.writer(),
                        freshness.compareTo(history.interval()) < 0
                                ? history.interval()
                                : freshness,
                        new FleetHistory(registry, monitors::values),
                        historyStore,
                        clock,
                        meterRegistry);
    }

    /** How the recording of history fares; null if the engine has nothing to do with it. */
    public @Nullable DurableHistoryState historyState() {
        HistoryRecorder history = recorder;
        return history == null ? null : history.state();
    }

    /** For tests that drive every part on their own thread by {@link #pump}. */
    synchronized void startWithoutThreads() throws StoreUnavailable {
        threaded = false;
        start();
    }

    /** For {@link SteppedEngine}. */
    HostServices services() {
        return services;
    }

    /** Does everything that can be done without waiting; whether there was anything. */
    boolean pump() {
        boolean everWorked = false;
        boolean worked;
        do {
            worked = false;
            for (HostMonitor monitor :
                    monitors.values().stream()
                            .sorted(Comparator.comparing(HostMonitor::id))
                            .toList()) {
                worked |= monitor.pump();
            }
            worked |= step("batch-writer", writer::writeDue);
            worked |= step("audit-writer", audit::writeDue);
            worked |= step("statistics-dump", dump::dumpDue);
            worked |= step("dwh-heartbeat", heartbeat::beatDue);
            HistoryRecorder history = recorder;
            if (history != null) {
                worked |= step("history-sampler", history::sampleDue);
                worked |= step("history-writer", history::writeDue);
            }
            SoftFencer fences = fencer;
            worked |= fences != null && step("soft-fencer", fences::step);
            worked |= step("host-watchdog", watchdog::lookIfDue);
            worked |= step("host-signals", hostSignals::step);
            everWorked |= worked;
        } while (worked);
        return everWorked;
    }

    /** One turn of what has a supervised thread of its own otherwise. */
    private boolean step(String name, BooleanSupplier turn) {
        return steppers.computeIfAbsent(
                        name, each -> workers.worker(each, SupervisedWorker.STEPPED))
                .step(turn);
    }

    /** The supervised threads of the engine, and of what belongs to it. */
    public Workers workers() {
        return workers;
    }

    /** Makes a VM known that is in the database: at start, or because a command added it. */
    void recover(StoredVm vm) {
        VmState state = new VmState(vm.runtime(), vm.placement(), 0, clock.now(), clock.nanoTime());
        registry.register(vm.id(), vm.definition(), state, feed::vmAdded);
    }

    /**
     * A highly available VM that is down with an error is to be started again, whoever saved it so
     * (monitoring specification §5.3). If that was done for its last run already, its key says so.
     */
    private void queueMissedRestart(VmManager vm) {
        VmState state = vm.state();
        boolean failed =
                vm.definition().highlyAvailable()
                        && state.runtime().status() == VmStatus.DOWN
                        && state.runtime().exitStatus() == ExitStatus.ERROR;
        PendingWork restart =
                new PendingWork(
                        vm.id(),
                        WorkKind.HA_RESTART,
                        state.placement().run().generation(),
                        null,
                        "it was down with an error when the engine started");
        if (failed && !work.isOpen(restart.key())) {
            writer.changed(
                    vm.id(),
                    state.runtime(),
                    RuntimeFields.NONE,
                    state.placement(),
                    PlacementFields.NONE,
                    List.of(restart),
                    clock.nanoTime());
        }
    }

    private Duration connectDelay(int index, int count) {
        Duration spaced = settings.hosts().connectSpacing().multipliedBy(index);
        Duration spread = settings.hosts().connectSpread().multipliedBy(index).dividedBy(count);
        return spaced.compareTo(spread) < 0 ? spaced : spread;
    }

    private void watch(HostDefinition host, HostCondition condition, Duration connectDelay) {
        HostState known =
                feed.hostAdded(HostState.unheard(host, condition, clock.now()), clock.nanoTime());
        clusters.joined(host);
        HostMonitor monitor = new HostMonitor(known, services, connectDelay);
        monitors.put(host.id(), monitor);
        if (threaded && connecting) {
            monitor.start();
        }
    }

    /**
     * Stops watching, writes what is not written yet as far as the database takes it within a few
     * seconds, and ends every thread and subscription. Idempotent.
     */
    @Override
    public synchronized void close() {
        if (phase == Phase.STOPPED) {
            return;
        }
        boolean ran = phase == Phase.RUNNING;
        phase = Phase.STOPPED;
        feed.close();
        if (!ran) {
            return;
        }
        SoftFencer fences = fencer;
        if (fences != null) {
            fences.stop();
        }
        watchdog.stop(WATCHDOG_PATIENCE);
        hostSignals.stop();
        dump.stop(DUMP_PATIENCE);
        heartbeat.stop(DUMP_PATIENCE);
        HistoryRecorder history = recorder;
        if (history != null) {
            history.stop(HISTORY_PATIENCE);
        }
        monitors.values().forEach(HostMonitor::stop);
        if (!threaded) {
            monitors.values().forEach(HostMonitor::pump);
            while (writer.writeDue() || audit.writeDue()) {
                // until the database has everything or does not answer
            }
            return;
        }
        long deadline = clock.nanoTime() + STOP_PATIENCE.toNanos();
        try {
            for (HostMonitor monitor : monitors.values()) {
                monitor.awaitEnd(
                        Duration.ofNanos(Math.max(1_000_000, deadline - clock.nanoTime())));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the caller gives up waiting; writing still counts
        }
        writer.stop(STOP_PATIENCE);
        audit.stop(AUDIT_PATIENCE);
    }

    /**
     * Adds a host and begins to watch it.
     *
     * @return false, changing nothing, if its id or name is taken
     * @throws StoreUnavailable if the database cannot be written now
     * @throws IllegalArgumentException if its cluster is not there
     * @throws HostAddressInUse if another host is at its address and port
     */
    public boolean addHost(HostDefinition host) throws StoreUnavailable {
        if (phase != Phase.RUNNING) {
            throw new IllegalStateException("the engine is not running");
        }
        try (KeyedLocks.Held _ = changes.alone(host.id(), CHANGE_PATIENCE);
                KeyedLocks.Held _ = changes.share(host.cluster(), CHANGE_PATIENCE)) {
            if (clusters.cluster(host.cluster()) == null) {
                throw new IllegalArgumentException("there is no cluster " + host.cluster());
            }
            if (monitors.containsKey(host.id())) {
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
                added(host);
            }
            return added;
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        }
    }

    private synchronized void added(HostDefinition host) {
        if (phase != Phase.RUNNING) {
            return; // closed meanwhile: the host is watched from the next start on
        }
        int before = monitors.size();
        watch(
                host,
                HostCondition.NEW,
                connecting ? Duration.ZERO : connectDelay(before, before + 1));
    }

    /**
     * Calls {@link #ensureHost} for each host of the settings. A host whose address and port
     * another host has is left as it is, logged and part of {@link #health()}; it is tried again as
     * long as others move, so that the order of the settings does not matter.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    public void ensureHosts(List<HostDefinition> wanted) throws StoreUnavailable {
        List<HostDefinition> left = wanted;
        List<String> refused;
        int before;
        do {
            before = left.size();
            refused = new ArrayList<>();
            List<HostDefinition> next = new ArrayList<>();
            for (HostDefinition host : left) {
                try {
                    ensureHost(host);
                } catch (HostAddressInUse e) {
                    next.add(host);
                    refused.add(
                            "host %s of the settings is refused: %s"
                                    .formatted(host.name(), e.getMessage()));
                }
            }
            left = next;
        } while (!left.isEmpty() && left.size() < before);
        refused.forEach(LOG::warn);
        refusedHosts = List.copyOf(refused);
    }

    /**
     * Sees to it that a host of this name is watched at this address and port, for hosts given by
     * configuration. A host that is there keeps its id and its cluster.
     *
     * @return the host as it is now
     * @throws StoreUnavailable if the database cannot be written now
     * @throws HostAddressInUse if another host is at its address and port; nothing changed then
     */
    public HostDefinition ensureHost(HostDefinition host) throws StoreUnavailable {
        try (KeyedLocks.Held _ = changes.alone("host " + host.name(), CHANGE_PATIENCE)) {
            HostView known = hostNamed(host.name());
            return known == null
                    ? ensureAdded(host)
                    : ensureReached(known.state().definition(), host);
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
        }
    }

    private HostDefinition ensureAdded(HostDefinition host) throws StoreUnavailable {
        if (!addHost(host)) {
            throw new IllegalStateException(
                    "host " + host.name() + " is in the database but was not recovered");
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
                HostMonitor monitor = monitors.get(present.id());
                if (monitor != null) {
                    monitor.redefine(wanted);
                }
            }
        }
        return wanted;
    }

    /**
     * Changes where a host is reached, the cluster that it belongs to, or what is said of it. Its
     * name stays.
     *
     * @return why that is not possible now; null when it is done
     * @throws StoreUnavailable if the database cannot be written now; nothing changed then
     * @throws IllegalArgumentException if there is no such host or cluster, or its name is another
     * @throws HostAddressInUse if another host is at its address and port
     */
    public @Nullable String updateHost(HostDefinition host) throws StoreUnavailable {
        try (KeyedLocks.Held _ = changes.alone(host.id(), CHANGE_PATIENCE);
                KeyedLocks.Held _ = changes.share(host.cluster(), CHANGE_PATIENCE)) {
            return updateAlone(host);
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable(String.valueOf(e.getMessage()), e);
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

    private @Nullable String updateAlone(HostDefinition host) throws StoreUnavailable {
        HostMonitor monitor = monitors.get(host.id());
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
            int vms = registry.on(host.id()).size();
            if (!HostAnalysis.isMovable(present.status())) {
                return "it must be put into maintenance before it changes its cluster";
            } else if (vms > 0) {
                return vms + " VMs are on it, which belong to its cluster";
            }
        }
        if (!updateStored(host)) {
            throw new IllegalArgumentException("there is no host " + host.id() + " any more");
        }
        clusters.joined(host);
        HostMonitor now = monitors.get(host.id()); // it may have been revived meanwhile
        if (now != null) {
            now.redefine(host);
        }
        return null;
    }

    /**
     * Asks for a complete poll of a host now.
     *
     * @return false if there is no such host
     */
    public boolean refresh(HostId host) {
        HostMonitor monitor = monitors.get(host);
        if (monitor == null) {
            return false;
        }
        monitor.refresh();
        return true;
    }

    /**
     * Asks something of a host.
     *
     * @return completed once what follows is durable, or when it is refused; cancelled when the
     *     watching of the host ends first; null if there is no such host
     */
    public @Nullable CompletableFuture<OrderAnswer> order(HostId host, HostFact.Order order) {
        HostMonitor monitor = monitors.get(host);
        return monitor == null ? null : monitor.order(order);
    }

    /**
     * Removes a host on which nothing runs, and everything that the engine holds of it (monitoring
     * specification §5.4).
     *
     * @param patience how long the host's monitor may take to end
     * @return what became of it; null if there is no such host
     * @throws StoreUnavailable if the database cannot be written now; the host is watched again
     *     then
     * @throws TimeoutException if the host's monitor is busy for too long; nothing changed then
     */
    public @Nullable OrderAnswer removeHost(HostId id, Duration patience)
            throws StoreUnavailable, TimeoutException, InterruptedException {
        try (KeyedLocks.Held _ = changes.alone(id, patience)) {
            return removeAlone(id, patience);
        } catch (KeyedLocks.Busy e) {
            throw new TimeoutException(e.getMessage());
        }
    }

    private @Nullable OrderAnswer removeAlone(HostId id, Duration patience)
            throws StoreUnavailable, TimeoutException, InterruptedException {
        HostMonitor monitor = monitors.get(id);
        if (monitor == null) {
            return null;
        }
        OrderAnswer answer = retired(monitor, patience);
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
                watchAgain(last);
            }
        }
        if (removal == Removal.IN_USE) {
            return new OrderAnswer.Refused(last.status(), "VMs in the database refer to it");
        }
        audit.record(AuditEvent.USER_REMOVE_VDS, null, id, Map.of());
        monitors.remove(id, monitor);
        addresses.release(id);
        writer.forget(id);
        certificates.forget(id);
        work.forget(id);
        monitor.forget();
        registry.forget(id);
        clusters.left(id);
        feed.hostRemoved(id, last.definition().cluster(), clock.nanoTime());
        LOG.info("host={} removed", last.definition().name());
        return answer;
    }

    private OrderAnswer retired(HostMonitor monitor, Duration patience)
            throws TimeoutException, InterruptedException {
        CompletableFuture<OrderAnswer> retired = monitor.retire();
        if (!threaded) {
            monitor.pump();
        }
        try {
            return retired.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            throw new IllegalStateException("the monitor of " + monitor.id() + " ended", e);
        } finally {
            retired.cancel(false); // a monitor that is late finds that nobody wants it any more
        }
    }

    /** Begins to watch a host anew, as it was. */
    private synchronized void watchAgain(HostState last) {
        if (phase != Phase.RUNNING) {
            return;
        }
        HostMonitor next = new HostMonitor(last, services, Duration.ZERO);
        next.takeOver();
        monitors.put(last.definition().id(), next);
        if (threaded) {
            next.start();
        }
    }

    /** A monitor that stands still is given up, and another one takes its place. */
    private void revive(HostMonitor stuck, Stall stall) {
        HostState last = stuck.state();
        LOG.warn(
                "host={} made no progress for {} s in {}, replacing its monitor; stack:\n{}",
                last.definition().name(),
                stall.time().toSeconds(),
                stall.task(),
                stall.stack());
        stuck.abandon();
        HostMonitor next = new HostMonitor(last, services, Duration.ZERO);
        next.takeOver();
        next.revived(stall);
        if (!monitors.replace(last.definition().id(), stuck, next)) {
            next.abandon(); // it was removed meanwhile
            return;
        }
        audit.record(
                AuditEvent.HOST_MONITOR_REVIVED,
                null,
                last.definition().id(),
                Map.of("seconds", Long.toString(stall.time().toSeconds()), "task", stall.task()));
        if (threaded) {
            next.start();
        }
    }

    /**
     * Waits until everything that changed before this call is durable.
     *
     * @return false if it is not in time
     */
    public boolean flush(Duration patience) throws InterruptedException {
        long deadline = clock.nanoTime() + patience.toNanos();
        return writer.flush(patience)
                && audit.flush(Duration.ofNanos(Math.max(0, deadline - clock.nanoTime())));
    }

    /**
     * An administrator says that the certificate which a host showed last is its own. It holds at
     * once and is durable soon; the host is connected to without a pause.
     *
     * @param user who says so
     * @return what became of it; null if there is no such host
     */
    public @Nullable Confirmation confirmCertificate(
            HostId id, CertificateFingerprint fingerprint, String user) {
        HostMonitor monitor = monitors.get(id);
        if (monitor == null) {
            return null;
        }
        Confirmation confirmation =
                certificates.confirm(monitor.state().definition(), fingerprint, user);
        if (confirmation instanceof Confirmation.Confirmed) {
            monitor.certificateConfirmed();
        }
        return confirmation;
    }

    /** Whether the last contact with a host failed by its certificate. */
    boolean isCertificateRefused(HostId id) {
        HostMonitor monitor = monitors.get(id);
        return monitor != null && monitor.isCertificateRefused();
    }

    /** Every cluster and data centre, and which hosts belong where. */
    public Clusters clusters() {
        return clusters;
    }

    /** The cluster with this identity, or null. */
    public @Nullable Cluster cluster(ClusterId id) {
        return clusters.cluster(id);
    }

    /**
     * The compatibility version of a VM's cluster; null if there is no such VM, or if its cluster
     * demands none.
     */
    public @Nullable CompatibilityVersion compatibilityVersion(VmId id) {
        VmManager vm = registry.find(id);
        Cluster cluster = vm == null ? null : clusters.cluster(vm.definition().cluster());
        return cluster == null ? null : cluster.requirements().version();
    }

    /**
     * Adds a cluster.
     *
     * @throws StoreUnavailable if the database cannot be written now; nothing changed then
     */
    public Saving addCluster(Cluster cluster) throws StoreUnavailable {
        return clusters.add(cluster);
    }

    /**
     * Changes a cluster. What it demands holds at once for its VMs; its hosts, which are asked
     * whether they fit it still, follow within moments.
     *
     * @throws StoreUnavailable if the database cannot be written now; nothing changed then
     */
    public Saving updateCluster(Cluster cluster) throws StoreUnavailable {
        return clusters.update(cluster);
    }

    /**
     * Removes a cluster to which no host and no VM belongs.
     *
     * @return why it is not removed; null when it is
     * @throws StoreUnavailable if the database cannot be written now; nothing changed then
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
        int hosts = clusters.hosts(id).size();
        long vms = registry.all().filter(vm -> vm.definition().cluster().equals(id)).count();
        if (hosts > 0 || vms > 0) {
            return hosts + " hosts and " + vms + " VMs belong to it";
        }
        return switch (clusters.remove(id)) {
            case REMOVED -> null;
            case IN_USE -> "hosts or VMs in the database belong to it";
            case UNKNOWN -> throw new IllegalArgumentException("there is no cluster " + id);
        };
    }

    /** Every host, by name. */
    public List<HostView> hosts() {
        return monitors.values().stream()
                .map(HostMonitor::view)
                .sorted(Comparator.comparing(view -> view.state().definition().name()))
                .toList();
    }

    /** The host with this identity, or null. */
    public @Nullable HostView host(HostId id) {
        HostMonitor monitor = monitors.get(id);
        return monitor == null ? null : monitor.view();
    }

    /** The host with this name, or null. */
    public @Nullable HostView hostNamed(String name) {
        for (HostMonitor monitor : monitors.values()) {
            if (monitor.state().definition().name().equals(name)) {
                return monitor.view();
            }
        }
        return null;
    }

    /** Every VM, in no order. */
    public Stream<VmView> vms() {
        return registry.all().map(VmManager::view);
    }

    /** Every VM, in no order, for readers of many of them; must not be changed. */
    public List<? extends VmReading> readings() {
        return registry.readings();
    }

    /** The VMs that a host is responsible for, as of now. */
    public List<VmReading> readingsOn(HostId host) {
        List<VmReading> all = new ArrayList<>();
        registry.on(host).forEach(all::add);
        return all;
    }

    /** The VM with this identity for readers of many, or null. */
    public @Nullable VmReading reading(VmId id) {
        return registry.find(id);
    }

    /** Number of VMs. */
    public int vmCount() {
        return registry.size();
    }

    /** The VM with this identity, or null. */
    public @Nullable VmView vm(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? null : vm.view();
    }

    /** A VM's numbers; null if there is no such VM or no poll has brought numbers yet. */
    public @Nullable VmStatisticsView statistics(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? null : vm.statistics().view();
    }

    /**
     * History of a VM or host; of one that is not known there is none. Blocks only if memory does
     * not suffice.
     *
     * @throws HistoryQueries.Refused if it asks for too much, or for nothing
     * @throws StoreUnavailable if memory has nothing of it and the database does not answer now
     */
    public HistoryAnswer history(HistoryQuery query)
            throws HistoryQueries.Refused, StoreUnavailable {
        return historyQueries.answer(query);
    }

    private @Nullable Samples recent(Subject subject, UUID id) {
        return switch (subject) {
            case VM -> {
                VmManager vm = registry.find(VmId.of(id));
                yield vm == null ? null : vm.statistics().recent();
            }
            case HOST -> {
                HostMonitor host = monitors.get(new HostId(id));
                yield host == null ? null : host.numbers().recent();
            }
        };
    }

    /** What is left to commands and taken over by none yet, oldest first. */
    public List<OpenWork> pendingWork() {
        return work.open();
    }

    /**
     * From now on this listener is told of open work: at once of what is open, later of what
     * becomes so. Every listener is told of all; without any, work waits.
     */
    public void listenToWork(WorkListener listener) {
        work.listen(listener);
    }

    /**
     * Gives work to the operation that will do it.
     *
     * @param owner the operation, which is durable itself
     * @return false if it must not be done: another operation has it, or the VM is gone
     * @throws StoreUnavailable if the database does not answer; the same owner may ask again
     */
    public boolean takeOver(PendingWork taken, UUID owner) throws StoreUnavailable {
        return work.takeOver(taken, owner);
    }

    /** What about hosts is left to commands and taken over by none yet, oldest first. */
    public List<OpenHostWork> pendingHostWork() {
        return work.openAboutHosts();
    }

    /**
     * Gives work about a host to the operation that will do it.
     *
     * @param owner the operation, which is durable itself
     * @return false if it must not be done: another operation has it, the host came back or a later
     *     attempt took its place, or the host is gone
     * @throws StoreUnavailable if the database does not answer; the same owner may ask again
     */
    public boolean takeOver(HostWork taken, UUID owner) throws StoreUnavailable {
        return work.takeOver(taken, owner);
    }

    /** Revision of the newest change. */
    public long revision() {
        return feed.revision();
    }

    /**
     * Makes a revision for a change that the feed does not tell: what was told before it can be
     * told apart from what is told afterwards.
     *
     * @return the revision
     */
    public long nextRevision() {
        return feed.untold(clock.nanoTime());
    }

    /**
     * What happened after a revision; null if that is not kept any more, or never was one of this
     * life of the engine: whoever asks must read everything again.
     */
    public ChangeFeed.@Nullable Changes changesSince(long revision) {
        return feed.since(revision);
    }

    /**
     * What tells whether anything that readers see has changed; each of its numbers only grows. A
     * reader who takes it before he reads misses no change.
     */
    public Generation generation() {
        return new Generation(
                feed.revision(), feed.refreshes(), registry.definitions(), clusters.changes());
    }

    /**
     * Subscribes to changes. When the subscription is not {@link Subscription#resumed() resumed},
     * the subscriber reads {@link #hosts()} and {@link #vms()} after this call and misses nothing:
     * what changes meanwhile comes as a delta, perhaps a second time.
     *
     * @param after the last revision seen, null for none
     * @param statistics whether to be told of hosts whose VMs have new statistics
     */
    public Subscription subscribe(@Nullable Long after, boolean statistics) {
        return feed.subscribe(after, statistics);
    }

    /**
     * Entries of the audit log, newest first; from memory if that has all of them.
     *
     * @param filter which ones
     * @param before only what is older than this place, null for the newest
     * @param limit how many at most
     * @throws StoreUnavailable if memory does not suffice and the database cannot be read now
     */
    public List<AuditEntry> events(
            AuditFilter filter, AuditEntry.@Nullable Position before, int limit)
            throws StoreUnavailable {
        return audit.newest(filter, before, limit);
    }

    /** The entries of the audit log that are in memory, newest first; never reads the database. */
    public List<AuditEntry> recentEvents() {
        return audit.recent();
    }

    /** The hosts that say they run a VM for which another host is responsible. */
    public List<ContestedVm> contested(VmId id) {
        VmManager vm = registry.find(id);
        return vm == null ? List.of() : HostMonitor.contested(vm);
    }

    /** The VMs of other hosts that a host says it runs, by id. */
    public List<ContestedVm> contested(HostId id) {
        HostMonitor monitor = monitors.get(id);
        return monitor == null ? List.of() : monitor.contested();
    }

    /** How the watching of every host fares, by name. */
    public List<HostHealth> hostHealth() {
        return monitors.values().stream()
                .map(HostMonitor::health)
                .sorted(Comparator.comparing(health -> health.definition().name()))
                .toList();
    }

    /** Jobs on VMs, for readers and for commands that start some. */
    public VmJobs jobs() {
        return services.jobs();
    }

    /** Where a VM's memory is on its host; null when its host does not say. */
    public @Nullable List<VmNumaNode> numa(VmId id) {
        return services.numa().of(id);
    }

    /** How monitoring fares. */
    public MonitoringHealth health() {
        List<HostHealth> all = hostHealth();
        return new MonitoringHealth(
                phase == Phase.RUNNING,
                all.size(),
                (int) all.stream().filter(health -> health.status() == HostStatus.UP).count(),
                all.stream().filter(health -> !health.isWell()).toList(),
                refusedHosts,
                writer.state(),
                audit.state());
    }

    /** What people are told, for tests that audit by hand. */
    AuditLog audit() {
        return audit;
    }

    /**
     * Takes over what users made of a VM. Its durability is the caller's; what is decided after
     * this call is decided with it.
     *
     * @return false if there is no such VM
     */
    public boolean redefine(VmId id, VmStatic definition) {
        VmManager vm = registry.find(id);
        if (vm == null) {
            return false;
        }
        vm.lock();
        try {
            feed.vmRedefined(vm, definition);
            registry.redefined();
            return true;
        } finally {
            vm.unlock();
        }
    }

    /**
     * Forgets a VM whose deletion is durable. Reports about it that were asked for before are
     * ignored.
     *
     * @return false if there is no such VM
     */
    public boolean forget(VmId id) {
        VmManager vm = registry.find(id);
        if (vm == null) {
            return false;
        }
        vm.lock();
        try {
            registry.remove(vm, clock.nanoTime());
            feed.vmRemoved(vm, clock.nanoTime());
            writer.forget(id);
            work.forget(id);
            services.jobs().remove(id);
            services.luns().forget(id);
            services.numa().forget(id);
            return true;
        } finally {
            vm.unlock();
        }
    }

    /**
     * Publishes and writes what a command decided about a VM whose lock it holds. Reports that were
     * asked for before do not undo it.
     */
    void command(VmManager vm, VmRuntime runtime, VmPlacement placement) {
        VmState before = vm.state();
        RuntimeFields fields = runtime.differencesFrom(before.runtime());
        PlacementFields placed = PlacementFields.between(before.placement(), placement);
        long nanos = clock.nanoTime();
        vm.changed(nanos, null);
        feed.vmChanged(
                vm,
                new VmState(runtime, placement, 0, clock.now(), nanos),
                fields,
                !placed.isEmpty());
        registry.place(vm, placement);
        writer.changed(vm.id(), runtime, fields, placement, placed, List.of(), nanos);
    }

    /** Something done at the engine's start. */
    @FunctionalInterface
    public interface Preparation {

        /**
         * Does it.
         *
         * @throws StoreUnavailable if the database cannot be read; the engine is not started then
         */
        void run() throws StoreUnavailable;
    }

    /**
     * What is to be done at the engine's start when VMs are known and no host is watched yet: the
     * last moment at which commands can say what they had under way.
     */
    public synchronized void beforeWatching(Preparation action) {
        if (phase != Phase.NEW) {
            throw new IllegalStateException("the engine was started before");
        }
        beforeWatching = action;
    }

    void workTaken(PendingWork taken) {
        work.taken(taken);
    }

    void workTaken(HostWork taken) {
        work.taken(taken);
    }

    /** Whether the agent of a host is to be restarted, or is being. */
    boolean isSoftFenced(HostId host) {
        SoftFencer fences = fencer;
        return fences != null && fences.isBusyWith(host);
    }

    /** What commands may do to VMs. */
    public VmCommandAccess commandDesk() {
        return new VmCommandAccess(this, services);
    }

    /** Replaces whoever is told what becomes of VMs. Any thread. */
    public void onSignals(VmSignals listener) {
        signals = listener;
    }

    /** Replaces whoever is told what becomes of hosts. Any thread. */
    public void onHostSignals(HostSignals listener) {
        hostSignals.listener(listener);
    }

    /** The monitors of all hosts, for one another. */
    private final class WatchedHosts implements Fleet {

        @Override
        public @Nullable HostMonitor monitor(HostId host) {
            return monitors.get(host);
        }

        @Override
        public Collection<HostMonitor> all() {
            return monitors.values();
        }
    }

    /** Passes on to the listener of the moment. */
    private final class ForwardedSignals implements VmSignals {

        @Override
        public void told(VmId vmId, HostId host, Decision.Signal signal) {
            signals.told(vmId, host, signal);
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            signals.migrationProgressed(vmId, percent, downtimeMillis);
        }
    }

    /** The manager of a VM, for commands that hold its lock; null if there is no such VM. */
    @Nullable VmManager manager(VmId id) {
        return registry.find(id);
    }

    /** The monitor of a host; null if there is no such host. */
    @Nullable HostMonitor monitor(HostId id) {
        return monitors.get(id);
    }
}
