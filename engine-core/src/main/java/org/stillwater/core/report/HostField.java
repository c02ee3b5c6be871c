package org.stillwater.core.report;

import static org.stillwater.core.report.HostField.Kind.BOOLEAN;
import static org.stillwater.core.report.HostField.Kind.INTEGER;
import static org.stillwater.core.report.HostField.Kind.INTEGERS;
import static org.stillwater.core.report.HostField.Kind.LONG;
import static org.stillwater.core.report.HostField.Kind.NUMBER;
import static org.stillwater.core.report.HostField.Kind.STRUCTURE;
import static org.stillwater.core.report.HostField.Kind.TEXT;
import static org.stillwater.core.report.HostField.Kind.TEXTS;
import static org.stillwater.core.report.HostField.Kind.TEXT_MAP;
import static org.stillwater.core.report.HostField.Kind.TIME;
import static org.stillwater.core.report.HostField.Source.STATISTICS;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.TextLimit;

/**
 * The one table of what hosts report about themselves: where it comes from, how it is held, and
 * where it is stored. Decoding, comparing, SQL and the reference page are driven by these rows.
 *
 * <p>What a row's {@link Source} says of it holds for all rows of that source: see there for when a
 * value is compared, written and forgotten.
 *
 * <p>Source: protocol specification §3.4–3.6 (the members that the reference engine reads),
 * monitoring specification §1.8 (meaning).
 */
@SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
public enum HostField {
    CPU_MODEL("cpuModel", TEXT, "", "cpu.model", "cpu_model", c -> c.cpu().model()),
    CPU_FLAGS("cpuFlags", TEXT, "", "cpu.flags", "cpu_flags", c -> c.cpu().flags()),
    CPU_SOCKETS(
            "cpuSockets", INTEGER, "sockets", "cpu.sockets", "cpu_sockets", c -> c.cpu().sockets()),
    CPU_CORES("cpuCores", INTEGER, "cores", "cpu.cores", "cpu_cores", c -> c.cpu().cores()),
    CPU_THREADS(
            "cpuThreads", INTEGER, "threads", "cpu.threads", "cpu_threads", c -> c.cpu().threads()),
    CPU_SPEED(
            "cpuSpeed",
            NUMBER,
            "MHz",
            "cpu.speedMegahertz",
            "cpu_speed_mh",
            c -> rounded(c.cpu().speedMegahertz())),
    ONLINE_CPUS("onlineCpus", INTEGERS, "", "cpu.online", "online_cpus", c -> c.cpu().online()),
    CPU_TOPOLOGY(
            "cpuTopology", STRUCTURE, "", "cpu.topology", "cpu_topology", c -> c.cpu().topology()),
    AGENT_AFFINITY(
            "vdsmToCpusAffinity",
            INTEGERS,
            "",
            "cpu.agentAffinity",
            "vdsm_cpus_affinity",
            c -> c.cpu().agentAffinity()),
    TSC_FREQUENCY(
            "tscFrequency",
            LONG,
            "Hz",
            "cpu.tscFrequencyHertz",
            "tsc_frequency",
            c -> c.cpu().tscFrequencyHertz()),
    TSC_SCALING(
            "tscScaling", BOOLEAN, "", "cpu.tscScaling", "tsc_scaling", c -> c.cpu().tscScaling()),
    MEMORY(
            "memSize",
            LONG,
            "MiB",
            "memory.physicalMebibytes",
            "physical_mem_mb",
            c -> c.memory().physicalMebibytes()),
    RESERVED_MEMORY(
            "reservedMem",
            LONG,
            "MiB",
            "memory.reservedMebibytes",
            "reserved_mem",
            c -> c.memory().reservedMebibytes()),
    GUEST_OVERHEAD(
            "guestOverhead",
            LONG,
            "MiB",
            "memory.guestOverheadMebibytes",
            "guest_overhead",
            c -> c.memory().guestOverheadMebibytes()),
    AUTO_NUMA_BALANCING(
            "autoNumaBalancing",
            INTEGER,
            "",
            "memory.autoNumaBalancing",
            "auto_numa_balancing",
            c -> c.memory().autoNumaBalancing()),
    VERSION_NAME(
            "version_name",
            TEXT,
            "",
            "software.versionName",
            "version_name",
            c -> c.software().versionName()),
    SOFTWARE_VERSION(
            "software_version",
            TEXT,
            "",
            "software.version",
            "software_version",
            c -> c.software().version()),
    SOFTWARE_REVISION(
            "software_revision",
            TEXT,
            "",
            "software.revision",
            "software_revision",
            c -> c.software().revision()),
    OS_NAME(
            "operatingSystem.name",
            TEXT,
            "",
            "software.operatingSystem.name",
            "host_os_name",
            c -> c.software().operatingSystem().name()),
    OS_VERSION(
            "operatingSystem.version",
            TEXT,
            "",
            "software.operatingSystem.version",
            "host_os_version",
            c -> c.software().operatingSystem().version()),
    OS_RELEASE(
            "operatingSystem.release",
            TEXT,
            "",
            "software.operatingSystem.release",
            "host_os_release",
            c -> c.software().operatingSystem().release()),
    OS_PRETTY_NAME(
            "operatingSystem.pretty_name",
            TEXT,
            "",
            "software.operatingSystem.prettyName",
            "host_os",
            c -> c.software().operatingSystem().label()),
    KERNEL_ARGUMENTS(
            "kernelArgs",
            TEXT,
            "",
            "software.kernelArguments",
            "kernel_args",
            c -> c.software().kernelArguments()),
    PACKAGE_VDSM(
            "packages2.vdsm",
            TEXT,
            "",
            "software.packages.vdsm",
            "rpm_version",
            c -> c.software().packages().vdsm()),
    PACKAGE_KERNEL(
            "packages2.kernel",
            TEXT,
            "",
            "software.packages.kernel",
            "kernel_version",
            c -> c.software().packages().kernel()),
    PACKAGE_LIBVIRT(
            "packages2.libvirt",
            TEXT,
            "",
            "software.packages.libvirt",
            "libvirt_version",
            c -> c.software().packages().libvirt()),
    PACKAGE_QEMU_KVM(
            "packages2.qemu-kvm",
            TEXT,
            "",
            "software.packages.qemuKvm",
            "kvm_version",
            c -> c.software().packages().qemuKvm()),
    PACKAGE_LIBRBD1(
            "packages2.librbd1",
            TEXT,
            "",
            "software.packages.librbd1",
            "librbd1_version",
            c -> c.software().packages().librbd1()),
    PACKAGE_GLUSTERFS(
            "packages2.glusterfs",
            TEXT,
            "",
            "software.packages.glusterfs",
            "glusterfs_version",
            c -> c.software().packages().glusterfs()),
    PACKAGE_GLUSTERFS_CLI(
            "packages2.glusterfs-cli",
            TEXT,
            "",
            "software.packages.glusterfsCli",
            "glusterfs_cli_version",
            c -> c.software().packages().glusterfsCli()),
    PACKAGE_SPICE_SERVER(
            "packages2.spice-server",
            TEXT,
            "",
            "software.packages.spiceServer",
            "spice_version",
            c -> c.software().packages().spiceServer()),
    PACKAGE_OPENVSWITCH(
            "packages2.openvswitch",
            TEXT,
            "",
            "software.packages.openvswitch",
            "openvswitch_version",
            c -> c.software().packages().openvswitch()),
    PACKAGE_NMSTATE(
            "packages2.nmstate",
            TEXT,
            "",
            "software.packages.nmstate",
            "nmstate_version",
            c -> c.software().packages().nmstate()),
    CLUSTER_LEVELS(
            "clusterLevels",
            TEXTS,
            "",
            "compatibility.clusterLevels",
            "supported_cluster_levels",
            c -> c.compatibility().clusterLevels()),
    SUPPORTED_ENGINES(
            "supportedENGINEs",
            TEXTS,
            "",
            "compatibility.supportedEngines",
            "supported_engines",
            c -> c.compatibility().supportedEngines()),
    EMULATED_MACHINES(
            "emulatedMachines",
            TEXTS,
            "",
            "compatibility.emulatedMachines",
            "supported_emulated_machines",
            c -> c.compatibility().emulatedMachines()),
    RNG_SOURCES(
            "rngSources",
            TEXTS,
            "",
            "compatibility.rngSources",
            "supported_rng_sources",
            c -> c.compatibility().rngSources()),
    ADDITIONAL_FEATURES(
            "additionalFeatures",
            TEXTS,
            "",
            "compatibility.additionalFeatures",
            "additional_features",
            c -> c.compatibility().additionalFeatures()),
    DOMAIN_VERSIONS(
            "domain_versions",
            INTEGERS,
            "",
            "compatibility.domainVersions",
            "supported_domain_versions",
            c -> c.compatibility().domainVersions()),
    BLOCK_SIZES(
            "supported_block_size",
            STRUCTURE,
            "B",
            "compatibility.blockSizes",
            "supported_block_size",
            c -> c.compatibility().blockSizes()),
    KVM_ENABLED("kvmEnabled", BOOLEAN, "", "features.kvm", "kvm_enabled", c -> c.features().kvm()),
    LIVE_SNAPSHOT(
            "liveSnapshot",
            BOOLEAN,
            "",
            "features.liveSnapshot",
            "live_snapshot",
            c -> c.features().liveSnapshot()),
    LIVE_MERGE(
            "liveMerge",
            BOOLEAN,
            "",
            "features.liveMerge",
            "live_merge",
            c -> c.features().liveMerge()),
    HOST_DEVICE_PASSTHROUGH(
            "hostdevPassthrough",
            BOOLEAN,
            "",
            "features.hostDevicePassthrough",
            "hostdev_passthrough",
            c -> c.features().hostDevicePassthrough()),
    BACKUP_ENABLED(
            "backupEnabled",
            BOOLEAN,
            "",
            "features.backup",
            "backup_enabled",
            c -> c.features().backup()),
    COLD_BACKUP_ENABLED(
            "coldBackupEnabled",
            BOOLEAN,
            "",
            "features.coldBackup",
            "cold_backup_enabled",
            c -> c.features().coldBackup()),
    CLEAR_BITMAPS_ENABLED(
            "clearBitmapsEnabled",
            BOOLEAN,
            "",
            "features.clearBitmaps",
            "clear_bitmaps_enabled",
            c -> c.features().clearBitmaps()),
    CD_CHANGE_BY_DRIVE(
            "cd_change_pdiv",
            BOOLEAN,
            "",
            "features.cdChangeByDrive",
            "cd_change_pdiv",
            c -> c.features().cdChangeByDrive()),
    HOSTED_ENGINE_DEPLOYED(
            "hostedEngineDeployed",
            BOOLEAN,
            "",
            "features.hostedEngineDeployed",
            "hosted_engine_deployed",
            c -> c.features().hostedEngineDeployed()),
    SELINUX_MODE(
            "selinux.mode",
            INTEGER,
            "",
            "security.selinuxMode",
            "selinux_enforce_mode",
            c -> c.security().selinuxMode()),
    FIPS_ENABLED(
            "fipsEnabled", BOOLEAN, "", "security.fips", "fips_enabled", c -> c.security().fips()),
    VNC_ENCRYPTED(
            "vncEncrypted",
            BOOLEAN,
            "",
            "security.vncEncrypted",
            "vnc_encrypted",
            c -> c.security().vncEncrypted()),
    KERNEL_FEATURES(
            "kernelFeatures",
            TEXT_MAP,
            "",
            "security.kernelFeatures",
            "kernel_features",
            c -> c.security().kernelFeatures()),
    ISCSI_INITIATOR(
            "ISCSIInitiatorName",
            TEXT,
            "",
            "storage.iscsiInitiator",
            "iscsi_initiator_name",
            c -> c.storage().iscsiInitiator()),
    ADAPTERS(
            "HBAInventory",
            STRUCTURE,
            "",
            "storage.adapters",
            "hba_inventory",
            c -> c.storage().adapters()),
    CONNECTOR_INFO(
            "connector_info",
            TEXT_MAP,
            "",
            "storage.connectorInfo",
            "connector_info",
            c -> c.storage().connectorInfo()),
    NETWORKS(
            "networks", STRUCTURE, "", "network.networks", "networks", c -> c.network().networks()),
    NICS("nics", STRUCTURE, "", "network.nics", "nics", c -> c.network().nics()),
    BONDS("bondings", STRUCTURE, "", "network.bonds", "bonds", c -> c.network().bonds()),
    VLANS("vlans", STRUCTURE, "", "network.vlans", "vlans", c -> c.network().vlans()),
    BRIDGES("bridges", STRUCTURE, "", "network.bridges", "bridges", c -> c.network().bridges()),
    NAME_SERVERS(
            "nameservers",
            TEXTS,
            "",
            "network.nameServers",
            "name_servers",
            c -> c.network().nameServers()),
    OVN_CONFIGURED(
            "ovnConfigured",
            BOOLEAN,
            "",
            "network.ovnConfigured",
            "ovn_configured",
            c -> c.network().ovnConfigured()),
    CONFIGURATION_DIRTY(
            "netConfigDirty",
            BOOLEAN,
            "",
            "network.configurationDirty",
            "net_config_dirty",
            c -> c.network().configurationDirty()),
    ENGINE_INTERFACE(
            "lastClientIface",
            TEXT,
            "",
            "network.engineInterface",
            "last_client_interface",
            c -> c.network().engineInterface()),
    OPENSTACK_BINDING_HOST_IDS(
            "openstack_binding_host_ids",
            TEXT_MAP,
            "",
            "network.openstackBindingHostIds",
            "openstack_binding_host_ids",
            c -> c.network().openstackBindingHostIds()),
    HOOKS("hooks", STRUCTURE, "", "hooks", "hooks", c -> c.hooks()),
    HARDWARE_UUID("uuid", TEXT, "", "hardwareUuid", "hardware_uuid", c -> c.hardwareUuid()),
    BOOT_UUID("boot_uuid", TEXT, "", "bootUuid", "boot_uuid", c -> c.bootUuid()),
    KDUMP_STATUS("kdumpStatus", INTEGER, "", "kdumpStatus", "kdump_status", c -> c.kdumpStatus()),
    /** Saved in {@code numa_node}, which has a trigger of its own. */
    NUMA_NODES(
            Source.CAPABILITIES,
            "numaNodes",
            STRUCTURE,
            "",
            "numaNodes",
            "numa_node",
            "with numaNodeDistance"),
    NUMA_DISTANCES(
            Source.CAPABILITIES,
            "numaNodeDistance",
            STRUCTURE,
            "",
            "numaNodes",
            "numa_node",
            "part of each node"),

