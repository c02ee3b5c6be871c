package org.stillwater.core.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.value.Wire;

/**
 * Properties and abilities of a host: almost static, read when a connection is made and when the
 * host requests it (protocol specification §3.4). Null or empty stands for "not reported". {@link
 * HostField} has a row for each value; {@link HostValues} puts one together from such rows.
 *
 * @param cpu processors
 * @param memory memory
 * @param software installed software
 * @param compatibility values that decide which clusters the host fits
 * @param features features of the host
 * @param security how it is hardened
 * @param storage how it reaches storage
 * @param network its networks and interfaces
 * @param hooks checksums of hook scripts by hook point and script
 * @param hardwareUuid UUID of the machine
 * @param bootUuid changes with every boot; null on hosts that do not report it
 * @param kdumpStatus 1 enabled, 0 disabled, −1 unknown, null not reported
 * @param numaNodes NUMA nodes by number; empty when not reported
 */
public record HostCapabilities(
        Cpu cpu,
        Memory memory,
        Software software,
        Compatibility compatibility,
        Features features,
        Security security,
        Storage storage,
        HostNetworks network,
        Map<String, Map<String, String>> hooks,
        @Nullable String hardwareUuid,
        @Nullable String bootUuid,
        @Nullable Integer kdumpStatus,
        List<HostNumaNode> numaNodes) {

    public HostCapabilities {
        hooks = Sorted.copyOfNested(hooks);
        numaNodes = List.copyOf(numaNodes);
    }

    /**
     * Processors.
     *
     * @param model processor name
     * @param flags processor flags, comma-joined, including {@code model_…} pseudo-flags
     * @param sockets sockets
     * @param cores cores over all sockets
     * @param threads hardware threads over all sockets
     * @param speedMegahertz nominal clock
     * @param online numbers of the processors that are on line
     * @param topology where each processor sits
     * @param agentAffinity processors that the host agent is bound to
     * @param tscFrequencyHertz frequency of the time-stamp counter
     * @param tscScaling whether guests may have another frequency
     */
    public record Cpu(
            @Nullable String model,
            @Nullable String flags,
            @Nullable Integer sockets,
            @Nullable Integer cores,
            @Nullable Integer threads,
            @Nullable Double speedMegahertz,
            List<Integer> online,
            List<Place> topology,
            List<Integer> agentAffinity,
            @Nullable Long tscFrequencyHertz,
            @Nullable Boolean tscScaling) {

        public Cpu {
            online = List.copyOf(online);
            topology = List.copyOf(topology);
            agentAffinity = List.copyOf(agentAffinity);
        }

        /**
         * Position of a processor; −1 for a number that is not reported.
         *
         * @param cpu number of the processor
         * @param numaNode its NUMA node
         * @param socket its socket
         * @param die its die
         * @param core its core within the socket
         */
        public record Place(
                @Wire("cpu_id") int cpu,
                @Wire("numa_cell_id") int numaNode,
                @Wire("socket_id") int socket,
                @Wire("die_id") int die,
                @Wire("core_id") int core) {}
    }

    /**
     * Memory.
     *
     * @param physicalMebibytes physical memory
     * @param reservedMebibytes kept for the host itself
     * @param guestOverheadMebibytes overhead of a VM
     * @param autoNumaBalancing 0 off, 1 on, 2 not known to the host
     */
    public record Memory(
            @Nullable Long physicalMebibytes,
            @Nullable Long reservedMebibytes,
            @Nullable Long guestOverheadMebibytes,
            @Nullable Integer autoNumaBalancing) {}

    /**
     * Installed software.
     *
     * @param versionName name of the host agent's release
     * @param version version of the host agent, for example {@code 4.50.7}
     * @param revision revision of the host agent
     * @param operatingSystem the host's system
     * @param kernelArguments kernel command line
     * @param packages versions of the packages that matter
     */
    public record Software(
            @Nullable String versionName,
            @Nullable String version,
            @Nullable String revision,
            OperatingSystem operatingSystem,
            @Nullable String kernelArguments,
            Packages packages) {}

    /**
     * The host's system.
     *
     * @param name for example {@code RHEL}
     * @param version for example {@code 9.4}
     * @param release for example {@code 1.el9}
     * @param prettyName the name that the system gives itself
     */
    public record OperatingSystem(
            @Nullable String name,
            @Nullable String version,
            @Nullable String release,
            @Nullable String prettyName) {

        /** The name to show: the system's own, else name and version; null when not reported. */
        public @Nullable String label() {
            if (prettyName != null && !prettyName.isBlank()) {
                return prettyName;
            }
            return name == null || version == null ? name : name + " " + version;
        }
    }

    /**
     * Packages, each {@code version-release}; null for one that is not installed.
     *
     * @param vdsm the host agent
     * @param kernel the kernel
     * @param libvirt libvirt
     * @param qemuKvm the emulator
     * @param librbd1 Ceph's block devices
     * @param glusterfs Gluster
     * @param glusterfsCli Gluster's command line
     * @param spiceServer SPICE
     * @param openvswitch Open vSwitch
     * @param nmstate network configuration
     */
    public record Packages(
            @Nullable String vdsm,
            @Nullable String kernel,
            @Nullable String libvirt,
            @Nullable String qemuKvm,
            @Nullable String librbd1,
            @Nullable String glusterfs,
            @Nullable String glusterfsCli,
            @Nullable String spiceServer,
            @Nullable String openvswitch,
            @Nullable String nmstate) {}

    /**
     * Values that decide which clusters a host fits.
     *
     * @param clusterLevels supported cluster compatibility levels
     * @param supportedEngines supported engine versions
     * @param emulatedMachines machine types
     * @param rngSources sources of randomness for guests, for example {@code hwrng}
     * @param additionalFeatures optional features that are present
     * @param domainVersions supported versions of storage domains
     * @param blockSizes supported block sizes in bytes by type of storage; 0 stands for "as the
     *     storage has it"
     */
    public record Compatibility(
            List<String> clusterLevels,
            List<String> supportedEngines,
            List<String> emulatedMachines,
            List<String> rngSources,
            List<String> additionalFeatures,
            List<Integer> domainVersions,
            Map<String, List<Integer>> blockSizes) {

        public Compatibility {
            clusterLevels = List.copyOf(clusterLevels);
            supportedEngines = List.copyOf(supportedEngines);
            emulatedMachines = List.copyOf(emulatedMachines);
            rngSources = List.copyOf(rngSources);
            additionalFeatures = List.copyOf(additionalFeatures);
            domainVersions = List.copyOf(domainVersions);
            blockSizes = Sorted.copyOfLists(blockSizes);
        }
    }

    /**
     * Features of a host.
     *
     * @param kvm whether KVM works
     * @param liveSnapshot snapshots of running VMs
     * @param liveMerge merging snapshots of running VMs
     * @param hostDevicePassthrough handing devices of the host to VMs
     * @param backup backup of running VMs
     * @param coldBackup backup of VMs that are down
     * @param clearBitmaps clearing of backup bitmaps
     * @param cdChangeByDrive changing a CD by naming the drive and its storage
     * @param hostedEngineDeployed whether the engine may run on this host as a VM
     */
    public record Features(
            @Nullable Boolean kvm,
            @Nullable Boolean liveSnapshot,
            @Nullable Boolean liveMerge,
            @Nullable Boolean hostDevicePassthrough,
            @Nullable Boolean backup,
            @Nullable Boolean coldBackup,
            @Nullable Boolean clearBitmaps,
            @Nullable Boolean cdChangeByDrive,
            @Nullable Boolean hostedEngineDeployed) {}

    /**
     * How a host is hardened.
     *
     * @param selinuxMode 1 enforcing, 0 permissive, −1 disabled, null not reported
     * @param fips whether only approved cryptography is used
     * @param vncEncrypted whether VNC consoles are encrypted
     * @param kernelFeatures state of the kernel's mitigations by name
     */
    public record Security(
            @Nullable Integer selinuxMode,
            @Nullable Boolean fips,
            @Nullable Boolean vncEncrypted,
            Map<String, String> kernelFeatures) {

        public Security {
            kernelFeatures = Sorted.copyOf(kernelFeatures);
        }
    }

    /**
     * How a host reaches storage.
     *
     * @param iscsiInitiator initiator name
     * @param adapters host bus adapters
     * @param connectorInfo data of the host that storage connectors need
     */
    public record Storage(
            @Nullable String iscsiInitiator, Adapters adapters, Map<String, String> connectorInfo) {

        public Storage {
            connectorInfo = Sorted.copyOf(connectorInfo);
        }
    }

    /**
     * Host bus adapters.
     *
     * @param iscsiInitiators names of iSCSI initiators
     * @param fibreChannel ports of Fibre Channel adapters
     */
    public record Adapters(
            @Wire("iSCSI.*.InitiatorName") List<String> iscsiInitiators,
            @Wire("FC") List<FibreChannelPort> fibreChannel) {

        /** No adapters. */
        public static final Adapters NONE = new Adapters(List.of(), List.of());

        public Adapters {
            iscsiInitiators = List.copyOf(iscsiInitiators);
            fibreChannel = List.copyOf(fibreChannel);
        }
    }

    /**
     * A port of a Fibre Channel adapter.
     *
     * @param portName world-wide name of the port
     * @param nodeName world-wide name of the adapter
     * @param model the adapter's model
     */
    public record FibreChannelPort(
            @Wire("wwpn") @Nullable String portName,
            @Wire("wwnn") @Nullable String nodeName,
            @Wire("model") @Nullable String model) {}
}
