package org.stillwater.ovirt.action;

import java.util.List;
import org.stillwater.ovirt.resource.Icons;

/** The elements of a VM that a client may write. */
final class WritableVm {

    private static final String READ_ONLY = "read-only";
    private static final String NO_GRAPHICS_TUNING =
            "the engine does not tune the channels of a screen";
    private static final String FIRST_START =
            "the engine does not configure a guest at its first start; use an image that does, or a"
                    + " configuration tool";
    private static final String DIRECT_KERNEL = "a VM boots from its devices";
    private static final String MIGRATIONS = "all VMs are migrated the same way";
    private static final String OF_CLUSTERS = "it belongs to a cluster, not to a VM";
    private static final String NO_QUEUES = "devices of the engine have one queue";
    private static final String OWN_COLLECTION = "it has its own collection: /vms/{id}/";

    /** For POST and PUT of a VM. */
    static final BodyRules TABLE = table();

    private WritableVm() {}

    private static BodyRules table() {
        BodyRules.Builder vm = BodyRules.of("VM", "vm", "edit VM");
        words(vm);
        hardware(vm);
        screen(vm);
        policies(vm);
        firstStart(vm);
        references(vm);
        collections(vm);
        BodyRules.Builder _ = NicChanges.rules(vm, "nics/nic/");
        readOnly(vm);
        return vm.table();
    }

    private static void words(BodyRules.Builder vm) {
        vm.kept("name", "`name`")
                .kept("description", "`description`")
                .kept("comment", "`comment`")
                .kept("type", "`workload`")
                .kept("delete_protected", "`deleteProtected`")
                .kept("os/type", "`guestSystem`")
                .list("custom_properties/custom_property/name", "`customProperties`")
                .list("custom_properties/custom_property/value", "`customProperties`")
                .ignored(
                        "custom_properties/custom_property/regexp",
                        "values of custom properties are not checked by pattern");
    }

    private static void hardware(BodyRules.Builder vm) {
        vm.kept("memory", "`memoryMebibytes`, rounded down to MiB")
                .kept("memory_policy/guaranteed", "`guaranteedMemoryMebibytes`")
                .kept("memory_policy/max", "`maximumMemoryMebibytes`")
                .kept("memory_policy/ballooning", "`balloon`")
                .unsupported("memory_policy/over_commit", OF_CLUSTERS)
                .unsupported("memory_policy/transparent_hugepages", OF_CLUSTERS)
                .kept("cpu/topology/sockets", "`sockets`")
                .kept("cpu/topology/cores", "`coresPerSocket`")
                .kept("cpu/topology/threads", "`threadsPerCore`")
                .kept("cpu/mode", "`cpu`: `custom` or `host_passthrough`")
                .own("cpu/architecture", "a VM has the architecture of its cluster")
                .list("cpu/cpu_tune/vcpu_pins/vcpu_pin/vcpu", "`cpuPinning`")
                .list("cpu/cpu_tune/vcpu_pins/vcpu_pin/cpu_set", "`cpuPinning`")
                .unsupported(
                        List.of("cpu/type", "cpu/level", "cpu/name", "cpu/speed", "cpu/cores"),
                        "it describes the CPU of a host or a cluster; use custom_cpu_model")
                .kept("cpu_shares", "`cpuShares`")
                .kept("custom_cpu_model", "`cpu`; empty for the CPU type of the cluster")
                .kept("custom_emulated_machine", "`machineType`; empty for that of the cluster")
                .own(
                        "cpu_pinning_policy",
                        "a VM with vcpu_pins has the policy manual, another one the policy none")
                .fixed("auto_pinning_policy", "disabled", "the engine does not choose pins")
                .kept("numa_tune_mode", "the `mode` of every NUMA node")
                .kept("bios/type", "`firmware` and the family of `machineType`")
                .kept("bios/boot_menu/enabled", "`bootMenu`")
                .list("os/boot/devices/device", "`boot`")
                .unsupported(
                        List.of("os/kernel", "os/initrd", "os/cmdline", "os/custom_kernel_cmdline"),
                        DIRECT_KERNEL)
                .ignored(
                        List.of("os/version", "os/reported_kernel_cmdline"),
                        READ_ONLY + ": guest_operating_system describes what the guest runs")
                .kept("time_zone/name", "`timeZone`; `Etc/GMT` for UTC")
                .ignored("time_zone/utc_offset", "it follows from the name of the time zone")
                .kept("console/enabled", "`serialConsole`")
                .kept("tpm_enabled", "`tpm`, which requires UEFI")
                .kept("rng_device/source", "`randomness`: `urandom` or `hwrng`")
                .kept("rng_device/rate/bytes", "`randomness.bytesPerPeriod`")
                .kept("rng_device/rate/period", "`randomness.periodMillis`")
                .fixed("soundcard_enabled", "false", "VMs have no sound card")
                .fixed("usb/enabled", "false", "USB devices are not redirected into VMs")
                .fixed("usb/type", "native", "USB devices are not redirected into VMs")
                .fixed("io/threads", "1", "all disks of a VM share one I/O thread")
                .fixed(
                        "virtio_scsi/enabled",
                        "true",
                        "a VM has the controller as soon as a disk needs it")
                .fixed("multi_queues_enabled", "false", NO_QUEUES)
                .fixed("virtio_scsi_multi_queues_enabled", "false", NO_QUEUES)
                .fixed("virtio_scsi_multi_queues", "0", NO_QUEUES)
                .fixed(
                        "serial_number/policy",
                        "host",
                        "the guest sees the serial number of its host")
                .unsupported("serial_number/value", "the guest sees the serial number of its host");
    }

