package org.stillwater.server.takeover;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.server.api.vm.DefinitionJson;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts a VM of oVirt's API to a definition of ours, through the JSON form of definitions:
 * values that the form refuses are refused here. Not thread-safe.
 */
final class VmPlanner {

    private static final String VM = "VM";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final Set<String> VIDEO = Set.of("vga", "qxl", "virtio", "bochs");
    private static final Set<String> MODELS = Set.of("virtio", "e1000", "rtl8139");
    private static final Set<String> ACTIONS = Set.of("none", "reset", "pause", "dump");
    private static final Set<String> WORKLOADS = Set.of("desktop", "server", "high_performance");
    private static final Set<String> RESUMES = Set.of("auto_resume", "leave_paused", "kill");
    private static final Set<String> BLOCK = Set.of("iscsi", "fcp");

    private final ReferencedObjects referenced;
    private final Losses losses;

    /**
     * Objects that VMs refer to.
     *
     * @param clusters our cluster and its data centre and firmware for the id of one of theirs
     * @param networks name of the network for the id of a vNIC profile
     * @param storage type of storage for the id of a storage domain
     */
    record ReferencedObjects(
            Map<String, Home> clusters,
            Map<String, String> networks,
            Map<String, String> storage) {}

    /**
     * Cluster of a VM, with its pool and firmware.
     *
     * @param cluster our cluster
     * @param pool the storage pool, which is their data centre
     * @param firmware {@code bios_type} of the cluster
     */
    record Home(UUID cluster, String pool, String firmware) {}

    VmPlanner(ReferencedObjects referenced, Losses losses) {
        this.referenced = referenced;
        this.losses = losses;
    }

