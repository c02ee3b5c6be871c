package org.stillwater.fake.world;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/**
 * What a libvirt domain XML asks for, as far as a simulated VM has it (§3.7).
 *
 * @param agentChannel whether there is a channel for the QEMU guest agent
 * @param launchPaused whether its processors are to stand still at first
 * @param endsOnReboot whether it is to end when its guest reboots
 */
record DomainDefinition(
        UUID id,
        String name,
        int memoryMib,
        int vcpus,
        boolean spice,
        boolean agentChannel,
        boolean launchPaused,
        boolean endsOnReboot,
        List<NicDefinition> nics,
        List<DiskDefinition> disks) {

    private static final Pattern UUID_IN_ALIAS = Pattern.compile("^ua-([0-9a-fA-F-]{36})$");
    private static final Pattern IMAGE_IN_PATH =
            Pattern.compile("/images/([0-9a-fA-F-]{36})/([0-9a-fA-F-]{36})");
    private static final Pattern MAC = Pattern.compile("^[0-9a-f]{2}(:[0-9a-f]{2}){5}$");

    /** A NIC of the definition. */
    record NicDefinition(@Nullable UUID deviceId, @Nullable String mac, String network) {}

    /** A disk of the definition; image and volume may be unknown. */
    record DiskDefinition(
            @Nullable UUID deviceId,
            String device,
            String bus,
            boolean cd,
            boolean block,
            @Nullable UUID image,
            @Nullable UUID volume) {}

    /**
     * Reads a definition.
     *
     * @throws IllegalArgumentException if it is not XML, or lacks name or uuid
     */
    static DomainDefinition parse(String xml) {
        Element domain = root(xml);
        if (!domain.getNodeName().equals("domain")) {
            throw new IllegalArgumentException("not a domain: " + domain.getNodeName());
        }
        Element devices = child(domain, "devices");
        List<NicDefinition> nics = new ArrayList<>();
        List<DiskDefinition> disks = new ArrayList<>();
        boolean spice = false;
        boolean agent = false;
        if (devices != null) {
            children(devices, "interface").forEach(nic -> nics.add(nic(nic)));
            children(devices, "disk").forEach(disk -> disks.add(disk(disk)));
            spice =
                    children(devices, "graphics").stream()
                            .anyMatch(graphics -> graphics.getAttribute("type").equals("spice"));
            agent =
                    children(devices, "channel").stream()
                            .map(channel -> child(channel, "target"))
                            .anyMatch(target ->
                                    target != null
                                            && target.getAttribute("name")
                                                    .equals("org.qemu.guest_agent.0"));
        }
        return new DomainDefinition(
                uuid(text(domain, "uuid")),
                text(domain, "name"),
                memoryMib(domain),
                vcpus(domain),
                spice,
                agent,
                metadata(domain, "launchPaused"),
                metadata(domain, "destroy_on_reboot"),
                List.copyOf(nics),
                List.copyOf(disks));
    }

    private static Element root(String xml) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            var builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null);
            return builder.parse(new InputSource(new StringReader(xml))).getDocumentElement();
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new IllegalArgumentException("bad domain XML: " + e.getMessage(), e);
        }
    }

    /** A flag of the host agent's, whatever the prefix of its namespace. */
    private static boolean metadata(Element domain, String name) {
        Element metadata = child(domain, "metadata");
        if (metadata == null) {
            return false;
        }
        NodeList all = metadata.getElementsByTagName("*");
        for (int i = 0; i < all.getLength(); i++) {
            if (all.item(i).getNodeName().endsWith(":" + name)) {
                return all.item(i).getTextContent().strip().equalsIgnoreCase("true");
            }
        }
        return false;
    }

    private static NicDefinition nic(Element nic) {
        Element mac = child(nic, "mac");
        Element source = child(nic, "source");
        String address = mac == null ? "" : mac.getAttribute("address").toLowerCase(Locale.ROOT);
        String bridge = source == null ? "" : source.getAttribute("bridge");
        return new NicDefinition(
                alias(nic),
                MAC.matcher(address).matches() ? address : null,
                bridge.isEmpty() ? "ovirtmgmt" : bridge);
    }

    private static DiskDefinition disk(Element disk) {
        Element target = child(disk, "target");
        Element source = child(disk, "source");
        String path = "";
        if (source != null) {
            path = source.getAttribute("file") + source.getAttribute("dev");
        }
        Matcher image = IMAGE_IN_PATH.matcher(path);
        boolean found = image.find();
        UUID imageId = found ? UUID.fromString(image.group(1)) : serial(disk);
        return new DiskDefinition(
                alias(disk),
                target == null ? "vda" : target.getAttribute("dev"),
                target == null ? "virtio" : target.getAttribute("bus"),
                disk.getAttribute("device").equals("cdrom"),
                disk.getAttribute("type").equals("block"),
                imageId,
                found ? UUID.fromString(image.group(2)) : null);
    }

    private static @Nullable UUID serial(Element disk) {
        Element serial = child(disk, "serial");
        try {
            return serial == null ? null : UUID.fromString(serial.getTextContent().strip());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable UUID alias(Element device) {
        Element alias = child(device, "alias");
        Matcher id = UUID_IN_ALIAS.matcher(alias == null ? "" : alias.getAttribute("name"));
        return id.matches() ? UUID.fromString(id.group(1)) : null;
    }

    private static int memoryMib(Element domain) {
        Element memory = child(domain, "memory");
        if (memory == null) {
            return 1024;
        }
        long amount = number(memory.getTextContent());
        long mib =
                switch (memory.getAttribute("unit")) {
                    case "b", "bytes" -> amount >> 20;
                    case "M", "MiB" -> amount;
                    case "G", "GiB" -> amount << 10;
                    default -> amount >> 10;
                };
        return Math.clamp(mib, 16, 16 << 20);
    }

    private static int vcpus(Element domain) {
        Element vcpu = child(domain, "vcpu");
        if (vcpu == null) {
            return 1;
        }
        String current = vcpu.getAttribute("current");
        return Math.clamp(number(current.isEmpty() ? vcpu.getTextContent() : current), 1, 1024);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number: " + text, e);
        }
    }

    private static UUID uuid(String text) {
        return UUID.fromString(text);
    }

    private static String text(Element parent, String name) {
        Element child = child(parent, name);
        if (child == null || child.getTextContent().isBlank()) {
            throw new IllegalArgumentException("no " + name);
        }
        return child.getTextContent().strip();
    }

    private static @Nullable Element child(Element parent, String name) {
        List<Element> all = children(parent, name);
        return all.isEmpty() ? null : all.getFirst();
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        NodeList nodes = parent.getChildNodes();
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i) instanceof Element element && element.getNodeName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }
}
