package org.stillwater.xapi.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.xapi.client.CallersThread;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolWatch;

/**
 * Opens connections to hosts of pools. A connection is up once its pool is known with the host in
 * it; without a pool it gives the reason. Thread-safe.
 */
public final class XapiHosts implements HostConnector, HypervisorPools, AutoCloseable {

    private final EngineClock clock;
    private final Duration metricsTimeout;
    private final Duration standstill;
    private final ExecutorService threads;
    private final boolean stepped;
    private final AnalysisLimiter turns =
            new AnalysisLimiter(Runtime.getRuntime().availableProcessors());
    private final List<XapiPool> pools = new CopyOnWriteArrayList<>();
    private final Map<HostId, List<XapiHostConnection>> open = new ConcurrentHashMap<>();

    /**
     * No pools.
     *
     * @param metricsTimeout until a host's metrics begin to arrive; shorter than the deadline of a
     *     poll
     * @param standstill after this time without a new row, of which a host makes one each five
     *     seconds, its last one no longer counts as its present numbers
     */
    public XapiHosts(EngineClock clock, Duration metricsTimeout, Duration standstill) {
        this(
                clock,
                metricsTimeout,
                standstill,
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("xapi host ", 0).factory()),
                false);
    }

    private XapiHosts(
            EngineClock clock,
            Duration metricsTimeout,
            Duration standstill,
            ExecutorService threads,
            boolean stepped) {
        this.clock = clock;
        this.metricsTimeout = metricsTimeout;
        this.standstill = standstill;
        this.threads = threads;
        this.stepped = stepped;
    }

    /**
     * No pools, for simulations: everything happens on the caller's thread, and pools are read when
     * they are stepped.
     */
    public static XapiHosts stepped(
            EngineClock clock, Duration metricsTimeout, Duration standstill) {
        return new XapiHosts(clock, metricsTimeout, standstill, new CallersThread(), true);
    }

    boolean isStepped() {
        return stepped;
    }

    ExecutorService threads() {
        return threads;
    }

    AnalysisLimiter turns() {
        return turns;
    }

    /**
     * Watches a pool from now on.
     *
     * @param name display name
     * @param port of its hosts
     * @param connection to it; closed with the pool
     * @param inventory receives the pool's changes that its hosts do not report
     */
    public XapiPool watch(
            String name,
            int port,
            PoolConnection connection,
            PoolInventory inventory,
            PoolWatch.Sync sync,
            PoolWatch.Times times) {
        return watch(name, port, connection, inventory, sync, times, null);
    }

    /**
     * Watches a pool from now on.
     *
     * @param runner runs the loops that read it; null for threads without supervision
     */
    public XapiPool watch(
            String name,
            int port,
            PoolConnection connection,
            PoolInventory inventory,
            PoolWatch.Sync sync,
            PoolWatch.Times times,
            PoolWatch.@Nullable Runner runner) {
        XapiPool pool = new XapiPool(name, port, connection, this, inventory);
        pools.add(pool);
        pool.start(clock, sync, times, runner);
        return pool;
    }

    /** Ends the watch of a pool and logs out; its hosts have no connection from now on. */
    public void unwatch(XapiPool pool) {
        if (pools.remove(pool)) {
            pool.close();
            all().forEach(each ->
                    each.parted(pool, "pool " + pool.name() + " is not watched any more"));
        }
    }

    /** The watched pools. */
    public List<XapiPool> pools() {
        return List.copyOf(pools);
    }

    List<XapiHostConnection> connections(HostId host) {
        return open.getOrDefault(host, List.of());
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        XapiHostConnection connection =
                new XapiHostConnection(host, listener, this, clock, metricsTimeout, standstill);
        open.computeIfAbsent(host.id(), _ -> new CopyOnWriteArrayList<>()).add(connection);
        for (XapiPool pool : pools) {
            if (pool.isReady() && pool.host(host.id()) != null) {
                connection.joined(pool);
                return connection;
            }
        }
        String reason = reason(host);
        if (reason != null) {
            connection.parted(reason);
        }
        return connection;
    }

    @Override
    public @Nullable String refusal(VmId vm, OperationKind kind) {
        for (XapiPool pool : pools) {
            PoolVm known = pool.vm(vm);
            if (known != null) {
                return pool.orders().refusal(known, kind);
            }
        }
        return null;
    }

    /**
     * Storage domains of disks: those of VMs of pools as the pools report them.
     *
     * @param others of all other VMs
     */
    public DiskPlaces diskPlaces(DiskPlaces others) {
        return new DiskPlaces() {
            @Override
            public Map<VmId, Map<UUID, UUID>> of(Collection<VmId> vms) throws StoreUnavailable {
                Map<VmId, Map<UUID, UUID>> found = new HashMap<>();
                List<VmId> rest = new ArrayList<>();
                for (VmId vm : vms) {
                    XapiPool pool = poolOf(vm);
                    PoolVm known = pool == null ? null : pool.vm(vm);
                    if (pool == null || known == null) {
                        rest.add(vm);
                    } else {
                        found.put(vm, PoolDisks.places(known, pool.objects()));
                    }
                }
                if (!rest.isEmpty()) {
                    found.putAll(others.of(rest));
                }
                return found;
            }

            @Override
            public long revision(VmId vm) {
                XapiPool pool = poolOf(vm);
                return pool == null ? others.revision(vm) : pool.disks().revision();
            }
        };
    }

    private @Nullable XapiPool poolOf(VmId vm) {
        for (XapiPool pool : pools) {
            if (pool.vm(vm) != null) {
                return pool;
            }
        }
        return null;
    }

    @Override
    public void order(HostId host, HostOrder order, Consumer<HostAnswer<HostId>> receiver) {
        XapiPool pool = null;
        for (XapiPool each : pools) {
            pool = each.host(host) == null ? pool : each;
        }
        if (pool == null) {
            receiver.accept(
                    new HostAnswer.Failed<>(
                            new HostFailure.Unreachable("no watched pool has the host")));
            return;
        }
        PoolHostOrders orders = pool.hostOrders();
        try {
            threads.execute(() -> orders.carryOut(host, order, receiver));
        } catch (RejectedExecutionException _) {
            receiver.accept(
                    new HostAnswer.Failed<>(new HostFailure.Unreachable("the engine is stopping")));
        }
    }

    @Override
    public void dropMemory(
            VmId vm, Consumer<HostAnswer<VmId>> receiver, Consumer<HostFailure> late) {
        for (XapiPool pool : pools) {
            if (pool.vm(vm) != null) {
                try {
                    threads.execute(() -> receiver.accept(pool.orders().dropMemory(vm, late)));
                } catch (RejectedExecutionException _) {
                    receiver.accept(
                            new HostAnswer.Failed<>(
                                    new HostFailure.Unreachable("the engine is stopping")));
                }
                return;
            }
        }
        receiver.accept(
                new HostAnswer.Failed<>(new HostFailure.Unreachable("no watched pool has the VM")));
    }

    /** Why a host has no pool; null while its pool may still turn up. */
    private @Nullable String reason(HostDefinition host) {
        List<String> troubles = new ArrayList<>();
        for (XapiPool pool : pools) {
            if (host.cluster().equals(pool.cluster())) {
                return pool.isReady() ? "pool " + pool.name() + " does not have it" : null;
            }
            if (pool.cluster() == null) {
                if (pool.trouble() == null || !pool.wasTried()) {
                    return null;
                }
                troubles.add(pool.name() + ": " + pool.trouble());
            }
        }
        return troubles.isEmpty()
                ? "no watched pool has it"
                : "its pool is not reached (" + String.join("; ", troubles) + ")";
    }

    /** The engine knows a pool. */
    void ready(XapiPool pool) {
        for (XapiHostConnection each : all()) {
            if (pool.host(each.id()) != null) {
                each.joined(pool);
            } else if (each.definition().cluster().equals(pool.cluster())) {
                each.parted("pool " + pool.name() + " does not have it");
            }
        }
    }

    /** A pool was not reached; waiting hosts are notified. */
    void unreached(XapiPool pool, String reason) {
        for (XapiHostConnection each : all()) {
            if (pool.cluster() == null && !each.isJoined()) {
                String known = reason(each.definition());
                if (known != null) {
                    each.parted(reason);
                }
            }
        }
    }

    /** A host came to its pool, which the engine knows; it may have left a pool before. */
    void joined(XapiPool pool, HostId host) {
        connections(host).forEach(each -> each.joined(pool));
    }

    /** A host left its pool. */
    void parted(XapiPool pool, HostId host, String reason) {
        connections(host).forEach(each -> each.parted(pool, reason));
    }

    private List<XapiHostConnection> all() {
        Map<XapiHostConnection, Boolean> each = new HashMap<>();
        open.values().forEach(list -> list.forEach(one -> each.put(one, true)));
        return List.copyOf(each.keySet());
    }

    void closed(XapiHostConnection connection) {
        open.computeIfPresent(
                connection.id(),
                (_, list) -> {
                    list.remove(connection);
                    return list.isEmpty() ? null : list;
                });
    }

    /** Ends all watches, logs out and closes all connections. */
    @Override
    public void close() {
        pools.forEach(XapiPool::close);
        threads.shutdownNow();
    }
}
