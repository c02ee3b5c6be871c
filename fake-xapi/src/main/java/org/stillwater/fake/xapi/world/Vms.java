package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.Datamodel;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.Tasks.Work;

/**
 * The lifecycle of VMs. Guarded by the pool.
 *
 * <p>It is long because it has a method for each event in the life of a VM.
 */
final class Vms {

    /** Domain identities start above those of control domains. */
    private static final int FIRST_DOMID = 1;

    private final Pool pool;
    private final Store store;
    private int nextDomid = FIRST_DOMID;

    Vms(Pool pool) {
        this.pool = pool;
        this.store = pool.store;
    }

    private boolean hasAgent(Row vm) {
        return store.find("VM_guest_metrics", vm.text("guest_metrics")) != null;
    }

    /** Brings {@code allowed_operations} up to date. */
    void refresh(String ref) {
        Row vm = store.find("VM", ref);
        if (vm != null) {
            store.set("VM", ref, "allowed_operations", VmOperations.allowed(vm, hasAgent(vm)));
        }
    }

    private void require(Row vm, String operation) {
        XapiError refused = VmOperations.check(vm, hasAgent(vm), operation);
        if (refused != null) {
            throw refused;
        }
    }

    /**
     * Begins an operation on a VM.
     *
     * @param host destination, for operations that name one
     * @param paused for starts and resumes
     */
    void begin(String task, String ref, String operation, @Nullable String host, boolean paused) {
        Row vm = store.get("VM", ref);
        require(vm, operation);
        Duration whole = pool.settings.operation();
        String before = vm.text("power_state");
        Work work =
                switch (operation) {
                    case "start", "start_on", "resume", "resume_on" -> {
                        String to = host == null ? choose(vm) : fits(host, vm);
                        store.set("VM", ref, "scheduled_to_be_resident_on", to);
                        yield work(ref, task, whole, before, () -> run(ref, to, paused));
                    }
                    case "clean_shutdown", "shutdown" ->
                            work(ref, task, whole, before, () -> stop(ref, "Halted"));
                    case "hard_shutdown" ->
                            work(ref, task, whole.dividedBy(8), null, () -> stop(ref, "Halted"));
                    case "suspend" -> work(ref, task, whole, before, () -> stop(ref, "Suspended"));
                    case "clean_reboot", "hard_reboot" ->
                            work(ref, task, whole, before, () -> reboot(ref));
                    case "pause" ->
                            work(ref, task, whole.dividedBy(8), before, () -> power(ref, "Paused"));
                    case "unpause" ->
                            work(
                                    ref,
                                    task,
                                    whole.dividedBy(8),
                                    before,
                                    () -> power(ref, "Running"));
                    case "pool_migrate" -> {
                        String to = fits(java.util.Objects.requireNonNull(host), vm);
                        store.set("VM", ref, "scheduled_to_be_resident_on", to);
                        yield work(ref, task, whole.multipliedBy(2), before, () -> move(ref, to));
                    }
                    case "power_state_reset" ->
                            work(ref, task, Duration.ZERO, null, () -> stop(ref, "Halted"));
                    default -> throw new XapiError("NOT_IMPLEMENTED", "VM." + operation);
                };
        current(ref, task, operation);
        pool.tasks.begin(task, work);
        pool.changed();
    }

    private Work work(
            String ref,
            String task,
            Duration duration,
            @Nullable String expected,
            Supplier<Object> effect) {
        return new Work(
                duration,
                () -> {
                    Row vm = store.get("VM", ref);
                    String state = vm.text("power_state");
                    if (expected != null && !state.equals(expected)) {
                        throw new XapiError(
                                "VM_BAD_POWER_STATE",
                                ref,
                                expected.toLowerCase(java.util.Locale.ROOT),
                                state.toLowerCase(java.util.Locale.ROOT));
                    }
                    Object result = effect.get();
                    over(ref, task);
                    return result;
                },
                () -> over(ref, task));
    }

