package org.stillwater.fake.xapi.world;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.world.Store.Row;

/** The actions that the control port offers beyond those of XAPI. */
public final class Orders {

    private interface Order {
        void perform(Pool pool, Row row, Map<String, String> arguments);
    }

    private static final Map<String, Order> ORDERS = new HashMap<>();

    static {
        for (String each :
                List.of(
                        "start",
                        "clean_shutdown",
                        "hard_shutdown",
                        "clean_reboot",
                        "hard_reboot",
                        "pause",
                        "unpause",
                        "suspend",
                        "resume")) {
            ORDERS.put("VM." + each, (pool, vm, _) -> begin(pool, vm, each, null));
        }
        ORDERS.put(
                "VM.migrate",
                (pool, vm, arguments) ->
                        begin(pool, vm, "pool_migrate", host(pool, arguments.get("host"))));
        ORDERS.put("VM.crash", (pool, vm, _) -> pool.vms.crash(vm.ref()));
        ORDERS.put("VM.destroy", (pool, vm, _) -> pool.vms.destroy(vm.ref()));
        ORDERS.put(
                "VM.rename",
                (pool, vm, arguments) ->
                        pool.store.set(
                                "VM", vm.ref(), "name_label", arguments.getOrDefault("name", "")));
        for (String each : List.of("VM", "host")) {
            ORDERS.put(
                    each + ".tags",
                    (pool, row, arguments) ->
                            pool.store.set(each, row.ref(), "tags", words(arguments.get("tags"))));
        }
        ORDERS.put("VM.agent", (pool, vm, _) -> pool.vms.agent(vm.ref()));
        ORDERS.put("VM.freeze", (pool, vm, _) -> pool.vms.freeze(vm.ref()));
        ORDERS.put("VM.thaw", (pool, vm, _) -> pool.vms.thaw(vm.ref()));
        ORDERS.put("host.kill", (pool, host, _) -> pool.hosts.kill(host.ref()));
        ORDERS.put("host.revive", (pool, host, _) -> pool.hosts.revive(host.ref()));
        ORDERS.put("host.promote", (pool, host, _) -> pool.hosts.promote(host.ref()));
        ORDERS.put(
                "host.skew",
                (pool, host, arguments) ->
                        pool.hosts.skew(
                                host.ref(),
                                Long.parseLong(arguments.getOrDefault("seconds", "0"))));
        for (String each : List.of("enable", "disable", "evacuate")) {
            ORDERS.put(
                    "host." + each,
                    (pool, host, _) -> {
                        String task = pool.tasks.create("host." + each, "");
                        pool.hosts.begin(task, host.ref(), each);
                    });
        }
        ORDERS.put("pool.end_sessions", (pool, _, _) -> pool.sessions.endAll());
        ORDERS.put("pool.restart_coordinator", (pool, _, _) -> pool.loseCoordinator());
        ORDERS.put("pool.forget_deletions", (pool, _, _) -> pool.store.forgetDeletions());
        ORDERS.put("pool.boot", (pool, _, _) -> pool.booting(true));
        ORDERS.put("pool.booted", (pool, _, _) -> pool.booting(false));
        ORDERS.put(
                "pool.batching",
                (pool, _, arguments) ->
                        pool.batching(
                                Boolean.parseBoolean(arguments.getOrDefault("real", "true"))));
        ORDERS.put(
                "pool.freeze",
                (pool, _, arguments) ->
                        inState(pool, "Running")
                                .limit(Integer.parseInt(arguments.getOrDefault("vms", "200")))
                                .toList()
                                .forEach(pool.vms::freeze));
        ORDERS.put(
                "pool.thaw",
                (pool, _, _) -> inState(pool, "Paused").toList().forEach(pool.vms::thaw));
        ORDERS.put(
                "pool.ha",
                (pool, row, arguments) ->
                        pool.store.set(
                                "pool",
                                row.ref(),
                                "ha_enabled",
                                Boolean.parseBoolean(arguments.getOrDefault("enabled", "true"))));
        ORDERS.put(
                "pool.storm",
                (pool, _, arguments) ->
                        storm(pool, Integer.parseInt(arguments.getOrDefault("changes", "1000"))));
        ORDERS.put(
                "pool.message",
                (pool, row, arguments) ->
                        pool.store.create(
                                "message",
                                Map.of(
                                        "name",
                                        arguments.getOrDefault("name", "ALARM"),
                                        "priority",
                                        Long.parseLong(arguments.getOrDefault("priority", "3")),
                                        "cls",
                                        "Pool",
                                        "obj_uuid",
                                        row.text("uuid"),
                                        "timestamp",
                                        pool.clock.wireNow(),
                                        "body",
                                        arguments.getOrDefault("body", ""))));
        ORDERS.put(
                "pool.vifs",
                (pool, _, arguments) ->
                        vifs(pool, Integer.parseInt(arguments.getOrDefault("objects", "600"))));
        ORDERS.put("pool.remove_vifs", (pool, _, _) -> removeVifs(pool));
        ORDERS.put(
                "pool.destroy_silently",
                (pool, _, arguments) -> {
                    Row vm = pool.store.byUuid("VM", arguments.getOrDefault("vm", ""));
                    if (vm == null) {
                        throw new XapiError(
                                "UUID_INVALID", "VM", String.valueOf(arguments.get("vm")));
                    }
                    pool.vms.destroy(vm.ref());
                    pool.store.forgetDeletions();
                    pool.store.touch("pool", pool.itself().ref());
                });
    }

