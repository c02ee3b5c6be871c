package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.DomainXmlReader.Domain;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmSpecification.Firmware;
import org.stillwater.core.definition.VmSpecification.ResumeBehaviour;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;

/**
 * Builds the definition of a VM that was found on a host from its domain XML, so that the engine
 * can start it again with its devices. Pure.
 *
 * <p>Each part of the document is in the definition, or is what every VM has, or is named in its
 * {@link FoundDefinition}. Not named: ports, addresses and aliases, which libvirt chooses, labels
 * of security, controllers as every machine has them, and CPU features that a host has switched off
 * in a domain that runs, because libvirt lists there which ones that host lacks.
 */
public final class FoundSpecification {

    private static final String OVIRT = "http://ovirt.org/vm/1.0";

    /** Elements that say nothing, or that another class reads. */
    private static final Set<String> KNOWN =
            Set.of(
                    "name",
                    "uuid",
                    "description",
                    "metadata",
                    "maxMemory",
                    "memory",
                    "currentMemory",
                    "vcpu",
                    "vcpus",
                    "iothreads",
                    "cputune",
                    "numatune",
                    "resource",
                    "sysinfo",
                    "os",
                    "features",
                    "cpu",
                    "clock",
                    "on_poweroff",
                    "on_reboot",
                    "on_crash",
                    "pm",
                    "devices",
                    "seclabel");

    private static final Set<String> KNOWN_OF_OS =
            Set.of("type", "loader", "nvram", "boot", "bootmenu", "smbios", "bios", "firmware");
    private static final Set<String> KNOWN_OF_FEATURES = Set.of("acpi", "apic", "pae", "smm");

    /** Makers in the table of a guest's hardware, as host agents write them. */
    private static final Set<String> MAKERS = Set.of("oVirt", "Red Hat", "RHEV", "");

    private final DomainElement root;
    private final Domain domain;
    private final FoundNotes notes = new FoundNotes();

    private FoundSpecification(DomainElement root, Domain domain) {
        this.root = root;
        this.domain = domain;
    }

    /** Elements of a document, as far as they can be read. */
    @FunctionalInterface
    interface Elements {
        /** The root of the document. */
        DomainElement root() throws UnreadableDomain;
    }

    /**
     * The definition of a VM.
     *
     * @param elements its domain XML
     * @param domain the same document as {@link DomainXmlReader} reads it
     * @return a definition that follows its host; without devices if the document cannot be read
     */
    static VmSpecification of(Elements elements, Domain domain) {
        FoundNotes failure = new FoundNotes();
        try {
            return new FoundSpecification(elements.root(), domain).specification();
        } catch (UnreadableDomain | IllegalArgumentException e) {
            failure.missing("all devices: " + e.getMessage());
        }
        return VmSpecification.BARE.withFound(failure.result());
    }

    /**
     * The same definition with the interfaces' identities and names as the engine keeps them: an
     * interface with the identity of another VM's has a new one.
     */
    public static VmSpecification withNics(VmSpecification specification, List<VmNic> nics) {
        List<VmInterface> next = new ArrayList<>(specification.interfaces().size());
        for (VmInterface each : specification.interfaces()) {
            VmInterface kept = each;
            for (VmNic nic : nics) {
                if (nic.mac().equals(each.mac())) {
                    kept =
                            new VmInterface(
                                    nic.id(),
                                    nic.name(),
                                    each.mac(),
                                    each.network(),
                                    each.model(),
                                    each.linked(),
                                    each.mtuBytes(),
                                    each.filtered());
                }
            }
            next.add(kept);
        }
        return next.equals(specification.interfaces())
                ? specification
                : specification.withDevices(specification.disks(), specification.cdrom(), next);
    }

    private VmSpecification specification() {
        for (DomainElement child : root.children()) {
            if (child.namespace() != null || child.name().equals("launchSecurity")) {
                notes.missing(child.name());
            } else if (!KNOWN.contains(child.name())) {
                notes.changed(child.name());
            }
        }
        DomainElement os = root.part("os");
        DomainElement agent = agent();
        FoundDevices devices =
                new FoundDevices(root.part("devices"), agent.all("device"), domain, notes);
        FoundHardware hardware = new FoundHardware(root, domain.definition(), devices, notes);
        tuning();
        features();
        maker();
        Firmware firmware = firmware(os);
        boolean tpm = devices.hasTpm() && firmware != Firmware.BIOS;
        if (devices.hasTpm() && !tpm) {
            notes.missing("TPM: it takes UEFI");
        }
        VmSpecification read =
                new VmSpecification(
                        machine(os),
                        architecture(os),
                        hardware.cpu(),
                        hardware.maximumSockets(),
                        hardware.maximumMemory(),
                        firmware,
                        devices.boot().kinds(os, notes),
                        "yes".equals(os.of("bootmenu", "enable")),
                        devices.boot().ranked(devices.disks().disks()),
                        devices.disks().cdrom(),
                        devices.interfaces(),
                        devices.consoles(),
                        devices.video(),
                        devices.hasSerialConsole(),
                        devices.hasBalloon(),
                        tpm,
                        devices.randomness(),
                        devices.watchdog(),
                        hardware.numaNodes(),
                        hardware.pinning(),
                        properties(agent),
                        hardware.timeZone(),
                        resume(agent),
                        null,
                        null,
                        new VmTraits(
                                VmTraits.USUAL.guestSystem(),
                                VmTraits.USUAL.workload(),
                                hardware.shares(),
                                false),
                        null);
        return checked(withDescription(read)).withFound(notes.result());
    }

