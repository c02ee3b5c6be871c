package org.stillwater.core.report;

import static org.stillwater.core.report.HostField.Source.CAPABILITIES;
import static org.stillwater.core.report.HostField.Source.HARDWARE;
import static org.stillwater.core.report.HostField.Source.STATISTICS;

import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.TextLimit;

/**
 * The one table of the values that hosts report about themselves: the path of a value in the host's
 * answer, the component of the source's record that holds it, and its column or table. The type of
 * the component determines the value's type. Decoding, comparing, SQL and the reference page are
 * driven by these rows; {@link org.stillwater.core.value.Wire} on the components of a record
 * declares the members of a structure.
 *
 * <p>The rules of a row's {@link Source} hold for all rows of that source: they define when a value
 * is compared, written and forgotten.
 *
 * <p>Source: protocol specification §3.4–3.6 (the members that the reference engine reads),
 * monitoring specification §1.8 (meaning).
 *
 * <p>It is long because it is a table with a row for each field.
 */
@SuppressWarnings("ImmutableEnumChecker") // ways along record components do not change
public enum HostField {
    CPU_MODEL(CAPABILITIES, "cpuModel", "cpu.model", "cpu_model"),
    CPU_FLAGS(CAPABILITIES, "cpuFlags", "cpu.flags", "cpu_flags"),
    CPU_SOCKETS(CAPABILITIES, "cpuSockets", "cpu.sockets", "sockets", "cpu_sockets"),
    CPU_CORES(CAPABILITIES, "cpuCores", "cpu.cores", "cores", "cpu_cores"),
    CPU_THREADS(CAPABILITIES, "cpuThreads", "cpu.threads", "threads", "cpu_threads"),
    CPU_SPEED(CAPABILITIES, "cpuSpeed", "cpu.speedMegahertz", "MHz", "cpu_speed_mh"),
    ONLINE_CPUS(CAPABILITIES, "onlineCpus", "cpu.online", "online_cpus"),
    CPU_TOPOLOGY(CAPABILITIES, "cpuTopology", "cpu.topology", "cpu_topology"),
    AGENT_AFFINITY(CAPABILITIES, "vdsmToCpusAffinity", "cpu.agentAffinity", "vdsm_cpus_affinity"),
    TSC_FREQUENCY(CAPABILITIES, "tscFrequency", "cpu.tscFrequencyHertz", "Hz", "tsc_frequency"),
    TSC_SCALING(CAPABILITIES, "tscScaling", "cpu.tscScaling", "tsc_scaling"),
    MEMORY(CAPABILITIES, "memSize", "memory.physicalMebibytes", "MiB", "physical_mem_mb"),
    RESERVED_MEMORY(CAPABILITIES, "reservedMem", "memory.reservedMebibytes", "MiB", "reserved_mem"),
    GUEST_OVERHEAD(
            CAPABILITIES,
            "guestOverhead",
            "memory.guestOverheadMebibytes",
            "MiB",
            "guest_overhead"),
    AUTO_NUMA_BALANCING(
            CAPABILITIES, "autoNumaBalancing", "memory.autoNumaBalancing", "auto_numa_balancing"),
    VERSION_NAME(CAPABILITIES, "version_name", "software.versionName", "version_name"),
    SOFTWARE_VERSION(CAPABILITIES, "software_version", "software.version", "software_version"),
    SOFTWARE_REVISION(CAPABILITIES, "software_revision", "software.revision", "software_revision"),
    OS_NAME(CAPABILITIES, "operatingSystem.name", "software.operatingSystem.name", "host_os_name"),
    OS_VERSION(
            CAPABILITIES,
            "operatingSystem.version",
            "software.operatingSystem.version",
            "host_os_version"),
    OS_RELEASE(
            CAPABILITIES,
            "operatingSystem.release",
            "software.operatingSystem.release",
            "host_os_release"),
    OS_PRETTY_NAME(
            CAPABILITIES,
            "operatingSystem.pretty_name",
            "software.operatingSystem.prettyName",
            "host_os"),
    KERNEL_ARGUMENTS(CAPABILITIES, "kernelArgs", "software.kernelArguments", "kernel_args"),
    PACKAGE_VDSM(CAPABILITIES, "packages2.vdsm", "software.packages.vdsm", "rpm_version"),
    PACKAGE_KERNEL(CAPABILITIES, "packages2.kernel", "software.packages.kernel", "kernel_version"),
    PACKAGE_LIBVIRT(
            CAPABILITIES, "packages2.libvirt", "software.packages.libvirt", "libvirt_version"),
    PACKAGE_QEMU_KVM(
            CAPABILITIES, "packages2.qemu-kvm", "software.packages.qemuKvm", "kvm_version"),
    PACKAGE_LIBRBD1(
            CAPABILITIES, "packages2.librbd1", "software.packages.librbd1", "librbd1_version"),
    PACKAGE_GLUSTERFS(
            CAPABILITIES,
            "packages2.glusterfs",
            "software.packages.glusterfs",
            "glusterfs_version"),
    PACKAGE_GLUSTERFS_CLI(
            CAPABILITIES,
            "packages2.glusterfs-cli",
            "software.packages.glusterfsCli",
            "glusterfs_cli_version"),
    PACKAGE_SPICE_SERVER(
            CAPABILITIES,
            "packages2.spice-server",
            "software.packages.spiceServer",
            "spice_version"),
    PACKAGE_OPENVSWITCH(
            CAPABILITIES,
            "packages2.openvswitch",
            "software.packages.openvswitch",
            "openvswitch_version"),
    PACKAGE_NMSTATE(
            CAPABILITIES, "packages2.nmstate", "software.packages.nmstate", "nmstate_version"),
    CLUSTER_LEVELS(
            CAPABILITIES,
            "clusterLevels",
            "compatibility.clusterLevels",
            "supported_cluster_levels"),
    SUPPORTED_ENGINES(
            CAPABILITIES,
            "supportedENGINEs",
            "compatibility.supportedEngines",
            "supported_engines"),
    EMULATED_MACHINES(
            CAPABILITIES,
            "emulatedMachines",
            "compatibility.emulatedMachines",
            "supported_emulated_machines"),
    RNG_SOURCES(CAPABILITIES, "rngSources", "compatibility.rngSources", "supported_rng_sources"),
    ADDITIONAL_FEATURES(
            CAPABILITIES,
            "additionalFeatures",
            "compatibility.additionalFeatures",
            "additional_features"),
    DOMAIN_VERSIONS(
            CAPABILITIES,
            "domain_versions",
            "compatibility.domainVersions",
            "supported_domain_versions"),
    BLOCK_SIZES(
            CAPABILITIES,
            "supported_block_size",
            "compatibility.blockSizes",
            "B",
            "supported_block_size"),
    KVM_ENABLED(CAPABILITIES, "kvmEnabled", "features.kvm", "kvm_enabled"),
    LIVE_SNAPSHOT(CAPABILITIES, "liveSnapshot", "features.liveSnapshot", "live_snapshot"),
    LIVE_MERGE(CAPABILITIES, "liveMerge", "features.liveMerge", "live_merge"),
    HOST_DEVICE_PASSTHROUGH(
            CAPABILITIES,
            "hostdevPassthrough",
            "features.hostDevicePassthrough",
            "hostdev_passthrough"),
    BACKUP_ENABLED(CAPABILITIES, "backupEnabled", "features.backup", "backup_enabled"),
    COLD_BACKUP_ENABLED(
            CAPABILITIES, "coldBackupEnabled", "features.coldBackup", "cold_backup_enabled"),
    CLEAR_BITMAPS_ENABLED(
            CAPABILITIES, "clearBitmapsEnabled", "features.clearBitmaps", "clear_bitmaps_enabled"),
    CD_CHANGE_BY_DRIVE(
            CAPABILITIES, "cd_change_pdiv", "features.cdChangeByDrive", "cd_change_pdiv"),
    HOSTED_ENGINE_DEPLOYED(
            CAPABILITIES,
            "hostedEngineDeployed",
            "features.hostedEngineDeployed",
            "hosted_engine_deployed"),
    SELINUX_MODE(CAPABILITIES, "selinux.mode", "security.selinuxMode", "selinux_enforce_mode"),
    FIPS_ENABLED(CAPABILITIES, "fipsEnabled", "security.fips", "fips_enabled"),
    VNC_ENCRYPTED(CAPABILITIES, "vncEncrypted", "security.vncEncrypted", "vnc_encrypted"),
    KERNEL_FEATURES(CAPABILITIES, "kernelFeatures", "security.kernelFeatures", "kernel_features"),
    ISCSI_INITIATOR(
            CAPABILITIES, "ISCSIInitiatorName", "storage.iscsiInitiator", "iscsi_initiator_name"),
    ADAPTERS(CAPABILITIES, "HBAInventory", "storage.adapters", "hba_inventory"),
    CONNECTOR_INFO(CAPABILITIES, "connector_info", "storage.connectorInfo", "connector_info"),
    NETWORKS(CAPABILITIES, "networks", "network.networks", "networks"),
    NICS(CAPABILITIES, "nics", "network.nics", "nics"),
    BONDS(CAPABILITIES, "bondings", "network.bonds", "bonds"),
    VLANS(CAPABILITIES, "vlans", "network.vlans", "vlans"),
    BRIDGES(CAPABILITIES, "bridges", "network.bridges", "bridges"),
    NAME_SERVERS(CAPABILITIES, "nameservers", "network.nameServers", "name_servers"),
    OVN_CONFIGURED(CAPABILITIES, "ovnConfigured", "network.ovnConfigured", "ovn_configured"),
    CONFIGURATION_DIRTY(
            CAPABILITIES, "netConfigDirty", "network.configurationDirty", "net_config_dirty"),
    ENGINE_INTERFACE(
            CAPABILITIES, "lastClientIface", "network.engineInterface", "last_client_interface"),
    OPENSTACK_BINDING_HOST_IDS(
            CAPABILITIES,
            "openstack_binding_host_ids",
            "network.openstackBindingHostIds",
            "openstack_binding_host_ids"),
    HOOKS(CAPABILITIES, "hooks", "hooks", "hooks"),
    HARDWARE_UUID(CAPABILITIES, "uuid", "hardwareUuid", "hardware_uuid"),
    BOOT_UUID(CAPABILITIES, "boot_uuid", "bootUuid", "boot_uuid"),
    KDUMP_STATUS(CAPABILITIES, "kdumpStatus", "kdumpStatus", "kdump_status"),
    NUMA_NODES(CAPABILITIES, "numaNodes", "numaNodes", "", "numa_node.", "with numaNodeDistance"),
    NUMA_DISTANCES(
            CAPABILITIES, "numaNodeDistance", "numaNodes", "", "numa_node.", "part of each node"),

