package org.stillwater.core.schedule;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.stillwater.core.report.HostCapabilities;

/**
 * What a host has for VMs, by what it says of itself. It changes as seldom as capabilities do, so
 * that callers make it once and keep it. Immutable.
 *
 * <p>Where memory or processors are not known nothing is promised, since promises that cannot be
 * kept harm other VMs. What else is not known is not held against a host: a VM that is wrongly let
 * in does not start and says why.
 *
 * @param onlineCpus processors that are on line, 0 if not known
 * @param physicalMebibytes physical memory in MiB, 0 if not known
 * @param reservedMebibytes what of it the host keeps for itself, in MiB; 0 if not known
 * @param networks logical networks that are attached; empty if not known
 * @param machineTypes machine types that it emulates; empty if not known
 * @param cpuFlags flags of its processors, also as {@link ProcessorNeeds} spells them; empty if not
 *     known
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
                    "a host has no less than nothing: "
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

    /** What a host offers that says this; what it cannot mean counts as not known. */
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
