package org.stillwater.monitoring;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cadence.HostDemand;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.HostStore.StoredHost;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.Stores;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.belief.BeliefLog;
import org.stillwater.monitoring.belief.BeliefSettings;
import org.stillwater.monitoring.belief.BeliefWriter;
import org.stillwater.monitoring.cadence.CadenceControl;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.device.DeviceServices;
import org.stillwater.monitoring.device.ExternalDataSaves;
import org.stillwater.monitoring.device.VmAdditions;
import org.stillwater.monitoring.dwh.Heartbeat;
import org.stillwater.monitoring.dwh.ReaderWatch;
import org.stillwater.monitoring.dwh.StatisticsDump;
import org.stillwater.monitoring.dwh.WarehouseSettings;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.fence.SoftFencer;
import org.stillwater.monitoring.history.DurableHistory;
import org.stillwater.monitoring.history.HistoryQueries;
import org.stillwater.monitoring.history.durable.DurableHistorySettings;
import org.stillwater.monitoring.history.durable.DurableHistoryState;
import org.stillwater.monitoring.history.durable.HistoryRecorder;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.host.HostSignals;
import org.stillwater.monitoring.host.HostWatchdog;
import org.stillwater.monitoring.host.SignalRelay;
import org.stillwater.monitoring.job.VmJobs;
import org.stillwater.monitoring.lun.LunSizes;
import org.stillwater.monitoring.numa.NumaNodes;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.trust.HostCertificates;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.monitoring.work.PendingWorkQueue;
import org.stillwater.monitoring.work.PendingWorkRegistry;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.WriterState;

/**
 * The life cycle of monitoring: it connects the parts, recovers the fleet from the database, starts
 * and stops. Readers use {@link #fleet()}, administrators {@link #administration()}, commands
 * {@link #commandAccess()} and {@link #pendingWork()}. Thread-safe.
 *
 * <p>It is longer than other classes because its constructor connects all parts of the module.
 */