    private static void screen(BodyRules.Builder vm) {
        vm.kept("display/type", "`consoles`: `vnc` or `spice`")
                .kept("display/keyboard_layout", "`keyboard` of the VNC console")
                .kept("display/video_type", "`video`")
                .fixed("display/monitors", "1", "a VM has one screen")
                .fixed("display/single_qxl_pci", "false", "a VM has one screen")
                .fixed("display/smartcard_enabled", "false", "VMs have no smart card reader")
                .fixed("display/allow_override", "false", "it belongs to a host")
                .fixed("display/copy_paste_enabled", "true", NO_GRAPHICS_TUNING)
                .fixed("display/file_transfer_enabled", "true", NO_GRAPHICS_TUNING)
                .fixed(
                        "display/disconnect_action",
                        "none",
                        "the engine takes no action when a console is closed")
                .fixed(
                        "display/disconnect_action_delay",
                        "0",
                        "the engine takes no action when a console is closed")
                .unsupported("display/proxy", "the engine names no proxy of SPICE")
                .ignored(
                        List.of(
                                "display/address",
                                "display/port",
                                "display/secure_port",
                                "display/certificate"),
                        READ_ONLY + ": hosts choose it")
                .fixed("sso/methods/method/id", "guest_agent", "it is the only method");
    }

    private static void policies(BodyRules.Builder vm) {
        vm.kept("high_availability/enabled", "`highlyAvailable`")
                .kept("high_availability/priority", "`priority`")
                .kept(
                        "lease/storage_domain/id",
                        "`leaseStorageDomain`, one that is known; an empty `lease` takes it"
                                + " away; see [leases](#leases-of-vms)")
                .unsupported("lease/storage_domain", "name the storage domain by its id")
                .kept("storage_error_resume_behaviour", "`resume`")
                .fixed(
                        "placement_policy/affinity",
                        "migratable",
                        "where VMs run is decided by affinity groups")
                .unsupported(
                        "placement_policy/hosts", "where VMs run is decided by affinity groups")
                .own(
                        "stateless",
                        "stateless cannot be set for a VM; those of a pool that is not stateful"
                                + " are")
                .fixed("start_paused", "false", "give pause to the action start")
                .unsupported("custom_compatibility_version", "a VM has the version of its cluster")
                .fixed("tunnel_migration", "false", MIGRATIONS)
                .unsupported("migration_downtime", MIGRATIONS)
                .fixed("migration/auto_converge", "inherit", MIGRATIONS)
                .fixed("migration/compressed", "inherit", MIGRATIONS)
                .fixed("migration/encrypted", "inherit", MIGRATIONS)
                .fixed("migration/parallel_migrations_policy", "inherit", MIGRATIONS)
                .unsupported("migration/custom_parallel_migrations", MIGRATIONS)
                .unsupported("migration/bandwidth", MIGRATIONS)
                .unsupported("migration/policy", MIGRATIONS)
                .fixed(
                        "use_latest_template_version",
                        "false",
                        "there is one template, the blank one")
                .own("origin", "the origin of a VM does not change");
    }