    MANUFACTURER(HARDWARE, "systemManufacturer", "manufacturer", "hw_manufacturer"),
    PRODUCT_NAME(HARDWARE, "systemProductName", "productName", "hw_product_name"),
    HARDWARE_VERSION(HARDWARE, "systemVersion", "version", "hw_version"),
    SERIAL_NUMBER(HARDWARE, "systemSerialNumber", "serialNumber", "hw_serial_number"),
    SYSTEM_UUID(HARDWARE, "systemUUID", "uuid", "hw_uuid"),
    FAMILY(HARDWARE, "systemFamily", "family", "hw_family"),

    CPU_USER(STATISTICS, "cpuUser", "cpu.userPercent", "%", "cpu_user", "of the whole host"),
    CPU_SYSTEM(STATISTICS, "cpuSys", "cpu.systemPercent", "%", "cpu_sys", "of the whole host"),
    CPU_IDLE(STATISTICS, "cpuIdle", "cpu.idlePercent", "%", "cpu_idle", "of the whole host"),
    CPU_LOAD(
            STATISTICS,
            "cpuLoad",
            "cpu.load",
            "",
            "cpu_load",
            "five-minute average; the column has it times 100"),
    CORES(STATISTICS, "cpuStatistics", "cpu.cores", "", null, "also averaged for each NUMA node"),
    MEMORY_USED(STATISTICS, "memUsed", "memory.usedPercent", "%", null, "as the host sees it"),
    MEMORY_FREE(STATISTICS, "memFree", "memory.freeMebibytes", "MiB", "mem_free"),
    MEMORY_SHARED(STATISTICS, "memShared", "memory.sharedMebibytes", "MiB", "mem_shared"),
    SWAP_TOTAL(STATISTICS, "swapTotal", "memory.swapTotalMebibytes", "MiB", "swap_total"),
    SWAP_FREE(STATISTICS, "swapFree", "memory.swapFreeMebibytes", "MiB", "swap_free"),
    ANONYMOUS_HUGE_PAGES(
            STATISTICS,
            "anonHugePages",
            "memory.anonymousHugePagesMebibytes",
            "MiB",
            "anonymous_hugepages"),
    TRANSPARENT_HUGE_PAGES(
            STATISTICS, "thpState", "memory.transparentHugePages", "transparent_hugepages_state"),
    HUGE_PAGES(STATISTICS, "hugepages", "memory.hugePages", "pages", null, "by size in KiB"),
    KSM_RUNNING(STATISTICS, "ksmState", "ksm.running", "ksm_state"),
    KSM_PAGES(STATISTICS, "ksmPages", "ksm.pages", "pages", "ksm_pages"),
    KSM_ACROSS_NODES(STATISTICS, "ksmMergeAcrossNodes", "ksm.acrossNodes", null),
    KSM_CPU(STATISTICS, "ksmCpu", "ksm.cpuPercent", "%", "ksm_cpu_percent"),
    VM_COUNT(STATISTICS, "vmCount", "vms.count", "VMs", "vm_count"),
    VM_ACTIVE(STATISTICS, "vmActive", "vms.active", "VMs", "vm_active"),
    VM_MIGRATING(STATISTICS, "vmMigrating", "vms.migrating", "VMs", "vm_migrating"),
    INCOMING_MIGRATIONS(
            STATISTICS,
            "incomingVmMigrations",
            "vms.incoming",
            "VMs",
            "incoming_migrations",
            "the column has -1 for not reported"),
    OUTGOING_MIGRATIONS(
            STATISTICS,
            "outgoingVmMigrations",
            "vms.outgoing",
            "VMs",
            "outgoing_migrations",
            "the column has -1 for not reported"),
    /** Interfaces that capabilities do not name, those of VMs above all, are left out. */
    INTERFACES(
            STATISTICS,
            "network",
            "nics",
            "",
            "host_interface_statistics.",
            "only interfaces that capabilities name"),
    LOCAL_DISKS(
            STATISTICS, "diskStats", "localDisksFreeMebibytes", "MiB", null, "free space by path"),
    STORAGE_DOMAINS(STATISTICS, "storageDomains", "storageDomains", "", null, "by id"),
    MULTIPATH(
            STATISTICS,
            "multipathHealth",
            "multipathHealth",
            "",
            null,
            "by LUN; only those that lost paths"),
    V2V_JOBS(STATISTICS, "v2vJobs", "v2vJobs", "", null, "by job"),
    HA_CONFIGURED(STATISTICS, "haStats.configured", "hostedEngine.configured", "ha_configured"),
    HA_ACTIVE(STATISTICS, "haStats.active", "hostedEngine.active", "ha_active"),
    HA_SCORE(STATISTICS, "haStats.score", "hostedEngine.score", "", "ha_score", "else haScore"),
    HA_SCORE_ALONE(
            STATISTICS, "haScore", "hostedEngine.score", "", "ha_score", "where haStats has none"),
    HA_GLOBAL_MAINTENANCE(
            STATISTICS,
            "haStats.globalMaintenance",
            "hostedEngine.globalMaintenance",
            "ha_global_maintenance"),
    HA_LOCAL_MAINTENANCE(
            STATISTICS,
            "haStats.localMaintenance",
            "hostedEngine.localMaintenance",
            "ha_local_maintenance"),
    CONFIGURATION_STILL_DIRTY(
            STATISTICS, "netConfigDirty", "networkConfigurationDirty", "net_config_dirty"),
    BOOT_TIME(STATISTICS, "bootTime", "bootTimeEpochSeconds", "s since epoch", "boot_time"),
    HOST_CLOCK(STATISTICS, "dateTime", "hostClock", "", null, "compared with the engine's clock"),
    ELAPSED(STATISTICS, "elapsedTime", "elapsedSeconds", "s", null, "since the host agent started"),
    NUMA_STATISTICS(
            STATISTICS,
            "numaNodeMemFree",
            "numaNodes",
            "",
            null,
            "with the means of cpuStatistics");

