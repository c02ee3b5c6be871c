package org.stillwater.core.report;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostNumaNode;

/**
 * Values of one report, gathered row by row of {@link HostField} and then put together. What was
 * not put was not reported. For one report and one thread.
 */
public final class HostValues {

    private final Map<HostField, Object> values = new EnumMap<>(HostField.class);

    /**
     * Takes a value; null is as good as nothing.
     *
     * @throws IllegalArgumentException if the row holds values of another kind
     */
    public HostValues put(HostField field, @Nullable Object value) {
        if (value != null) {
            if (!field.kind().holds(value)) {
                throw new IllegalArgumentException(field + " does not hold " + value.getClass());
            }
            values.put(field, value);
        }
        return this;
    }

    /** What the host is and can. */
    public HostCapabilities capabilities() {
        return new HostCapabilities(
                new HostCapabilities.Cpu(
                        text(HostField.CPU_MODEL),
                        text(HostField.CPU_FLAGS),
                        integer(HostField.CPU_SOCKETS),
                        integer(HostField.CPU_CORES),
                        integer(HostField.CPU_THREADS),
                        number(HostField.CPU_SPEED),
                        list(HostField.ONLINE_CPUS),
                        list(HostField.CPU_TOPOLOGY),
                        list(HostField.AGENT_AFFINITY),
                        whole(HostField.TSC_FREQUENCY),
                        truth(HostField.TSC_SCALING)),
                new HostCapabilities.Memory(
                        whole(HostField.MEMORY),
                        whole(HostField.RESERVED_MEMORY),
                        whole(HostField.GUEST_OVERHEAD),
                        integer(HostField.AUTO_NUMA_BALANCING)),
                new HostCapabilities.Software(
                        text(HostField.VERSION_NAME),
                        text(HostField.SOFTWARE_VERSION),
                        text(HostField.SOFTWARE_REVISION),
                        new HostCapabilities.OperatingSystem(
                                text(HostField.OS_NAME),
                                text(HostField.OS_VERSION),
                                text(HostField.OS_RELEASE),
                                text(HostField.OS_PRETTY_NAME)),
                        text(HostField.KERNEL_ARGUMENTS),
                        new HostCapabilities.Packages(
                                text(HostField.PACKAGE_VDSM),
                                text(HostField.PACKAGE_KERNEL),
                                text(HostField.PACKAGE_LIBVIRT),
                                text(HostField.PACKAGE_QEMU_KVM),
                                text(HostField.PACKAGE_LIBRBD1),
                                text(HostField.PACKAGE_GLUSTERFS),
                                text(HostField.PACKAGE_GLUSTERFS_CLI),
                                text(HostField.PACKAGE_SPICE_SERVER),
                                text(HostField.PACKAGE_OPENVSWITCH),
                                text(HostField.PACKAGE_NMSTATE))),
                new HostCapabilities.Compatibility(
                        list(HostField.CLUSTER_LEVELS),
                        list(HostField.SUPPORTED_ENGINES),
                        list(HostField.EMULATED_MACHINES),
                        list(HostField.RNG_SOURCES),
                        list(HostField.ADDITIONAL_FEATURES),
                        list(HostField.DOMAIN_VERSIONS),
                        map(HostField.BLOCK_SIZES)),
                new HostCapabilities.Features(
                        truth(HostField.KVM_ENABLED),
                        truth(HostField.LIVE_SNAPSHOT),
                        truth(HostField.LIVE_MERGE),
                        truth(HostField.HOST_DEVICE_PASSTHROUGH),
                        truth(HostField.BACKUP_ENABLED),
                        truth(HostField.COLD_BACKUP_ENABLED),
                        truth(HostField.CLEAR_BITMAPS_ENABLED),
                        truth(HostField.CD_CHANGE_BY_DRIVE),
                        truth(HostField.HOSTED_ENGINE_DEPLOYED)),
                new HostCapabilities.Security(
                        integer(HostField.SELINUX_MODE),
                        truth(HostField.FIPS_ENABLED),
                        truth(HostField.VNC_ENCRYPTED),
                        map(HostField.KERNEL_FEATURES)),
                new HostCapabilities.Storage(
                        text(HostField.ISCSI_INITIATOR), adapters(), map(HostField.CONNECTOR_INFO)),
                new HostNetworks(
                        map(HostField.NETWORKS),
                        map(HostField.NICS),
                        map(HostField.BONDS),
                        map(HostField.VLANS),
                        map(HostField.BRIDGES),
                        list(HostField.NAME_SERVERS),
                        truth(HostField.OVN_CONFIGURED),
                        truth(HostField.CONFIGURATION_DIRTY),
                        text(HostField.ENGINE_INTERFACE),
                        map(HostField.OPENSTACK_BINDING_HOST_IDS)),
                map(HostField.HOOKS),
                text(HostField.HARDWARE_UUID),
                text(HostField.BOOT_UUID),
                integer(HostField.KDUMP_STATUS),
                numaNodes());
    }

