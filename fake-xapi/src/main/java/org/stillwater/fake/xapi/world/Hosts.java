package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.Datamodel;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.Tasks.Work;

/** Life and death of hosts, and their operations. Guarded by the pool. */
final class Hosts {

    /** Silence of a host after which {@code host_metrics.live} becomes false without HA. [src] */
    private static final Duration DECLARED_DEAD = Duration.ofMinutes(10);

    /** With HA. */
    private static final Duration FENCED = Duration.ofSeconds(60);

    private static final List<String> ENABLED_OPERATIONS =
            List.of("vm_migrate", "evacuate", "provision", "vm_resume", "vm_start");
    private static final List<String> DISABLED_OPERATIONS =
            List.of("vm_migrate", "evacuate", "reboot", "shutdown", "enable");

    /** Operations of one group exclude those of the other. Source: xapi_host_helpers.ml. */
    private static final List<String> BRINGING_VMS =
            List.of("provision", "vm_resume", "vm_migrate", "vm_start");

    private static final List<String> TAKING_VMS = List.of("evacuate", "reboot", "shutdown");

    private final Pool pool;
    private final Store store;
    private final Map<String, Boolean> dead = new HashMap<>();
    private final Map<String, Long> skewSeconds = new HashMap<>();

    Hosts(Pool pool) {
        this.pool = pool;
        this.store = pool.store;
    }

    boolean isLive(String host) {
        return !dead.getOrDefault(host, false);
    }

    /** By how much a host's own clock is ahead of the pool's. */
    long skewSeconds(String host) {
        return skewSeconds.getOrDefault(host, 0L);
    }

    void skew(String host, long seconds) {
        skewSeconds.put(host, seconds);
    }

    /** A host stops. The pool notices after ten minutes, or after one with HA. */
    void kill(String host) {
        dead.put(host, true);
        boolean coordinator = pool.coordinator().equals(host);
        if (coordinator) {
            pool.loseCoordinator();
        }
        boolean ha = store.all("pool").iterator().next().flag("ha_enabled");
        pool.clock.after(
                ha ? FENCED : DECLARED_DEAD, () -> pool.locked(() -> declareDead(host, ha)));
    }

    private void declareDead(String host, boolean ha) {
        if (isLive(host) || store.find("host", host) == null) {
            return;
        }
        live(host, false);
        if (ha) {
            for (String vm : List.copyOf(store.get("host", host).list("resident_VMs"))) {
                Row row = store.get("VM", vm);
                if (!row.flag("is_control_domain")) {
                    pool.vms.lose(vm);
                    if (row.text("ha_restart_priority").equals("restart")) {
                        String task = pool.tasks.create("VM.start", "");
                        try {
                            pool.vms.begin(task, vm, "start", null, false);
                        } catch (XapiError e) {
                            pool.tasks.fail(task, e);
                        }
                    }
                }
            }
        }
        pool.changed();
    }

    /** A host that was stopped runs again; its VMs do not. */
    void revive(String host) {
        dead.remove(host);
        for (String vm : List.copyOf(store.get("host", host).list("resident_VMs"))) {
            if (!store.get("VM", vm).flag("is_control_domain")) {
                pool.vms.lose(vm);
            }
        }
        live(host, true);
        pool.changed();
    }

    private void live(String host, boolean live) {
        Row row = store.get("host", host);
        store.set(
                "host_metrics",
                row.text("metrics"),
                "live",
                live,
                "last_updated",
                pool.clock.wireNow());
    }

    void refresh(String host) {
        Row row = store.get("host", host);
        boolean empties = isEmptied(row);
        store.set(
                "host",
                host,
                "allowed_operations",
                (row.flag("enabled") ? ENABLED_OPERATIONS : DISABLED_OPERATIONS)
                        .stream()
                                .filter(each -> !(empties && BRINGING_VMS.contains(each)))
                                .toList());
    }

    /** Whether a running operation takes VMs away from a host. */
    private static boolean isEmptied(Row host) {
        return host.map("current_operations").values().stream().anyMatch(TAKING_VMS::contains);
    }

    /** Why no VM may come to a host now; {@code null} if one may. */
    @Nullable XapiError refusal(Row host) {
        if (!isLive(host.ref())) {
            return new XapiError("HOST_OFFLINE", host.ref());
        }
        if (!host.flag("enabled")) {
            return new XapiError("HOST_DISABLED", host.ref());
        }
        return host.map("current_operations").containsValue("evacuate")
                ? new XapiError("HOST_EVACUATE_IN_PROGRESS", host.ref())
                : null;
    }

    private long guests(Row host) {
        return host.list("resident_VMs").stream()
                .filter(vm -> !store.get("VM", vm).flag("is_control_domain"))
                .count();
    }