    MANUFACTURER(
            "systemManufacturer", "manufacturer", "hw_manufacturer", HostHardware::manufacturer),
    PRODUCT_NAME("systemProductName", "productName", "hw_product_name", HostHardware::productName),
    HARDWARE_VERSION("systemVersion", "version", "hw_version", HostHardware::version),
    SERIAL_NUMBER(
            "systemSerialNumber", "serialNumber", "hw_serial_number", HostHardware::serialNumber),
    SYSTEM_UUID("systemUUID", "uuid", "hw_uuid", HostHardware::uuid),
    FAMILY("systemFamily", "family", "hw_family", HostHardware::family),

    CPU_USER(
            STATISTICS,
            "cpuUser",
            NUMBER,
            "%",
            "cpu.userPercent",
            "host_statistics.cpu_user",
            "of the whole host"),
    CPU_SYSTEM(
            STATISTICS,
            "cpuSys",
            NUMBER,
            "%",
            "cpu.systemPercent",
            "host_statistics.cpu_sys",
            "of the whole host"),
    CPU_IDLE(
            STATISTICS,
            "cpuIdle",
            NUMBER,
            "%",
            "cpu.idlePercent",
            "host_statistics.cpu_idle",
            "of the whole host"),
    CPU_LOAD(
            STATISTICS,
            "cpuLoad",
            NUMBER,
            "",
            "cpu.load",
            "host_statistics.cpu_load",
            "five-minute average; the column has it times 100"),
    CORES(
            STATISTICS,
            "cpuStatistics",
            STRUCTURE,
            "",
            "cpu.cores",
            null,
            "also averaged for each NUMA node"),
    MEMORY_USED(
            STATISTICS, "memUsed", INTEGER, "%", "memory.usedPercent", null, "as the host sees it"),
    MEMORY_FREE(
            STATISTICS,
            "memFree",
            LONG,
            "MiB",
            "memory.freeMebibytes",
            "host_statistics.mem_free",
            ""),
    MEMORY_SHARED(
            STATISTICS,
            "memShared",
            LONG,
            "MiB",
            "memory.sharedMebibytes",
            "host_statistics.mem_shared",
            ""),
    SWAP_TOTAL(
            STATISTICS,
            "swapTotal",
            LONG,
            "MiB",
            "memory.swapTotalMebibytes",
            "host_statistics.swap_total",
            ""),
    SWAP_FREE(
            STATISTICS,
            "swapFree",
            LONG,
            "MiB",
            "memory.swapFreeMebibytes",
            "host_statistics.swap_free",
            ""),
    ANONYMOUS_HUGE_PAGES(
            STATISTICS,
            "anonHugePages",
            LONG,
            "MiB",
            "memory.anonymousHugePagesMebibytes",
            "host_statistics.anonymous_hugepages",
            ""),
    TRANSPARENT_HUGE_PAGES(
            STATISTICS,
            "thpState",
            TEXT,
            "",
            "memory.transparentHugePages",
            "host_statistics.transparent_hugepages_state",
            ""),
    HUGE_PAGES(
            STATISTICS,
            "hugepages",
            STRUCTURE,
            "pages",
            "memory.hugePages",
            null,
            "by size in KiB"),
    KSM_RUNNING(
            STATISTICS, "ksmState", BOOLEAN, "", "ksm.running", "host_statistics.ksm_state", ""),
    KSM_PAGES(STATISTICS, "ksmPages", LONG, "pages", "ksm.pages", "host_statistics.ksm_pages", ""),
    KSM_ACROSS_NODES(STATISTICS, "ksmMergeAcrossNodes", BOOLEAN, "", "ksm.acrossNodes", null, ""),
    KSM_CPU(
            STATISTICS,
            "ksmCpu",
            INTEGER,
            "%",
            "ksm.cpuPercent",
            "host_statistics.ksm_cpu_percent",
            ""),
    VM_COUNT(STATISTICS, "vmCount", INTEGER, "VMs", "vms.count", "host_statistics.vm_count", ""),
    VM_ACTIVE(
            STATISTICS, "vmActive", INTEGER, "VMs", "vms.active", "host_statistics.vm_active", ""),
    VM_MIGRATING(
            STATISTICS,
            "vmMigrating",
            INTEGER,
            "VMs",
            "vms.migrating",
            "host_statistics.vm_migrating",
            ""),
    INCOMING_MIGRATIONS(
            STATISTICS,
            "incomingVmMigrations",
            INTEGER,
            "VMs",
            "vms.incoming",
            "host_statistics.incoming_migrations",
            "the column has -1 for not reported"),
    OUTGOING_MIGRATIONS(
            STATISTICS,
            "outgoingVmMigrations",
            INTEGER,
            "VMs",
            "vms.outgoing",
            "host_statistics.outgoing_migrations",
            "the column has -1 for not reported"),
    /** Interfaces that capabilities do not name, those of VMs above all, are left out. */
    INTERFACES(
            STATISTICS,
            "network",
            STRUCTURE,
            "",
            "nics",
            "host_interface_statistics",
            "only interfaces that capabilities name"),
    LOCAL_DISKS(
            STATISTICS,
            "diskStats",
            STRUCTURE,
            "MiB",
            "localDisksFreeMebibytes",
            null,
            "free space by path"),
    STORAGE_DOMAINS(STATISTICS, "storageDomains", STRUCTURE, "", "storageDomains", null, "by id"),
    MULTIPATH(
            STATISTICS,
            "multipathHealth",
            STRUCTURE,
            "",
            "multipathHealth",
            null,
            "by LUN; only those that lost paths"),
    V2V_JOBS(STATISTICS, "v2vJobs", STRUCTURE, "", "v2vJobs", null, "by job"),
    HA_CONFIGURED(
            STATISTICS,
            "haStats.configured",
            BOOLEAN,
            "",
            "hostedEngine.configured",
            "host_statistics.ha_configured",
            ""),
    HA_ACTIVE(
            STATISTICS,
            "haStats.active",
            BOOLEAN,
            "",
            "hostedEngine.active",
            "host_statistics.ha_active",
            ""),
    HA_SCORE(
            STATISTICS,
            "haStats.score",
            INTEGER,
            "",
            "hostedEngine.score",
            "host_statistics.ha_score",
            "else haScore"),
    HA_SCORE_ALONE(
            STATISTICS,
            "haScore",
            INTEGER,
            "",
            "hostedEngine.score",
            "host_statistics.ha_score",
            "where haStats has none"),
    HA_GLOBAL_MAINTENANCE(
            STATISTICS,
            "haStats.globalMaintenance",
            BOOLEAN,
            "",
            "hostedEngine.globalMaintenance",
            "host_statistics.ha_global_maintenance",
            ""),
    HA_LOCAL_MAINTENANCE(
            STATISTICS,
            "haStats.localMaintenance",
            BOOLEAN,
            "",
            "hostedEngine.localMaintenance",
            "host_statistics.ha_local_maintenance",
            ""),
    CONFIGURATION_STILL_DIRTY(
            STATISTICS,
            "netConfigDirty",
            BOOLEAN,
            "",
            "networkConfigurationDirty",
            "host_statistics.net_config_dirty",
            ""),
    BOOT_TIME(
            STATISTICS,
            "bootTime",
            LONG,
            "s since epoch",
            "bootTimeEpochSeconds",
            "host_statistics.boot_time",
            ""),
    HOST_CLOCK(
            STATISTICS,
            "dateTime",
            TIME,
            "",
            "hostClock",
            null,
            "compared with the engine's clock"),
    ELAPSED(
            STATISTICS,
            "elapsedTime",
            NUMBER,
            "s",
            "elapsedSeconds",
            null,
            "since the host agent started"),
    NUMA_STATISTICS(
            STATISTICS,
            "numaNodeMemFree",
            STRUCTURE,
            "",
            "numaNodes",
            null,
            "with the means of cpuStatistics");

