package org.stillwater.core.schedule;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.stillwater.core.report.HostCapabilities;

/**
 * A host's capacity for VMs, from its own reports. It changes as rarely as capabilities do, so that
 * callers create it once and keep it. Immutable.
 *
 * <p>An unknown amount of memory or processors counts as none, because overcommitment harms other
 * VMs. Other unknown properties exclude no VM: a VM that is wrongly admitted does not start, with
 * the reason.
 *
 * @param onlineCpus processors that are on line, 0 if not known
 * @param physicalMebibytes physical memory in MiB, 0 if not known
 * @param reservedMebibytes memory that the host keeps for itself, in MiB; 0 if not known
 * @param networks logical networks that are attached; empty if not known
 * @param machineTypes machine types that it emulates; empty if not known
 * @param cpuFlags flags of its processors, also in the spelling of {@link ProcessorNeeds}; empty if
 *     not known
 */
public record HostOffer(
        int onlineCpus,
        long physicalMebibytes,
        long reservedMebibytes,
        Set<String> networks,
        Set<String> machineTypes,
        Set<String> cpuFlags) {

    public HostOffer {
        if (onlineCpus < 0 || physicalMebibytes < 0 || reservedMebibytes < 0) {
            throw new IllegalArgumentException(
                    "the capacity of a host is negative: "
                            + onlineCpus
                            + " CPUs, "
                            + physicalMebibytes
                            + " MiB, of which "
                            + reservedMebibytes
                            + " are reserved");
        }
        networks = Set.copyOf(networks);
        machineTypes = Set.copyOf(machineTypes);
        cpuFlags = Set.copyOf(cpuFlags);
    }

    /** The capacity of a host with these capabilities; implausible values count as not known. */
    public static HostOffer of(HostCapabilities host) {
        HostCapabilities.Cpu cpu = host.cpu();
        Integer threads = cpu.threads();
        Long physical = host.memory().physicalMebibytes();
        Long reserved = host.memory().reservedMebibytes();
        int cpus = !cpu.online().isEmpty() || threads == null ? cpu.online().size() : threads;
        String flags = cpu.flags();
        return new HostOffer(
                Math.max(0, cpus),
                physical == null ? 0 : Math.max(0, physical),
                reserved == null ? 0 : Math.max(0, reserved),
                host.network().networks().keySet(),
                distinct(host.compatibility().emulatedMachines()),
                flags == null || flags.isBlank()
                        ? Set.of()
                        : flags(flags.strip().split("[,\\s]+")));
    }

    private static Set<String> flags(String[] told) {
        Set<String> flags = new HashSet<>();
        for (String flag : told) {
            flags.add(flag);
            if (!flag.startsWith(ProcessorNeeds.MODEL)) {
                flags.add(ProcessorNeeds.flagOf(flag));
            }
        }
        return flags;
    }

    private static Set<String> distinct(List<String> names) {
        return new HashSet<>(names);
    }
}