    private void current(String ref, String task, String operation) {
        Map<String, String> current =
                new LinkedHashMap<>(store.get("VM", ref).map("current_operations"));
        current.put(task, operation);
        store.set("VM", ref, "current_operations", current);
        refresh(ref);
    }

    private void over(String ref, String task) {
        Row vm = store.find("VM", ref);
        if (vm == null) {
            return;
        }
        Map<String, String> current = new LinkedHashMap<>(vm.map("current_operations"));
        current.remove(task);
        store.set(
                "VM",
                ref,
                "current_operations",
                current,
                "scheduled_to_be_resident_on",
                Datamodel.NULL);
        refresh(ref);
    }

    /** A host with enough free memory, the freest first. */
    private String choose(Row vm) {
        return store.all("host").stream()
                .filter(host -> refusal(host, vm) == null)
                .max(Comparator.comparingLong((Row host) -> free(host)).thenComparing(Row::ref))
                .orElseThrow(() -> new XapiError("NO_HOSTS_AVAILABLE"))
                .ref();
    }

    private String fits(String host, Row vm) {
        XapiError refusal = refusal(store.get("host", host), vm);
        if (refusal != null) {
            throw refusal;
        }
        return host;
    }

    @Nullable XapiError refusal(Row host, Row vm) {
        return refusal(host, vm, 0);
    }

    /** The same for a host with this memory promised to others. */
    @Nullable XapiError refusal(Row host, Row vm, long promised) {
        XapiError refusal = pool.hosts.refusal(host);
        if (refusal != null) {
            return refusal;
        }
        long needed = vm.number("memory_static_max");
        long free = free(host) - promised;
        return free < needed
                ? new XapiError(
                        "HOST_NOT_ENOUGH_FREE_MEMORY", Long.toString(needed), Long.toString(free))
                : null;
    }

    private long free(Row host) {
        return store.get("host_metrics", host.text("metrics")).number("memory_free");
    }

    private void account(String host, long bytes) {
        Row row = store.find("host", host);
        if (row != null) {
            Row metrics = store.get("host_metrics", row.text("metrics"));
            store.set(
                    "host_metrics",
                    metrics.ref(),
                    "memory_free",
                    metrics.number("memory_free") - bytes,
                    "last_updated",
                    pool.clock.wireNow());
        }
    }

    private Object power(String ref, String state) {
        store.set("VM", ref, "power_state", state);
        return "";
    }

    private Object run(String ref, String host, boolean paused) {
        Row vm = store.get("VM", ref);
        if (!pool.hosts.isLive(host)) {
            throw new XapiError("HOST_OFFLINE", host);
        }
        account(host, vm.number("memory_static_max"));
        boolean resumed = vm.text("power_state").equals("Suspended");
        store.set(
                "VM",
                ref,
                "power_state",
                paused ? "Paused" : "Running",
                "resident_on",
                host,
                "domid",
                (long) nextDomid++);
        store.set(
                "VM_metrics",
                vm.text("metrics"),
                "memory_actual",
                vm.number("memory_static_max"),
                "VCPUs_number",
                vm.number("VCPUs_max"),
                "start_time",
                resumed
                        ? store.get("VM_metrics", vm.text("metrics")).get("start_time")
                        : pool.clock.wireNow(),
                "last_updated",
                pool.clock.wireNow());
        attach(vm, true);
        Row to = store.get("host", host);
        store.create(
                "console",
                Map.of(
                        "protocol",
                        "rfb",
                        "location",
                        "https://" + to.text("address") + "/console?uuid=" + vm.text("uuid"),
                        "VM",
                        ref));
        awaitAgent(ref);
        return "";
    }

    private void attach(Row vm, boolean attached) {
        for (String each : vm.list("VBDs")) {
            Row vbd = store.get("VBD", each);
            char letter = (char) ('a' + Integer.parseInt(vbd.text("userdevice")));
            store.set(
                    "VBD",
                    each,
                    "currently_attached",
                    attached,
                    "device",
                    "xvd" + letter,
                    "unpluggable",
                    attached);
        }
        vm.list("VIFs").forEach(each -> store.set("VIF", each, "currently_attached", attached));
    }

