package org.stillwater.core.report;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostNumaNode;

/**
 * What a host is: almost static, read when a connection is made and when the host asks for it
 * (protocol specification §3.4). Null or empty stands for "not reported".
 *
 * @param cpuModel processor name
 * @param cpuFlags processor flags including {@code model_…} pseudo-flags
 * @param cpuSockets sockets
 * @param cpuCores cores over all sockets
 * @param cpuThreads hardware threads over all sockets
 * @param cpuSpeedMegahertz nominal clock
 * @param memoryMebibytes physical memory
 * @param reservedMemoryMebibytes kept for the host itself
 * @param guestOverheadMebibytes per-VM overhead
 * @param kvmEnabled whether KVM works
 * @param softwareVersion version of the host agent, for example {@code 4.50.7}
 * @param operatingSystem name and version of the host's system
 * @param kernelVersion kernel package
 * @param libvirtVersion libvirt package
 * @param qemuVersion qemu-kvm package
 * @param clusterLevels supported cluster compatibility levels
 * @param supportedEngines supported engine versions
 * @param emulatedMachines machine types
 * @param hardwareUuid UUID of the machine
 * @param bootUuid changes with every boot; null on hosts that do not report it
 * @param selinuxMode 1 enforcing, 0 permissive, −1 disabled, null not reported
 * @param kdumpStatus 1 enabled, 0 disabled, −1 unknown, null not reported
 * @param iscsiInitiator initiator name
 * @param lastClientInterface interface through which the engine is connected
 * @param numaNodes NUMA nodes by number; empty when not reported
 */
public record HostCapabilities(
        @Nullable String cpuModel,
        @Nullable String cpuFlags,
        @Nullable Integer cpuSockets,
        @Nullable Integer cpuCores,
        @Nullable Integer cpuThreads,
        @Nullable Double cpuSpeedMegahertz,
        @Nullable Long memoryMebibytes,
        @Nullable Long reservedMemoryMebibytes,
        @Nullable Long guestOverheadMebibytes,
        @Nullable Boolean kvmEnabled,
        @Nullable String softwareVersion,
        @Nullable String operatingSystem,
        @Nullable String kernelVersion,
        @Nullable String libvirtVersion,
        @Nullable String qemuVersion,
        List<String> clusterLevels,
        List<String> supportedEngines,
        List<String> emulatedMachines,
        @Nullable String hardwareUuid,
        @Nullable String bootUuid,
        @Nullable Integer selinuxMode,
        @Nullable Integer kdumpStatus,
        @Nullable String iscsiInitiator,
        @Nullable String lastClientInterface,
        List<HostNumaNode> numaNodes) {

    public HostCapabilities {
        clusterLevels = List.copyOf(clusterLevels);
        supportedEngines = List.copyOf(supportedEngines);
        emulatedMachines = List.copyOf(emulatedMachines);
        numaNodes = List.copyOf(numaNodes);
    }
}