    /** Call that reports a value, and the rules of its values. */
    public enum Source {
        /**
         * Compared with the known values, all rows together; when one differs, all are applied and
         * the row of the host is written where it differs. Kept while the host is silent.
         */
        CAPABILITIES("Host.getCapabilities", HostCapabilities.class, "host_dynamic"),
        /** As {@link #CAPABILITIES}. */
        HARDWARE("Host.getHardwareInfo", HostHardware.class, "host_dynamic"),
        /**
         * Never compared: every answer replaces the one before, in memory. Samples of some go to
         * the database on the long interval for history. Kept while the host is silent, except for
         * the usage that is derived, which becomes 0.
         */
        STATISTICS("Host.getStats", HostStatistics.class, "host_statistics");

        private final String verb;
        private final Class<? extends Record> report;
        private final String table;

        Source(String verb, Class<? extends Record> report, String table) {
            this.verb = verb;
            this.report = report;
            this.table = table;
        }

        /** The call. */
        public String verb() {
            return verb;
        }

        /** The record that holds its answer. */
        public Class<? extends Record> report() {
            return report;
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

        /** How a component of this type is held. */
        private static Kind of(Type type) {
            return switch (type.getTypeName()) {
                case "java.lang.String" -> TEXT;
                case "java.lang.Integer" -> INTEGER;
                case "java.lang.Long" -> LONG;
                case "java.lang.Double" -> NUMBER;
                case "java.lang.Boolean" -> BOOLEAN;
                case "java.time.Instant" -> TIME;
                case "java.util.List<java.lang.String>" -> TEXTS;
                case "java.util.List<java.lang.Integer>" -> INTEGERS;
                case "java.util.Map<java.lang.String, java.lang.String>" -> TEXT_MAP;
                default -> STRUCTURE;
            };
        }
    }