    private void awaitAgent(String ref) {
        long domid = store.get("VM", ref).number("domid");
        pool.clock.after(
                pool.settings.agent(),
                () ->
                        pool.locked(() -> {
                            Row vm = store.find("VM", ref);
                            if (vm != null && vm.number("domid") == domid) {
                                agent(ref);
                                pool.changed();
                            }
                        }));
    }

    /** The guest's agent reports: addresses, operating system, drivers. */
    void agent(String ref) {
        Row vm = store.get("VM", ref);
        if (hasAgent(vm)) {
            return;
        }
        Map<String, Object> networks = new LinkedHashMap<>();
        for (String each : vm.list("VIFs")) {
            Row vif = store.get("VIF", each);
            int last = Integer.parseInt(vif.text("MAC").substring(15), 16);
            String address = "10.0." + last + "." + (1 + Math.floorMod(ref.hashCode(), 250));
            networks.put(vif.text("device") + "/ip", address);
            networks.put(vif.text("device") + "/ipv4/0", address);
        }
        Map<String, Object> fields = new HashMap<>();
        fields.put(
                "os_version",
                ordered(
                        "name",
                        "Debian GNU/Linux 12 (bookworm)",
                        "distro",
                        "debian",
                        "major",
                        "12",
                        "minor",
                        "5",
                        "uname",
                        "6.1.0-18-amd64"));
        fields.put(
                "PV_drivers_version",
                ordered("major", "7", "minor", "30", "micro", "0", "build", "1"));
        fields.put("PV_drivers_up_to_date", true);
        fields.put("PV_drivers_detected", true);
        fields.put("networks", networks);
        fields.put(
                "other",
                ordered("feature-balloon", "1", "feature-shutdown", "1", "feature-reboot", "1"));
        fields.put("last_updated", pool.clock.wireNow());
        fields.put("live", true);
        fields.put("can_use_hotplug_vbd", "yes");
        fields.put("can_use_hotplug_vif", "yes");
        store.set("VM", ref, "guest_metrics", store.create("VM_guest_metrics", fields));
        refresh(ref);
    }

