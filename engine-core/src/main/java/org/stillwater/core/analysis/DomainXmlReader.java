package org.stillwater.core.analysis;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmDevice;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmNic;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmStatic;

/**
 * Reads a libvirt domain XML into a VM's definition and devices. Pure and safe: no document types,
 * no external entities, a bound on size and depth. Thread-safe.
 */
public final class DomainXmlReader {

    /**
     * Largest document accepted, in characters; a domain with hundreds of devices takes about a
     * tenth of it.
     */
    public static final int MAX_CHARACTERS = 4 * 1024 * 1024;

    private static final int MAX_DEPTH = 64;
    private static final int MAX_DEVICES = 4096;
    private static final String DOCUMENT_TYPE =
            "the document has a document type, which is not allowed";
    private static final String USER_ALIAS_PREFIX = "ua-";

    /** Nominal speeds by device model (monitoring specification §4.9). */
    private static final Map<String, Integer> SPEEDS =
            Map.of("rtl8139", 100, "e1000", 1000, "e1000e", 1000);

    private static final int VIRTIO_SPEED = 10_000;

    private final XMLInputFactory factory;

    /** A reader. */
    public DomainXmlReader() {
        factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    }

    /**
     * A VM as its domain XML describes it.
     *
     * @param definition name, memory, CPUs and interfaces, with origin {@link VmOrigin#EXTERNAL}
     * @param devices its devices, all unmanaged and plugged
     */
    public record Domain(VmStatic definition, List<VmDevice> devices) {
        public Domain {
            devices = List.copyOf(devices);
        }
    }

    /** A document that is no libvirt domain, or more than this reader accepts. */
    public static final class UnreadableDomain extends Exception {
        UnreadableDomain(String message) {
            super(message);
        }

        UnreadableDomain(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Reads a domain.
     *
     * @param vmId the VM, from which identities of devices without one are derived, so that reading
     *     twice gives the same devices
     * @param xml the document
     * @throws UnreadableDomain with one sentence that says why
     */
    public Domain read(VmId vmId, String xml) throws UnreadableDomain {
        if (xml.length() > MAX_CHARACTERS) {
            throw new UnreadableDomain(
                    "domain XML of " + xml.length() + " characters, more than " + MAX_CHARACTERS);
        }
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(xml));
            try {
                return new Parse(vmId, reader).domain();
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new UnreadableDomain("not well-formed domain XML: " + firstLine(e), e);
        }
    }

    private static String firstLine(XMLStreamException e) {
        String message = e.getMessage();
        return message == null ? "unknown parser error" : message.lines().findFirst().orElse("");
    }

    private static final class Parse {
        private final VmId vmId;
        private final XMLStreamReader reader;
        private final List<VmDevice> devices = new ArrayList<>();
        private final List<VmNic> nics = new ArrayList<>();
        private final Map<String, Integer> unnamed = new HashMap<>();
        private String name = "";
        private long memoryKibibytes;
        private long guaranteedMebibytes;
        private int vcpus = 1;
        private int sockets;
        private int cores;
        private int threads;

        Parse(VmId vmId, XMLStreamReader reader) {
            this.vmId = vmId;
            this.reader = reader;
        }

