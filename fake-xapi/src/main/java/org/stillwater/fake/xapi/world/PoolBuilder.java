package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stillwater.fake.xapi.model.XType.DateTime;
import org.stillwater.fake.xapi.world.Store.Row;

/**
 * Fills a new pool: hosts, networks, storage, templates, and VMs of which nine in ten run.
 *
 * <p>It is long because it makes objects of every class, and they refer to each other.
 */
final class PoolBuilder {

    private static final long GIB = 1L << 30;
    private static final int CPUS = 16;
    private static final int TEMPLATES = 10;
    private static final DateTime BOOTED = new DateTime("20260820T20:00:00Z");

    private final Pool pool;
    private final Store store;
    private final Seeds seeds;
    private final List<String> hosts = new ArrayList<>();
    private final List<String> networks = new ArrayList<>();
    private final List<String> localStorages = new ArrayList<>();
    private String sharedStorage = "";
    private int nextMac = 1;
    private long nextDomid = 100_000;

    PoolBuilder(Pool pool) {
        this.pool = pool;
        this.store = pool.store;
        this.seeds = pool.seeds;
    }

    void build(String name, List<String> addresses, int vms) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("name_label", name);
        fields.put("tags", List.of("simulated"));
        fields.put(
                "cpu_info",
                Vms.ordered(
                        "cpu_count", Integer.toString(CPUS * addresses.size()),
                        "socket_count", Integer.toString(2 * addresses.size()),
                        "vendor", "GenuineIntel"));
        fields.put("coordinator_bias", true);
        fields.put("allowed_operations", List.of("cluster_create", "ha_enable"));
        String itself = store.create("pool", fields);
        for (int i = 0; i < 2; i++) {
            networks.add(
                    store.create(
                            "network",
                            Map.of(
                                    "name_label",
                                    i == 0 ? "management" : "guests",
                                    "bridge",
                                    "xenbr" + i,
                                    "MTU",
                                    1500L,
                                    "managed",
                                    true)));
        }
        sharedStorage = storage("shared storage", "nfs", true);
        int each = Math.max(1, (vms + addresses.size() - 1) / addresses.size());
        for (int i = 0; i < addresses.size(); i++) {
            host(name, i, addresses.get(i), each);
        }
        store.set(
                "pool",
                itself,
                "master",
                hosts.getFirst(),
                "default_SR",
                sharedStorage,
                "suspend_image_SR",
                sharedStorage,
                "crash_dump_SR",
                sharedStorage);
        for (int i = 0; i < TEMPLATES; i++) {
            template(i);
        }
        for (int i = 0; i < vms; i++) {
            vm(name, i);
        }
        hosts.forEach(pool.hosts::refresh);
        store.all("VM").stream().map(Row::ref).toList().forEach(pool.vms::refresh);
        store.create(
                "message",
                Map.of(
                        "name",
                        "POOL_MASTER_TRANSITION",
                        "priority",
                        4L,
                        "cls",
                        "Pool",
                        "obj_uuid",
                        pool.itself().text("uuid"),
                        "timestamp",
                        BOOTED,
                        "body",
                        ""));
        heartbeat(itself);
    }

    /** A change of the pool object now and then, as real pools have it. Source: xapi_event.ml. */
    private void heartbeat(String itself) {
        pool.clock.after(
                Duration.ofSeconds(30),
                () ->
                        pool.locked(() -> {
                            store.touch("pool", itself);
                            pool.changed();
                            heartbeat(itself);
                        }));
    }

    private String storage(String name, String type, boolean shared) {
        return store.create(
                "SR",
                Map.of(
                        "name_label",
                        name,
                        "type",
                        type,
                        "content_type",
                        "user",
                        "shared",
                        shared,
                        "physical_size",
                        4096 * GIB,
                        "physical_utilisation",
                        1024 * GIB,
                        "virtual_allocation",
                        2048 * GIB,
                        "allowed_operations",
                        List.of("vdi_create", "vdi_destroy", "scan")));
    }

    private void host(String poolName, int number, String address, int vms) {
        String hostName = "%s-host-%02d".formatted(poolName, number + 1);
        long total = (16L + 8L * vms) * GIB;
        String metrics =
                store.create(
                        "host_metrics",
                        Map.of(
                                "memory_total",
                                total,
                                "memory_free",
                                total - 4 * GIB,
                                "live",
                                true,
                                "last_updated",
                                BOOTED));
        Map<String, Object> fields = new HashMap<>();
        fields.put("name_label", hostName);
        fields.put("hostname", hostName);
        fields.put("address", address);
        fields.put("enabled", true);
        fields.put("metrics", metrics);
        fields.put("memory_overhead", GIB / 2);
        fields.put("API_version_major", 2L);
        fields.put("API_version_minor", 21L);
        fields.put("API_version_vendor", "XenSource");
        fields.put(
                "software_version",
                Vms.ordered(
                        "product_version",
                        "8.3.0",
                        "product_brand",
                        "XCP-ng",
                        "build_number",
                        "8.3.0",
                        "date",
                        "20260821T00:00:00Z",
                        "xapi",
                        "26.17",
                        "xen",
                        "4.17.5-6",
                        "linux",
                        "4.19.0+1"));
        fields.put(
                "other_config",
                Vms.ordered("boot_time", "1787256000.", "agent_start_time", "1787256060."));
        fields.put("capabilities", List.of("xen-3.0-x86_64", "hvm-3.0-x86_32"));
        fields.put(
                "cpu_info",
                Vms.ordered(
                        "cpu_count",
                        Integer.toString(CPUS),
                        "socket_count",
                        "2",
                        "threads_per_core",
                        "2",
                        "vendor",
                        "GenuineIntel",
                        "speed",
                        "2400.084",
                        "modelname",
                        "Simulated CPU @ 2.40GHz"));
        fields.put(
                "bios_strings",
                Vms.ordered(
                        "bios-vendor",
                        "Simulated",
                        "bios-version",
                        "1.0",
                        "system-manufacturer",
                        "Simulated",
                        "system-product-name",
                        "Server",
                        "system-version",
                        "1",
                        "system-serial-number",
                        "FX-" + address));
        fields.put("edition", "xcp-ng");
        fields.put("sched_policy", "credit");
        String host = store.create("host", fields);
        hosts.add(host);
        controlDomain(host, hostName);
        for (int i = 0; i < CPUS; i++) {
            store.create(
                    "host_cpu",
                    Map.of(
                            "host",
                            host,
                            "number",
                            (long) i,
                            "vendor",
                            "GenuineIntel",
                            "speed",
                            2400L,
                            "modelname",
                            "Simulated CPU @ 2.40GHz"));
        }
        for (int i = 0; i < networks.size(); i++) {
            interfaceOf(host, i, address);
        }
        String local = storage("local storage of " + hostName, "ext", false);
        localStorages.add(local);
        for (String sr : List.of(sharedStorage, local)) {
            store.create(
                    "PBD",
                    Map.of(
                            "host",
                            host,
                            "SR",
                            sr,
                            "currently_attached",
                            true,
                            "device_config",
                            Map.of("device", "/dev/sda")));
        }
        store.create(
                "Certificate",
                Map.of(
                        "type",
                        "host",
                        "host",
                        host,
                        "not_before",
                        new DateTime("20260101T00:00:00Z"),
                        "not_after",
                        new DateTime("20360101T00:00:00Z")));
    }

    private void interfaceOf(String host, int number, String address) {
        String metrics =
                store.create(
                        "PIF_metrics",
                        Map.of(
                                "carrier",
                                true,
                                "speed",
                                10000L,
                                "duplex",
                                true,
                                "vendor_name",
                                "Simulated",
                                "device_name",
                                "10G",
                                "last_updated",
                                BOOTED));
        Map<String, Object> fields = new HashMap<>();
        fields.put("device", "eth" + number);
        fields.put("network", networks.get(number));
        fields.put("host", host);
        fields.put("MAC", mac());
        fields.put("MTU", 1500L);
        fields.put("VLAN", -1L);
        fields.put("physical", true);
        fields.put("management", number == 0);
        fields.put("currently_attached", true);
        fields.put("ip_configuration_mode", number == 0 ? "Static" : "None");
        fields.put("IP", number == 0 ? address : "");
        fields.put("metrics", metrics);
        store.create("PIF", fields);
    }

    private String mac() {
        int number = nextMac++;
        return "02:00:%02x:%02x:%02x:%02x"
                .formatted(
                        (number >> 24) & 255,
                        (number >> 16) & 255,
                        (number >> 8) & 255,
                        number & 255);
    }

    private Map<String, Object> machine(String name, long memory, long cpus) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("name_label", name);
        for (String each :
                List.of("memory_static_max", "memory_dynamic_max", "memory_dynamic_min")) {
            fields.put(each, memory);
        }
        fields.put("memory_target", memory);
        fields.put("memory_static_min", memory / 8);
        fields.put("VCPUs_max", cpus);
        fields.put("VCPUs_at_startup", cpus);
        fields.put("domid", -1L);
        fields.put("user_version", 1L);
        fields.put("actions_after_shutdown", "destroy");
        fields.put("actions_after_reboot", "restart");
        fields.put("HVM_boot_policy", "BIOS order");
        fields.put("HVM_boot_params", Vms.ordered("order", "cd", "firmware", "bios"));
        fields.put("domain_type", "hvm");
        fields.put(
                "platform",
                Vms.ordered(
                        "timeoffset",
                        "0",
                        "nx",
                        "true",
                        "acpi",
                        "1",
                        "apic",
                        "true",
                        "pae",
                        "true",
                        "device-model",
                        "qemu-upstream-compat"));
        return fields;
    }

    private void controlDomain(String host, String hostName) {
        Map<String, Object> fields = machine("Control domain on host: " + hostName, 4 * GIB, 4);
        fields.put("is_control_domain", true);
        fields.put("power_state", "Running");
        fields.put("domid", 0L);
        fields.put("domain_type", "pv");
        fields.put("resident_on", host);
        fields.put("affinity", host);
        fields.put(
                "metrics",
                store.create(
                        "VM_metrics",
                        Map.of(
                                "memory_actual",
                                4 * GIB,
                                "VCPUs_number",
                                4L,
                                "start_time",
                                BOOTED)));
        store.set("host", host, "control_domain", store.create("VM", fields));
    }

    private void template(int number) {
        Map<String, Object> fields = machine("Template %02d".formatted(number), 2 * GIB, 1);
        fields.put("is_a_template", true);
        fields.put("is_default_template", true);
        fields.put("other_config", Map.of("default_template", "true"));
        fields.put("metrics", store.create("VM_metrics", Map.of()));
        store.create("VM", fields);
    }

    private void vm(String poolName, int number) {
        long memory = (1L << (1 + seeds.below(3))) * GIB / 2;
        long cpus = 1L << seeds.below(3);
        Map<String, Object> fields =
                machine("%s-vm-%05d".formatted(poolName, number + 1), memory, cpus);
        boolean runs = number % 10 != 3;
        String host = hosts.get(number % hosts.size());
        Map<String, Object> metrics = new LinkedHashMap<>();
        metrics.put("memory_actual", runs ? memory : 0L);
        metrics.put("VCPUs_number", runs ? cpus : 0L);
        metrics.put("start_time", runs ? BOOTED : DateTime.NEVER);
        metrics.put("hvm", true);
        metrics.put("current_domain_type", "hvm");
        fields.put("metrics", store.create("VM_metrics", metrics));
        fields.put("tags", number % 2 == 0 ? List.of("prod") : List.of());
        fields.put("power_state", runs ? "Running" : "Halted");
        if (runs) {
            fields.put("resident_on", host);
            fields.put("domid", nextDomid++);
        }
        String vm = store.create("VM", fields);
        disk(vm, number, 0, runs);
        disk(vm, number, 1, runs);
        store.create(
                "VBD",
                Map.of(
                        "VM",
                        vm,
                        "userdevice",
                        "3",
                        "type",
                        "CD",
                        "mode",
                        "RO",
                        "empty",
                        true,
                        "device",
                        runs ? "xvdd" : "",
                        "currently_attached",
                        runs));
        for (int i = 0; i < 2; i++) {
            store.create(
                    "VIF",
                    Map.of(
                            "VM",
                            vm,
                            "network",
                            networks.get(i),
                            "device",
                            Integer.toString(i),
                            "MAC",
                            mac(),
                            "MTU",
                            1500L,
                            "currently_attached",
                            runs,
                            "locking_mode",
                            "network_default",
                            "MAC_autogenerated",
                            true));
        }
        if (runs) {
            Row metricsOfHost = store.get("host_metrics", store.get("host", host).text("metrics"));
            store.set(
                    "host_metrics",
                    metricsOfHost.ref(),
                    "memory_free",
                    metricsOfHost.number("memory_free") - memory);
            store.create(
                    "console",
                    Map.of(
                            "protocol",
                            "rfb",
                            "location",
                            "https://"
                                    + store.get("host", host).text("address")
                                    + "/console?ref="
                                    + vm,
                            "VM",
                            vm));
            pool.vms.agent(vm);
        }
    }

    private void disk(String vm, int number, int place, boolean runs) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("name_label", "disk %d of VM %05d".formatted(place, number + 1));
        fields.put(
                "SR",
                place == 0 ? sharedStorage : localStorages.get(number % localStorages.size()));
        fields.put("virtual_size", 20 * GIB);
        fields.put("physical_utilisation", 9 * GIB);
        fields.put("type", "user");
        fields.put("managed", true);
        String vdi = store.create("VDI", fields);
        store.set("VDI", vdi, "location", store.get("VDI", vdi).text("uuid"));
        Map<String, Object> drive = new HashMap<>();
        drive.put("VM", vm);
        drive.put("VDI", vdi);
        drive.put("userdevice", Integer.toString(place));
        drive.put("device", runs ? "xvd" + (char) ('a' + place) : "");
        drive.put("bootable", place == 0);
        drive.put("mode", "RW");
        drive.put("type", "Disk");
        drive.put("currently_attached", runs);
        drive.put("unpluggable", true);
        drive.put("metrics", store.create("VBD_metrics", Map.of()));
        store.create("VBD", drive);
    }
}
