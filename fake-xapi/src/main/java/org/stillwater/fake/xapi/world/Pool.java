package org.stillwater.fake.xapi.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Reply;
import org.stillwater.fake.xapi.world.Store.Row;

/**
 * One pool: its objects and their changes. Thread-safe; one lock guards all of it, and results of
 * calls are immutable.
 */
public final class Pool {

    final Object lock = new Object();
    final PoolSettings settings;
    final WorldClock clock;
    final Store store;
    final Seeds seeds;
    final Sessions sessions;
    final Events events;
    final Tasks tasks;
    final Hosts hosts;
    final Vms vms;
    private final long seed;
    private final Calls calls;
    private final Metrics metrics;
    private volatile boolean booting;
    private volatile boolean gathers;

    Pool(PoolSettings settings, WorldClock clock, long seed) {
        this.settings = settings;
        this.clock = clock;
        this.seed = seed;
        this.seeds = new Seeds(seed);
        this.store = new Store(settings.datamodel(), seeds);
        this.sessions = new Sessions(this);
        this.events = new Events(this);
        this.tasks = new Tasks(this);
        this.hosts = new Hosts(this);
        this.vms = new Vms(this);
        this.calls = new Calls(this);
        this.metrics = new Metrics(this);
        this.gathers = settings.realBatching();
    }

    /**
     * Makes a pool.
     *
     * @param name of the pool
     * @param addresses one for each host; the first is the coordinator's
     * @param vms user VMs, most of them running
     */
    public static Pool create(
            PoolSettings settings,
            WorldClock clock,
            long seed,
            String name,
            List<String> addresses,
            int vms) {
        Pool pool = new Pool(settings, clock, seed);
        new PoolBuilder(pool).build(name, addresses, vms);
        return pool;
    }

    /** The pool's behaviour. */
    public PoolSettings settings() {
        return settings;
    }

    long seed() {
        return seed;
    }

    /** Runs something under the lock. */
    void locked(Runnable work) {
        synchronized (lock) {
            work.run();
        }
    }

    /** Wakes all threads that wait for a change. */
    void changed() {
        synchronized (lock) {
            lock.notifyAll();
        }
    }

    /** The coordinator's reference. */
    String coordinator() {
        return store.all("pool").iterator().next().text("master");
    }

    /** Drops the data that a coordinator holds in memory: sessions, deletions, tasks. */
    void loseCoordinator() {
        sessions.endAll();
        tasks.vanish();
        store.forgetDeletions();
        changed();
    }

    /** Whether calls are answered with {@code HOST_STILL_BOOTING}. */
    public boolean isBooting() {
        return booting;
    }

    /** Puts the pool into the state in which every call is answered with an error, or ends it. */
    public void booting(boolean now) {
        booting = now;
    }

    Events.Batching batching() {
        return settings.batching(gathers);
    }

    /** Sets whether {@code event.from} gathers changes as real servers do, from now on. */
    void batching(boolean real) {
        gathers = real;
    }

    /** Batches of events that clients got, the oldest first. */
    public List<Map<String, Object>> batches() {
        synchronized (lock) {
            return events.batches().stream()
                    .map(each ->
                            Map.<String, Object>of(
                                    "generation",
                                    each.generation(),
                                    "nanos",
                                    each.nanos(),
                                    "tasks",
                                    each.tasks(),
                                    "events",
                                    each.events()))
                    .toList();
        }
    }

    /**
     * A change that is visible to clients from now on.
     *
     * @param generation of the newest object
     * @param nanos when, on the machine's monotonic clock
     */
    public record Commit(long generation, long nanos) {}

    /**
     * Answers a call.
     *
     * @param host the address it came to
     */
    public Reply call(String host, String method, List<@Nullable Object> arguments) {
        return calls.answer(host, method, arguments);
    }

