package org.stillwater.fake.world;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.EventPublisher;
import org.stillwater.fake.net.HostEndpoint;
import org.stillwater.fake.net.HostName;
import org.stillwater.fake.net.HostTransport;

/**
 * A simulated data centre: its hosts, its VMs, its time. It provides its hosts through {@link
 * #endpoints()}, sends its events to a publisher, and is directed through {@link #vm} and {@link
 * #host}.
 *
 * <p>Thread-safe. All changes of the world happen under one lock, one at a time; answering takes
 * the monitor of the one host only.
 */
public final class World implements AutoCloseable {

    private static final long MINUTE_MILLIS = 60_000;

    private final WorldSettings settings;
    private final SimulationClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final EventSchedule agenda;
    private final Events events = new Events();
    private final Storage storage;
    private final Lifecycle life;
    private final Map<String, FakeHost> hosts = new LinkedHashMap<>();
    private final List<HostEndpoint> endpoints = new ArrayList<>();
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final Map<String, Machine> machinesByName = new HashMap<>();
    private final Map<HostName, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final Slowdowns slowdowns = new Slowdowns();
    private volatile @Nullable HostTransport transport;
    private int nextSerial;

    private World(WorldSettings settings, SimulationClock clock) {
        this.settings = settings;
        this.clock = clock;
        this.agenda = new EventSchedule(clock, lock);
        this.storage = new Storage(clock, agenda, settings.seed());
        this.life = new Lifecycle(clock, agenda, events, settings, storage);
        for (int number = 0; number < settings.hosts(); number++) {
            HostName name = new HostName(settings.hostNames().formatted(number + 1));
            FakeHost host = new FakeHost(name, number, settings.seed(), settings.profile(), clock);
            if (settings.hostMemoryMebibytes() > 0) {
                host.fixMemory(settings.hostMemoryMebibytes());
            }
            host.reportTaps(settings.tapsInHostStats());
            host.setSpm(number == 0);
            host.slowedBy(slowdowns);
            hosts.put(name.value(), host);
            endpoints.add(new HostVerbs(this, host));
            for (int i = 0; i < settings.vmsPerHost(); i++) {
                Machine machine =
                        Machine.generated(settings.seed(), nextSerial++, settings.reportSize());
                register(machine);
                Domain _ = Lifecycle.settled(machine, host, startOf(machine, host));
            }
        }
        clock.drivenBy(this::advance);
    }

    /** Builds a world; its hosts run and their VMs have been up for long. */
    public static World create(WorldSettings settings, SimulationClock clock) {
        return new World(settings, clock);
    }

    /**
     * Puts all hosts on the network and starts the clock's work.
     *
     * @param network the network on which they listen; the caller closes it, after this world
     * @param bind address and port for each host, by its number from 0
     */
    public void start(HostTransport network, IntFunction<InetSocketAddress> bind) {
        transport = network;
        events.publishTo(network);
        for (int number = 0; number < endpoints.size(); number++) {
            HostEndpoint endpoint = endpoints.get(number);
            addresses.put(endpoint.name(), network.open(endpoint, bind.apply(number)));
        }
        agenda.start();
    }

    /** Sends events to a receiver other than the network. */
    public void publishTo(EventPublisher publisher) {
        events.publishTo(publisher);
        agenda.start();
    }

    /** Sends events to another receiver, too; it must not wait for this world. */
    public void alsoTell(EventPublisher publisher) {
        events.alsoTell(publisher);
    }

    /** Every host as something beside it sees it, by its number. */
    public List<WatchedHost> watched() {
        return hosts.values().stream().map(WatchedHost::new).toList();
    }

    /** The endpoint of each host, by its number. */
    public List<HostEndpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    /** The settings it was built from. */
    public WorldSettings settings() {
        return settings;
    }

    /** Its time. */
    public SimulationClock clock() {
        return clock;
    }

