package org.stillwater.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.WorldClock;

/** A simulated XAPI pool with TLS in this process; its time stands until it is advanced. */
final class SimulatedPool implements AutoCloseable {

    private final Pools pools;
    private final Pool pool;
    private final PoolServer server;
    private final String coordinator;

    private SimulatedPool(Pools pools, Pool pool, PoolServer server, String coordinator) {
        this.pools = pools;
        this.pool = pool;
        this.server = server;
        this.coordinator = coordinator;
    }

    /** A pool whose hosts have the first addresses of a loopback network such as 127.13.1. */
    static SimulatedPool start(String network, int hosts, int vms) throws Exception {
        List<String> addresses = new ArrayList<>();
        for (int i = 1; i <= hosts; i++) {
            addresses.add(network + "." + i);
        }
        Pools pools = new Pools(new WorldClock(0));
        Pool pool = pools.add(PoolSettings.today(), 7, "p", addresses, vms);
        return new SimulatedPool(
                pools, pool, PoolServer.start(pools, 0, true), addresses.getFirst());
    }

    /** Settings of an engine to watch this pool. */
    List<String> engineArguments(String name) {
        String prefix = "--stillwater.xapi.pools[0].";
        return List.of(
                prefix + "name=" + name,
                prefix + "addresses=" + coordinator,
                prefix + "port=" + server.port(),
                prefix + "password=stillwater");
    }

    String address() {
        return coordinator;
    }

    int port() {
        return server.port();
    }

    /** Sessions that clients have now. */
    int sessions() {
        return pool.objects("session").size();
    }

    String uuid() {
        return pool.itself().text("uuid");
    }

    private Row row(String type, String uuid) {
        return pool.objects(type).stream()
                .filter(each -> each.text("uuid").equals(uuid))
                .findFirst()
                .orElseThrow();
    }

    /** All VMs that people see, sorted. */
    List<String> vms() {
        return pool.objects("VM").stream()
                .filter(each -> !each.flag("is_a_template") && !each.flag("is_control_domain"))
                .map(each -> each.text("uuid"))
                .sorted()
                .toList();
    }

    /** Those that have a process. */
    List<String> live() {
        return vms().stream()
                .filter(each -> List.of("up", "paused").contains(status(each)))
                .toList();
    }

    List<String> hosts() {
        return pool.objects("host").stream().map(each -> each.text("uuid")).sorted().toList();
    }

    /** A VM in this power state. */
    String vm(String state) {
        return vms().stream()
                .filter(each -> row("VM", each).text("power_state").equals(state))
                .findFirst()
                .orElseThrow();
    }

    /** The engine's word for the state of a VM on which nothing is under way. */
    String status(String vm) {
        return switch (row("VM", vm).text("power_state")) {
            case "Running" -> "up";
            case "Halted" -> "down";
            case "Paused" -> "paused";
            case "Suspended" -> "suspended";
            default -> throw new IllegalStateException(row("VM", vm).text("power_state"));
        };
    }

    String otherHost(String host) {
        return pool.objects("host").stream()
                .map(each -> each.text("uuid"))
                .filter(each -> !each.equals(host))
                .findFirst()
                .orElseThrow();
    }

    void order(String vm, String action, String... arguments) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            all.put(arguments[i], arguments[i + 1]);
        }
        pool.order("VM", vm, action, all);
    }

    /** A user's act on a host in the pool itself. */
    void orderHost(String host, String action) {
        pool.order("host", host, action, Map.of());
    }

    /** Whether the pool starts VMs on a host. */
    boolean isEnabled(String host) {
        return row("host", host).flag("enabled");
    }

    /** VMs on a host, without its control domain. */
    int guests(String host) {
        return row("host", host).list("resident_VMs").size() - 1;
    }

    /** The host of a VM; empty for none. */
    String hostOf(String vm) {
        String ref = row("VM", vm).text("resident_on");
        return pool.objects("host").stream()
                .filter(each -> each.ref().equals(ref))
                .map(each -> each.text("uuid"))
                .findFirst()
                .orElse("");
    }

    /** Whether a task of the pool migrates a VM. */
    boolean isMigrating(String vm) {
        return row("VM", vm).map("current_operations").containsValue("pool_migrate");
    }

    /** The number of a VM's domain, another one after each boot. */
    long domain(String vm) {
        return row("VM", vm).number("domid");
    }

    /** Paused VMs go on: they could not leave their hosts. */
    void unpauseAll() {
        pool.objects("VM").stream()
                .filter(each -> each.text("power_state").equals("Paused"))
                .forEach(each -> order(each.text("uuid"), "unpause"));
    }

    /** The next call of a method fails. */
    void failNext(String method, String error) {
        server.faults().add(FaultKind.ERROR, "", method, error, 1);
    }

    void message(String name, String body) {
        pool.order("pool", uuid(), "message", Map.of("name", name, "body", body));
    }

    /** Everything under way ends. */
    void advance() {
        advance(Duration.ofSeconds(10));
    }

    void advance(Duration time) {
        pools.clock().advance(time);
    }

    @Override
    public void close() {
        server.close();
        pools.close();
    }
}