    private static void firstStart(BodyRules.Builder vm) {
        vm.unsupported("initialization", FIRST_START)
                .unsupported("domain", FIRST_START)
                .unsupported("payloads", FIRST_START);
    }

    private static void references(BodyRules.Builder vm) {
        vm.reference("cluster", "`cluster`, which cannot be changed")
                .reference("template", "the blank template; another one is unknown")
                .fixed("small_icon/id", Icons.SMALL, "all VMs have the same icon")
                .fixed("large_icon/id", Icons.LARGE, "all VMs have the same icon")
                .unsupported(
                        List.of(
                                "small_icon/data",
                                "small_icon/media_type",
                                "large_icon/data",
                                "large_icon/media_type"),
                        "all VMs have the same icon")
                .ignored(
                        List.of(
                                "small_icon/name",
                                "small_icon/description",
                                "small_icon/comment",
                                "large_icon/name",
                                "large_icon/description",
                                "large_icon/comment"),
                        READ_ONLY + ": it describes the icon")
                .unsupported("instance_type", "give memory and cpu")
                .unsupported("quota", "there are no quotas")
                .unsupported("cpu_profile", "there are no CPU profiles")
                .unsupported("storage_domain", "the engine does not manage storage")
                .unsupported("external_host_provider", "there are no such providers");
    }

    private static void collections(BodyRules.Builder vm) {
        vm.unsupported("disk_attachments", OWN_COLLECTION + "diskattachments")
                .unsupported("cdroms", OWN_COLLECTION + "cdroms")
                .unsupported("watchdogs", OWN_COLLECTION + "watchdogs")
                .unsupported("graphics_consoles", OWN_COLLECTION + "graphicsconsoles")
                .unsupported("numa_nodes", "use PUT /api/v1/vms/{id}/definition")
                .unsupported("tags", OWN_COLLECTION + "tags")
                .unsupported("permissions", "roles are granted with the native API")
                .unsupported("affinity_labels", "there are no affinity labels")
                .unsupported("floppies", "VMs have no floppy drive")
                .unsupported("host_devices", "devices of hosts are not given to VMs")
                .unsupported("mediated_devices", "devices of hosts are not given to VMs")
                .unsupported("snapshots", "the engine makes no VM from a snapshot")
                .unsupported("backups", "the engine makes no backups")
                .unsupported("checkpoints", "the engine makes no backups");
    }

    private static void readOnly(BodyRules.Builder vm) {
        vm.ignored("id", "the path names the VM, and the engine gives a new one its id")
                .ignored(
                        List.of(
                                "applications",
                                "creation_time",
                                "dynamic_cpu",
                                "fqdn",
                                "guest_operating_system",
                                "guest_time_zone",
                                "has_illegal_images",
                                "host",
                                "katello_errata",
                                "next_run_configuration_exists",
                                "original_template",
                                "reported_devices",
                                "run_once",
                                "sessions",
                                "start_time",
                                "statistics",
                                "status",
                                "status_detail",
                                "stop_reason",
                                "stop_time",
                                "vm_pool"),
                        READ_ONLY);
    }
}
