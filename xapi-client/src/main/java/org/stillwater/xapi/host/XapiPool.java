package org.stillwater.xapi.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.xapi.client.CpuTurn;
import org.stillwater.xapi.client.HostMetrics;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolListener;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiException;
import org.stillwater.xapi.client.XapiRecord;

/**
 * A watched pool: a cluster with its hosts and VMs, kept up to date by events. The connections of
 * its hosts get the changes in their order. Thread-safe.
 *
 * <p>It is long because one lock guards the objects of a pool, their order and the way to its
 * hosts.
 */
public final class XapiPool implements PoolListener, AutoCloseable {

    /**
     * Numbers of the objects of class VM that are no VMs.
     *
     * @param templates templates, also those that came with the product
     */
    public record LeftOut(int templates, int snapshots, int controlDomains) {}

    private static final Logger LOG = LoggerFactory.getLogger(XapiPool.class);

    /** Errors that last until an operator changes the engine's user or its password. */
    private static final Set<String> FOR_PEOPLE =
            Set.of("SESSION_AUTHENTICATION_FAILED", "RBAC_PERMISSION_DENIED");

    /** VMs that are applied at once. */
    static final int PIECE = 256;

    private final String name;
    private volatile int port;
    private final PoolConnection connection;
    private final XapiHosts hosts;
    private final PoolInventory inventory;
    private final TaskFollower tasks;
    private final PoolOrders orders;
    private final PoolHostOrders hostOrders;
    private final PoolState state = new PoolState();
    private final PoolMigrations migrations = new PoolMigrations();
    private final PoolDisks disks = new PoolDisks();

    /** Held while the state changes and its hosts are notified, so that both have one order. */
    private final Object order = new Object();

    private volatile PoolObjects objects = new PoolObjects(Map.of());
    private volatile @Nullable ClusterId cluster;
    private volatile @Nullable String trouble = "it was not reached yet";
    private volatile List<String> unreadable = List.of();
    private volatile boolean tried;
    private volatile boolean ready;
    private volatile boolean closed;
    private final AtomicReference<Set<VmId>> touched = new AtomicReference<>(Set.of());

    /** The last error for people since the pool was read. */
    private final AtomicReference<@Nullable String> refusal = new AtomicReference<>();

    private volatile @Nullable PoolWatch watch;

    // Used by the thread of the state loop only.
    private @Nullable Set<String> oldMessages;
    private final Map<String, VmId> vmIds = new HashMap<>();
    private final Map<String, HostId> hostIds = new HashMap<>();
    private final Map<String, String> vmOfMetrics = new HashMap<>();
    private final Map<String, String> hostOfMetrics = new HashMap<>();

    XapiPool(
            String name,
            int port,
            PoolConnection connection,
            XapiHosts hosts,
            PoolInventory inventory) {
        this.name = name;
        this.port = port;
        this.connection = connection;
        this.hosts = hosts;
        this.inventory = inventory;
        this.tasks =
                new TaskFollower(
                        connection,
                        hosts.threads(),
                        hosts.isStepped() ? Duration.ZERO : TaskFollower.EARLY);
        this.orders = new PoolOrders(this, connection, tasks);
        this.hostOrders =
                new PoolHostOrders(
                        this,
                        connection,
                        tasks,
                        hosts.isStepped() ? Duration.ZERO : PoolHostOrders.VISIBLE);
    }

    void start(
            EngineClock clock,
            PoolWatch.Sync sync,
            PoolWatch.Times times,
            PoolWatch.@Nullable Runner runner) {
        watch =
                hosts.isStepped()
                        ? PoolWatch.stepped(connection, this, clock, sync, times)
                        : PoolWatch.start(connection, this, clock, sync, times, runner);
    }

    /** Reaches the same pool in another way from now on; its hosts and VMs stay. */
    public void use(PoolAccess access) {
        port = access.port();
        connection.use(access);
        reconsider();
    }

    /** Steps the watch of a pool of stepped hosts; see {@link PoolWatch#step}. */
    public void step(boolean ofTasks) {
        PoolWatch stepped = watch;
        if (stepped != null) {
            stepped.step(ofTasks);
        }
    }

    /** Tasks of orders that have not ended. */
    public int openTasks() {
        return tasks.open();
    }

