package org.stillwater.ovirt.model;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Processors.
 *
 * @param mode {@code custom} or {@code host_passthrough}, of VMs
 * @param speed MHz, of hosts
 */
public record Cpu(
        @Nullable String architecture,
        @Nullable CpuTune cpuTune,
        @Nullable String mode,
        @Nullable String name,
        @Nullable BigDecimal speed,
        @Nullable Topology topology,
        @Nullable String type) {

    /** For a host or cluster. */
    public Cpu(
            @Nullable String architecture,
            @Nullable String name,
            @Nullable BigDecimal speed,
            @Nullable Topology topology,
            @Nullable String type) {
        this(architecture, null, null, name, speed, topology, type);
    }

    /** For a template. */
    public static Cpu of(String architecture, Topology topology) {
        return of(architecture, topology, null, null);
    }

    /** For a VM. */
    public static Cpu of(
            String architecture,
            Topology topology,
            @Nullable String mode,
            @Nullable CpuTune cpuTune) {
        return new Cpu(architecture, cpuTune, mode, null, null, topology, null);
    }

    /** CPUs of the host on which virtual CPUs run. */
    public record CpuTune(Listing<VcpuPin> vcpuPins) {}

    /** A set of CPUs of the host, as libvirt names it, for the number of a virtual CPU. */
    public record VcpuPin(String cpuSet, Integer vcpu) {}
}
