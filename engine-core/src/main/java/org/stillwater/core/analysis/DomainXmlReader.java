package org.stillwater.core.analysis;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedDevice;
import org.stillwater.core.report.ReportedDevices;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;

/**
 * Reads a libvirt domain XML into a VM's definition and devices. Pure and safe: no document types,
 * no external entities, a bound on size and depth. Thread-safe.
 *
 * <p>It is long because it has a method for each element of the document.
 */
public final class DomainXmlReader {

    /**
     * Largest document usually accepted, in characters; a domain with hundreds of devices takes
     * about a tenth of it.
     */
    public static final int USUAL_LIMIT = 4 * 1024 * 1024;

    private static final int MAX_DEPTH = 64;

    /** Longest name, alias, address or model that is kept. */
    private static final int MAX_TEXT = ReportedText.DOMAIN.mostCharacters();

    private static final String OVIRT = "http://ovirt.org/vm/1.0";

    private static final int MAX_DEVICES = ReportedText.DOMAIN.mostEntries();
    private static final String DOCUMENT_TYPE =
            "the document has a document type, which is not allowed";
    private static final String USER_ALIAS_PREFIX = "ua-";
    private static final int UUID_CHARACTERS = 36;

    /** Nominal speeds by device model (monitoring specification §4.9). */
    private static final Map<String, Integer> SPEEDS =
            Map.of("rtl8139", 100, "e1000", 1000, "e1000e", 1000);

    private static final int VIRTIO_SPEED = 10_000;

    /** One for all readers: a factory of the JDK keeps the buffers of the last document it read. */
    static final XMLInputFactory FACTORY = factory();

    private final int limit;

    /** A reader of documents of the usual size. */
    public DomainXmlReader() {
        this(USUAL_LIMIT);
    }

    /**
     * A reader.
     *
     * @param limit largest document accepted, in characters
     */
    public DomainXmlReader(int limit) {
        this.limit = limit;
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }

    /**
     * A VM as its domain XML describes it.
     *
     * @param definition name, memory, CPUs and interfaces, with origin {@link VmOrigin#EXTERNAL}
     * @param devices its devices
     */
    public record Domain(VmStatic definition, ReportedDevices devices) {}

    /**
     * A VM that was found on a host.
     *
     * @param domain the part that monitoring keeps
     * @param specification its definition, which follows its host; without devices if they cannot
     *     be read
     */
    public record Found(Domain domain, VmSpecification specification) {}

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
     * @throws UnreadableDomain with the reason as one sentence
     */
    public Domain read(VmId vmId, String xml) throws UnreadableDomain {
        checkSize(xml);
        Domain plain = plain(vmId, xml);
        return plain == null ? general(vmId, xml) : plain;
    }

    /**
     * Reads a domain with its definition, by one pass over a document as libvirt writes it.
     *
     * @throws UnreadableDomain as {@link #read} does
     */
    public Found readFound(VmId vmId, String xml) throws UnreadableDomain {
        checkSize(xml);
        Found plain = plainFound(vmId, xml);
        return plain == null ? generalFound(vmId, xml) : plain;
    }

    private void checkSize(String xml) throws UnreadableDomain {
        if (xml.length() > limit) {
            throw new UnreadableDomain(
                    "domain XML of " + xml.length() + " characters, more than " + limit);
        }
    }

    /**
     * The domain of a document that {@link PlainXml} reads; null where the general reader has to.
     */
    static @Nullable Domain plain(VmId vmId, String xml) {
        return plain(vmId, new PlainXml(xml));
    }

    private static @Nullable Domain plain(VmId vmId, XmlCursor xml) {
        try {
            return new Parse(vmId, xml).domain();
        } catch (PlainXml.NotPlain | UnreadableDomain | XMLStreamException _) {
            return null; // the general reader gives the reason
        }
    }

    /** The same with the definition. */
    static @Nullable Found plainFound(VmId vmId, String xml) {
        DomainElement.Recorder recorder = new DomainElement.Recorder(new PlainXml(xml));
        Domain domain = plain(vmId, recorder);
        return domain == null
                ? null
                : new Found(domain, FoundSpecification.of(recorder::root, domain));
    }

    /** The definition may lack what the domain has, so each is read by a pass of its own. */
    static Found generalFound(VmId vmId, String xml) throws UnreadableDomain {
        Domain domain = general(vmId, xml);
        return new Found(domain, FoundSpecification.of(() -> DomainElement.read(xml), domain));
    }

