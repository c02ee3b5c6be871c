package org.stillwater.core.definition;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks of the members of a {@link VmSpecification}, which limit each other and the rest of the
 * VM's definition. Each refuses with an {@link IllegalArgumentException}; its message is one
 * sentence with the reason.
 */
final class SpecificationChecks {

    static final int MOST_SOCKETS = 512;
    static final int MOST_CPUS = 710;
    static final int MOST_MEMORY_MEBIBYTES = 48 << 20;
    private static final int LEAST_MEMORY_MEBIBYTES = 16;
    static final int MOST_DISKS = 256;
    static final int MOST_INTERFACES = 64;
    static final int MOST_NUMA_NODES = 128;
    static final int MOST_PROPERTIES = 100;
    private static final int LONGEST_VALUE = 4_000;
    static final Pattern MACHINE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern PROPERTY = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,62}");
    private static final Pattern CPU_SET =
            Pattern.compile("\\^?[0-9]{1,4}(-[0-9]{1,4})?(,\\^?[0-9]{1,4}(-[0-9]{1,4})?){0,255}");

    private SpecificationChecks() {}

    /**
     * Checks the specification against monitoring's definition of the VM, which must not contradict
     * it.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    static void check(VmSpecification specification, VmStatic vm) {
        if (vm.memoryMebibytes() < LEAST_MEMORY_MEBIBYTES
                || vm.memoryMebibytes() > MOST_MEMORY_MEBIBYTES) {
            throw new IllegalArgumentException(
                    "the memory of a VM is 16 to %d MiB, not %d"
                            .formatted(MOST_MEMORY_MEBIBYTES, vm.memoryMebibytes()));
        }
        if (vm.guaranteedMemoryMebibytes() > vm.memoryMebibytes()) {
            throw new IllegalArgumentException(
                    "the guaranteed memory of a VM is at most its memory");
        }
        if (specification.maximumMemoryMebibytes() != 0
                && specification.maximumMemoryMebibytes() < vm.memoryMebibytes()) {
            throw new IllegalArgumentException(
                    "the maximum memory of %d MiB is less than the memory of %d MiB"
                            .formatted(
                                    specification.maximumMemoryMebibytes(), vm.memoryMebibytes()));
        }
        if (specification.maximumSockets() != 0 && specification.maximumSockets() < vm.sockets()) {
            throw new IllegalArgumentException(
                    "the maximum of %d sockets is less than the %d that it has"
                            .formatted(specification.maximumSockets(), vm.sockets()));
        }
        long cpus = (long) specification.sockets(vm) * vm.coresPerSocket() * vm.threadsPerCore();
        if (cpus > MOST_CPUS) {
            throw new IllegalArgumentException(
                    "a VM has at most %d virtual CPUs, those that can be plugged in included, not"
                                    .formatted(MOST_CPUS)
                            + " "
                            + cpus);
        }
        long numaMemory = 0;
        for (VmNumaPlan node : specification.numaNodes()) {
            numaMemory += node.memoryMebibytes();
            if (!node.cpus().isEmpty() && node.cpus().getLast() >= cpus) {
                throw new IllegalArgumentException(
                        "a NUMA node has virtual CPU %d, but the VM has %d at most"
                                .formatted(node.cpus().getLast(), cpus));
            }
        }
        if (!specification.numaNodes().isEmpty() && numaMemory != vm.memoryMebibytes()) {
            throw new IllegalArgumentException(
                    "the NUMA nodes have %d MiB of memory together, the VM has %d"
                            .formatted(numaMemory, vm.memoryMebibytes()));
        }
        for (int pinned : specification.cpuPinning().keySet()) {
            if (pinned >= cpus) {
                throw new IllegalArgumentException(
                        "virtual CPU %d is pinned, but the VM has %d at most"
                                .formatted(pinned, cpus));
            }
        }
    }

    /**
     * Whether a user can have meant it: a stored definition may have it, but no request may begin
     * with it.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    static void checkSense(VmSpecification specification) {
        Set<Object> written = new HashSet<>();
        for (VmDisk disk : specification.disks()) {
            boolean safe = disk.readOnly() || disk.shareable();
            if (!safe && !written.add(disk.place().identity())) {
                throw new IllegalArgumentException(
                        "two writable disks have one location, which would destroy its data: "
                                + disk.name());
            }
        }
        specification
                .cpuPinning()
                .forEach((cpu, set) -> {
                    if (cpusIn(set).isEmpty()) {
                        throw new IllegalArgumentException(
                                "virtual CPU %d is pinned to %s, which is no CPU at all"
                                        .formatted(cpu, set));
                    }
                });
    }

    /** The CPUs of a set as libvirt writes it; a range that does not ascend has none. */
    private static BitSet cpusIn(String set) {
        BitSet cpus = new BitSet();
        BitSet without = new BitSet();
        for (String part : set.split(",", -1)) {
            String range = part.startsWith("^") ? part.substring(1) : part;
            int dash = range.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
            if (first > last) {
                return new BitSet();
            }
            (part.startsWith("^") ? without : cpus).set(first, last + 1);
        }
        cpus.andNot(without);
        return cpus;
    }

    static void within(String what, int number, int most) {
        if (number < 0 || number > most) {
            throw new IllegalArgumentException(
                    "the " + what + " is 0 to " + most + ", not " + number);
        }
    }

    static void atMost(String what, int number, int most) {
        if (number > most) {
            throw new IllegalArgumentException(
                    "a VM has at most " + most + " " + what + ", not " + number);
        }
    }

    static void once(String what, List<?> all) {
        Set<Object> seen = new HashSet<>();
        for (Object one : all) {
            if (one != null && !seen.add(one)) {
                throw new IllegalArgumentException("the " + what + " " + one + " is there twice");
            }
        }
    }

    static void checkIdentities(
            List<VmDisk> disks, @Nullable VmCdrom cdrom, List<VmInterface> interfaces) {
        Set<UUID> seen = new HashSet<>();
        disks.forEach(disk -> checkIdentity(seen, disk.id()));
        interfaces.forEach(nic -> checkIdentity(seen, nic.id()));
        if (cdrom != null) {
            checkIdentity(seen, cdrom.id());
        }
    }

    private static void checkIdentity(Set<UUID> seen, UUID id) {
        if (!seen.add(id)) {
            throw new IllegalArgumentException("two devices have the identity " + id);
        }
    }

    static void checkNuma(List<VmNumaPlan> nodes) {
        Set<Integer> seen = new HashSet<>();
        for (VmNumaPlan node : nodes) {
            for (int cpu : node.cpus()) {
                if (!seen.add(cpu)) {
                    throw new IllegalArgumentException(
                            "virtual CPU " + cpu + " is in two NUMA nodes");
                }
            }
        }
    }

    /**
     * Checks the CPUs of the host for one virtual CPU.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    static void checkPinning(int cpu, String set) {
        if (cpu < 0 || cpu >= MOST_CPUS || !CPU_SET.matcher(set).matches()) {
            throw new IllegalArgumentException(
                    "a virtual CPU, 0 to 709, is pinned to a set of CPUs such as 0-3,^2,8");
        }
    }

    /**
     * Checks a custom property.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    static void checkProperty(String name, String value) {
        if (!PROPERTY.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a custom property begins with a letter or underscore and has 1 to"
                            + " 63 letters, digits, hyphens and underscores");
        }
        if (value.length() > LONGEST_VALUE || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "the value of custom property "
                            + name
                            + " has at most 4000 characters, none of them a control character");
        }
    }

    static @Nullable String words(String what, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        boolean odd =
                text.chars().anyMatch(c -> Character.isISOControl(c) && "\t\n\r".indexOf(c) < 0);
        if (text.length() > LONGEST_VALUE || odd) {
            throw new IllegalArgumentException(
                    "a "
                            + what
                            + " has at most 4000 characters, of control characters only tabs and"
                            + " ends of lines");
        }
        return text;
    }

    static void checkZone(String zone) {
        try {
            ZoneId _ = ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "a time zone has an IANA name, such as Europe/Berlin", e);
        }
    }
}