    /** The objects of a class as the watch has them; they change with later batches. */
    public Map<String, XapiRecord> copyOf(XapiClass type) {
        return objects.of(type);
    }

    // ------------------------------------------------------------------------------- readers

    /** Its name in the engine. */
    public String name() {
        return name;
    }

    /** Port of its hosts. */
    public int port() {
        return port;
    }

    /** The cluster that it is, with the pool's identity; null until it was read once. */
    public @Nullable ClusterId cluster() {
        return cluster;
    }

    /** The trouble of the pool; null for none. */
    public @Nullable String trouble() {
        return trouble;
    }

    /**
     * Arrival of the oldest reply that is not processed yet, by the engine's monotonic clock; null
     * if there is none.
     */
    public @Nullable Long waitingSinceNanos() {
        PoolWatch running = watch;
        return running == null ? null : running.waitingSinceNanos();
    }

    /** Time of the pool's last answer, by the engine's monotonic clock; null before the first. */
    public @Nullable Long heardNanos() {
        PoolWatch running = watch;
        return running == null ? null : running.heardNanos();
    }

    /** Its objects with unreadable records, each as a sentence. */
    public List<String> unreadable() {
        return unreadable;
    }

    /** Its name in XAPI; empty until it was read once, or if it has none. */
    public String label() {
        return objects.of(PoolObjects.POOL).values().stream()
                .map(pool -> pool.text("name_label"))
                .findFirst()
                .orElse("");
    }

    /** The encoding in use; null without a session. */
    public @Nullable String encoding() {
        return connection.encoding() == null ? null : connection.encoding().name();
    }

    /** Address of its coordinator; null without a session. */
    public @Nullable String coordinator() {
        return connection.coordinator();
    }

    /** Numbers of the objects of class VM that are no VMs. */
    public LeftOut leftOut() {
        int templates = 0;
        int snapshots = 0;
        int controlDomains = 0;
        for (XapiRecord each : objects.of(PoolObjects.VM).values()) {
            if (each.flag("is_control_domain")) {
                controlDomains++;
            } else if (each.flag("is_a_snapshot")) { // XAPI marks it as a template, too
                snapshots++;
            } else if (!VmMapping.isVm(each)) {
                templates++;
            }
        }
        return new LeftOut(templates, snapshots, controlDomains);
    }

    /** Its hosts. */
    public List<PoolHost> hosts() {
        return state.hosts();
    }

    /** Its VMs: no templates, snapshots or control domains. */
    public List<PoolVm> vms() {
        return state.vms();
    }

    /** A VM of it; null if it is none. */
    public @Nullable PoolVm vm(VmId id) {
        return state.vm(id);
    }

    PoolDisks disks() {
        return disks;
    }

    @Nullable PoolHost host(HostId id) {
        return state.host(id);
    }

    PoolObjects objects() {
        return objects;
    }

    PoolOrders orders() {
        return orders;
    }

    PoolHostOrders hostOrders() {
        return hostOrders;
    }

    HostMetrics metrics(String address, Duration timeout, CpuTurn turn) {
        return HostMetrics.shown(connection, address, timeout, turn);
    }

    /** A host did not answer. If it is the coordinator, the pool need not wait for its reply. */
    void silent(PoolHost host) {
        if (host.coordinator()) {
            try {
                hosts.threads().execute(connection::endIfUnreachable);
            } catch (RejectedExecutionException _) {
                // The engine stops.
            }
        }
    }

    /** The number of VMs on a host, and the number of those that leave it. */
    int[] countOn(HostId host) {
        int[] counts = new int[2];
        for (PoolVm vm : state.vmsOn(host)) {
            counts[0]++;
            counts[1] += vm.movingTo() == null ? 0 : 1;
        }
        return counts;
    }

    /** Whether a VM is on a host. */
    public boolean hasVmsOn(HostId host) {
        return !state.vmsOn(host).isEmpty();
    }