    /** Lets virtual time pass; everything planned for it happens, in order, before this returns. */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not go back");
        }
        agenda.advanceTo(clock.millis() + duration.toMillis());
    }

    /** Plans an action of a script. */
    public void after(Duration delay, Runnable action) {
        agenda.at(clock.millis() + Math.max(0, delay.toMillis()), action);
    }

    /** Planned steps still to come. */
    public int plannedSteps() {
        return agenda.size();
    }

    /** All hosts, by their number. */
    public List<SimulatedHost> hosts() {
        return hosts.values().stream().map(host -> new SimulatedHost(this, host)).toList();
    }

    /**
     * One host.
     *
     * @throws WorldException if there is none of this name
     */
    public SimulatedHost host(String name) {
        FakeHost host = hosts.get(name);
        if (host == null) {
            throw WorldException.unknown("host", name);
        }
        return new SimulatedHost(this, host);
    }

    /** All VMs there are or were, in the order they came. */
    public List<SimulatedVm> vms() {
        return changing(() ->
                machines.values().stream().map(machine -> new SimulatedVm(this, machine)).toList());
    }

    /**
     * One VM.
     *
     * @param idOrName its id or its name
     * @throws WorldException if there is none
     */
    public SimulatedVm vm(String idOrName) {
        return changing(() -> {
            Machine machine = machines.get(idOrName.toLowerCase(Locale.ROOT));
            if (machine == null) {
                machine = machinesByName.get(idOrName);
            }
            if (machine == null) {
                throw WorldException.unknown("VM", idOrName);
            }
            return new SimulatedVm(this, machine);
        });
    }

    /** One VM. */
    public SimulatedVm vm(UUID id) {
        return vm(id.toString());
    }

    /** Writes the truth about the world, or one host, as JSON. */
    public void writeState(OutputStream out, @Nullable String hostName) throws IOException {
        List<FakeHost> wanted =
                hostName == null ? List.copyOf(hosts.values()) : List.of(host(hostName).host());
        new WorldState(this).write(out, wanted);
    }

    /** The truth about the world as JSON text; for worlds of moderate size. */
    public String state() {
        return new WorldState(this).text(List.copyOf(hosts.values()));
    }

    /** Ends the world's work; its hosts no longer answer if the network is closed as well. */
    @Override
    public void close() {
        agenda.close();
    }

    // ---- for the parts of the world

    <T> T changing(Supplier<T> change) {
        lock.lock();
        try {
            return change.get();
        } finally {
            lock.unlock();
        }
    }

    void doing(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    Lifecycle life() {
        return life;
    }

    Events events() {
        return events;
    }

    Slowdowns slowdowns() {
        return slowdowns;
    }

    Storage storage() {
        return storage;
    }

    EventSchedule agenda() {
        return agenda;
    }

    @Nullable HostTransport transport() {
        return transport;
    }

    @Nullable InetSocketAddress addressOf(FakeHost host) {
        return addresses.get(host.name);
    }

    /** The host of a name; {@code any} draws one that is up and does not know the VM. */
    FakeHost targetFor(String name, Machine machine) {
        if (!name.equals("any")) {
            return fakeHost(name);
        }
        List<FakeHost> candidates = new ArrayList<>();
        for (FakeHost host : hosts.values()) {
            synchronized (host) {
                if (host.condition() == FakeHost.Condition.UP
                        && host.domain(machine.idText) == null) {
                    candidates.add(host);
                }
            }
        }
        if (candidates.isEmpty()) {
            throw WorldException.conflict("no host is up for " + machine.name);
        }
        long chance = Seeds.of(machine.seed, clock.millis());
        return candidates.get((int) Math.floorMod(chance, (long) candidates.size()));
    }

    FakeHost fakeHost(String name) {
        return host(name).host();
    }

    /** The caller holds the world's lock. */
    Machine newMachine(MachineSpec spec) {
        Machine machine = Machine.described(settings.seed(), nextSerial, spec);
        return admitted(machine);
    }

    /**
     * Whether libvirt gets the leases that a definition names: each exists at the given location.
     * Without them the start fails. The caller holds the world's lock.
     *
     * @throws VerbError if another host holds one of them, since the VM runs there with it
     */
    boolean grantsLeases(FakeHost host, DomainDefinition definition) {
        Map<LeaseAddress, String> named = LeaseAddress.named(definition.xml());
        Machine known = machines.get(definition.id().toString());
        Domain home = known == null ? null : known.home;
        XmlElement running = known == null ? null : known.definition;
        if (home != null
                && home.phase != Phase.DOWN
                && home.host != host
                && running != null
                && !Collections.disjoint(named.keySet(), LeaseAddress.named(running).keySet())) {
            throw VdsmError.UNEXPECTED.saying(
                    "resource busy: Failed to acquire lock: Lease is held by another host");
        }
        return named.entrySet().stream()
                .allMatch(lease ->
                        LeaseAddress.isAt(storage.lease(lease.getKey()), lease.getValue()));
    }

    /**
     * Starts the VM of a definition. The caller holds the world's lock.
     *
     * @param tpm content of its trusted platform module; {@code null} for none yet
     * @param nvram its firmware's variables; {@code null} for none yet
     */
    Domain createFromXml(
            FakeHost host,
            DomainDefinition definition,
            Launch launch,
            @Nullable String tpm,
            @Nullable String nvram) {
        Machine known = machines.get(definition.id().toString());
        Domain home = known == null ? null : known.home;
        if (home != null
                && home.phase
                        != Phase.DOWN) { // a record of a VM that is down: only its host uses it
            throw new WorldException(
                    WorldException.Reason.EXISTS, definition.id() + " exists already");
        }
        Machine machine = Machine.defined(settings.seed(), nextSerial++, definition);
        machine.remember(tpm, nvram);
        if (known != null) {
            machinesByName.remove(known.name, known);
        }
        register(machine);
        return life.create(machine, host, launch);
    }

    /** The host behind {@code name}, {@code address}, {@code name:port} or {@code address:port}. */
    @Nullable FakeHost hostByAddress(String destination) {
        FakeHost named = hosts.get(destination);
        if (named != null) {
            return named;
        }
        int colon = destination.lastIndexOf(':');
        String address = colon < 0 ? destination : destination.substring(0, colon);
        String port = colon < 0 ? "" : destination.substring(colon + 1);
        named = hosts.get(address);
        if (named != null) {
            return named;
        }
        for (FakeHost host : hosts.values()) {
            InetSocketAddress listening = addresses.get(host.name);
            if (host.displayAddress().equals(address)
                    || (listening != null
                            && port.equals(Integer.toString(listening.getPort()))
                            && listensAt(listening, address))) {
                return host;
            }
        }
        return null;
    }

    private static boolean listensAt(InetSocketAddress listening, String address) {
        return listening.getHostString().equals(address)
                || (listening.getAddress() != null
                        && listening.getAddress().getHostAddress().equals(address))
                || (listening.getAddress() != null
                        && listening.getAddress().isLoopbackAddress()
                        && address.equals("localhost"));
    }

    private Machine admitted(Machine machine) {
        if (machines.containsKey(machine.idText)) {
            throw new WorldException(
                    WorldException.Reason.EXISTS, "VM %s exists already".formatted(machine.id));
        }
        if (machinesByName.containsKey(machine.name)) {
            throw new WorldException(
                    WorldException.Reason.EXISTS, "VM '%s' exists already".formatted(machine.name));
        }
        nextSerial++;
        register(machine);
        return machine;
    }

    private void register(Machine machine) {
        machines.put(machine.idText, machine);
        machinesByName.put(machine.name, machine);
    }

    /** Some time in the life of the host's VDSM, and two samples ago at least. */
    private static long startOf(Machine machine, FakeHost host) {
        SplittableRandom dice = Seeds.stream(machine.seed, "start");
        long longest = host.vdsmUptimeMillis(0) - MINUTE_MILLIS;
        return -MINUTE_MILLIS - dice.nextLong(longest);
    }
}