        Domain domain() throws XMLStreamException, UnreadableDomain {
            int event = reader.getEventType();
            while (event != XMLStreamConstants.START_ELEMENT) {
                if (event == XMLStreamConstants.DTD) {
                    throw new UnreadableDomain(DOCUMENT_TYPE);
                }
                event = reader.next();
            }
            if (!reader.getLocalName().equals("domain")) {
                throw new UnreadableDomain("the document's root is not <domain>");
            }
            int depth = 1;
            while (depth > 0) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        if (depth >= MAX_DEPTH) {
                            throw new UnreadableDomain("elements nested deeper than " + MAX_DEPTH);
                        }
                        depth += onElement(depth) ? 0 : 1;
                    }
                    case XMLStreamConstants.END_ELEMENT -> depth--;
                    case XMLStreamConstants.DTD -> throw new UnreadableDomain(DOCUMENT_TYPE);
                    default -> {}
                }
            }
            if (sockets * cores * threads < vcpus || sockets == 0) {
                sockets = vcpus;
                cores = 1;
                threads = 1;
            }
            int memory = mebibytes(memoryKibibytes);
            int guaranteed =
                    guaranteedMebibytes > 0 ? (int) Math.min(guaranteedMebibytes, memory) : memory;
            return new Domain(
                    new VmStatic(
                            name.isBlank() ? vmId.toString() : name,
                            VmOrigin.EXTERNAL,
                            false,
                            memory,
                            guaranteed,
                            sockets,
                            cores,
                            threads,
                            nics),
                    devices);
        }

        /** Looks at one element; true if it was read to its end. */
        private boolean onElement(int depth) throws XMLStreamException, UnreadableDomain {
            String element = reader.getLocalName();
            if (depth == 1 && element.equals("name")) {
                name = reader.getElementText().strip();
                return true;
            }
            if (depth == 1 && element.equals("memory")) {
                memoryKibibytes = memory(reader.getAttributeValue(null, "unit"));
                return true;
            }
            if (depth == 1 && element.equals("vcpu")) {
                String current = reader.getAttributeValue(null, "current");
                String most = reader.getElementText().strip();
                vcpus = (int) number(current == null ? most : current, 1, 4096);
                return true;
            }
            if (depth == 1 && element.equals("devices")) {
                devices();
                return true;
            }
            if (element.equals("topology")) {
                sockets = (int) number(reader.getAttributeValue(null, "sockets"), 1, 4096);
                cores = (int) number(reader.getAttributeValue(null, "cores"), 1, 4096);
                threads = (int) number(reader.getAttributeValue(null, "threads"), 1, 64);
                // Sockets that are only there to be plugged in later are not CPUs that the VM has.
                sockets = Math.clamp(Math.ceilDiv(vcpus, cores * threads), 1, sockets);
            } else if (element.equals("memGuaranteedSize")) {
                guaranteedMebibytes = number(reader.getElementText().strip(), 0, Integer.MAX_VALUE);
                return true;
            }
            return false;
        }

        private long memory(@Nullable String unit) throws XMLStreamException {
            long value = number(reader.getElementText().strip(), 0, Long.MAX_VALUE / 1024 / 1024);
            return switch (unit == null ? "kib" : unit.toLowerCase(Locale.ROOT)) {
                case "b", "bytes" -> value / 1024;
                case "kb" -> value * 1000 / 1024;
                case "m", "mib" -> value * 1024;
                case "mb" -> value * 1000 * 1000 / 1024;
                case "g", "gib" -> value * 1024 * 1024;
                case "gb" -> value * 1000 / 1024 * 1000 * 1000;
                case "t", "tib" -> value * 1024 * 1024 * 1024;
                default -> value;
            };
        }

        private void devices() throws XMLStreamException, UnreadableDomain {
            while (reader.next() != XMLStreamConstants.END_ELEMENT) {
                if (reader.isStartElement()) {
                    String element = reader.getLocalName();
                    if (element.equals("emulator")) {
                        reader.getElementText();
                    } else {
                        if (devices.size() >= MAX_DEVICES) {
                            throw new UnreadableDomain("more than " + MAX_DEVICES + " devices");
                        }
                        device(element);
                    }
                }
            }
        }

        private void device(String element) throws XMLStreamException, UnreadableDomain {
            String type = attribute("type");
            String deviceAttribute = attribute("device");
            String model = attribute("model");
            String address = "";
            String alias = "";
            String mac = "";
            boolean readOnly = false;
            int depth = 1;
            while (depth > 0) {
                int event = reader.next();
                if (event == XMLStreamConstants.END_ELEMENT) {
                    depth--;
                } else if (event == XMLStreamConstants.START_ELEMENT) {
                    if (depth >= MAX_DEPTH) {
                        throw new UnreadableDomain("elements nested deeper than " + MAX_DEPTH);
                    }
                    depth++;
                    switch (depth == 2 ? reader.getLocalName() : "") {
                        case "address" -> address = addressText();
                        case "alias" -> alias = attribute("name");
                        case "mac" -> mac = attribute("address").toLowerCase(Locale.ROOT);
                        case "model" ->
                                model = attribute("type").isEmpty() ? model : attribute("type");
                        case "readonly" -> readOnly = true;
                        default -> {}
                    }
                }
            }
            String device =
                    switch (element) {
                        case "disk" -> deviceAttribute.isEmpty() ? "disk" : deviceAttribute;
                        case "memballoon" -> "memballoon";
                        case "video", "rng", "watchdog", "sound", "tpm" ->
                                model.isEmpty() ? element : model;
                        default -> type.isEmpty() ? element : type;
                    };
            UUID id = idOf(alias, element, device);
            devices.add(
                    new VmDevice(id, element, device, address, alias, false, true, readOnly, null));
            if (element.equals("interface") && !mac.isEmpty()) {
                int speed = SPEEDS.getOrDefault(model, VIRTIO_SPEED);
                nics.add(new VmNic(id, "nic" + (nics.size() + 1), mac, null, speed));
            }
        }

        private UUID idOf(String alias, String element, String device) {
            if (alias.startsWith(USER_ALIAS_PREFIX)) {
                try {
                    return VmId.parse(alias.substring(USER_ALIAS_PREFIX.length())).toUuid();
                } catch (IllegalArgumentException _) {
                    // A user alias need not be a UUID; the derived identity serves.
                }
            }
            String kind = element + '/' + device;
            int number = unnamed.merge(kind, 1, Integer::sum);
            String derived = vmId + "/" + kind + '/' + (alias.isEmpty() ? number : alias);
            return UUID.nameUUIDFromBytes(derived.getBytes(StandardCharsets.UTF_8));
        }

        private String addressText() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < reader.getAttributeCount(); i++) {
                text.append(i == 0 ? "{" : ", ")
                        .append(reader.getAttributeLocalName(i))
                        .append('=')
                        .append(reader.getAttributeValue(i));
            }
            return text.isEmpty() ? "" : text.append('}').toString();
        }

        private String attribute(String attribute) {
            String value = reader.getAttributeValue(null, attribute);
            return value == null ? "" : value;
        }

        private static int mebibytes(long kibibytes) {
            return (int) Math.min(Integer.MAX_VALUE, kibibytes / 1024);
        }

        private static long number(@Nullable String text, long least, long most) {
            if (text == null) {
                return least;
            }
            try {
                return Math.clamp(Long.parseLong(text.strip()), least, most);
            } catch (NumberFormatException _) {
                return least;
            }
        }
    }
}