    private static final TextLimit CPU_FLAGS_LIMIT = TextLimit.plain(16_384);
    private static final TextLimit KERNEL_LIMIT = TextLimit.plain(8_192);

    private final Source source;
    private final String wire;
    private final String member;
    private final String unit;
    private final @Nullable String column;
    private final String rule;
    private final List<RecordComponent> way;
    private final Kind kind;

    /** A value without a unit. */
    HostField(Source source, String wire, String member, @Nullable String column) {
        this(source, wire, member, "", column, "");
    }

    HostField(Source source, String wire, String member, String unit, @Nullable String column) {
        this(source, wire, member, unit, column, "");
    }

    /**
     * A row.
     *
     * @param column in the source's table, or with a dot at its end a table of its own
     */
    HostField(
            Source source,
            String wire,
            String member,
            String unit,
            @Nullable String column,
            String rule) {
        this.source = source;
        this.wire = wire;
        this.member = member;
        this.unit = unit;
        this.column = column;
        this.rule = rule;
        this.way = way(source.report, member);
        this.kind = Kind.of(way.getLast().getGenericType());
    }

    private static List<RecordComponent> way(Class<?> report, String member) {
        List<RecordComponent> way = new ArrayList<>();
        Class<?> type = report;
        for (String name : member.split("\\.", -1)) {
            RecordComponent component = Components.named(type, name);
            way.add(component);
            type = component.getType();
        }
        return List.copyOf(way);
    }