    private Orders() {}

    private static List<String> words(@Nullable String commas) {
        return commas == null || commas.isEmpty() ? List.of() : List.of(commas.split(",", -1));
    }

    /** Names of all orders, for the help of the control port. */
    public static List<String> names() {
        return ORDERS.keySet().stream().sorted().toList();
    }

    static void perform(
            Pool pool, String type, Row row, String action, Map<String, String> arguments) {
        Order order = ORDERS.get(type + "." + action);
        if (order == null) {
            throw new XapiError("MESSAGE_METHOD_UNKNOWN", type + "." + action);
        }
        order.perform(pool, row, arguments);
    }

    private static void begin(Pool pool, Row vm, String operation, @Nullable String host) {
        String task = pool.tasks.create("VM." + operation, "");
        try {
            pool.vms.begin(task, vm.ref(), operation, host, false);
        } catch (XapiError e) {
            pool.tasks.fail(task, e);
            throw e;
        }
    }

    private static @Nullable String host(Pool pool, @Nullable String uuid) {
        Row host = uuid == null ? null : pool.store.byUuid("host", uuid);
        if (host == null) {
            throw new XapiError("UUID_INVALID", "host", String.valueOf(uuid));
        }
        return host.ref();
    }

    private static Stream<String> inState(Pool pool, String powerState) {
        return pool.store.all("VM").stream()
                .filter(each -> each.text("power_state").equals(powerState))
                .filter(each -> !each.flag("is_control_domain"))
                .map(Row::ref);
    }

    /** So many changes of VMs, one after the other. */
    private static void storm(Pool pool, int changes) {
        List<String> vms = inState(pool, "Running").toList();
        for (int i = 0; i < changes && !vms.isEmpty(); i++) {
            String vm = vms.get(i % vms.size());
            pool.store.set(
                    "VM", vm, "user_version", pool.store.get("VM", vm).number("user_version") + 1);
            if (i % 100 == 99) {
                pool.changed();
            }
        }
    }

    /** Gives one VM this number of further VIFs. */
    private static void vifs(Pool pool, int count) {
        Row vm =
                pool.store.all("VM").stream()
                        .filter(each -> !each.flag("is_a_template"))
                        .findFirst()
                        .orElseThrow();
        for (int i = 0; i < count; i++) {
            String mac = "0a:00:00:00:%02x:%02x".formatted(i >> 8 & 0xFF, i & 0xFF);
            pool.store.create(
                    "VIF",
                    Map.of("VM", vm.ref(), "device", "extra-" + i, "MAC", mac, "MTU", 1500L));
        }
    }

    /** Removes all of them at once: of more than 512 the table forgets the older ones. */
    private static void removeVifs(Pool pool) {
        pool.store.all("VIF").stream()
                .filter(each -> each.text("device").startsWith("extra-"))
                .map(Row::ref)
                .toList()
                .forEach(each -> pool.store.destroy("VIF", each));
    }
}