    static Domain general(VmId vmId, String xml) throws UnreadableDomain {
        try {
            XMLStreamReader reader = FACTORY.createXMLStreamReader(new StringReader(xml));
            try {
                return new Parse(vmId, new StaxXml(reader)).domain();
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new UnreadableDomain("not well-formed domain XML: " + firstLine(e), e);
        }
    }

    private static String firstLine(XMLStreamException e) {
        String message = e.getMessage();
        return message == null
                ? "unknown parser error"
                : SafeText.of(
                        message.lines().findFirst().orElse(""),
                        ReportedText.FAILURE.mostCharacters());
    }

    /** A device with its link to the host agent's metadata. */
    private record Parsed(ReportedDevice device, String target, String serial, String source) {

        /**
         * The device of a disk, with the additions of the host agent's metadata. The path comes
         * first: the metadata follow it when a disk moves to another domain, and no hash shows
         * that.
         */
        ReportedDevice with(@Nullable DiskMetadata more) {
            DiskImage volume = VolumePath.read(source);
            if (volume == null && more != null) {
                volume = more.volume();
            }
            boolean readOnly = device.readOnly() || (more != null && more.readOnly());
            return volume == null && readOnly == device.readOnly()
                    ? device
                    : new ReportedDevice(
                            device.id(),
                            device.type(),
                            device.device(),
                            device.address(),
                            device.alias(),
                            readOnly,
                            device.hostDevice(),
                            volume);
        }
    }

    private record DiskMetadata(String guestName, boolean readOnly, @Nullable DiskImage volume) {}

    private static final class Parse {
        private final VmId vmId;
        private final XmlCursor reader;
        private final List<Parsed> devices = new ArrayList<>();
        private final Map<String, DiskMetadata> metadata = new HashMap<>();
        private final List<VmNic> nics = new ArrayList<>();
        private final Map<String, Integer> unnamed = new HashMap<>();
        private String name = "";
        private @Nullable String cd;
        private long memoryKibibytes;
        private long guaranteedMebibytes;
        private int vcpus = 1;
        private int sockets;
        private int cores;
        private int threads;

        Parse(VmId vmId, XmlCursor reader) {
            this.vmId = vmId;
            this.reader = reader;
        }

        Domain domain() throws XMLStreamException, UnreadableDomain {
            int event = reader.event();
            while (event != XMLStreamConstants.START_ELEMENT) {
                if (event == XMLStreamConstants.DTD) {
                    throw new UnreadableDomain(DOCUMENT_TYPE);
                }
                event = reader.next();
            }
            if (!reader.name().equals("domain")) {
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
                    reported());
        }

        private ReportedDevices reported() {
            List<ReportedDevice> reported = new ArrayList<>(devices.size());
            Map<String, String> guestDisks = new HashMap<>();
            for (Parsed parsed : devices) {
                ReportedDevice device = parsed.device();
                DiskMetadata more = metadata.get(parsed.target());
                if (!device.type().equals("disk")) {
                    reported.add(device);
                    continue;
                }
                if (more != null && !more.guestName().isEmpty()) {
                    String serial = parsed.serial();
                    guestDisks.put(
                            serial.isEmpty() ? device.id().toString() : serial, more.guestName());
                }
                reported.add(parsed.with(more));
            }
            return new ReportedDevices(reported, guestDisks, cd);
        }

        /** Looks at one element; true if it was read to its end. */
        private boolean onElement(int depth) throws XMLStreamException, UnreadableDomain {
            String element = reader.name();
            if (depth == 1 && element.equals("name")) {
                name =
                        SafeText.of(
                                bounded(reader.text().strip()),
                                ReportedText.VM_NAME.mostCharacters());
                return true;
            }
            if (depth == 1 && element.equals("memory")) {
                memoryKibibytes = memory(reader.attribute("unit"));
                return true;
            }
            if (depth == 1 && element.equals("vcpu")) {
                String current = reader.attribute("current");
                String most = reader.text().strip();
                vcpus = (int) number(current == null ? most : current, 1, 4096);
                return true;
            }
            if (depth == 1 && element.equals("devices")) {
                devices();
                return true;
            }
            if (element.equals("topology")) {
                sockets = (int) number(reader.attribute("sockets"), 1, 4096);
                cores = (int) number(reader.attribute("cores"), 1, 4096);
                threads = (int) number(reader.attribute("threads"), 1, 64);
                // Sockets that are only there to be plugged in later are not CPUs that the VM has.
                sockets = Math.clamp(Math.ceilDiv(vcpus, cores * threads), 1, sockets);
            } else if (OVIRT.equals(reader.namespace()) && element.equals("device")) {
                diskMetadata();
                return true;
            } else if (element.equals("memGuaranteedSize")) {
                guaranteedMebibytes = number(reader.text().strip(), 0, Integer.MAX_VALUE);
                return true;
            }
            return false;
        }

        private long memory(@Nullable String unit) throws XMLStreamException {
            return kibibytes(reader.text(), unit);
        }

        /** Data that the host agent adds to a disk: its name inside the guest, and text flags. */
        private void diskMetadata() throws XMLStreamException, UnreadableDomain {
            String target = attribute("name");
            boolean disk = attribute("devtype").equals("disk");
            String guestName = "";
            boolean readOnly = false;
            String image = "";
            String domain = "";
            int depth = 1;
            while (depth > 0) {
                int event = next(depth);
                if (event == XMLStreamConstants.END_ELEMENT) {
                    depth--;
                } else if (event == XMLStreamConstants.START_ELEMENT) {
                    switch (depth == 1 ? reader.name() : "") {
                        case "guestName" -> guestName = bounded(reader.text().strip());
                        case "imageID" -> image = bounded(reader.text().strip());
                        case "domainID" -> domain = bounded(reader.text().strip());
                        case "readonly", "readOnly" -> readOnly = flag(reader.text());
                        default -> depth++;
                    }
                }
            }
            if (disk && !target.isEmpty()) {
                if (metadata.size() >= MAX_DEVICES) {
                    throw new UnreadableDomain("more than " + MAX_DEVICES + " devices");
                }
                metadata.put(
                        target,
                        new DiskMetadata(guestName, readOnly, VolumePath.of(image, domain)));
            }
        }

        private void devices() throws XMLStreamException, UnreadableDomain {
            while (reader.next() != XMLStreamConstants.END_ELEMENT) {
                if (reader.isStart()) {
                    String element = reader.name();
                    if (element.equals("emulator") || reader.namespace() != null) {
                        skip();
                    } else {
                        if (devices.size() >= MAX_DEVICES) {
                            throw new UnreadableDomain("more than " + MAX_DEVICES + " devices");
                        }
                        device(element);
                    }
                }
            }
        }

        private void skip() throws XMLStreamException, UnreadableDomain {
            int depth = 1;
            while (depth > 0) {
                int event = next(depth);
                if (event == XMLStreamConstants.START_ELEMENT) {
                    depth++;
                } else if (event == XMLStreamConstants.END_ELEMENT) {
                    depth--;
                }
            }
        }

        /** The next event inside a device; the limit of depth counts from the device. */
        private int next(int depth) throws XMLStreamException, UnreadableDomain {
            int event = reader.next();
            if (event == XMLStreamConstants.START_ELEMENT && depth >= MAX_DEPTH) {
                throw new UnreadableDomain("elements nested deeper than " + MAX_DEPTH);
            }
            return event;
        }

        private void device(String element) throws XMLStreamException, UnreadableDomain {
            String type = attribute("type");
            String name = nameOf(element, type);
            String address = "";
            String alias = "";
            String mac = "";
            String model = "";
            String serial = "";
            String target = "";
            String hostDevice = "";
            String adapter = "";
            String source = "";
            boolean readOnly = false;
            boolean inSource = false;
            int depth = 1;
            while (depth > 0) {
                int event = next(depth);
                if (event == XMLStreamConstants.END_ELEMENT) {
                    depth--;
                    inSource &= depth > 1;
                } else if (event == XMLStreamConstants.START_ELEMENT) {
                    depth++;
                    String inner = reader.name();
                    if (depth == 2) {
                        switch (inner) {
                            case "address" -> address = addressText();
                            case "alias" -> alias = attribute("name");
                            case "mac" -> mac = attribute("address").toLowerCase(Locale.ROOT);
                            case "model" -> model = attribute("type");
                            case "target" -> target = attribute("dev");
                            case "source" -> {
                                inSource = true;
                                source = attribute("file", attribute("dev"));
                            }
                            case "serial" -> {
                                serial = bounded(reader.text().strip());
                                depth--;
                            }
                            case "readonly" -> {
                                readOnly = flag(reader.text());
                                depth--;
                            }
                            default -> {}
                        }
                    } else if (inSource && depth == 3) {
                        switch (inner) {
                            case "adapter" -> adapter = attribute("name");
                            case "address" -> hostDevice = hostDevice(type, adapter);
                            case "vendor" -> hostDevice = "usb_" + attribute("id");
                            case "product" -> hostDevice += "_" + attribute("id");
                            default -> {}
                        }
                    }
                }
            }
            if (element.equals("video")) {
                name = model;
            }
            if (cd == null && element.equals("disk") && name.equals("cdrom")) {
                cd = source;
            }
            boolean passedThrough = element.equals("hostdev") || type.equals("hostdev");
            UUID id = idOf(alias, serial, element, name);
            devices.add(
                    new Parsed(
                            new ReportedDevice(
                                    id,
                                    element,
                                    name,
                                    address,
                                    alias,
                                    readOnly,
                                    passedThrough ? hostDevice : ""),
                            target,
                            serial,
                            source));
            if (element.equals("interface") && !mac.isEmpty()) {
                int speed = SPEEDS.getOrDefault(model, VIRTIO_SPEED);
                nics.add(new VmNic(id, "nic" + (nics.size() + 1), mac, null, speed));
            }
        }

        /** Name that distinguishes devices of one type; empty if the XML lacks it. */
        private String nameOf(String element, String type) throws UnreadableDomain {
            return switch (element) {
                case "disk" -> attribute("device", "disk");
                case "memballoon" -> "memballoon";
                case "rng",
                        "watchdog",
                        "sound",
                        "tpm",
                        "panic",
                        "iommu",
                        "vsock",
                        "memory",
                        "crypto" ->
                        attribute("model", element);
                case "smartcard" -> attribute("mode", element);
                case "shmem", "nvram", "audio" -> element;
                default -> type;
            };
        }

        /**
         * The host's device by the name that libvirt gives such nodes, as far as the XML contains
         * it.
         */
        private String hostDevice(String type, String adapter) throws UnreadableDomain {
            String kind = type.equals("hostdev") ? attribute("type") : type;
            return switch (kind) {
                case "pci" ->
                        "pci_%s_%s_%s_%s"
                                .formatted(
                                        hex(attribute("domain"), 4),
                                        hex(attribute("bus"), 2),
                                        hex(attribute("slot"), 2),
                                        hex(attribute("function"), 1));
                case "usb" -> "usb_" + attribute("bus") + "_" + attribute("device");
                case "scsi" ->
                        "scsi_%s_%s_%s_%s"
                                .formatted(
                                        adapter.replaceFirst("^scsi_host", ""),
                                        attribute("bus"),
                                        attribute("target"),
                                        attribute("unit"));
                case "mdev" -> attribute("uuid");
                default -> "";
            };
        }

        private static String hex(String number, int digits) {
            String bare = number.startsWith("0x") ? number.substring(2) : number;
            return "0".repeat(Math.max(0, digits - bare.length())) + bare;
        }

        /** A flag's element without text is true; its text may make it false. */
        private static boolean flag(String text) {
            return switch (text.strip().toLowerCase(Locale.ROOT)) {
                case "false", "no", "off", "0" -> false;
                default -> true;
            };
        }

        private UUID idOf(String alias, String serial, String element, String device) {
            if (alias.startsWith(USER_ALIAS_PREFIX)) {
                try {
                    return VmId.parse(alias.substring(USER_ALIAS_PREFIX.length())).toUuid();
                } catch (IllegalArgumentException _) {
                    // A user alias need not be a UUID; the derived identity serves.
                }
            }
            if (element.equals("disk") && serial.length() == UUID_CHARACTERS) {
                try {
                    return VmId.parse(serial).toUuid();
                } catch (IllegalArgumentException _) {
                    // A serial number may be anything.
                }
            }
            String kind = element + '/' + device;
            int number = unnamed.merge(kind, 1, Integer::sum);
            String derived = vmId + "/" + kind + '/' + (alias.isEmpty() ? number : alias);
            return UUID.nameUUIDFromBytes(derived.getBytes(StandardCharsets.UTF_8));
        }

        private String addressText() throws UnreadableDomain {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < reader.attributes(); i++) {
                text.append(i == 0 ? "{" : ", ")
                        .append(reader.attributeName(i))
                        .append('=')
                        .append(reader.attributeValue(i));
            }
            return text.isEmpty() ? "" : bounded(text.append('}').toString());
        }

        private String attribute(String attribute) throws UnreadableDomain {
            return attribute(attribute, "");
        }

        private String attribute(String attribute, String absent) throws UnreadableDomain {
            String value = reader.attribute(attribute);
            return value == null ? absent : bounded(value);
        }

        private static String bounded(String text) throws UnreadableDomain {
            if (text.length() > MAX_TEXT) {
                throw new UnreadableDomain("a text of more than " + MAX_TEXT + " characters");
            }
            return SafeText.of(text, MAX_TEXT);
        }

        private static int mebibytes(long kibibytes) {
            return (int) Math.min(Integer.MAX_VALUE, kibibytes / 1024);
        }
    }

    /** A size in the units of libvirt, which are KiB without a name. */
    static long kibibytes(String text, @Nullable String unit) {
        long value = number(text, 0, Long.MAX_VALUE / 1024 / 1024);
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

    /** A number within bounds; the least one for a text that is none. */
    static long number(@Nullable String text, long least, long most) {
        if (text == null || text.isEmpty()) {
            return least;
        }
        try {
            return Math.clamp(Long.parseLong(text.strip()), least, most);
        } catch (NumberFormatException _) {
            return least;
        }
    }
}