    /** Which call reports it. */
    public Source source() {
        return source;
    }

    /** Path of the value in the answer: names of members joined by a dot. */
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

    /** Path of the value in the record of its source: names of components joined by dots. */
    public String member() {
        return member;
    }

    /** Its column in the table of its source; null for none. */
    public @Nullable String column() {
        return column == null || column.endsWith(".") ? null : column;
    }

    /**
     * Storage of the value, a column with its table or a table of its own; null for memory only.
     */
    public @Nullable String storedIn() {
        if (column == null) {
            return null;
        }
        return column.endsWith(".")
                ? column.substring(0, column.length() - 1)
                : source.table + "." + column;
    }

    /** Further remark about the value, empty for none. */
    public String rule() {
        return rule;
    }

    /**
     * The value for its column.
     *
     * @throws IllegalStateException if the report is of another source, or this has no column
     */
    public @Nullable Object columnValue(Record report) {
        if (!source.report.isInstance(report) || column() == null) {
            throw new IllegalStateException(this + " has no column for " + report.getClass());
        }
        @Nullable Object value = report;
        for (RecordComponent component : way) {
            value = Components.valueOf(component, Objects.requireNonNull(value));
        }
        return switch (this) {
            case OS_PRETTY_NAME -> ((HostCapabilities) report).software().operatingSystem().label();
            case CPU_SPEED -> value == null ? null : (Long) Math.round((Double) value);
            case CPU_LOAD -> value == null ? null : (Double) (100 * (Double) value);
            case INCOMING_MIGRATIONS, OUTGOING_MIGRATIONS -> Objects.requireNonNullElse(value, -1);
            default -> value;
        };
    }
}