public final class MonitoringEngine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MonitoringEngine.class);
    private static final Duration MONITOR_PATIENCE = Duration.ofSeconds(10);

    private final MonitoringSettings settings;
    private final HistoryStore historyStore;
    private final EngineClock clock;
    private final MeterRegistry meterRegistry;
    private final MonitoringMeters meters;
    private final Workers workers;
    private final ChangeFeed feed;
    private final PendingWorkRegistry work;
    private final BatchWriter writer;
    private final AuditLog audit;
    private final VmRegistry registry;
    private final WatchedHosts hosts = new WatchedHosts();
    private final ForwardedSignals signals = new ForwardedSignals();
    private final SignalRelay hostSignals;
    private final BeliefLog beliefs = new BeliefLog();
    private final CadenceControl cadence;
    private final HostServices services;
    private final FleetRecovery recovery;
    private final FleetHistory history;
    private final HistoryQueries historyQueries;
    private final HostAdministration administration;
    private final FleetReader fleet;
    private final VmCommandAccess commandAccess;
    private final BackgroundTasks tasks;
    private volatile Preparation beforeWatching = () -> {};
    private volatile Phase phase = Phase.NEW;

    private enum Phase {
        NEW,
        RECOVERING,
        RUNNING,
        STOPPED
    }

    /** An engine with its own supervised threads that is not started. */
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
     * An engine that is not started.
     *
     * @param workers supervises the engine's threads
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
        this.historyStore = stores.history();
        this.clock = clock;
        this.meterRegistry = meterRegistry;
        Duration quiet = settings.writer().quietPeriod();
        RingFormat recentOfHosts = settings.history().format(Subject.HOST);
        this.registry =
                new VmRegistry(settings.usageHistory(), settings.history().format(Subject.VM));
        this.feed = new ChangeFeed(settings.feed(), clock.now().toEpochMilli());
        this.meters = new MonitoringMeters(meterRegistry);
        this.work = new PendingWorkRegistry(stores.vms(), stores.hosts(), clock, quiet);
        FleetNames names = new FleetNames(registry, hosts);
        this.writer =
                new BatchWriter(
                        settings.writer(),
                        stores.vms(),
                        stores.hosts(),
                        clock,
                        meters,
                        names::label,
                        names::label,
                        work);
        this.audit =
                new AuditLog(
                        settings.audit(),
                        settings.writer(),
                        stores.audit(),
                        writer,
                        feed,
                        clock,
                        names,
                        meterRegistry);
        Clusters clusters =
                new Clusters(
                        settings.clusters(),
                        stores.clusters(),
                        writer,
                        hosts::state,
                        this::clusterChanged);
        this.hostSignals = new SignalRelay(clock, quiet);
        this.cadence = new CadenceControl(clock);
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
                        new HostServices.Caches(
                                new DeviceServices(
                                        registry,
                                        feed,
                                        writer,
                                        audit,
                                        clock,
                                        meters,
                                        stores.vms(),
                                        stores.devices(),
                                        new VmAdditions(writer, stores.vms(), stores.devices()),
                                        new ExternalDataSaves(writer, stores.externalData()),
                                        beliefs),
                                new VmJobs(stores.jobs(), writer, meters),
                                new LunSizes(stores.luns(), writer),
                                new NumaNodes(stores.numa(), writer),
                                new HostCertificates(
                                        stores.hosts(), writer, audit, clock, hosts::definitions)),
                        hosts,
                        new HostServices.Signals(signals, hostSignals),
                        clusters,
                        clock.nanoTime(),
                        new AtomicInteger(),
                        recentOfHosts,
                        beliefs,
                        cadence);
        TagRegistry tags = new TagRegistry(stores.tags());
        this.administration =
                new HostAdministration(stores.hosts(), services, hosts, clusters, work, tags);
        this.recovery = new FleetRecovery(stores, services, clusters, work, tags);
        this.history = new FleetHistory(registry, hosts, cadence);
        this.historyQueries =
                new HistoryQueries(
                        settings.history(), history::recent, settings.hosts().interval(), clock);
        this.fleet =
                new FleetReader(
                        services,
                        clusters,
                        historyQueries,
                        new FleetChanges(feed, clock),
                        new Attention(registry, hosts, cadence),
                        tags);
        this.tasks =
                new BackgroundTasks(
                        services,
                        hostSignals,
                        new HostWatchdog(
                                settings.hosts().watchdog(),
                                clock,
                                hosts::all,
                                administration::revive),
                        warehouse(settings.warehouse(), stores.statistics(), meters, quiet),
                        workers);
        writer.follow(new CommitTimes(registry, hosts));
        this.commandAccess =
                new VmCommandAccess(services, clusters, work, tasks::isSoftFenced, tags);
        tags.follow(new RetaggedObjects(commandAccess, hosts, feed, clock));
        FleetGauges.register(meters, registry, work, hosts, feed);
    }

    private BackgroundTasks.Warehouse warehouse(
            WarehouseSettings warehouse,
            StatisticsStore store,
            MonitoringMeters meters,
            Duration quiet) {
        ReaderWatch readers = new ReaderWatch(warehouse, clock, meters);
        StatisticsDump dump =
                new StatisticsDump(
                        warehouse, readers, store, registry, hosts::all, clock, meters, quiet);
        return new BackgroundTasks.Warehouse(
                dump,
                new Heartbeat(
                        warehouse.heartbeatInterval(),
                        store,
                        readers,
                        dump::hasten,
                        clock,
                        meters,
                        quiet));
    }

    /** Asks the hosts of a changed cluster whether they still fit it. */
    private void clusterChanged(ClusterId id) {
        for (HostId host : fleet.clusters().hosts(id)) {
            HostMonitor monitor = hosts.monitor(host);
            if (monitor != null) {
                monitor.rulesChanged();
            }
        }
    }

    /** Reads the monitored fleet. */
    public FleetReader fleet() {
        return fleet;
    }

    /** Adds, changes and removes hosts and clusters. */
    public HostAdministration administration() {
        return administration;
    }

    /** The access of commands to VMs and hosts. */
    public VmCommandAccess commandAccess() {
        return commandAccess;
    }

    /** The work that monitoring leaves to commands. */
    public PendingWorkQueue pendingWork() {
        return work;
    }

    /** Reads the audit log. */
    public AuditReader events() {
        return audit;
    }

    /** The supervised threads of the engine, and of its extensions. */
    public Workers workers() {
        return workers;
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
     * Starts monitoring of the hosts that were recovered or added so far, each after its share of
     * the spread. Has no effect on monitored hosts, before {@link #recover()} and after {@link
     * #close()}.
     */
    public synchronized void connect() {
        if (hosts.connect() && hosts.isThreaded()) {
            tasks.startWatchdog();
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
        List<StoredHost> stored = null;
        try {
            stored = recovery.read(); // without the engine's monitor: it may be closed meanwhile
        } finally {
            if (stored == null) {
                notRead();
            }
        }
        if (!run()) {
            return; // closed meanwhile
        }
        beforeWatching.run();
        watch(stored);
        LOG.info(
                "recovered hosts={} vms={} open work={} about hosts={}",
                stored.size(),
                registry.size(),
                work.size(),
                work.sizeAboutHosts());
    }

    /** It may be started again. */
    private synchronized void notRead() {
        if (phase == Phase.RECOVERING) {
            phase = Phase.NEW;
        }
    }

    /** Starts the background tasks; false if the engine was closed meanwhile. */
    private synchronized boolean run() {
        if (phase == Phase.STOPPED) {
            return false;
        }
        phase = Phase.RUNNING;
        hosts.open();
        tasks.start(hosts.isThreaded());
        return true;
    }

    private synchronized void watch(List<StoredHost> stored) {
        if (phase != Phase.RUNNING) {
            return;
        }
        administration.recovered(stored);
        SoftFencer fencer = tasks.fencer();
        if (fencer != null) {
            work.listen(fencer);
            if (hosts.isThreaded()) {
                tasks.startFencer();
            }
        }
    }

    /**
     * From its start on, the engine tries to bring silent hosts back by restarting their agents.
     * Without it, work of kind {@code FENCE} waits for another listener to work.
     *
     * @param port restarts agents; the caller closes it after the engine
     */
    public synchronized void softFenceBy(SoftFence port) {
        if (phase != Phase.NEW) {
            throw new IllegalStateException("the engine was started before");
        }
        tasks.fencer(
                new SoftFencer(
                        port,
                        settings.hosts().policy(),
                        hosts::state,
                        work::isOpen,
                        id -> audit.record(AuditEvent.VDS_SOFT_RECOVER, null, id, Map.of()),
                        clock,
                        meters,
                        settings.writer().quietPeriod()));
    }

    /**
     * Limits the hosts with a meter of their own for the age of their reports. A removed host no
     * longer counts. Before the start.
     */
    public void hostsWithOwnLag(int most) {
        meters.hostGauges(most);
    }

    /**
     * From its start on, the engine records history in its store, and reads values from there that
     * memory lacks. Without it, earlier records stay readable.
     */
    public synchronized void recordHistory(DurableHistorySettings durable) {
        if (phase != Phase.NEW || tasks.isRecording()) {
            throw new IllegalStateException("the engine was started, or records history, before");
        }
        historyQueries.readFrom(
                new DurableHistory(
                        historyStore::read,
                        durable.interval(),
                        durable.retention().minutes(),
                        durable.retention().hours(),
                        durable.retention().days()));
        Duration freshness = settings.hosts().interval().multipliedBy(3);
        tasks.recorder(
                new HistoryRecorder(
                        durable,
                        settings.writer(),
                        freshness.compareTo(durable.interval()) < 0
                                ? durable.interval()
                                : freshness,
                        history,
                        historyStore,
                        clock,
                        meterRegistry));
    }

    /** From its start on, the engine makes the transitions of VMs and hosts durable. */
    public synchronized void recordBeliefs(BeliefSettings durable, BeliefStore store) {
        if (phase != Phase.NEW || beliefs.isRecorded()) {
            throw new IllegalStateException("the engine was started, or records, before");
        }
        BeliefWriter added =
                new BeliefWriter(durable, settings.writer(), store, clock, meterRegistry);
        beliefs.record(added);
        tasks.beliefs(added);
    }

    /**
     * From its start on, the engine adapts the interval of each host.
     *
     * @param processorNanos processor time that this process has used; negative if not known
     */
    public synchronized void adaptCadence(CadenceSettings adaptive, LongSupplier processorNanos) {
        if (phase != Phase.NEW || cadence.isOn()) {
            throw new IllegalStateException("the engine was started, or adapts, before");
        }
        if (!adaptive.limits().ordinary().equals(settings.hosts().interval())) {
            throw new IllegalArgumentException("the ordinary interval is that of the cycle");
        }
        cadence.turnOn(adaptive, processorNanos, this::demands, meterRegistry);
        historyQueries.sampledWithin(adaptive.limits().longest());
    }

    private List<HostDemand> demands() {
        List<HostDemand> demands = new ArrayList<>(hosts.size());
        for (HostMonitor host : hosts.all()) {
            HostDemand demand = host.demand();
            if (demand != null) {
                demands.add(demand);
            }
        }
        return demands;
    }

    /** Adaptive cadence: whether it is on, and its budget. */
    public CadenceControl cadence() {
        return cadence;
    }

    /** The numbers of every VM and host, as memory holds them. */
    public HistorySource numbers() {
        return history;
    }

    /** State of the recording of history; null if the engine does not record history. */
    public @Nullable DurableHistoryState historyState() {
        return tasks.historyState();
    }

    /** For {@link SteppedEngine}: {@link #pump} drives every part on the caller's thread. */
    synchronized void startWithoutThreads() throws StoreUnavailable {
        hosts.withoutThreads();
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
                    hosts.all().stream().sorted(Comparator.comparing(HostMonitor::id)).toList()) {
                worked |= monitor.pump();
            }
            worked |= tasks.step();
            everWorked |= worked;
        } while (worked);
        return everWorked;
    }

    /**
     * Stops watching, writes waiting changes as far as the database accepts them within a few
     * seconds, and ends every thread and subscription. Idempotent.
     */
    @Override
    public synchronized void close() {
        if (phase == Phase.STOPPED) {
            return;
        }
        boolean ran = phase == Phase.RUNNING;
        phase = Phase.STOPPED;
        hosts.close();
        feed.close();
        if (!ran) {
            return;
        }
        tasks.stop();
        hosts.all().forEach(HostMonitor::stop);
        if (!hosts.isThreaded()) {
            hosts.all().forEach(HostMonitor::pump);
            tasks.writeAll();
            return;
        }
        long deadline = clock.nanoTime() + MONITOR_PATIENCE.toNanos();
        try {
            for (HostMonitor monitor : hosts.all()) {
                monitor.awaitEnd(
                        Duration.ofNanos(Math.max(1_000_000, deadline - clock.nanoTime())));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the caller stops waiting; the write still counts
        }
        tasks.stopWriters();
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

    /** State of the batch writer. Any thread. */
    public WriterState writerState() {
        return writer.state();
    }

    /** The health of monitoring. */
    public MonitoringHealth health() {
        List<HostHealth> all = fleet.hostHealth();
        return new MonitoringHealth(
                phase == Phase.RUNNING,
                all.size(),
                (int) all.stream().filter(health -> health.status() == HostStatus.UP).count(),
                all.stream().filter(health -> !health.isWell()).toList(),
                administration.refusedHosts(),
                writer.state(),
                audit.state());
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
     * Sets the action that runs at the engine's start when VMs are known and no host is watched
     * yet: the last moment at which commands can add the operations that were under way.
     */
    public synchronized void beforeWatching(Preparation action) {
        if (phase != Phase.NEW) {
            throw new IllegalStateException("the engine was started before");
        }
        beforeWatching = action;
    }

    /** Replaces the listener to the fate of VMs. Any thread. */
    public void onSignals(VmSignals listener) {
        signals.listener = listener;
    }

    /** Replaces the listener to the fate of hosts. Any thread. */
    public void onHostSignals(HostSignals listener) {
        hostSignals.listener(listener);
    }

    /** The audit log, for tests that record entries. */
    AuditLog audit() {
        return audit;
    }

    /** The manager of a VM, for tests; null if there is no such VM. */
    @Nullable VmManager manager(VmId id) {
        return registry.find(id);
    }

    /** The monitor of a host, for tests; null if there is no such host. */
    @Nullable HostMonitor monitor(HostId id) {
        return hosts.monitor(id);
    }

    /** Forwards to the present listener. */
    private static final class ForwardedSignals implements VmSignals {

        private volatile VmSignals listener = VmSignals.NONE;

        @Override
        public void told(VmId vmId, HostId host, Decision.Signal signal) {
            listener.told(vmId, host, signal);
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            listener.migrationProgressed(vmId, percent, downtimeMillis);
        }

        @Override
        public void orderFailed(VmOrder order, HostFailure failure) {
            listener.orderFailed(order, failure);
        }
    }
}