    /** Which call reports a value, and what follows from that. */
    public enum Source {
        /**
         * Compared with what is known, all rows together; when one differs, all are applied and the
         * row of the host is written where it differs. Kept while the host is silent.
         */
        CAPABILITIES("Host.getCapabilities"),
        /** As {@link #CAPABILITIES}. */
        HARDWARE("Host.getHardwareInfo"),
        /**
         * Never compared: every answer replaces the one before, in memory. Samples of some go to
         * the database on the long interval for history. Kept while the host is silent, except for
         * the usage that is derived, which becomes 0.
         */
        STATISTICS("Host.getStats");

        private final String verb;

        Source(String verb) {
            this.verb = verb;
        }

        /** The call. */
        public String verb() {
            return verb;
        }
    }

    /** How a value is held. */
    public enum Kind {
        TEXT(String.class, ReportedText.HOST_TEXT.limit()),
        INTEGER(Integer.class, null),
        LONG(Long.class, null),
        NUMBER(Double.class, null),
        BOOLEAN(Boolean.class, null),
        TIME(Instant.class, null),
        TEXTS(List.class, ReportedText.HOST_LIST.limit()),
        INTEGERS(List.class, ReportedText.HOST_LIST.limit()),
        /** Texts by name. */
        TEXT_MAP(Map.class, ReportedText.HOST_LIST.limit()),
        /** Records of its own, alone, in a list, or by name. */
        STRUCTURE(Object.class, ReportedText.HOST_LIST.limit());

