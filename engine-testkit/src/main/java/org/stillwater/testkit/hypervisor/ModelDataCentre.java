package org.stillwater.testkit.hypervisor;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.VirtualClock;

/**
 * Hosts that a test owns, all on one virtual clock. Nothing happens but by {@link #step} and {@link
 * #advance}. It notes when a VM is started while another process of it lives: {@link #doubles}.
 * Used on the test's thread.
 */
public final class ModelDataCentre implements HostConnector {

    private final VirtualClock clock;
    private final Map<HostId, ModelHost> hosts = new TreeMap<>();
    private final ModelStorage storage = new ModelStorage(this);
    private final PriorityQueue<Plan> plans = new PriorityQueue<>();
    private final Set<String> doubles = new HashSet<>();
    private Times times = Times.DEFAULT;
    private BiFunction<ModelHost, VmOrder, @Nullable HostFailure> refusals = (_, _) -> null;
    private BiPredicate<ModelHost, VmOrder> lostAnswers = (_, _) -> false;
    private BiPredicate<ModelHost, VmId> failingStarts = (_, _) -> false;
    private BiPredicate<ModelHost, VmId> failingMigrations = (_, _) -> false;
    private BiPredicate<ModelHost, VmId> neverLaunching = (_, _) -> false;
    private Predicate<VmId> deaf = _ -> false;
    private long planNumber;
    private int starts;
    private long processes;
    private BiPredicate<ModelHost, VmId> pardons = (_, _) -> false;
    private BiConsumer<ModelHost, VmId> removals = (_, _) -> {};

    private record Plan(long atNanos, long number, Runnable action) implements Comparable<Plan> {
        @Override
        public int compareTo(Plan other) {
            int byTime = Long.signum(atNanos - other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** Durations of a host's actions. */
    public record Times(
            Duration launch,
            Duration boot,
            Duration shutdown,
            Duration suspend,
            Duration migration,
            Duration callTimeout) {

        /** Times of real hosts, roughly. */
        public static final Times DEFAULT =
                new Times(
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(12),
                        Duration.ofSeconds(180));
    }

    /** A data centre without hosts. */
    public ModelDataCentre(VirtualClock clock) {
        this.clock = clock;
    }

    /** Adds a host, or returns the existing one. */
    public ModelHost host(HostDefinition definition) {
        return hosts.computeIfAbsent(definition.id(), _ -> new ModelHost(this, definition));
    }

    /** The host of this identity; there must be one. */
    public ModelHost host(HostId id) {
        ModelHost host = hosts.get(id);
        if (host == null) {
            throw new IllegalArgumentException("no host " + id);
        }
        return host;
    }

    /** The storage of all hosts. */
    public ModelStorage storage() {
        return storage;
    }

    /** Every host, by id. */
    public List<ModelHost> hosts() {
        return List.copyOf(hosts.values());
    }

    /** Hosts where the VM's process is the VM: the destination of a migration is not. */
    public List<ModelHost> homes(VmId vm) {
        return hosts.values().stream()
                .filter(host -> {
                    VmStatus status = host.status(vm);
                    return status != null
                            && status != VmStatus.DOWN
                            && status != VmStatus.MIGRATING_TO;
                })
                .toList();
    }

    /** Which orders hosts refuse, and how; null for none. */
    public void refusing(BiFunction<ModelHost, VmOrder, @Nullable HostFailure> next) {
        refusals = next;
    }

    /** Which orders are carried out, but never answered. */
    public void losingAnswers(BiPredicate<ModelHost, VmOrder> next) {
        lostAnswers = next;
    }

    /** Which VMs end while they start. */
    public void failingStarts(BiPredicate<ModelHost, VmId> next) {
        failingStarts = next;
    }

    /** VMs that wait for launch without end, with their hosts. */
    public void neverLaunching(BiPredicate<ModelHost, VmId> next) {
        neverLaunching = next;
    }

    /** Which VMs do not arrive at which hosts. */
    public void failingMigrations(BiPredicate<ModelHost, VmId> next) {
        failingMigrations = next;
    }

    /** Selects the VMs with guests that ignore a shutdown. */
    public void deafGuests(Predicate<VmId> next) {
        deaf = next;
    }

    /** Replaces the durations. */
    public void times(Times next) {
        times = next;
    }

    /**
     * Which processes may be overlooked when their VM is started elsewhere, since a host that lies
     * had to do with it; they lose their VM's disks to the new one, and end.
     */
    public void pardoning(BiPredicate<ModelHost, VmId> next) {
        pardons = next;
    }

    /** Called with every object before monitoring removes it. */
    public void watchingRemovals(BiConsumer<ModelHost, VmId> next) {
        removals = next;
    }

    void removes(ModelHost where, VmId vm) {
        removals.accept(where, vm);
    }

    long nextProcess() {
        return ++processes;
    }

    Times times() {
        return times;
    }

    @Nullable HostFailure refuses(ModelHost host, VmOrder order) {
        return refusals.apply(host, order);
    }

    boolean losesAnswer(ModelHost host, VmOrder order) {
        return lostAnswers.test(host, order);
    }

    boolean failsToStart(ModelHost host, VmId vm) {
        return failingStarts.test(host, vm);
    }

    boolean neverLaunches(ModelHost host, VmId vm) {
        return neverLaunching.test(host, vm);
    }

    boolean failsToMigrate(ModelHost host, VmId vm) {
        return failingMigrations.test(host, vm);
    }

    boolean ignoresShutdown(VmId vm) {
        return deaf.test(vm);
    }

    void created(ModelHost where, VmId vm) {
        starts++;
        for (ModelHost host : hosts.values()) {
            if (host != where && host.runs(vm) && pardons.test(host, vm)) {
                host.vanish(vm);
            } else if (host != where && host.runs(vm)) {
                doubles.add(
                        "%s was started on %s while it had a process on %s"
                                .formatted(
                                        vm, where.definition().name(), host.definition().name()));
            }
        }
    }

    /** VMs that were started while they had a process elsewhere: there must be none. */
    public Set<String> doubles() {
        return Set.copyOf(doubles);
    }

    /** How many processes were started. */
    public int starts() {
        return starts;
    }

    @Nullable ModelHost byAddress(String address) {
        for (ModelHost host : hosts.values()) {
            HostDefinition definition = host.definition();
            if (address.equals(definition.address() + ":" + definition.port())) {
                return host;
            }
        }
        return null;
    }

    VirtualClock clock() {
        return clock;
    }

    /** Something of a test's own happens later. */
    public void after(Duration delay, Runnable action) {
        plans.add(new Plan(clock.nanoTime() + delay.toNanos(), planNumber++, action));
    }

    @Override
    public HostConnection open(HostDefinition definition, HostListener listener) {
        return host(definition).open(listener);
    }

    /** Every host sends its waiting messages; returns whether there was one. */
    public boolean step() {
        boolean any = false;
        for (ModelHost host : hosts.values()) {
            while (host.step()) {
                any = true;
            }
        }
        return any;
    }

    /** Time passes, and due events happen in order; after each, {@code between} is run. */
    public void advance(Duration duration, Runnable between) {
        long end = clock.nanoTime() + duration.toNanos();
        while (!plans.isEmpty() && plans.peek().atNanos() - end <= 0) {
            Plan next = plans.poll();
            long wait = next.atNanos() - clock.nanoTime();
            if (wait > 0) {
                clock.advance(Duration.ofNanos(wait));
            }
            next.action().run();
            between.run();
        }
        long rest = end - clock.nanoTime();
        if (rest > 0) {
            clock.advance(Duration.ofNanos(rest));
        }
        between.run();
    }
}