    static Map<String, Object> ordered(String... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    private Object stop(String ref, String state) {
        Row vm = store.get("VM", ref);
        account(vm.text("resident_on"), -vm.number("memory_static_max"));
        silenceAgent(vm);
        vm.list("consoles").forEach(each -> store.destroy("console", each));
        store.set("VM", ref, "power_state", state, "resident_on", Datamodel.NULL, "domid", -1L);
        store.set(
                "VM_metrics",
                vm.text("metrics"),
                "memory_actual",
                0L,
                "last_updated",
                pool.clock.wireNow());
        attach(store.get("VM", ref), false);
        refresh(ref);
        return "";
    }

    private void silenceAgent(Row vm) {
        store.destroy("VM_guest_metrics", vm.text("guest_metrics"));
        store.set("VM", vm.ref(), "guest_metrics", Datamodel.NULL);
    }

    private Object reboot(String ref) {
        Row vm = store.get("VM", ref);
        silenceAgent(vm);
        store.set("VM", ref, "domid", (long) nextDomid++, "power_state", "Running");
        store.set(
                "VM_metrics",
                vm.text("metrics"),
                "start_time",
                pool.clock.wireNow(),
                "last_updated",
                pool.clock.wireNow());
        awaitAgent(ref);
        return "";
    }

    private Object move(String ref, String host) {
        Row vm = store.get("VM", ref);
        if (!pool.hosts.isLive(host) || !pool.hosts.isLive(vm.text("resident_on"))) {
            throw new XapiError("HOST_OFFLINE", host);
        }
        account(vm.text("resident_on"), -vm.number("memory_static_max"));
        account(host, vm.number("memory_static_max"));
        store.set("VM", ref, "resident_on", host, "domid", (long) nextDomid++);
        return "";
    }

    /** Copies a VM as a snapshot or as a clone, with its disks and interfaces. */
    String copy(String ref, String operation, String name) {
        Row vm = store.get("VM", ref);
        require(vm, operation);
        boolean snapshot = operation.equals("snapshot");
        Map<String, Object> fields = new HashMap<>();
        for (int i = 0; i < vm.fields().values().length; i++) {
            fields.put(vm.fields().type().fields().get(i).name(), vm.fields().values()[i]);
        }
        List.of(
                        "uuid",
                        "VIFs",
                        "VBDs",
                        "consoles",
                        "snapshots",
                        "children",
                        "guest_metrics",
                        "resident_on",
                        "current_operations",
                        "allowed_operations")
                .forEach(fields::remove);
        fields.put("name_label", name);
        fields.put("power_state", "Halted");
        fields.put("domid", -1L);
        fields.put("metrics", store.create("VM_metrics", Map.of()));
        if (snapshot) {
            fields.put("is_a_snapshot", true);
            fields.put("is_a_template", true);
            fields.put("snapshot_of", ref);
            fields.put("snapshot_time", pool.clock.wireNow());
        }
        String made = store.create("VM", fields);
        for (String each : vm.list("VBDs")) {
            Row vbd = store.get("VBD", each);
            store.create(
                    "VBD",
                    Map.of(
                            "VM",
                            made,
                            "VDI",
                            vbd.text("VDI"),
                            "userdevice",
                            vbd.text("userdevice"),
                            "mode",
                            vbd.text("mode"),
                            "type",
                            vbd.text("type"),
                            "empty",
                            vbd.flag("empty"),
                            "bootable",
                            vbd.flag("bootable")));
        }
        for (String each : vm.list("VIFs")) {
            Row vif = store.get("VIF", each);
            store.create(
                    "VIF",
                    Map.of(
                            "VM",
                            made,
                            "network",
                            vif.text("network"),
                            "device",
                            vif.text("device"),
                            "MAC",
                            vif.text("MAC"),
                            "MTU",
                            1500L));
        }
        refresh(made);
        pool.changed();
        return made;
    }

    /** Removes a VM with its interfaces, drives and metrics; disks stay. */
    void destroy(String ref) {
        Row vm = store.get("VM", ref);
        require(vm, "destroy");
        vm.list("VIFs").forEach(each -> store.destroy("VIF", each));
        vm.list("VBDs").forEach(each -> store.destroy("VBD", each));
        store.destroy("VM_metrics", vm.text("metrics"));
        store.destroy("VM", ref);
        pool.changed();
    }

    /** A VM ends by itself, as after a failure of its guest. */
    void crash(String ref) {
        Row vm = store.get("VM", ref);
        if (!vm.text("power_state").equals("Running")) {
            throw new XapiError("VM_BAD_POWER_STATE", ref, "running", vm.text("power_state"));
        }
        stop(ref, "Halted");
        pool.changed();
    }

    /**
     * The host of a VM is gone: operations on the VM fail, and it is halted. Source:
     * xapi_vm_lifecycle.ml.
     */
    void lose(String ref) {
        Row vm = store.get("VM", ref);
        XapiError gone = new XapiError("HOST_OFFLINE", vm.text("resident_on"));
        for (String task : List.copyOf(vm.map("current_operations").keySet())) {
            pool.tasks.abort(task, gone);
        }
        stop(ref, "Halted");
    }

    /** A VM is paused by its host at once, without an operation. */
    void freeze(String ref) {
        switchPower(ref, "Running", "Paused");
    }

    /** It continues. */
    void thaw(String ref) {
        switchPower(ref, "Paused", "Running");
    }

    private void switchPower(String ref, String from, String to) {
        Row vm = store.get("VM", ref);
        if (!vm.text("power_state").equals(from)) {
            throw new XapiError(
                    "VM_BAD_POWER_STATE",
                    ref,
                    from.toLowerCase(Locale.ROOT),
                    vm.text("power_state"));
        }
        store.set("VM", ref, "power_state", to);
        refresh(ref);
    }
}