        private final Class<?> type;
        private final @Nullable TextLimit limit;

        Kind(Class<?> type, @Nullable TextLimit limit) {
            this.type = type;
            this.limit = limit;
        }

        boolean holds(Object value) {
            return type.isInstance(value);
        }
    }

    private static final TextLimit CPU_FLAGS_LIMIT = TextLimit.plain(16_384);
    private static final TextLimit KERNEL_LIMIT = TextLimit.plain(8_192);

    private final Source source;
    private final String wire;
    private final Kind kind;
    private final String unit;
    private final String member;
    private final @Nullable String column;
    private final String rule;
    private final @Nullable Function<HostCapabilities, @Nullable Object> capability;
    private final @Nullable Function<HostHardware, @Nullable Object> hardware;

    /** A capability with a column of {@code host_dynamic}. */
    HostField(
            String wire,
            Kind kind,
            String unit,
            String member,
            String column,
            Function<HostCapabilities, @Nullable Object> value) {
        this(Source.CAPABILITIES, wire, kind, unit, member, column, "", value, null);
    }

    /** A text of the firmware, with a column of {@code host_dynamic}. */
    HostField(
            String wire,
            String member,
            String column,
            Function<HostHardware, @Nullable Object> value) {
        this(Source.HARDWARE, wire, TEXT, "", member, column, "", null, value);
    }

