package org.stillwater.xapi.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.stillwater.core.time.EngineClock;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.WorldClock;

/** A simulated pool on loopback addresses, its clock standing still, and clients of it. */
public final class Lab implements AutoCloseable {

    public static final EngineClock CLOCK =
            new EngineClock() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public Instant now() {
                    return Instant.now();
                }
            };

    /** Quick enough for tests; a lost pool is tried again at once. */
    public static final PoolWatch.Times TIMES =
            new PoolWatch.Times(
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(20),
                    Duration.ofMillis(20),
                    Duration.ofMillis(100),
                    Duration.ofSeconds(10));

    /** Events received from a pool. */
    static class Heard implements PoolListener {
        final BlockingQueue<Map<XapiClass, Map<String, XapiRecord>>> syncs =
                new LinkedBlockingQueue<>();
        final BlockingQueue<Map<XapiClass, Map<String, XapiRecord>>> taskSyncs =
                new LinkedBlockingQueue<>();
        final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
        final BlockingQueue<XapiRecord> messages = new LinkedBlockingQueue<>();
        final BlockingQueue<Exception> losses = new LinkedBlockingQueue<>();

        /** Called with each synchronisation; an empty list at first is not kept. */
        final BlockingQueue<List<String>> unreadable = new LinkedBlockingQueue<>();

        private boolean anyUnreadable;

        @Override
        public void synced(Map<XapiClass, Map<String, XapiRecord>> objects) {
            (objects.containsKey(XapiClass.of("task")) ? taskSyncs : syncs).add(objects);
        }

        @Override
        public void unreadable(List<String> objects) {
            anyUnreadable |= !objects.isEmpty();
            if (anyUnreadable) {
                unreadable.add(objects);
            }
        }

        @Override
        public void changed(List<Change> batch) {
            changes.addAll(batch);
        }

        @Override
        public void message(XapiRecord message) {
            messages.add(message);
        }

        @Override
        public void lost(Exception reason) {
            losses.add(reason);
        }

        Map<XapiClass, Map<String, XapiRecord>> sync() throws InterruptedException {
            return take(syncs);
        }

        Change change(Predicate<Change> wanted) throws InterruptedException {
            while (true) {
                Change next = take(changes);
                if (wanted.test(next)) {
                    return next;
                }
            }
        }
    }

    public static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(30, TimeUnit.SECONDS);
        if (taken == null) {
            throw new AssertionError("nothing within 30 s");
        }
        return taken;
    }

    /** Pins in memory. */
    static final class Pins implements CertificatePins {
        final Map<String, String> pinned = new ConcurrentHashMap<>();
        final Map<String, String> refused = new ConcurrentHashMap<>();
        final Map<String, Instant> ends = new ConcurrentHashMap<>();

        @Override
        public String pinned(String address) {
            return pinned.get(address);
        }

        @Override
        public void pin(String address, String sha256) {
            pinned.put(address, sha256);
        }

        @Override
        public void refused(String address, String sha256) {
            refused.put(address, sha256);
        }

        @Override
        public void seen(String address, Instant notAfter) {
            ends.put(address, notAfter);
        }
    }

    public final Pools pools = new Pools(new WorldClock(0));
    public final Pool pool;
    public final List<String> addresses;
    final Pins pins = new Pins();
    final PoolClaims claims = new PoolClaims();
    public PoolServer server;
    private final boolean tls;
    private final List<Runnable> open = new ArrayList<>();

    Lab(String network, Era era, int hosts, int vms, boolean tls) throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= hosts; i++) {
            all.add(network + "." + i);
        }
        this.addresses = List.copyOf(all);
        this.tls = tls;
        this.pool = pools.add(PoolSettings.today().with(era), 7, "p", addresses, vms);
        this.server = PoolServer.start(pools, 0, tls);
    }

    public static Lab today(String network) throws Exception {
        return new Lab(network, Era.TODAY, 3, 12, false);
    }

    public static Lab today(String network, int hosts, int vms) throws Exception {
        return new Lab(network, Era.TODAY, hosts, vms, false);
    }

    PoolAccess access(String... from) {
        PoolAccess access =
                PoolAccess.of(List.of(from), server.port(), "root", () -> "stillwater", "engine-1");
        return tls ? access : access.plain();
    }

    PoolConnection connect(PoolAccess access) {
        PoolConnection connection = new PoolConnection(access, pins, claims, CLOCK);
        open.add(connection::close);
        return connection;
    }

    /** Another client cancels a task. */
    public void cancel(String task) throws IOException {
        try (PoolConnection other = other()) {
            other.cancelTask(task);
        }
    }

    /** Another client takes a snapshot of a VM. */
    public void snapshot(Row vm) throws IOException {
        try (PoolConnection other = other()) {
            String _ = other.async("VM.snapshot", vm.ref(), "snapshot");
        }
    }

    private PoolConnection other() {
        return new PoolConnection(access(addresses.getFirst()), pins, new PoolClaims(), CLOCK);
    }

    public PoolConnection connect() {
        return connect(access(addresses.getFirst()));
    }

    PoolWatch watch(PoolConnection connection, PoolListener listener) {
        return watch(connection, listener, PoolWatch.Sync.EVENTS);
    }

    PoolWatch watch(PoolConnection connection, PoolListener listener, PoolWatch.Sync sync) {
        PoolWatch watch = PoolWatch.start(connection, listener, CLOCK, sync, TIMES);
        open.add(watch::close);
        return watch;
    }

    public Row vm(String state) {
        return pool.objects("VM").stream()
                .filter(each -> each.text("power_state").equals(state))
                .filter(each -> !each.flag("is_a_template") && !each.flag("is_control_domain"))
                .findFirst()
                .orElseThrow();
    }

    public void order(String type, Row row, String action, String... arguments) {
        Map<String, String> map = new java.util.HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            map.put(arguments[i], arguments[i + 1]);
        }
        pool.order(type, row.text("uuid"), action, map);
    }

    public void order(String action, String... arguments) {
        order("pool", pool.itself(), action, arguments);
    }

    int sessions() {
        return pool.objects("session").size();
    }

    @Override
    public void close() {
        open.reversed().forEach(Runnable::run);
        server.close();
        pools.close();
    }
}