    /** The host at an address, or {@code null}. */
    public @Nullable Row hostAt(String address) {
        synchronized (lock) {
            return store.all("host").stream()
                    .filter(each -> each.text("address").equals(address))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Whether a host answers at all. */
    public boolean isLive(String host) {
        synchronized (lock) {
            return hosts.isLive(host);
        }
    }

    /** Whether the session may read metrics. */
    public boolean isSession(@Nullable String ref) {
        synchronized (lock) {
            return sessions.isValid(ref);
        }
    }

    /** Whether the password is the user's. */
    public boolean isPassword(String user, String password) {
        return sessions.isPassword(user, password);
    }

    /** The measurements of a host; see {@link Metrics}. */
    public Metrics.Updates updates(String host, Metrics.Query query) {
        synchronized (lock) {
            return metrics.updates(host, query);
        }
    }

    /** Objects of a class as they are now. */
    public List<Row> objects(String type) {
        synchronized (lock) {
            return List.copyOf(store.all(type));
        }
    }

    /** The name and the permanent identity of the pool. */
    public Row itself() {
        synchronized (lock) {
            return store.all("pool").iterator().next();
        }
    }

    /** The true state in numbers and names. */
    public Map<String, Object> state() {
        synchronized (lock) {
            Map<String, Object> state = new LinkedHashMap<>();
            Row row = itself();
            state.put("name", row.text("name_label"));
            state.put("uuid", row.text("uuid"));
            state.put("era", settings.era().word());
            state.put("coordinator", hosts.coordinatorAddress());
            state.put("generation", store.generation());
            state.put("sessions", sessions.count());
            state.put("booting", booting);
            state.put("counts", store.counts());
            List<Object> hostList = new ArrayList<>();
            for (Row each : store.all("host")) {
                Map<String, Object> host = new LinkedHashMap<>();
                host.put("uuid", each.text("uuid"));
                host.put("name", each.text("name_label"));
                host.put("address", each.text("address"));
                host.put("runs", hosts.isLive(each.ref()));
                host.put("enabled", each.flag("enabled"));
                host.put("vms", each.list("resident_VMs").size());
                hostList.add(host);
            }
            state.put("hosts", hostList);
            List<Object> vmList = new ArrayList<>();
            for (Row each : store.all("VM")) {
                if (!each.flag("is_a_template")
                        && !each.flag("is_a_snapshot")
                        && !each.flag("is_control_domain")) {
                    vmList.add(vm(each));
                }
            }
            state.put("vms", vmList);
            return state;
        }
    }

    private Map<String, Object> vm(Row row) {
        Map<String, Object> vm = new LinkedHashMap<>();
        vm.put("uuid", row.text("uuid"));
        vm.put("name", row.text("name_label"));
        vm.put("powerState", row.text("power_state"));
        Row host = store.find("host", row.text("resident_on"));
        vm.put("host", host == null ? "" : host.text("name_label"));
        vm.put("operations", List.copyOf(row.map("current_operations").values()));
        return vm;
    }

    /**
     * Performs an action of the control port.
     *
     * @param type {@code VM}, {@code host} or {@code pool}
     * @param uuid of the object
     * @param action its name
     * @param arguments of the action
     * @return the time at which it was done
     */
    public Commit order(String type, String uuid, String action, Map<String, String> arguments) {
        synchronized (lock) {
            Row row = store.byUuid(type, uuid);
            if (row == null) {
                throw new XapiError("UUID_INVALID", type, uuid);
            }
            Orders.perform(this, type, row, action, arguments);
            Commit commit = new Commit(store.generation(), System.nanoTime());
            changed();
            return commit;
        }
    }

    /** Waits for the end of a task that a call made. */
    Row await(String task) {
        try {
            return tasks.await(task);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new XapiError("TASK_CANCELLED", task);
        }
    }

    /** The host's row; the null reference has none. */
    Row host(String ref) {
        return Objects.requireNonNull(store.find("host", ref));
    }
}