    /** Any other value. */
    HostField(
            Source source,
            String wire,
            Kind kind,
            String unit,
            String member,
            @Nullable String column,
            String rule) {
        this(source, wire, kind, unit, member, column, rule, null, null);
    }

    HostField(
            Source source,
            String wire,
            Kind kind,
            String unit,
            String member,
            @Nullable String column,
            String rule,
            @Nullable Function<HostCapabilities, @Nullable Object> capability,
            @Nullable Function<HostHardware, @Nullable Object> hardware) {
        this.source = source;
        this.wire = wire;
        this.kind = kind;
        this.unit = unit;
        this.member = member;
        this.column = column;
        this.rule = rule;
        this.capability = capability;
        this.hardware = hardware;
    }

    private static @Nullable Long rounded(@Nullable Double value) {
        return value == null ? null : (Long) Math.round(value);
    }

    /** Which call reports it. */
    public Source source() {
        return source;
    }

    /** Where it stands in the answer: names of members joined by a dot. */
    public String wire() {
        return wire;
    }

    /** How it is held. */
    public Kind kind() {
        return kind;
    }

    /**
     * How much of its text is kept: of a list or structure, characters of all its texts together
     * and entries of each of its lists. Null for a number.
     */
    public @Nullable TextLimit limit() {
        return switch (this) {
            // Every flag of a processor and its model names: some 3 000 characters in practice.
            case CPU_FLAGS -> CPU_FLAGS_LIMIT;
            // COMMAND_LINE_SIZE of Linux is 2 048 on x86-64 and 4 096 on s390x.
            case KERNEL_ARGUMENTS -> KERNEL_LIMIT;
            default -> kind.limit;
        };
    }

    /** Unit of the value, empty for none. */
    public String unit() {
        return unit;
    }

    /** Where it stands in the record of its source: names of components joined by dots. */
    public String member() {
        return member;
    }

    /** Where it is stored, null for memory only. */
    public @Nullable String column() {
        return column;
    }

    /** What else is to be known of it, empty for nothing. */
    public String rule() {
        return rule;
    }

    /** Whether a change of it is written to {@code host_dynamic}. */
    public boolean isInHostRow() {
        return capability != null || hardware != null;
    }

    /**
     * The value to be written to {@code host_dynamic}.
     *
     * @throws IllegalStateException if this is no capability that is
     */
    public @Nullable Object valueOf(HostCapabilities capabilities) {
        if (capability == null) {
            throw new IllegalStateException(this + " is no capability in host_dynamic");
        }
        return capability.apply(capabilities);
    }

    /**
     * The value to be written to {@code host_dynamic}.
     *
     * @throws IllegalStateException if this does not come from the firmware
     */
    public @Nullable Object valueOf(HostHardware firmware) {
        if (hardware == null) {
            throw new IllegalStateException(this + " does not come from the firmware");
        }
        return hardware.apply(firmware);
    }
}