    /** The definition; null if there can be none, which is noted. */
    @Nullable Definition plan(JsonNode vm) {
        String name = OvirtJson.text(vm, "name");
        Home home = referenced.clusters().get(OvirtJson.text(vm, "cluster", "id"));
        if (home == null) {
            losses.add(VM, name, "its cluster is missing");
            return null;
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("name", name);
        members.put("cluster", home.cluster().toString());
        identity(vm, members);
        size(vm, members);
        boot(vm, home, members);
        screen(vm, members);
        devices(vm, members);
        members.put("disks", disks(vm, name, home));
        members.put("interfaces", interfaces(vm, name));
        note(vm, name);
        try {
            return DefinitionJson.parse(MAPPER.writeValueAsString(members));
        } catch (IllegalArgumentException e) {
            losses.add(
                    VM,
                    name,
                    "its definition is not kept; it is found on its host: " + e.getMessage());
            return null;
        }
    }

    private void identity(JsonNode vm, Map<String, @Nullable Object> members) {
        String name = OvirtJson.text(vm, "name");
        members.put("description", OvirtJson.textOrNull(vm, "description"));
        members.put("comment", OvirtJson.textOrNull(vm, "comment"));
        members.put("deleteProtected", OvirtJson.flag(vm, "delete_protected"));
        members.put("highlyAvailable", OvirtJson.flag(vm, "high_availability", "enabled"));
        members.put(
                "priority",
                Math.clamp(OvirtJson.number(vm, 0, "high_availability", "priority"), 0, 100));
        members.put(
                "leaseStorageDomain", OvirtJson.textOrNull(vm, "lease", "storage_domain", "id"));
        String system = OvirtJson.text(vm, "os", "type");
        if (system.matches("[A-Za-z0-9._-]{1,64}")) {
            members.put("guestSystem", system);
        }
        String workload = OvirtJson.lower(vm, "type");
        if (WORKLOADS.contains(workload)) {
            members.put("workload", workload);
        }
        Map<String, String> properties = new LinkedHashMap<>();
        for (JsonNode each : OvirtJson.list(vm, "custom_properties", "custom_property")) {
            properties.put(OvirtJson.text(each, "name"), OvirtJson.text(each, "value"));
        }
        members.put("customProperties", properties);
        String zone = OvirtJson.text(vm, "time_zone", "name");
        if (!zone.isEmpty()) {
            try {
                members.put("timeZone", ZoneId.of(zone).getId());
            } catch (DateTimeException _) {
                losses.add(VM, name, "the time zone " + zone + ", which has no IANA name");
            }
        }
        String resume = OvirtJson.lower(vm, "storage_error_resume_behaviour");
        if (RESUMES.contains(resume)) {
            members.put("resume", resume);
        }
    }

    private void size(JsonNode vm, Map<String, @Nullable Object> members) {
        int memory = OvirtJson.mebibytes(vm, "memory");
        int guaranteed = OvirtJson.mebibytes(vm, "memory_policy", "guaranteed");
        int maximum = OvirtJson.mebibytes(vm, "memory_policy", "max");
        members.put("memoryMebibytes", memory);
        members.put(
                "guaranteedMemoryMebibytes",
                guaranteed == 0 ? memory : Math.min(guaranteed, memory));
        members.put("maximumMemoryMebibytes", maximum > memory ? maximum : 0);
        members.put("balloon", !OvirtJson.text(vm, "memory_policy", "ballooning").equals("false"));
        members.put("sockets", OvirtJson.number(vm, 1, "cpu", "topology", "sockets"));
        members.put("coresPerSocket", OvirtJson.number(vm, 1, "cpu", "topology", "cores"));
        members.put("threadsPerCore", OvirtJson.number(vm, 1, "cpu", "topology", "threads"));
        long shares = OvirtJson.number(vm, 0, "cpu_shares");
        if (shares >= 2 && shares <= 10_000) {
            members.put("cpuShares", shares);
        }
        String model = OvirtJson.text(vm, "custom_cpu_model");
        if (OvirtJson.lower(vm, "cpu", "mode").equals("host_passthrough")) {
            members.put("cpu", "host");
        } else if (!model.isEmpty()) {
            members.put("cpu", Map.of("model", model, "features", List.of()));
        }
        Map<String, String> pins = new LinkedHashMap<>();
        for (JsonNode pin : OvirtJson.list(vm, "cpu", "cpu_tune", "vcpu_pins", "vcpu_pin")) {
            pins.put(OvirtJson.text(pin, "vcpu"), OvirtJson.text(pin, "cpu_set"));
        }
        members.put("cpuPinning", pins);
    }

    private static void boot(JsonNode vm, Home home, Map<String, @Nullable Object> members) {
        String firmware = OvirtJson.lower(vm, "bios", "type");
        if (firmware.isEmpty() || firmware.equals("cluster_default")) {
            firmware = home.firmware();
        }
        members.put(
                "firmware",
                switch (firmware) {
                    case "q35_ovmf" -> "uefi";
                    case "q35_secure_boot" -> "uefi_secure_boot";
                    default -> "bios";
                });
        String machine = OvirtJson.textOrNull(vm, "custom_emulated_machine");
        members.put(
                "machineType",
                machine == null && firmware.equals("i440fx_sea_bios") ? "pc" : machine);
        members.put("bootMenu", OvirtJson.flag(vm, "bios", "boot_menu", "enabled"));
        List<String> devices = new ArrayList<>();
        for (JsonNode each : OvirtJson.list(vm, "os", "boot", "devices", "device")) {
            String word = each.asString("").toLowerCase(Locale.ROOT);
            String ours = word.equals("hd") ? "disk" : word;
            if (Set.of("disk", "cdrom", "network").contains(ours) && !devices.contains(ours)) {
                devices.add(ours);
            }
        }
        if (!devices.isEmpty()) {
            members.put("boot", devices);
        }
        members.put("tpm", OvirtJson.flag(vm, "tpm_enabled"));
    }

    private void screen(JsonNode vm, Map<String, @Nullable Object> members) {
        List<String> protocols = new ArrayList<>();
        for (JsonNode each : OvirtJson.list(vm, "graphics_consoles", "graphics_console")) {
            protocols.add(OvirtJson.lower(each, "protocol"));
        }
        if (protocols.isEmpty()) {
            protocols.add(OvirtJson.lower(vm, "display", "type"));
        }
        String keyboard = OvirtJson.textOrNull(vm, "display", "keyboard_layout");
        List<Map<String, @Nullable Object>> consoles = new ArrayList<>();
        for (String each : List.of("spice", "vnc")) {
            if (protocols.contains(each)) {
                Map<String, @Nullable Object> console = new HashMap<>();
                console.put("protocol", each);
                console.put("keyboard", each.equals("vnc") ? keyboard : null);
                consoles.add(console);
            }
        }
        members.put("consoles", consoles);
        String video = OvirtJson.lower(vm, "display", "video_type");
        if (VIDEO.contains(video)) {
            members.put("video", video);
        } else {
            losses.addIf(
                    !video.isEmpty() && !consoles.isEmpty(),
                    VM,
                    OvirtJson.text(vm, "name"),
                    "video of the type " + video + "; it becomes vga");
        }
    }

    private void devices(JsonNode vm, Map<String, @Nullable Object> members) {
        String name = OvirtJson.text(vm, "name");
        members.put("serialConsole", OvirtJson.flag(vm, "console", "enabled"));
        String source = OvirtJson.lower(vm, "rng_device", "source");
        if (Set.of("urandom", "random", "hwrng").contains(source)) {
            Map<String, @Nullable Object> randomness = new HashMap<>();
            randomness.put("source", source);
            long bytes = OvirtJson.number(vm, 0, "rng_device", "rate", "bytes");
            long period = OvirtJson.number(vm, 0, "rng_device", "rate", "period");
            randomness.put("bytesPerPeriod", bytes > 0 ? bytes : null);
            randomness.put("periodMillis", bytes > 0 && period > 0 ? period : null);
            members.put("randomness", randomness);
        }
        List<JsonNode> dogs = OvirtJson.list(vm, "watchdogs", "watchdog");
        if (!dogs.isEmpty()) {
            String action = OvirtJson.lower(dogs.getFirst(), "action");
            String ours = action.equals("poweroff") ? "power_off" : action;
            if (ACTIONS.contains(ours) || ours.equals("power_off")) {
                members.put("watchdog", Map.of("action", ours));
            }
        }
        List<JsonNode> drives = OvirtJson.list(vm, "cdroms", "cdrom");
        if (!drives.isEmpty()) {
            String id = OvirtJson.textOrNull(drives.getFirst(), "id");
            losses.addIf(
                    OvirtJson.has(drives.getFirst(), "file", "id"),
                    VM,
                    name,
                    "the CD in its drive: the API does not contain the path of an image");
            if (id != null) {
                members.put("cdrom", Map.of("id", id));
            }
        }
    }

    private List<Map<String, @Nullable Object>> disks(JsonNode vm, String name, Home home) {
        List<Map<String, @Nullable Object>> disks = new ArrayList<>();
        int order = 0;
        for (JsonNode attachment : OvirtJson.list(vm, "disk_attachments", "disk_attachment")) {
            JsonNode disk = attachment.path("disk");
            String id = OvirtJson.text(attachment, "id");
            String alias = OvirtJson.text(disk, "alias");
            String called = alias.isEmpty() ? id : alias;
            Map<String, Object> place = place(disk, id, home);
            if (place == null) {
                losses.add(
                        VM,
                        name,
                        "the disk "
                                + called
                                + ": neither an image with a volume and a storage domain nor a"
                                + " LUN");
                continue;
            }
            String bus = OvirtJson.lower(attachment, "interface");
            Map<String, @Nullable Object> ours = new LinkedHashMap<>();
            ours.put("id", id);
            ours.put("name", called);
            ours.put("place", place);
            ours.put(
                    "bus",
                    switch (bus) {
                        case "virtio" -> "virtio";
                        case "sata", "ide" -> "sata";
                        default -> "virtio_scsi";
                    });
            losses.addIf(
                    bus.equals("ide"), VM, name, "the bus IDE of disk " + called + "; it is SATA");
            ours.put("format", OvirtJson.lower(disk, "format").equals("cow") ? "qcow2" : "raw");
            ours.put("bootOrder", OvirtJson.flag(attachment, "bootable") ? ++order : null);
            ours.put("readOnly", OvirtJson.flag(attachment, "read_only"));
            ours.put("shareable", OvirtJson.flag(disk, "shareable"));
            ours.put("plugged", !OvirtJson.text(attachment, "active").equals("false"));
            disks.add(ours);
        }
        return disks;
    }

    private @Nullable Map<String, Object> place(JsonNode disk, String id, Home home) {
        List<JsonNode> units = OvirtJson.list(disk, "lun_storage", "logical_units", "logical_unit");
        if (!units.isEmpty()) {
            String unit = OvirtJson.text(units.getFirst(), "id");
            return unit.matches("[A-Za-z0-9._:-]+")
                    ? Map.of("kind", "block_device", "path", "/dev/mapper/" + unit)
                    : null;
        }
        List<JsonNode> domains = OvirtJson.list(disk, "storage_domains", "storage_domain");
        String volume = OvirtJson.text(disk, "image_id");
        String storage = OvirtJson.lower(disk, "storage_type");
        if (volume.isEmpty()
                || domains.isEmpty()
                || !(storage.isEmpty() || storage.equals("image"))) {
            return null;
        }
        String domain = OvirtJson.text(domains.getFirst(), "id");
        return Map.of(
                "kind",
                "volume",
                "pool",
                home.pool(),
                "domain",
                domain,
                "image",
                id,
                "volume",
                volume,
                "block",
                BLOCK.contains(referenced.storage().getOrDefault(domain, "")));
    }

    private List<Map<String, @Nullable Object>> interfaces(JsonNode vm, String name) {
        List<Map<String, @Nullable Object>> interfaces = new ArrayList<>();
        for (JsonNode nic : OvirtJson.list(vm, "nics", "nic")) {
            String model = OvirtJson.lower(nic, "interface");
            String called = OvirtJson.text(nic, "name");
            String mac = OvirtJson.lower(nic, "mac", "address");
            if (mac.isEmpty()) {
                losses.add(VM, name, "the interface " + called + ", which has no MAC address");
                continue;
            }
            losses.addIf(
                    !MODELS.contains(model),
                    VM,
                    name,
                    "the model " + model + " of interface " + called + "; it becomes virtio");
            String profile = OvirtJson.textOrNull(nic, "vnic_profile", "id");
            losses.addIf(
                    profile != null && !referenced.networks().containsKey(profile),
                    VM,
                    name,
                    "the network of interface " + called + ", whose vNIC profile is missing");
            Map<String, @Nullable Object> ours = new LinkedHashMap<>();
            ours.put("id", OvirtJson.text(nic, "id"));
            ours.put("name", called);
            ours.put("mac", mac);
            ours.put("network", profile == null ? null : referenced.networks().get(profile));
            ours.put("vnicProfile", profile);
            ours.put("model", MODELS.contains(model) ? model : "virtio");
            ours.put("linked", !OvirtJson.text(nic, "linked").equals("false"));
            ours.put("plugged", !OvirtJson.text(nic, "plugged").equals("false"));
            interfaces.add(ours);
        }
        return interfaces;
    }

    /** Notes properties that a VM of ours cannot have. */
    private void note(JsonNode vm, String name) {
        losses.addIf(
                OvirtJson.flag(vm, "stateless"),
                VM,
                name,
                "stateless: its disks keep written data");
        String affinity = OvirtJson.lower(vm, "placement_policy", "affinity");
        boolean pinned = !OvirtJson.list(vm, "placement_policy", "hosts", "host").isEmpty();
        losses.addIf(pinned || affinity.equals("pinned"), VM, name, "its binding to certain hosts");
        losses.addIf(
                affinity.equals("user_migratable"),
                VM,
                name,
                "that only people may migrate it: drains and balancing do so as well");
        losses.addIf(
                !OvirtJson.list(vm, "numa_nodes", "vm_numa_node").isEmpty(),
                VM,
                name,
                "its virtual NUMA nodes");
        losses.addIf(
                OvirtJson.has(vm, "custom_compatibility_version", "major"),
                VM,
                name,
                "its own compatibility version");
        losses.addIf(
                OvirtJson.has(vm, "initialization", "cloud_init")
                        || OvirtJson.has(vm, "initialization", "custom_script"),
                VM,
                name,
                "the configuration of its first start (cloud-init or sysprep)");
        losses.addIf(OvirtJson.flag(vm, "usb", "enabled"), VM, name, "USB redirection");
        losses.addIf(OvirtJson.flag(vm, "soundcard_enabled"), VM, name, "its sound card");
        // Every engine gives each VM one I/O thread.
        losses.addIf(OvirtJson.number(vm, 0, "io", "threads") > 1, VM, name, "its I/O threads");
    }
}