    /** The nodes, each with its distances. */
    private List<HostNumaNode> numaNodes() {
        List<HostNumaNode> nodes = list(HostField.NUMA_NODES);
        Map<Integer, List<Integer>> distances = map(HostField.NUMA_DISTANCES);
        return nodes.stream()
                .map(node ->
                        new HostNumaNode(
                                node.index(),
                                node.memoryMebibytes(),
                                node.cpus(),
                                distances.getOrDefault(node.index(), node.distances()),
                                node.pages()))
                .toList();
    }

    /** What the host's firmware says. */
    public HostHardware hardware() {
        return new HostHardware(
                text(HostField.MANUFACTURER),
                text(HostField.PRODUCT_NAME),
                text(HostField.HARDWARE_VERSION),
                text(HostField.SERIAL_NUMBER),
                text(HostField.SYSTEM_UUID),
                text(HostField.FAMILY));
    }

    /** How the host fares. */
    public HostStatistics statistics() {
        return new HostStatistics(
                new HostStatistics.Cpu(
                        number(HostField.CPU_USER),
                        number(HostField.CPU_SYSTEM),
                        number(HostField.CPU_IDLE),
                        number(HostField.CPU_LOAD),
                        list(HostField.CORES)),
                new HostStatistics.Memory(
                        integer(HostField.MEMORY_USED),
                        whole(HostField.MEMORY_FREE),
                        whole(HostField.MEMORY_SHARED),
                        whole(HostField.SWAP_TOTAL),
                        whole(HostField.SWAP_FREE),
                        whole(HostField.ANONYMOUS_HUGE_PAGES),
                        text(HostField.TRANSPARENT_HUGE_PAGES),
                        map(HostField.HUGE_PAGES)),
                new HostStatistics.Ksm(
                        truth(HostField.KSM_RUNNING),
                        whole(HostField.KSM_PAGES),
                        truth(HostField.KSM_ACROSS_NODES),
                        integer(HostField.KSM_CPU)),
                new HostStatistics.Vms(
                        integer(HostField.VM_COUNT),
                        integer(HostField.VM_ACTIVE),
                        integer(HostField.VM_MIGRATING),
                        integer(HostField.INCOMING_MIGRATIONS),
                        integer(HostField.OUTGOING_MIGRATIONS)),
                map(HostField.INTERFACES),
                map(HostField.LOCAL_DISKS),
                map(HostField.STORAGE_DOMAINS),
                map(HostField.MULTIPATH),
                map(HostField.V2V_JOBS),
                new HostStatistics.HostedEngine(
                        truth(HostField.HA_CONFIGURED),
                        truth(HostField.HA_ACTIVE),
                        integer(
                                values.containsKey(HostField.HA_SCORE)
                                        ? HostField.HA_SCORE
                                        : HostField.HA_SCORE_ALONE),
                        truth(HostField.HA_GLOBAL_MAINTENANCE),
                        truth(HostField.HA_LOCAL_MAINTENANCE)),
                truth(HostField.CONFIGURATION_STILL_DIRTY),
                whole(HostField.BOOT_TIME),
                (Instant) values.get(HostField.HOST_CLOCK),
                number(HostField.ELAPSED),
                list(HostField.NUMA_STATISTICS));
    }

    private HostCapabilities.Adapters adapters() {
        Object adapters = values.get(HostField.ADAPTERS);
        return adapters == null
                ? HostCapabilities.Adapters.NONE
                : (HostCapabilities.Adapters) adapters;
    }

    private @Nullable String text(HostField field) {
        return (String) values.get(field);
    }

    private @Nullable Integer integer(HostField field) {
        return (Integer) values.get(field);
    }

    private @Nullable Long whole(HostField field) {
        return (Long) values.get(field);
    }

    private @Nullable Double number(HostField field) {
        return (Double) values.get(field);
    }

    private @Nullable Boolean truth(HostField field) {
        return (Boolean) values.get(field);
    }

    @SuppressWarnings("unchecked") // the row says what its elements are
    private <T> List<T> list(HostField field) {
        return (List<T>) values.getOrDefault(field, List.of());
    }

    @SuppressWarnings("unchecked") // the row says what its elements are
    private <K, V> Map<K, V> map(HostField field) {
        return (Map<K, V>) values.getOrDefault(field, Map.of());
    }
}
