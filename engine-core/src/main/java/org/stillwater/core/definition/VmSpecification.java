package org.stillwater.core.definition;

import static org.stillwater.core.definition.SpecificationChecks.MACHINE;
import static org.stillwater.core.definition.SpecificationChecks.MOST_CPUS;
import static org.stillwater.core.definition.SpecificationChecks.MOST_DISKS;
import static org.stillwater.core.definition.SpecificationChecks.MOST_INTERFACES;
import static org.stillwater.core.definition.SpecificationChecks.MOST_MEMORY_MEBIBYTES;
import static org.stillwater.core.definition.SpecificationChecks.MOST_NUMA_NODES;
import static org.stillwater.core.definition.SpecificationChecks.MOST_PROPERTIES;
import static org.stillwater.core.definition.SpecificationChecks.MOST_SOCKETS;
import static org.stillwater.core.definition.SpecificationChecks.atMost;
import static org.stillwater.core.definition.SpecificationChecks.checkIdentities;
import static org.stillwater.core.definition.SpecificationChecks.checkNuma;
import static org.stillwater.core.definition.SpecificationChecks.checkZone;
import static org.stillwater.core.definition.SpecificationChecks.once;
import static org.stillwater.core.definition.SpecificationChecks.within;
import static org.stillwater.core.definition.SpecificationChecks.words;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Members of a VM's definition that are needed to run it, beyond those of monitoring: {@link
 * VmStatic} has its name, memory and processors.
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
        cpuPinning.forEach(SpecificationChecks::checkPinning);
        customProperties.forEach(SpecificationChecks::checkProperty);
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
        SpecificationChecks.check(this, vm);
    }

    /**
     * Whether a user can have meant it: a stored definition may have it, but no request may begin
     * with it.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    public void checkSense() {
        SpecificationChecks.checkSense(this);
    }

    /** The same with these disks, drive and interfaces. */
    public VmSpecification withDevices(
            List<VmDisk> newDisks, @Nullable VmCdrom newCdrom, List<VmInterface> newInterfaces) {
        return with(draft -> {
            draft.disks = newDisks;
            draft.cdrom = newCdrom;
            draft.interfaces = newInterfaces;
        });
    }

    /** The same with these consoles. */
    public VmSpecification withConsoles(List<VmConsole> newConsoles, Video newVideo) {
        return with(draft -> {
            draft.consoles = newConsoles;
            draft.video = newVideo;
        });
    }

    /** The same specification with these maxima; 0 for no extension. */
    public VmSpecification upTo(int newMaximumSockets, int newMaximumMemoryMebibytes) {
        return with(draft -> {
            draft.maximumSockets = newMaximumSockets;
            draft.maximumMemoryMebibytes = newMaximumMemoryMebibytes;
        });
    }

    /** The same with these words; null or nothing for none. */
    public VmSpecification withWords(@Nullable String newDescription, @Nullable String newComment) {
        return with(draft -> {
            draft.description = newDescription;
            draft.comment = newComment;
        });
    }

    /** The same with these traits. */
    public VmSpecification withTraits(VmTraits newTraits) {
        return with(draft -> draft.traits = newTraits);
    }

    /** The same without custom properties. */
    public VmSpecification withoutCustomProperties() {
        return with(draft -> draft.customProperties = Map.of());
    }

    /** The same, read from a host like this; null for one that users made. */
    public VmSpecification withFound(@Nullable FoundDefinition newFound) {
        return with(draft -> draft.found = newFound);
    }

    /** The same with this watchdog; null for none. */
    public VmSpecification withWatchdog(@Nullable VmWatchdog newWatchdog) {
        return with(draft -> draft.watchdog = newWatchdog);
    }

    /** Whether it is known to lack a part of the VM that ran, so that it cannot start one. */
    public boolean isIncomplete() {
        return found != null && !found.missing().isEmpty();
    }

    private VmSpecification with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.specification();
    }

    /** The members that are ever exchanged, while some of them change. */
    private static final class Draft {

        private final VmSpecification of;
        private int maximumSockets;
        private int maximumMemoryMebibytes;
        private List<VmDisk> disks;
        private @Nullable VmCdrom cdrom;
        private List<VmInterface> interfaces;
        private List<VmConsole> consoles;
        private Video video;
        private @Nullable VmWatchdog watchdog;
        private Map<String, String> customProperties;
        private @Nullable String description;
        private @Nullable String comment;
        private VmTraits traits;
        private @Nullable FoundDefinition found;

        Draft(VmSpecification of) {
            this.of = of;
            this.maximumSockets = of.maximumSockets;
            this.maximumMemoryMebibytes = of.maximumMemoryMebibytes;
            this.disks = of.disks;
            this.cdrom = of.cdrom;
            this.interfaces = of.interfaces;
            this.consoles = of.consoles;
            this.video = of.video;
            this.watchdog = of.watchdog;
            this.customProperties = of.customProperties;
            this.description = of.description;
            this.comment = of.comment;
            this.traits = of.traits;
            this.found = of.found;
        }

        VmSpecification specification() {
            return new VmSpecification(
                    of.machineType,
                    of.architecture,
                    of.cpu,
                    maximumSockets,
                    maximumMemoryMebibytes,
                    of.firmware,
                    of.boot,
                    of.bootMenu,
                    disks,
                    cdrom,
                    interfaces,
                    consoles,
                    video,
                    of.serialConsole,
                    of.balloon,
                    of.tpm,
                    of.randomness,
                    watchdog,
                    of.numaNodes,
                    of.cpuPinning,
                    customProperties,
                    of.timeZone,
                    of.resume,
                    description,
                    comment,
                    traits,
                    found);
        }
    }

    /** The most sockets that it may have, those not plugged in included. */
    public int sockets(VmStatic vm) {
        return maximumSockets == 0 ? vm.sockets() : maximumSockets;
    }

    /**
     * Checks the CPUs of the host for one virtual CPU.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    public static void checkPinning(int cpu, String set) {
        SpecificationChecks.checkPinning(cpu, set);
    }

    /**
     * Checks a custom property.
     *
     * @throws IllegalArgumentException with the reason as one sentence
     */
    public static void checkProperty(String name, String value) {
        SpecificationChecks.checkProperty(name, value);
    }
}
