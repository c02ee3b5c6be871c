package org.stillwater.xapi.host;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.time.EngineClock;
import org.stillwater.xapi.client.HostMetrics;
import org.stillwater.xapi.client.RrdUpdates;
import org.stillwater.xapi.client.XapiException;

/**
 * One host of a pool as a connection: states come from the pool, numbers from the host itself,
 * which is thereby probed. Thread-safe.
 *
 * <p>It is long because all questions to a host share its pool and its last metrics.
 */
final class XapiHostConnection implements HostConnection {

    private static final Logger LOG = LoggerFactory.getLogger(XapiHostConnection.class);

    /** Answers of one cycle share one reading of the host's metrics. */
    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();

    private final HostDefinition host;
    private final HostListener listener;
    private final XapiHosts home;
    private final EngineClock clock;
    private final Duration timeout;

    /** After this time without a new row the last one no longer counts as present numbers. */
    private final Duration standstill;

    private final AnalysisLimiter.Lane turns;
    private final Object reading = new Object();

    // Guarded by this.
    private @Nullable XapiPool pool;
    private boolean closed;

    // Guarded by reading, which is held during a request to the host.
    private @Nullable HostMetrics metrics;
    private @Nullable XapiPool metricsOf;
    private String metricsAddress = "";
    private long readAtNanos;
    private boolean read;

    /** Time of the last reading with a new row; that of the beginning before the first. */
    private long rowAtNanos;

    /** Guarded by itself, never held while anything is waited for. */
    private final HostSamples samples = new HostSamples();

    /** Why the host has no numbers now; null if it has. */
    private volatile @Nullable HostFailure failure;

    XapiHostConnection(
            HostDefinition host,
            HostListener listener,
            XapiHosts home,
            EngineClock clock,
            Duration timeout,
            Duration standstill) {
        this.host = host;
        this.listener = listener;
        this.home = home;
        this.clock = clock;
        this.timeout = timeout;
        this.standstill = standstill;
        this.turns = home.turns().of(host.id());
        this.rowAtNanos = clock.nanoTime();
    }

    HostId id() {
        return host.id();
    }

    HostDefinition definition() {
        return host;
    }

    /** The pool is known, with this host in it. */
    void joined(XapiPool to) {
        synchronized (this) {
            if (closed || pool == to) {
                return;
            }
            pool = to;
        }
        listener.connected();
    }

    /** The host has left a pool; one that it came to in the meantime stays. */
    void parted(XapiPool from, String reason) {
        synchronized (this) {
            if (pool != from) {
                return;
            }
        }
        parted(reason);
    }

    /** There is no pool for this host now. */
    synchronized void parted(String reason) {
        pool = null;
        if (!closed) {
            listener.disconnected(new HostFailure.Unreachable(reason));
        }
    }

    /** VMs changed; called in the order of changes, under the pool's lock. */
    void tell(List<PoolReports.Item> items) {
        long now = clock.nanoTime();
        if (present() != null) {
            listener.vmsChanged(
                    new PoolReports(turns, VmReports.Kind.EVENT, items, now, now, null));
        }
    }

    /** The migration of a VM on this host moved on, 1 to 100. */
    void migrating(VmId vm, int percent) {
        if (present() != null) {
            listener.migrationProgressed(vm, percent, null);
        }
    }

    /** The host's properties have changed. */
    void redescribed() {
        if (present() != null) {
            listener.networkChanged();
        }
    }

    boolean isJoined() {
        return present() != null;
    }

    private synchronized @Nullable XapiPool present() {
        return closed ? null : pool;
    }

    private <T> void answer(
            String call, Consumer<HostAnswer<T>> receiver, Supplier<HostAnswer<T>> work) {
        try {
            home.threads().execute(() -> receiver.accept(guarded(call, work)));
        } catch (RejectedExecutionException _) {
            receiver.accept(lost());
        }
    }