    /** Begins an operation on a host. */
    void begin(String task, String host, String operation) {
        Row row = store.get("host", host);
        if (!isLive(host)) {
            throw new XapiError("HOST_OFFLINE", host);
        }
        Duration whole = pool.settings.operation();
        switch (operation) {
            case "enable", "disable" -> {
                boolean enable = operation.equals("enable");
                pool.tasks.begin(
                        task,
                        new Work(
                                whole.dividedBy(8),
                                () -> {
                                    store.set("host", host, "enabled", enable);
                                    refresh(host);
                                    return "";
                                },
                                () -> {}));
            }
            case "evacuate" -> evacuate(task, row);
            case "reboot", "shutdown" -> {
                if (row.flag("enabled")) {
                    throw new XapiError("HOST_NOT_DISABLED");
                }
                if (guests(row) > 0) {
                    throw new XapiError("HOST_HAS_RESIDENT_VMS", host);
                }
                current(host, task, operation);
                boolean reboot = operation.equals("reboot");
                pool.tasks.begin(
                        task,
                        new Work(
                                whole,
                                () -> {
                                    kill(host);
                                    over(host, task);
                                    if (reboot) {
                                        pool.clock.after(
                                                whole.multipliedBy(10),
                                                () -> pool.locked(() -> revive(host)));
                                    }
                                    return "";
                                },
                                () -> over(host, task)));
            }
            default -> throw new XapiError("NOT_IMPLEMENTED", "host." + operation);
        }
        pool.changed();
    }

    /** Moves all guests away, each by a task of its own below this one; or none of them. */
    private void evacuate(String task, Row host) {
        Map<String, String> plan = plan(host);
        current(host.ref(), task, "evacuate");
        List<String> tasks = new java.util.ArrayList<>();
        plan.forEach((vm, to) -> {
            String each = pool.tasks.create("VM.pool_migrate", "");
            store.set("task", each, "subtask_of", task);
            tasks.add(each);
            try {
                pool.vms.begin(each, vm, "pool_migrate", to, false);
            } catch (XapiError e) {
                pool.tasks.fail(each, e);
            }
        });
        pool.tasks.begin(
                task,
                new Work(
                        pool.settings.operation().multipliedBy(2).plusMillis(1),
                        () -> {
                            over(host.ref(), task);
                            for (String each : tasks) {
                                Row row = store.find("task", each);
                                if (row != null && row.text("status").equals("failure")) {
                                    throw new XapiError(
                                            row.list("error_info").getFirst(),
                                            row.list("error_info")
                                                    .subList(1, row.list("error_info").size())
                                                    .toArray(String[]::new));
                                }
                            }
                            return "";
                        },
                        () -> over(host.ref(), task)));
    }

    /** The destination of each guest; all of them fit there at the same time. */
    private Map<String, String> plan(Row host) {
        Map<String, String> plan = new LinkedHashMap<>();
        Map<String, Long> promised = new HashMap<>();
        List<String> errors = new java.util.ArrayList<>();
        for (String vm : host.list("resident_VMs")) {
            Row row = store.get("VM", vm);
            if (row.flag("is_control_domain")) {
                continue;
            }
            String to =
                    store.all("host").stream()
                            .filter(each -> !each.ref().equals(host.ref()))
                            .filter(each ->
                                    pool.vms.refusal(
                                                    each,
                                                    row,
                                                    promised.getOrDefault(each.ref(), 0L))
                                            == null)
                            .map(Row::ref)
                            .findFirst()
                            .orElse(null);
            if (to == null) {
                errors.add("HOST_NOT_ENOUGH_FREE_MEMORY," + vm);
            } else {
                plan.put(vm, to);
                promised.merge(to, row.number("memory_static_max"), Long::sum);
            }
        }
        if (!errors.isEmpty()) {
            throw new XapiError("CANNOT_EVACUATE_HOST", String.join("|", errors));
        }
        return plan;
    }

    private void current(String host, String task, String operation) {
        Map<String, String> current =
                new LinkedHashMap<>(store.get("host", host).map("current_operations"));
        current.put(task, operation);
        store.set("host", host, "current_operations", current);
        refresh(host);
    }

    private void over(String host, String task) {
        Row row = store.find("host", host);
        if (row != null) {
            Map<String, String> current = new LinkedHashMap<>(row.map("current_operations"));
            current.remove(task);
            store.set("host", host, "current_operations", current);
            refresh(host);
        }
    }

    /** Another host becomes the coordinator, as in an emergency or by order. */
    void promote(String host) {
        store.get("host", host);
        Row row = store.all("pool").iterator().next();
        if (!isLive(host)) {
            throw new XapiError("HOST_OFFLINE", host);
        }
        store.set("pool", row.ref(), "master", host);
        pool.loseCoordinator();
        pool.changed();
    }

    /** Address of the coordinator; empty without one. */
    String coordinatorAddress() {
        Row host = store.find("host", pool.coordinator());
        return host == null || host.ref().equals(Datamodel.NULL) ? "" : host.text("address");
    }
}
