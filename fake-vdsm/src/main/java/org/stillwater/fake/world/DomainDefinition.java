package org.stillwater.fake.world;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The content of a libvirt domain XML, as far as a simulated VM has it (§3.7).
 *
 * @param graphics kinds of its consoles in their order, {@code vnc} and {@code spice}
 * @param agentChannel whether there is a channel for the QEMU guest agent
 * @param launchPaused whether its processors stand still after the start
 * @param endsOnReboot whether it ends when its guest reboots
 * @param guaranteedMib memory that ballooning leaves to it; 0 for none, as with VDSM
 * @param balloon whether it has a balloon device of its own
 * @param tpm whether it has a trusted platform module
 * @param nvram whether its firmware keeps variables
 * @param xml all of it
 */
record DomainDefinition(
        UUID id,
        String name,
        int memoryMib,
        int vcpus,
        List<String> graphics,
        boolean agentChannel,
        boolean launchPaused,
        boolean endsOnReboot,
        int guaranteedMib,
        boolean balloon,
        boolean tpm,
        boolean nvram,
        List<NicDefinition> nics,
        List<DiskDefinition> disks,
        XmlElement xml) {

    private static final int MOST_MEBIBYTES = 16 << 20;
    private static final Pattern UUID_IN_ALIAS = Pattern.compile("^ua-([0-9a-fA-F-]{36})$");
    private static final Pattern IMAGE_IN_PATH =
            Pattern.compile("/images/([0-9a-fA-F-]{36})/([0-9a-fA-F-]{36})");
    private static final Pattern LUN_PATH = Pattern.compile("^/dev/mapper/([^/]+)$");
    private static final Pattern MAC = Pattern.compile("^[0-9a-f]{2}(:[0-9a-f]{2}){5}$");

    /** A NIC of the definition. */
    record NicDefinition(
            @Nullable UUID deviceId,
            @Nullable String mac,
            String network,
            String model,
            XmlElement xml) {

        /** Reads an {@code interface} element. */
        static NicDefinition of(XmlElement nic) {
            String address = nic.childAttribute("mac", "address").toLowerCase(Locale.ROOT);
            String bridge = nic.childAttribute("source", "bridge");
            String model = nic.childAttribute("model", "type");
            return new NicDefinition(
                    alias(nic),
                    MAC.matcher(address).matches() ? address : null,
                    bridge.isEmpty() ? "ovirtmgmt" : bridge,
                    model.isEmpty() ? "virtio" : model,
                    nic);
        }
    }

    /** A disk of the definition; it has an image, or a LUN, or neither. */
    record DiskDefinition(
            @Nullable UUID deviceId,
            String device,
            String bus,
            boolean cd,
            boolean block,
            @Nullable UUID image,
            @Nullable UUID volume,
            @Nullable UUID storage,
            @Nullable String lun,
            XmlElement xml) {

        /**
         * Reads a {@code disk} element.
         *
         * @param metadata the host agent's metadata of the device of that name
         */
        static DiskDefinition of(XmlElement disk, @Nullable XmlElement metadata) {
            XmlElement source = disk.child("source");
            String path = source == null ? "" : source.attribute("file") + source.attribute("dev");
            Matcher inPath = IMAGE_IN_PATH.matcher(path);
            boolean found = inPath.find();
            UUID image = found ? uuidOrNull(inPath.group(1)) : null;
            UUID volume = found ? uuidOrNull(inPath.group(2)) : null;
            UUID storage = null;
            String lun = null;
            if (metadata != null) {
                image = image == null ? uuidOrNull(metadata.childText("imageID")) : image;
                volume = volume == null ? uuidOrNull(metadata.childText("volumeID")) : volume;
                storage = uuidOrNull(metadata.childText("domainID"));
                lun = metadata.childText("GUID").isEmpty() ? null : metadata.childText("GUID");
            }
            Matcher mapped = LUN_PATH.matcher(path);
            if (image == null && lun == null && mapped.matches()) {
                lun = mapped.group(1);
            }
            String device = disk.childAttribute("target", "dev");
            String bus = disk.childAttribute("target", "bus");
            return new DiskDefinition(
                    alias(disk),
                    device.isEmpty() ? "vda" : device,
                    bus.isEmpty() ? "virtio" : bus,
                    disk.attribute("device").equals("cdrom"),
                    disk.attribute("type").equals("block"),
                    image,
                    volume,
                    storage,
                    lun,
                    disk);
        }
    }

    /**
     * Reads a definition.
     *
     * @throws IllegalArgumentException if it is no domain that can be started
     */
    static DomainDefinition of(XmlElement domain) {
        if (!domain.name().equals("domain")) {
            throw new IllegalArgumentException("not a domain: " + domain.name());
        }
        XmlElement devices = domain.child("devices");
        if (devices == null) {
            devices = XmlElement.of("devices");
        }
        XmlElement agent = agentMetadata(domain);
        Map<String, XmlElement> disksByName = diskMetadata(agent);
        XmlElement os = domain.child("os");
        return new DomainDefinition(
                UUID.fromString(text(domain, "uuid")),
                text(domain, "name"),
                memoryMib(domain),
                vcpus(domain),
                devices.children("graphics").stream()
                        .map(graphics -> graphics.attribute("type"))
                        .filter(type -> type.equals("vnc") || type.equals("spice"))
                        .distinct()
                        .toList(),
                devices.children("channel").stream()
                        .anyMatch(channel ->
                                channel.childAttribute("target", "name")
                                        .equals("org.qemu.guest_agent.0")),
                isTrue(agent, "launchPaused"),
                isTrue(agent, "destroy_on_reboot"),
                guaranteedMib(agent),
                devices.children("memballoon").stream()
                        .anyMatch(balloon -> !balloon.attribute("model").equals("none")),
                devices.child("tpm") != null,
                os != null && os.child("nvram") != null,
                devices.children("interface").stream().map(NicDefinition::of).toList(),
                devices.children("disk").stream()
                        .map(disk ->
                                DiskDefinition.of(
                                        disk,
                                        disksByName.get(disk.childAttribute("target", "dev"))))
                        .toList(),
                domain);
    }

    /** The host agent's part of the metadata, with any prefix of its namespace. */
    static @Nullable XmlElement agentMetadata(XmlElement domain) {
        XmlElement metadata = domain.child("metadata");
        return metadata == null ? null : metadata.child("vm");
    }

    /** The host agent's metadata of disks, by their target. */
    static Map<String, XmlElement> diskMetadata(@Nullable XmlElement agentMetadata) {
        Map<String, XmlElement> disks = new HashMap<>();
        if (agentMetadata != null) {
            for (XmlElement device : agentMetadata.children("device")) {
                if (device.attribute("devtype").equals("disk")) {
                    disks.put(device.attribute("name"), device);
                }
            }
        }
        return disks;
    }

    private static boolean isTrue(@Nullable XmlElement metadata, String name) {
        return metadata != null && metadata.childText(name).equalsIgnoreCase("true");
    }

    private static int guaranteedMib(@Nullable XmlElement metadata) {
        String text = metadata == null ? "" : metadata.childText("memGuaranteedSize");
        return text.isEmpty() ? 0 : Math.clamp(number(text), 0, MOST_MEBIBYTES);
    }

    private static @Nullable UUID alias(XmlElement device) {
        Matcher id = UUID_IN_ALIAS.matcher(device.childAttribute("alias", "name"));
        return id.matches() ? uuidOrNull(id.group(1)) : null;
    }

    private static @Nullable UUID uuidOrNull(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static int memoryMib(XmlElement domain) {
        XmlElement memory = domain.child("memory");
        return memory == null ? 1024 : Math.clamp(kibibytes(memory) >> 10, 16, MOST_MEBIBYTES);
    }

    /** An amount of memory in the units of libvirt; KiB without a unit. */
    static long kibibytes(XmlElement memory) {
        long amount = number(memory.text());
        return switch (memory.attribute("unit")) {
            case "b", "bytes" -> amount >> 10;
            case "M", "MiB" -> amount << 10;
            case "G", "GiB" -> amount << 20;
            case "T", "TiB" -> amount << 30;
            default -> amount;
        };
    }

    private static int vcpus(XmlElement domain) {
        XmlElement vcpu = domain.child("vcpu");
        if (vcpu == null) {
            return 1;
        }
        String current = vcpu.attribute("current");
        return Math.clamp(number(current.isEmpty() ? vcpu.text() : current), 1, 1024);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number: " + text, e);
        }
    }

    private static String text(XmlElement parent, String name) {
        String text = parent.childText(name);
        if (text.isEmpty()) {
            throw new IllegalArgumentException("no " + name);
        }
        return text;
    }
}