    /** Words for the operator. */
    String why(Exception e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    // ------------------------------------------------------------------------------- inventory

    /** VMs that may have come, gone or got another definition or tags since the last call. */
    public Set<VmId> takeTouched() {
        return touched.getAndSet(Set.of());
    }

    /** The same VMs again: they could not be dealt with. */
    public void touchAgain(Collection<VmId> ids) {
        touch(ids);
    }

    private void touch(Collection<VmId> ids) {
        touched.updateAndGet(before -> {
            Set<VmId> all = new HashSet<>(before);
            all.addAll(ids);
            return all;
        });
    }

    /** The engine knows these VMs: from now on their hosts report them. */
    public void admit(Collection<VmId> ids) {
        synchronized (order) {
            tell(state.admit(ids));
        }
    }

    /** The engine no longer knows these VMs: their hosts no longer report them. */
    public void dismiss(Collection<VmId> ids) {
        state.dismiss(ids);
    }

    /** The engine has a VM on a host of this pool; if it is not there, the host reports its end. */
    public void believedOn(HostId host, VmId vm) {
        synchronized (order) {
            PoolReports.Item end = state.endedThere(host, vm);
            if (end != null) {
                tell(Map.of(host, List.of(end)));
            }
        }
    }

    /** The engine knows the pool's hosts and VMs: connections of hosts stand from now on. */
    public void ready() {
        if (!ready) {
            ready = true;
            hosts.ready(this);
        }
    }

    /** Whether an attempt to reach it has ended. */
    boolean wasTried() {
        return tried;
    }

    /** Whether it is watched no longer. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether the engine knows it. */
    public boolean isReady() {
        return ready;
    }

    void forgetEnd(HostId host, VmId vm) {
        state.forgetEnd(host, vm);
        PoolVm known = state.vm(vm);
        if (known != null && known.host() == null) {
            // A change of a VM at rest, while the engine still had it on that host, has no host to
            // report it: the halt of a suspended VM, for instance.
            touch(List.of(vm));
            inventory.changed(this);
        }
    }

    /** Passes on all pending reports on a host's VMs, in the right order among the changes. */
    void listOn(HostId host, Consumer<List<PoolReports.Item>> receiver) {
        synchronized (order) {
            receiver.accept(state.on(host));
        }
    }

    /** Has the inventory read the pool again, though nothing of the pool changed. */
    public void reconsider() {
        inventory.changed(this);
    }

    private void tell(Map<HostId, List<PoolReports.Item>> told) {
        told.forEach((host, items) -> {
            for (XapiHostConnection each : hosts.connections(host)) {
                each.tell(items);
            }
        });
    }

    // ------------------------------------------------------------------------------- the watch

    @Override
    public void synced(Map<XapiClass, Map<String, XapiRecord>> all) {
        Map<String, XapiRecord> ofTasks = all.get(XapiClass.of("task"));
        if (ofTasks != null && all.size() == 1) {
            tasks.read(ofTasks);
            return;
        }
        objects = new PoolObjects(all);
        oldMessages =
                oldMessages == null
                        ? uuids(objects.of(XapiClass.of("message")).values())
                        : Set.of();
        String uuid = connection.poolUuid();
        if (uuid == null) {
            throw new IllegalStateException("a pool without identity");
        }
        cluster = new ClusterId(UUID.fromString(uuid));
        Set<String> vmRefs = new LinkedHashSet<>(vmIds.keySet());
        vmRefs.addAll(objects.of(PoolObjects.VM).keySet());
        Set<String> hostRefs = new LinkedHashSet<>(hostIds.keySet());
        hostRefs.addAll(objects.of(PoolObjects.HOST).keySet());
        apply(hostRefs, vmRefs);
        disks.read();
        trouble = null;
        refusal.set(null);
        tried = true;
        touch(state.vms().stream().map(PoolVm::id).toList());
        inventory.changed(this);
        LOG.info(
                "pool={} read: hosts={} vms={} encoding={}",
                name,
                state.hosts().size(),
                state.vms().size(),
                encoding());
    }

    @Override
    public void unreadable(List<String> objects) {
        unreadable = objects;
    }

    @Override
    public void changed(List<Change> changes) {
        Set<String> vmRefs = new LinkedHashSet<>();
        Set<String> hostRefs = new LinkedHashSet<>();
        for (Change change : changes) {
            affected(change, hostRefs, vmRefs);
            disks.take(change);
        }
        if (!hostRefs.isEmpty() || !vmRefs.isEmpty()) {
            apply(hostRefs, vmRefs);
        }
    }

    /** Collects the hosts and VMs that a changed object belongs to. */
    private void affected(Change change, Set<String> hostRefs, Set<String> vmRefs) {
        XapiRecord after = change.after();
        XapiRecord record = after == null ? change.before() : after;
        if (record == null) {
            return;
        }
        switch (change.type().name()) {
            case "VM" -> vmRefs.add(change.ref());
            case "VM_metrics", "VM_guest_metrics" -> {
                String vm =
                        after == null
                                ? vmOfMetrics.remove(change.ref())
                                : vmOfMetrics.get(change.ref());
                if (vm != null) {
                    vmRefs.add(vm);
                }
            }
            case "VIF" -> {
                if (record.reference("VM") != null) {
                    vmRefs.add(record.text("VM"));
                }
            }
            case "host" -> {
                hostRefs.add(change.ref());
                if (change.before() == null) {
                    vmRefs.addAll(vmIds.keySet()); // VMs may have come before their host
                }
            }
            case "host_metrics" -> {
                String host =
                        after == null
                                ? hostOfMetrics.remove(change.ref())
                                : hostOfMetrics.get(change.ref());
                if (host != null && HostMapping.isNews(change.before(), after)) {
                    hostRefs.add(host);
                }
            }
            case "PIF_metrics", "pool" -> hostRefs.addAll(objects.of(PoolObjects.HOST).keySet());
            case "PIF" -> {
                if (record.reference("host") != null) {
                    hostRefs.add(record.text("host"));
                }
            }
            case "task" -> {
                tasks.told(change.ref(), after);
                progressed(change.ref(), after);
            }
            default -> {
                // Looked up when it is needed.
            }
        }
    }

    /** The progress of a migration, which VDSM's hosts report themselves, is that of its task. */
    private void progressed(String ref, @Nullable XapiRecord task) {
        VmId id = migrations.vmOf(ref);
        PoolVm vm = id == null ? null : state.vm(id);
        HostId from = vm == null ? null : vm.host();
        int percent = task == null ? 0 : PoolMigrations.percent(task);
        if (id == null || from == null || percent == 0) {
            return; // without progress it may not have begun
        }
        for (XapiHostConnection each : hosts.connections(from)) {
            each.migrating(id, percent);
        }
    }

    /**
     * Applies the changes in pieces of {@value #PIECE} VMs: between two of them, hosts that list
     * their VMs get the lock, and other threads a processor. Each VM changes as a whole.
     */
    private void apply(Set<String> hostRefs, Set<String> vmRefs) {
        boolean otherHosts = false;
        for (String ref : hostRefs) {
            otherHosts |= applyHost(ref);
        }
        List<VmId> redefined = new ArrayList<>();
        Set<VmId> present = HashSet.newHashSet(vmRefs.size());
        Set<VmId> gone = new LinkedHashSet<>();
        Set<String> goneRefs = new HashSet<>();
        List<PoolVm> piece = new ArrayList<>(Math.min(PIECE, vmRefs.size()));
        for (String ref : vmRefs) {
            VmId before = vmIds.get(ref);
            PoolVm vm = picture(ref);
            if (vm != null) {
                present.add(vm.id());
                piece.add(vm);
            } else if (before != null) {
                gone.add(before);
                goneRefs.add(ref);
            }
            if (piece.size() == PIECE) {
                applyPiece(piece, List.of(), redefined);
                piece.clear();
                AnalysisLimiter.Lane.giveWay();
            }
        }
        if (!goneRefs.isEmpty()) {
            vmOfMetrics.values().removeAll(goneRefs);
        }
        gone.removeAll(present); // the pool calls it otherwise now
        applyPiece(piece, gone, redefined);
        if (otherHosts || !redefined.isEmpty()) {
            touch(redefined);
            inventory.changed(this);
        }
    }

    private void applyPiece(List<PoolVm> next, Collection<VmId> gone, List<VmId> redefined) {
        // The engine must know this before a host reports that a VM has left it.
        for (PoolVm vm : next) {
            PoolVm before = state.vm(vm.id());
            HostId from = before == null ? null : before.host();
            if (from != null) {
                HostId to = Objects.equals(from, vm.host()) ? vm.movingTo() : vm.host();
                if (to != null && !to.equals(from)) {
                    inventory.moving(vm.id(), from, to);
                }
            }
        }
        Map<HostId, List<PoolReports.Item>> told = new HashMap<>();
        synchronized (order) {
            for (PoolVm vm : next) {
                PoolVm before = state.vm(vm.id());
                if (before == null
                        || !before.definition().equals(vm.definition())
                        || !before.tags().equals(vm.tags())
                        || before.host() == null) {
                    redefined.add(vm.id());
                }
                state.vm(vm.id(), vm, told);
            }
            for (VmId id : gone) {
                redefined.add(id);
                state.vm(id, null, told);
            }
            tell(told);
        }
        for (PoolVm vm : next) {
            String task = migrations.taskOf(vm.id());
            if (task != null) {
                progressed(task, tasks.find(task)); // which may have come before the VM
            }
        }
    }

    /**
     * Whether the inventory must examine the host: it is new or gone, has another address or other
     * tags, or has entered or left service.
     */
    private boolean applyHost(String ref) {
        XapiRecord record = objects.find(PoolObjects.HOST, ref);
        PoolHost host = record == null ? null : HostMapping.of(ref, record, objects);
        HostId before = hostIds.get(ref);
        if (record == null || host == null) {
            if (before != null) {
                hostIds.remove(ref);
                hostOfMetrics.values().removeIf(ref::equals);
                state.host(before, null);
                hosts.parted(this, before, "pool " + name + " does not have it any more");
            }
            return before != null;
        }
        hostIds.put(ref, host.id());
        hostOfMetrics.put(record.text("metrics"), ref);
        PoolHost known = state.host(host.id());
        if (state.host(host.id(), host)) {
            hosts.connections(host.id()).forEach(XapiHostConnection::redescribed);
        }
        hostOrders.told(host);
        if (known == null && ready) {
            hosts.joined(this, host.id());
        }
        return known == null
                || !known.address().equals(host.address())
                || !known.tags().equals(host.tags())
                || known.enabled() != host.enabled();
    }

    /** A VM as the pool has it now; null if it is gone, or is no VM. */
    private @Nullable PoolVm picture(String ref) {
        XapiRecord record = objects.find(PoolObjects.VM, ref);
        ClusterId here = cluster;
        PoolVm vm =
                record == null || here == null || !VmMapping.isVm(record)
                        ? null
                        : VmMapping.of(ref, record, objects, here);
        if (record == null || vm == null) {
            VmId gone = vmIds.remove(ref);
            if (gone != null) {
                migrations.told(gone, null);
            }
            return null;
        }
        migrations.told(vm.id(), record);
        vmOfMetrics.put(record.text("metrics"), ref);
        vmOfMetrics.put(record.text("guest_metrics"), ref);
        vmIds.put(ref, vm.id());
        return vm;
    }

    private static Set<String> uuids(Collection<XapiRecord> records) {
        Set<String> uuids = new HashSet<>();
        records.forEach(each -> uuids.add(each.text("uuid")));
        return uuids;
    }

    @Override
    public void message(XapiRecord message) {
        Set<String> old = oldMessages;
        inventory.told(
                this,
                new PoolMessage(
                        message.text("uuid"),
                        message.text("name"),
                        message.number("priority"),
                        message.text("cls"),
                        message.text("obj_uuid"),
                        PoolObjects.time(message.text("timestamp")),
                        message.text("body")),
                old != null && old.contains(message.text("uuid")));
    }

    @Override
    public void lost(Exception reason) {
        if (reason instanceof XapiException.Failure failure
                && FOR_PEOPLE.contains(failure.code())
                && !failure.code().equals(refusal.getAndSet(failure.code()))) {
            inventory.refused(this, failure.code());
        }
        String words =
                reason instanceof XapiException.Failure failure
                        ? "it refuses: " + failure.code()
                        : why(reason);
        trouble = words;
        tried = true;
        hosts.unreached(this, "pool " + name + " is not reached: " + words);
    }

    @Override
    public void close() {
        closed = true;
        PoolWatch running = watch;
        if (running != null) {
            running.close();
        }
        connection.close();
    }
}