    private static <T> HostAnswer<T> guarded(String call, Supplier<HostAnswer<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            LOG.error("{} failed", call, e);
            return new HostAnswer.Failed<>(
                    new HostFailure.ProtocolViolation(call + " failed: " + e));
        }
    }

    private static <T> HostAnswer<T> lost() {
        return new HostAnswer.Failed<>(
                new HostFailure.Unreachable("there is no connection to the pool"));
    }

    /** The host as its pool has it; otherwise why it is not reachable. */
    private <T> HostAnswer<T> ofHost(java.util.function.Function<PoolHost, HostAnswer<T>> work) {
        XapiPool in = present();
        PoolHost known = in == null ? null : in.host(host.id());
        if (in == null) {
            return lost();
        }
        return known == null
                ? new HostAnswer.Failed<>(
                        new HostFailure.Unreachable("pool " + in.name() + " does not have it"))
                : work.apply(known);
    }

    @Override
    public void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver) {
        answer(
                "capabilities",
                receiver,
                () ->
                        ofHost(known ->
                                known.live()
                                        ? new HostAnswer.Success<>(known.capabilities())
                                        : new HostAnswer.Failed<>(
                                                new HostFailure.Unreachable(
                                                        "its pool has no contact with it"))));
    }

    @Override
    public void hardware(Consumer<HostAnswer<HostHardware>> receiver) {
        answer(
                "hardware",
                receiver,
                () -> ofHost(known -> new HostAnswer.Success<>(known.hardware())));
    }

    @Override
    public void statistics(Consumer<HostAnswer<HostStatistics>> receiver) {
        answer(
                "statistics",
                receiver,
                () ->
                        ofHost(known -> {
                            HostFailure silence = readMetrics(known);
                            XapiPool in = present();
                            if (in == null) {
                                return lost();
                            }
                            if (silence != null) {
                                return new HostAnswer.Failed<>(silence);
                            }
                            int[] counts = in.countOn(host.id());
                            synchronized (samples) {
                                return new HostAnswer.Success<>(
                                        samples.statistics(
                                                known,
                                                in.objects(),
                                                failure == null,
                                                counts[0],
                                                counts[1]));
                            }
                        }));
    }

    @Override
    public void vmStatistics(Consumer<HostAnswer<VmReports>> receiver) {
        long asked = clock.nanoTime();
        try {
            home.threads().execute(() -> poll(asked, receiver));
        } catch (RejectedExecutionException _) {
            receiver.accept(lost());
        }
    }

    private void poll(long asked, Consumer<HostAnswer<VmReports>> receiver) {
        HostAnswer<PoolHost> known =
                guarded(
                        "poll",
                        () ->
                                ofHost(there -> {
                                    HostFailure silence = readMetrics(there);
                                    return silence == null
                                            ? new HostAnswer.Success<>(there)
                                            : new HostAnswer.Failed<>(silence);
                                }));
        XapiPool in = present();
        switch (known) {
            case HostAnswer.Failed<PoolHost>(HostFailure why) ->
                    receiver.accept(new HostAnswer.Failed<>(why));
            case HostAnswer.Success<PoolHost>(PoolHost there) -> {
                if (in == null) {
                    receiver.accept(lost());
                } else {
                    if (!there.enabled()) {
                        in.reconsider(); // the pool may have done so while it was silent
                    }
                    // Under the pool's lock: the list is neither older nor newer than the events
                    // that were reported before it.
                    in.listOn(
                            host.id(),
                            items ->
                                    receiver.accept(
                                            new HostAnswer.Success<>(
                                                    new PoolReports(
                                                            turns,
                                                            VmReports.Kind.POLL,
                                                            items,
                                                            asked,
                                                            clock.nanoTime(),
                                                            (vm, sample) -> {
                                                                synchronized (samples) {
                                                                    return failure == null
                                                                            && samples.fill(
                                                                                    vm,
                                                                                    in.objects(),
                                                                                    clock.now(),
                                                                                    sample);
                                                                }
                                                            }))));
                }
            }
        }
    }

    /**
     * Reads the host's metrics unless that was done a moment ago.
     *
     * @return why the host is silent; null if it answers, even if it has no metrics
     */
    private @Nullable HostFailure readMetrics(PoolHost known) {
        XapiPool in = present();
        if (in == null) {
            return new HostFailure.Unreachable("there is no connection to the pool");
        }
        synchronized (reading) {
            if (read && clock.nanoTime() - readAtNanos < FRESH_NANOS) {
                return silence(failure);
            }
            if (metrics == null || metricsOf != in || !metricsAddress.equals(known.address())) {
                metrics = in.metrics(known.address(), timeout, turns);
                metricsOf = in;
                metricsAddress = known.address();
            }
            try {
                RrdUpdates updates = metrics.poll();
                synchronized (samples) {
                    samples.take(updates, HostMetrics.STEP_SECONDS);
                }
                failure = standstill(updates);
            } catch (XapiException.Protocol e) {
                failure = new HostFailure.ProtocolViolation(String.valueOf(e.getMessage()));
            } catch (IOException e) {
                failure = new HostFailure.Unreachable(in.why(e));
                in.silent(known);
            }
            read = true;
            readAtNanos = clock.nanoTime();
            return silence(failure);
        }
    }

    /**
     * Why the host has no present numbers although it answers; null if it has. Rows of a coarser
     * archive are averages of the past.
     */
    private @Nullable HostFailure standstill(RrdUpdates updates) {
        long now = clock.nanoTime();
        if (updates.stepSeconds() == HostMetrics.STEP_SECONDS && !updates.rows().isEmpty()) {
            rowAtNanos = now;
        }
        return now - rowAtNanos > standstill.toNanos()
                ? new HostFailure.ProtocolViolation(
                        "it has given no new metrics for " + standstill.toSeconds() + " s")
                : null;
    }

    /** A host that answers without metrics is up: its pool reports the state of its VMs. */
    private static @Nullable HostFailure silence(@Nullable HostFailure failure) {
        return failure instanceof HostFailure.ProtocolViolation ? null : failure;
    }

    /** The inventory reads definitions from the pool. */
    @Override
    public void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
        answer("domain XML", receiver, () -> new HostAnswer.Success<>(Map.of()));
    }

    /**
     * Forgets that a VM's process ended here: a pool keeps no record of it that could be removed.
     */
    @Override
    public void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver) {
        answer(
                "destroy",
                receiver,
                () -> {
                    XapiPool in = present();
                    if (in != null) {
                        in.forgetEnd(host.id(), vm);
                    }
                    return new HostAnswer.Success<>(vm);
                });
    }

    @Override
    public void externalData(
            VmId vm,
            ExternalDataKind kind,
            @Nullable String knownHash,
            boolean refresh,
            Consumer<HostAnswer<ExternalDataAnswer>> receiver) {
        answer("external data", receiver, XapiHostConnection::notOffered);
    }

    private static <T> HostAnswer<T> notOffered() {
        return new HostAnswer.Failed<>(
                new HostFailure.Refused(
                        RefusalCode.NO_SUCH_VERB, "hosts of XAPI pools do not offer this"));
    }

    @Override
    public void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
        answer(
                "an order",
                receiver,
                () -> {
                    XapiPool in = present();
                    return in == null
                            ? lost()
                            : in.orders()
                                    .carryOut(
                                            host.id(),
                                            order,
                                            failure -> listener.orderFailed(order, failure));
                });
    }

    @Override
    public HostStorage storage() {
        return new NoStorage(home.threads());
    }

    @Override
    public void reconnect(String reason) {
        XapiPool in = present();
        if (in != null) {
            listener.disconnected(new HostFailure.Unreachable(reason));
            listener.connected();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            pool = null;
        }
        home.closed(this);
    }
}
