package org.stillwater.core.definition;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Members of a VM's definition that are needed to run it, beyond those of monitoring: {@link
 * VmStatic} has its name, memory and processors.
 *
 * <p>It is long because it has the checks of all members, since many of them limit each other.
 *
 * @param machineType machine type, null for that of its cluster
 * @param architecture architecture, null for that of its cluster
 * @param cpu the processor that the guest sees
 * @param maximumSockets sockets that it may be extended to while it runs; 0 for those it has
 * @param maximumMemoryMebibytes memory that it may be extended to while it runs; 0 for no extension
 * @param firmware firmware that boots it
 * @param boot kinds of devices it boots from, best first, each once
 * @param bootMenu whether the firmware shows a boot menu
 * @param disks at most 256
 * @param cdrom CD-ROM drive, null for none
 * @param interfaces at most 64
 * @param consoles at most one of each protocol; none for a VM without a screen
 * @param video device that draws its screen
 * @param serialConsole whether it has a serial console
 * @param balloon whether its memory may be taken away and given back
 * @param tpm whether it has a TPM; it takes UEFI
 * @param randomness source of randomness, null for none
 * @param watchdog watchdog, null for none
 * @param numaNodes virtual NUMA nodes, at most 128; empty for none
 * @param cpuPinning CPUs of the host, as libvirt names a set of them, for numbers of virtual CPUs
 * @param customProperties values by name, at most 100, for hooks on hosts
 * @param timeZone IANA name of the time zone that its hardware clock shows, null for UTC
 * @param resume its treatment when its storage is back after an error
 * @param description description by users, at most 4000 characters; null for none
 * @param comment comment by users, at most 4000 characters; null for none
 * @param traits properties that users decide beside its hardware; null for the defaults, and in
 *     rows stored before there were any
 * @param found how far a definition that the engine read from a host is the VM that ran there; null
 *     for a definition that users made
 */