    /** What the host agent keeps about the VM. */
    private DomainElement agent() {
        for (DomainElement child : root.part("metadata").children()) {
            if (child.name().equals("vm") && OVIRT.equals(child.namespace())) {
                return child;
            }
        }
        return DomainElement.NOTHING;
    }

    private VmSpecification withDescription(VmSpecification read) {
        String description = root.textOf("description");
        try {
            return read.withWords(description, null);
        } catch (IllegalArgumentException e) {
            notes.changed("description: " + e.getMessage());
            return read;
        }
    }

    /** Values that contradict each other stay, for users to see; with them, no run begins. */
    private VmSpecification checked(VmSpecification read) {
        try {
            VmStatic vm = domain.definition();
            read.check(vm);
        } catch (IllegalArgumentException e) {
            notes.missing("usable values: " + e.getMessage());
        }
        return read;
    }

    private @Nullable String machine(DomainElement os) {
        String machine = os.of("type", "machine");
        if (machine.isEmpty()) {
            notes.changed("machine type, which is not named");
            return null;
        }
        return machine;
    }

    private CpuArchitecture architecture(DomainElement os) {
        String name = os.of("type", "arch");
        if (!name.isEmpty() && !name.equals("x86_64")) {
            notes.missing("architecture " + name);
        }
        return CpuArchitecture.X86_64;
    }

    private Firmware firmware(DomainElement os) {
        for (DomainElement child : os.children()) {
            if (!KNOWN_OF_OS.contains(child.name())) {
                notes.missing("start of the guest by " + child.name());
            }
        }
        DomainElement loader = os.child("loader");
        boolean uefi = os.is("firmware", "efi") || (loader != null && loader.is("type", "pflash"));
        if (!uefi) {
            notes.changedIf(loader != null, "firmware " + os.textOf("loader"));
            return Firmware.BIOS;
        }
        boolean secure = loader != null && loader.is("secure", "yes");
        return secure ? Firmware.UEFI_SECURE_BOOT : Firmware.UEFI;
    }

    private void tuning() {
        long threads = DomainXmlReader.number(root.textOf("iothreads"), 0, Integer.MAX_VALUE);
        notes.changedIf(threads > 1, "I/O threads: " + threads);
        notes.others("CPU tuning", root.part("cputune"), Set.of("shares", "vcpupin"));
        notes.others("NUMA tuning", root.part("numatune"), Set.of("memnode"));
    }

    private void features() {
        DomainElement features = root.part("features");
        notes.others("feature", features, KNOWN_OF_FEATURES);
        notes.changedIf(!features.has("acpi"), "ACPI, which is switched off");
    }

    private void maker() {
        DomainElement system = root.part("sysinfo").child("system");
        for (DomainElement entry : system == null ? List.<DomainElement>of() : system.children()) {
            notes.changedIf(
                    entry.is("name", "manufacturer") && !MAKERS.contains(entry.text()),
                    "maker of the hardware " + entry.text());
        }
    }

    private Map<String, String> properties(DomainElement agent) {
        Map<String, String> properties = new TreeMap<>();
        DomainElement custom = agent.child("custom");
        for (DomainElement each : custom == null ? List.<DomainElement>of() : custom.children()) {
            try {
                VmSpecification.checkProperty(each.name(), each.text());
                properties.put(each.name(), each.text());
            } catch (IllegalArgumentException e) {
                notes.changed("custom property %s: %s".formatted(each.name(), e.getMessage()));
            }
        }
        return properties;
    }

    private ResumeBehaviour resume(DomainElement agent) {
        return switch (agent.textOf("resumeBehavior")) {
            case "leave_paused" -> ResumeBehaviour.LEAVE_PAUSED;
            case "kill" -> ResumeBehaviour.KILL;
            default -> ResumeBehaviour.AUTO_RESUME;
        };
    }
}