public record VmSpecification(
        @Nullable String machineType,
        @Nullable CpuArchitecture architecture,
        VmCpu cpu,
        int maximumSockets,
        int maximumMemoryMebibytes,
        Firmware firmware,
        List<BootDevice> boot,
        boolean bootMenu,
        List<VmDisk> disks,
        @Nullable VmCdrom cdrom,
        List<VmInterface> interfaces,
        List<VmConsole> consoles,
        Video video,
        boolean serialConsole,
        boolean balloon,
        boolean tpm,
        @Nullable VmRandomness randomness,
        @Nullable VmWatchdog watchdog,
        List<VmNumaPlan> numaNodes,
        Map<Integer, String> cpuPinning,
        Map<String, String> customProperties,
        @Nullable String timeZone,
        ResumeBehaviour resume,
        @Nullable String description,
        @Nullable String comment,
        VmTraits traits,
        @Nullable FoundDefinition found) {

    private static final int MOST_SOCKETS = 512;
    private static final int MOST_CPUS = 710;
    private static final int MOST_MEMORY_MEBIBYTES = 48 << 20;
    private static final int LEAST_MEMORY_MEBIBYTES = 16;
    private static final int MOST_DISKS = 256;
    private static final int MOST_INTERFACES = 64;
    private static final int MOST_NUMA_NODES = 128;
    private static final int MOST_PROPERTIES = 100;
    private static final int LONGEST_VALUE = 4_000;
    private static final Pattern MACHINE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern PROPERTY = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,62}");
    private static final Pattern CPU_SET =
            Pattern.compile("\\^?[0-9]{1,4}(-[0-9]{1,4})?(,\\^?[0-9]{1,4}(-[0-9]{1,4})?){0,255}");

    /** A VM without devices that boots from disk. */
    public static final VmSpecification BARE =
            new VmSpecification(
                    null,
                    null,
                    VmCpu.OF_CLUSTER,
                    0,
                    0,
                    Firmware.BIOS,
                    List.of(BootDevice.DISK),
                    false,
                    List.of(),
                    null,
                    List.of(),
                    List.of(),
                    Video.VGA,
                    false,
                    true,
                    false,
                    null,
                    null,
                    List.of(),
                    Map.of(),
                    Map.of(),
                    null,
                    ResumeBehaviour.AUTO_RESUME,
                    null,
                    null,
                    VmTraits.USUAL,
                    null);

    /** A VM that users define. */
    public VmSpecification(
            @Nullable String machineType,
            @Nullable CpuArchitecture architecture,
            VmCpu cpu,
            int maximumSockets,
            int maximumMemoryMebibytes,
            Firmware firmware,
            List<BootDevice> boot,
            boolean bootMenu,
            List<VmDisk> disks,
            @Nullable VmCdrom cdrom,
            List<VmInterface> interfaces,
            List<VmConsole> consoles,
            Video video,
            boolean serialConsole,
            boolean balloon,
            boolean tpm,
            @Nullable VmRandomness randomness,
            @Nullable VmWatchdog watchdog,
            List<VmNumaPlan> numaNodes,
            Map<Integer, String> cpuPinning,
            Map<String, String> customProperties,
            @Nullable String timeZone,
            ResumeBehaviour resume,
            @Nullable String description,
            @Nullable String comment,
            VmTraits traits) {
        this(
                machineType,
                architecture,
                cpu,
                maximumSockets,
                maximumMemoryMebibytes,
                firmware,
                boot,
                bootMenu,
                disks,
                cdrom,
                interfaces,
                consoles,
                video,
                serialConsole,
                balloon,
                tpm,
                randomness,
                watchdog,
                numaNodes,
                cpuPinning,
                customProperties,
                timeZone,
                resume,
                description,
                comment,
                traits,
                null);
    }

    /** A VM with the usual traits. */
    public VmSpecification(
            @Nullable String machineType,
            @Nullable CpuArchitecture architecture,
            VmCpu cpu,
            int maximumSockets,
            int maximumMemoryMebibytes,
            Firmware firmware,
            List<BootDevice> boot,
            boolean bootMenu,
            List<VmDisk> disks,
            @Nullable VmCdrom cdrom,
            List<VmInterface> interfaces,
            List<VmConsole> consoles,
            Video video,
            boolean serialConsole,
            boolean balloon,
            boolean tpm,
            @Nullable VmRandomness randomness,
            @Nullable VmWatchdog watchdog,
            List<VmNumaPlan> numaNodes,
            Map<Integer, String> cpuPinning,
            Map<String, String> customProperties,
            @Nullable String timeZone,
            ResumeBehaviour resume,
            @Nullable String description,
            @Nullable String comment) {
        this(
                machineType,
                architecture,
                cpu,
                maximumSockets,
                maximumMemoryMebibytes,
                firmware,
                boot,
                bootMenu,
                disks,
                cdrom,
                interfaces,
                consoles,
                video,
                serialConsole,
                balloon,
                tpm,
                randomness,
                watchdog,
                numaNodes,
                cpuPinning,
                customProperties,
                timeZone,
                resume,
                description,
                comment,
                VmTraits.USUAL);
    }

    public VmSpecification {
        traits = traits == null ? VmTraits.USUAL : traits;
        if (machineType != null && !MACHINE.matcher(machineType).matches()) {
            throw new IllegalArgumentException(
                    "a machine type has 1 to 63 letters, digits, dots, hyphens and underscores");
        }
        within("maximum number of sockets", maximumSockets, MOST_SOCKETS);
        within("maximum memory in MiB", maximumMemoryMebibytes, MOST_MEMORY_MEBIBYTES);
        if (tpm && firmware == Firmware.BIOS) {
            throw new IllegalArgumentException("a TPM takes UEFI, not BIOS");
        }
        atMost("disks", disks.size(), MOST_DISKS);
        atMost("interfaces", interfaces.size(), MOST_INTERFACES);
        atMost("NUMA nodes", numaNodes.size(), MOST_NUMA_NODES);
        atMost("pinned CPUs", cpuPinning.size(), MOST_CPUS);
        atMost("custom properties", customProperties.size(), MOST_PROPERTIES);
        once("kind of device to boot from", boot);
        once("console protocol", consoles.stream().map(VmConsole::protocol).toList());
        once("MAC address", interfaces.stream().map(VmInterface::mac).toList());
        once("name of an interface", interfaces.stream().map(VmInterface::name).toList());
        once("place in the boot order", disks.stream().map(VmDisk::bootOrder).toList());
        checkIdentities(disks, cdrom, interfaces);
        checkNuma(numaNodes);
        cpuPinning.forEach(VmSpecification::checkPinning);
        customProperties.forEach(VmSpecification::checkProperty);
        if (timeZone != null) {
            checkZone(timeZone);
        }
        description = words("description", description);
        comment = words("comment", comment);
        boot = List.copyOf(boot);
        disks = List.copyOf(disks);
        interfaces = List.copyOf(interfaces);
        consoles = List.copyOf(consoles);
        numaNodes = List.copyOf(numaNodes);
        cpuPinning = Collections.unmodifiableSortedMap(new TreeMap<>(cpuPinning));
        customProperties = Collections.unmodifiableSortedMap(new TreeMap<>(customProperties));
    }

    /** Firmware that boots a VM. */
    public enum Firmware {
        BIOS,
        UEFI,
        /** UEFI that starts only signed programs. */
        UEFI_SECURE_BOOT
    }

    /** Kinds of devices to boot from. */
    public enum BootDevice {
        DISK,
        CDROM,
        NETWORK
    }

    /** Device that draws a screen. */
    public enum Video {
        VGA(16),
        QXL(96),
        VIRTIO(16),
        BOCHS(16);

        private final int mebibytes;

        Video(int mebibytes) {
            this.mebibytes = mebibytes;
        }

        /** The memory of the device, in MiB, which is saved with the memory of the VM. */
        public int mebibytes() {
            return mebibytes;
        }
    }

    /** Treatment of a VM paused by a storage error, after the error is over. */
    public enum ResumeBehaviour {
        AUTO_RESUME,
        LEAVE_PAUSED,
        KILL
    }

    /**
     * Checks the specification against monitoring's definition of the VM, which must not contradict
     * it.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    public void check(VmStatic vm) {
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
        if (maximumMemoryMebibytes != 0 && maximumMemoryMebibytes < vm.memoryMebibytes()) {
            throw new IllegalArgumentException(
                    "the maximum memory of %d MiB is less than the memory of %d MiB"
                            .formatted(maximumMemoryMebibytes, vm.memoryMebibytes()));
        }
        if (maximumSockets != 0 && maximumSockets < vm.sockets()) {
            throw new IllegalArgumentException(
                    "the maximum of %d sockets is less than the %d that it has"
                            .formatted(maximumSockets, vm.sockets()));
        }
        long cpus = (long) sockets(vm) * vm.coresPerSocket() * vm.threadsPerCore();
        if (cpus > MOST_CPUS) {
            throw new IllegalArgumentException(
                    "a VM has at most %d virtual CPUs, those that can be plugged in included, not"
                                    .formatted(MOST_CPUS)
                            + " "
                            + cpus);
        }
        long numaMemory = 0;
        for (VmNumaPlan node : numaNodes) {
            numaMemory += node.memoryMebibytes();
            if (!node.cpus().isEmpty() && node.cpus().getLast() >= cpus) {
                throw new IllegalArgumentException(
                        "a NUMA node has virtual CPU %d, but the VM has %d at most"
                                .formatted(node.cpus().getLast(), cpus));
            }
        }
        if (!numaNodes.isEmpty() && numaMemory != vm.memoryMebibytes()) {
            throw new IllegalArgumentException(
                    "the NUMA nodes have %d MiB of memory together, the VM has %d"
                            .formatted(numaMemory, vm.memoryMebibytes()));
        }
        for (int pinned : cpuPinning.keySet()) {
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
    public void checkSense() {
        Set<Object> written = new HashSet<>();
        for (VmDisk disk : disks) {
            boolean safe = disk.readOnly() || disk.shareable();
            if (!safe && !written.add(disk.place().identity())) {
                throw new IllegalArgumentException(
                        "two writable disks have one location, which would destroy its data: "
                                + disk.name());
            }
        }
        cpuPinning.forEach((cpu, set) -> {
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

    /** The same with these disks, drive and interfaces. */
    public VmSpecification withDevices(
            List<VmDisk> newDisks, @Nullable VmCdrom newCdrom, List<VmInterface> newInterfaces) {
        return with(
                maximumSockets,
                maximumMemoryMebibytes,
                newDisks,
                newCdrom,
                newInterfaces,
                consoles,
                video,
                description,
                comment);
    }

    /** The same with these consoles. */
    public VmSpecification withConsoles(List<VmConsole> newConsoles, Video newVideo) {
        return with(
                maximumSockets,
                maximumMemoryMebibytes,
                disks,
                cdrom,
                interfaces,
                newConsoles,
                newVideo,
                description,
                comment);
    }

    /** The same specification with these maxima; 0 for no extension. */
    public VmSpecification upTo(int newMaximumSockets, int newMaximumMemoryMebibytes) {
        return with(
                newMaximumSockets,
                newMaximumMemoryMebibytes,
                disks,
                cdrom,
                interfaces,
                consoles,
                video,
                description,
                comment);
    }

    /** The same with these words; null or nothing for none. */
    public VmSpecification withWords(@Nullable String newDescription, @Nullable String newComment) {
        return with(
                maximumSockets,
                maximumMemoryMebibytes,
                disks,
                cdrom,
                interfaces,
                consoles,
                video,
                newDescription,
                newComment);
    }

    /** The same with these traits. */
    public VmSpecification withTraits(VmTraits newTraits) {
        return with(newTraits, customProperties, found);
    }

    /** The same without custom properties. */
    public VmSpecification withoutCustomProperties() {
        return with(traits, Map.of(), found);
    }

    /** The same, read from a host like this; null for one that users made. */
    public VmSpecification withFound(@Nullable FoundDefinition newFound) {
        return with(traits, customProperties, newFound);
    }

    /** Whether it is known to lack a part of the VM that ran, so that it cannot start one. */
    public boolean isIncomplete() {
        return found != null && !found.missing().isEmpty();
    }

    private VmSpecification with(
            VmTraits newTraits,
            Map<String, String> newCustomProperties,
            @Nullable FoundDefinition newFound) {
        return new VmSpecification(
                machineType,
                architecture,
                cpu,
                maximumSockets,
                maximumMemoryMebibytes,
                firmware,
                boot,
                bootMenu,
                disks,
                cdrom,
                interfaces,
                consoles,
                video,
                serialConsole,
                balloon,
                tpm,
                randomness,
                watchdog,
                numaNodes,
                cpuPinning,
                newCustomProperties,
                timeZone,
                resume,
                description,
                comment,
                newTraits,
                newFound);
    }

    /** The same with this watchdog; null for none. */
    public VmSpecification withWatchdog(@Nullable VmWatchdog newWatchdog) {
        return new VmSpecification(
                machineType,
                architecture,
                cpu,
                maximumSockets,
                maximumMemoryMebibytes,
                firmware,
                boot,
                bootMenu,
                disks,
                cdrom,
                interfaces,
                consoles,
                video,
                serialConsole,
                balloon,
                tpm,
                randomness,
                newWatchdog,
                numaNodes,
                cpuPinning,
                customProperties,
                timeZone,
                resume,
                description,
                comment,
                traits,
                found);
    }

    /** The same with all that is ever exchanged but traits and origin. */
    private VmSpecification with(
            int newMaximumSockets,
            int newMaximumMemoryMebibytes,
            List<VmDisk> newDisks,
            @Nullable VmCdrom newCdrom,
            List<VmInterface> newInterfaces,
            List<VmConsole> newConsoles,
            Video newVideo,
            @Nullable String newDescription,
            @Nullable String newComment) {
        return new VmSpecification(
                machineType,
                architecture,
                cpu,
                newMaximumSockets,
                newMaximumMemoryMebibytes,
                firmware,
                boot,
                bootMenu,
                newDisks,
                newCdrom,
                newInterfaces,
                newConsoles,
                newVideo,
                serialConsole,
                balloon,
                tpm,
                randomness,
                watchdog,
                numaNodes,
                cpuPinning,
                customProperties,
                timeZone,
                resume,
                newDescription,
                newComment,
                traits,
                found);
    }

    /** The most sockets that it may have, those not plugged in included. */
    public int sockets(VmStatic vm) {
        return maximumSockets == 0 ? vm.sockets() : maximumSockets;
    }

    private static void within(String what, int number, int most) {
        if (number < 0 || number > most) {
            throw new IllegalArgumentException(
                    "the " + what + " is 0 to " + most + ", not " + number);
        }
    }

    private static void atMost(String what, int number, int most) {
        if (number > most) {
            throw new IllegalArgumentException(
                    "a VM has at most " + most + " " + what + ", not " + number);
        }
    }

    private static void once(String what, List<?> all) {
        Set<Object> seen = new HashSet<>();
        for (Object one : all) {
            if (one != null && !seen.add(one)) {
                throw new IllegalArgumentException("the " + what + " " + one + " is there twice");
            }
        }
    }

    private static void checkIdentities(
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

    private static void checkNuma(List<VmNumaPlan> nodes) {
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
    public static void checkPinning(int cpu, String set) {
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
    public static void checkProperty(String name, String value) {
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

    private static @Nullable String words(String what, @Nullable String text) {
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

    private static void checkZone(String zone) {
        try {
            ZoneId _ = ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "a time zone has an IANA name, such as Europe/Berlin", e);
        }
    }
}
