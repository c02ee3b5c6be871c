package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.ReportRules;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.text.TextLimit;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.wire.DiskField;
import org.stillwater.vdsm.wire.GuestField;
import org.stillwater.vdsm.wire.NicField;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.Named;

/**
 * The readers of a VM record's members: the table {@link RuntimeField}, compiled, and the members
 * that fill a {@link VmSample}. Built once, immutable, thread-safe.
 *
 * <p>A member of the table that is an object or a list is always reported whole: its missing fields
 * are cleared, in events too.
 *
 * <p>It is long because it is the compiled table, with a reader for each shape of a member.
 */
final class VmMembers {
    /** Reads one value; leaves the parser on its last token. Never called on a JSON null. */
    @FunctionalInterface
    interface Reader {
        void read(VmDecoder decoder, JsonParser parser);
    }

    /** Members of an object, by name. Filled, then frozen by {@link #freeze}, then only read. */
    private static final class Group {
        private final List<String> names = new ArrayList<>();
        private final List<Reader> readers = new ArrayList<>();
        private PropertyNameMatcher matcher = matcherOf(List.of());

        Group put(String name, Reader reader) {
            if (names.contains(name)) {
                throw new IllegalStateException(name + " has two readers");
            }
            names.add(name);
            readers.add(reader);
            return this;
        }

        Group freeze() {
            matcher = matcherOf(names);
            return this;
        }

        /** Compares names as the bytes they are on the wire, so that known ones are no texts. */
        private static PropertyNameMatcher matcherOf(List<String> names) {
            return Json.FACTORY.constructNameMatcher(
                    names.stream().map(Named::fromString).toList(), false);
        }

        /** Reads an object; a value of another kind is skipped. */
        void readObject(VmDecoder decoder, JsonParser parser) {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                parser.skipChildren();
                return;
            }
            while (true) {
                int member = parser.nextNameMatch(matcher);
                if (member >= 0) {
                    if (parser.nextToken() != JsonToken.VALUE_NULL) {
                        readers.get(member).read(decoder, parser);
                    }
                } else if (member == PropertyNameMatcher.MATCH_UNKNOWN_NAME) {
                    parser.nextToken();
                    parser.skipChildren();
                } else {
                    return;
                }
            }
        }
    }

    static final VmMembers INSTANCE = new VmMembers();

    /** Longest path of a mount point in the guest; PATH_MAX of Linux. */
    private static final int LONGEST_PATH = 4_096;

    private final Group top = new Group();
    private final Map<SampleNumber.Part, Group> parts = new EnumMap<>(SampleNumber.Part.class);

    private VmMembers() {
        Map<String, Map<String, RuntimeField>> objects = new LinkedHashMap<>();
        Map<String, RuntimeField> displays = new LinkedHashMap<>();
        for (RuntimeField field : RuntimeField.values()) {
            String path = field.wire();
            if (path == null) {
                continue;
            }
            int dot = path.indexOf('.');
            int bracket = path.indexOf('[');
            if (bracket >= 0) {
                displays.put(path.substring(bracket + 1).replace("].", "."), field);
            } else if (dot >= 0) {
                objects.computeIfAbsent(path.substring(0, dot), _ -> new LinkedHashMap<>())
                        .put(path.substring(dot + 1), field);
            } else {
                top.put(path, readerOf(field));
            }
        }
        objects.forEach((name, fields) -> top.put(name, objectReader(fields)));
        top.put(VmField.DISPLAY_INFO, displayReader(displays));
        addOthers();
        addSample();
        top.freeze();
    }

    PropertyNameMatcher matcher() {
        return top.matcher;
    }

    Reader reader(int member) {
        return top.readers.get(member);
    }

    int indexOf(String name) {
        return top.names.indexOf(name);
    }

    /** Whether any reader uses a member of that part of a record. */
    boolean reads(SampleNumber.Part part, String name) {
        return part(part).names.contains(name);
    }

    private void addOthers() {
        top.put(
                VmField.STATUS_TIME,
                (d, p) -> d.stampMillis = Lenient.longOf(p, VmReport.NO_STAMP));
        // Only a second id in one record comes here; the first one is read before all else.
        top.put(VmField.VM_ID, (_, p) -> p.skipChildren());
        top.put(VmField.VM_NAME, (d, p) -> d.name = text(d, p, ReportedText.VM_NAME));
        top.put(VmField.HASH, (d, p) -> d.deviceHash = text(d, p, ReportedText.DEVICE_HASH));
        top.put(VmField.TPM_HASH, (d, p) -> d.tpmHash = text(d, p, ReportedText.TPM_HASH));
        top.put(VmField.NVRAM_HASH, (d, p) -> d.nvramHash = text(d, p, ReportedText.NVRAM_HASH));
        top.put(VmField.MONITOR_RESPONSE, (d, p) -> d.unresponsive = Lenient.longOf(p, 0) < 0);
    }

    private static Reader readerOf(RuntimeField field) {
        return switch (field) {
            case STATUS ->
                    (d, p) -> {
                        d.status = Texts.statusOf(p);
                        if (d.status != null) {
                            d.draft.set(RuntimeField.STATUS, d.status);
                        }
                    };
            case PAUSE_STATUS ->
                    (d, p) -> {
                        PauseStatus pause = Texts.pauseOf(p);
                        d.draft.set(field, pause != null ? pause : d.draft.originValue(field));
                    };
            case SESSION -> (d, p) -> d.draft.set(field, Texts.sessionOf(p));
            case EXIT_STATUS ->
                    (d, p) ->
                            d.draft.set(
                                    field,
                                    ExitStatus.ofCode(Lenient.intOf(p, ExitStatus.UNKNOWN.code())));
            case EXIT_REASON ->
                    (d, p) ->
                            d.draft.set(
                                    field,
                                    ExitReason.ofCode(Lenient.intOf(p, ExitReason.UNKNOWN.code())));
            case FQDN -> VmMembers::readFqdn;
            case CURRENT_CD -> VmMembers::readCurrentCd;
            case APP_LIST -> VmMembers::readAppList;
            case GUEST_CONTAINERS ->
                    (d, p) -> {
                        d.scratch.clear();
                        d.scratch.appendDocument(
                                p, limit(field), ReportedText.CONTAINER.mostCharacters(), true);
                        d.draft.set(field, d.scratched(knownText(d, field), wire(field)));
                    };
            case GUEST_NICS -> VmMembers::readGuestNics;
            // A host without a guest agent reports −1: unknown.
            case GUEST_CPU_COUNT -> (d, p) -> setInteger(d, field, Lenient.longOf(p, -1), 0);
            default -> plainReader(field);
        };
    }

    private static Reader plainReader(RuntimeField field) {
        return switch (field.type()) {
            case TEXT -> {
                int limit = field.mostCharacters();
                String wire = wire(field);
                yield (d, p) -> {
                    String text = d.text(p, knownText(d, field), limit, wire);
                    if (text != null) {
                        d.draft.set(field, text);
                    }
                };
            }
            case INTEGER ->
                    (d, p) ->
                            setInteger(
                                    d,
                                    field,
                                    Lenient.longOf(p, VmSample.NOT_REPORTED),
                                    Integer.MIN_VALUE);
            case LONG ->
                    (d, p) -> {
                        long value = Lenient.longOf(p, VmSample.NOT_REPORTED);
                        if (value != VmSample.NOT_REPORTED) {
                            d.draft.set(
                                    field,
                                    d.draft.originValue(field) instanceof Long known
                                                    && known == value
                                            ? known
                                            : (Long) value);
                        }
                    };
            case BOOLEAN ->
                    (d, p) ->
                            d.draft.set(
                                    field,
                                    Lenient.booleanOf(
                                            p, Boolean.TRUE.equals(field.defaultValue())));
            default -> throw new IllegalStateException(field + " has no reader");
        };
    }

    /** Sets a number of at least {@code least}; a smaller one, or none at all, is not known. */
    private static void setInteger(VmDecoder d, RuntimeField field, long value, long least) {
        if (value < least) {
            d.draft.clear(field);
            return;
        }
        int number = (int) Math.min(value, Integer.MAX_VALUE);
        d.draft.set(
                field,
                d.draft.originValue(field) instanceof Integer known && known == number
                        ? known
                        : (Integer) number);
    }

    private static @Nullable String knownText(VmDecoder decoder, RuntimeField field) {
        return (String) decoder.draft.originValue(field);
    }

    private static String wire(RuntimeField field) {
        return Objects.requireNonNull(field.wire());
    }

    private static TextLimit limit(RuntimeField field) {
        return Objects.requireNonNull(field.limit());
    }

    /** A text that has no known one to be compared with. */
    private static @Nullable String text(VmDecoder d, JsonParser p, ReportedText text) {
        return d.text(p, null, text.mostCharacters(), text.wire());
    }

    private static void readFqdn(VmDecoder d, JsonParser p) {
        if (!p.currentToken().isScalarValue()) {
            p.skipChildren();
            return;
        }
        char[] text = p.getStringCharacters();
        int from = p.getStringOffset();
        int to = from + p.getStringLength();
        while (from < to && isBlank(text[from])) {
            from++;
        }
        while (from < to && isBlank(text[to - 1])) {
            to--;
        }
        setPart(d, RuntimeField.FQDN, text, from, to);
        Object name = d.draft.value(RuntimeField.FQDN);
        if (name != null && ReportRules.fqdn((String) name) == null) {
            d.draft.set(RuntimeField.FQDN, null);
        }
    }

    private static boolean isBlank(char c) {
        return c <= ' ' || Character.isWhitespace(c);
    }

    private static void readCurrentCd(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.VALUE_STRING) {
            p.skipChildren();
            d.draft.set(RuntimeField.CURRENT_CD, "");
            return;
        }
        char[] path = p.getStringCharacters();
        int start = p.getStringOffset();
        int to = start + p.getStringLength();
        int from = to;
        while (from > start && path[from - 1] != '/') {
            from--;
        }
        setPart(d, RuntimeField.CURRENT_CD, path, from, to);
    }

    /** Sets a field to a part of the text at the parser. */
    private static void setPart(VmDecoder d, RuntimeField field, char[] text, int from, int to) {
        int limit = field.mostCharacters();
        String known = knownText(d, field);
        String value = Texts.textOr(text, from, to, known, limit);
        if (!value.equals(known) && !SafeText.isSafe(text, from, to, limit)) {
            d.altered(wire(field));
        }
        d.draft.set(field, value);
    }

    /** A list of texts, joined by commas. */
    private static void readAppList(VmDecoder d, JsonParser p) {
        RuntimeField field = RuntimeField.APP_LIST;
        d.scratch.clear();
        if (p.currentToken() == JsonToken.START_ARRAY) {
            appendApplications(d.scratch, p, field.mostCharacters() - 2, field.mostEntries());
        } else if (p.currentToken().isScalarValue()) {
            d.scratch.appendText(p, field.mostCharacters());
        } else {
            p.skipChildren();
            return;
        }
        d.draft.set(field, d.scratched(knownText(d, field), wire(field)));
    }

    /**
     * Appends whole names as far as they fit; a last entry, the mark, shows that some are missing.
     */
    private static void appendApplications(Scratch to, JsonParser p, int most, int mostEntries) {
        int entries = 0;
        boolean full = false;
        while (p.nextToken() != JsonToken.END_ARRAY) {
            if (full || !p.currentToken().isScalarValue()) {
                p.skipChildren();
                continue;
            }
            int before = to.length();
            if (entries > 0) {
                to.append(',');
            }
            if (entries < mostEntries) {
                to.appendText(p, ReportedText.APPLICATION.mostCharacters());
            }
            if (entries == mostEntries || to.length() > most) {
                full = true;
                to.truncate(before);
                if (entries > 0) {
                    to.append(',');
                }
                to.append(SafeText.CUT);
                to.alter();
            }
            entries++;
        }
    }

    private static void readGuestNics(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.START_ARRAY) {
            p.skipChildren();
            return;
        }
        d.scratch.clear();
        d.scratch.appendDocument(
                p, limit(RuntimeField.GUEST_NICS), TextLimit.NAME.characters(), false);
        long digest = d.scratch.digest();
        if (d.draft.originValue(RuntimeField.GUEST_NICS) instanceof GuestNics known
                && known.digest() == digest) {
            d.draft.set(RuntimeField.GUEST_NICS, known);
            return;
        }
        if (d.scratch.isAltered()) {
            d.altered(wire(RuntimeField.GUEST_NICS));
        }
        d.draft.set(RuntimeField.GUEST_NICS, new GuestNics(digest, parseNics(d.scratch.copy())));
    }

    private static List<GuestNic> parseNics(char[] json) {
        List<GuestNic> nics = new ArrayList<>();
        try (JsonParser p =
                Json.FACTORY.createParser(ObjectReadContext.empty(), json, 0, json.length)) {
            p.nextToken();
            while (p.nextToken() != JsonToken.END_ARRAY) {
                if (p.currentToken() != JsonToken.START_OBJECT) {
                    p.skipChildren();
                    continue;
                }
                String name = "";
                String mac = "";
                List<String> ipv4 = List.of();
                List<String> ipv6 = List.of();
                while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                    String member = p.currentName();
                    p.nextToken();
                    switch (member) {
                        case NicField.NAME -> name = textOrEmpty(p, ReportedText.GUEST_NIC_NAME);
                        case GuestField.HW ->
                                mac =
                                        textOrEmpty(p, ReportedText.GUEST_NIC_MAC)
                                                .replace('-', ':')
                                                .toLowerCase(Locale.ROOT);
                        case GuestField.INET -> ipv4 = addresses(p);
                        case GuestField.INET6 -> ipv6 = addresses(p);
                        default -> p.skipChildren();
                    }
                }
                nics.add(new GuestNic(name, mac, ipv4, ipv6));
            }
        }
        return nics;
    }

    private static List<String> addresses(JsonParser p) {
        return Lists.texts(p, ReportedText.GUEST_NIC_ADDRESSES.limit());
    }

    private static String textOrEmpty(JsonParser p, ReportedText text) {
        return Objects.requireNonNullElse(Texts.textOr(p, null, text.mostCharacters()), "");
    }

    private static Reader objectReader(Map<String, RuntimeField> fields) {
        Group group = new Group();
        fields.forEach((name, field) -> group.put(name, readerOf(field)));
        group.freeze();
        RuntimeField[] all = fields.values().toArray(new RuntimeField[0]);
        return (d, p) -> {
            if (p.currentToken() == JsonToken.START_OBJECT) {
                for (RuntimeField field : all) {
                    d.draft.clear(field);
                }
            }
            group.readObject(d, p);
        };
    }

    /** {@code displayInfo}: a list; its elements identify their display only by a member. */
    private static Reader displayReader(Map<String, RuntimeField> fields) {
        List<Display> displays = new ArrayList<>();
        for (String path : fields.keySet()) {
            String type = path.substring(0, path.indexOf('.'));
            if (displays.stream().noneMatch(display -> display.type().equals(type))) {
                displays.add(
                        new Display(
                                type,
                                fields.get(type + '.' + GuestField.IP_ADDRESS),
                                fields.get(type + '.' + GuestField.PORT),
                                fields.get(type + '.' + GuestField.TLS_PORT)));
            }
        }
        Display[] known = displays.toArray(new Display[0]);
        RuntimeField[] all = fields.values().toArray(new RuntimeField[0]);
        return (d, p) -> {
            if (p.currentToken() != JsonToken.START_ARRAY) {
                p.skipChildren();
                return;
            }
            for (RuntimeField field : all) {
                d.draft.clear(field);
            }
            while (p.nextToken() != JsonToken.END_ARRAY) {
                readDisplay(d, p, known);
            }
        };
    }

    /** The fields that one type of display fills. */
    private record Display(
            String type,
            @Nullable RuntimeField address,
            @Nullable RuntimeField port,
            @Nullable RuntimeField tlsPort) {}

    private static void readDisplay(VmDecoder d, JsonParser p, Display[] displays) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        Display display = null;
        long port = -1;
        long tlsPort = -1;
        d.scratch.clear();
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            JsonToken value = p.nextToken();
            switch (member) {
                case GuestField.TYPE -> {
                    for (Display candidate : displays) {
                        if (value == JsonToken.VALUE_STRING
                                && candidate.type().contentEquals(d.textAt(p))) {
                            display = candidate;
                        }
                    }
                    p.skipChildren();
                }
                case GuestField.PORT -> port = Lenient.longOf(p, -1);
                case GuestField.TLS_PORT -> tlsPort = Lenient.longOf(p, -1);
                case GuestField.IP_ADDRESS -> {
                    if (value == JsonToken.VALUE_STRING) {
                        d.scratch.clear();
                        d.scratch.appendText(p, TextLimit.NAME.characters());
                    } else {
                        p.skipChildren();
                    }
                }
                default -> p.skipChildren();
            }
        }
        if (display == null) {
            return;
        }
        RuntimeField address = display.address();
        if (address != null && d.scratch.length() > 0) {
            d.draft.set(
                    address,
                    ReportRules.isEveryAddress(d.scratch.charAt(0))
                            ? d.hostAddress
                            : d.scratched(knownText(d, address), wire(address)));
        }
        setPort(d, display.port(), port);
        setPort(d, display.tlsPort(), tlsPort);
    }

    /** "" and −1 are no port. */
    private static void setPort(VmDecoder d, @Nullable RuntimeField field, long port) {
        if (field != null) {
            setInteger(d, field, port, 0);
        }
    }

    private Group part(SampleNumber.Part part) {
        return Objects.requireNonNull(parts.get(part));
    }

    private void addSample() {
        for (SampleNumber.Part part : SampleNumber.Part.values()) {
            parts.put(part, part == SampleNumber.Part.VM ? top : new Group());
        }
        for (SampleNumber number : SampleNumber.values()) {
            part(number.part).put(number.wire, readerOf(number));
        }
        Group nic = part(SampleNumber.Part.NIC);
        nic.put(NicField.MAC_ADDR, (d, p) -> lastNic(d).mac = mac(d, p)).freeze();
        Group disk = part(SampleNumber.Part.DISK);
        disk.put(DiskField.IMAGE_ID, (d, p) -> lastDisk(d).imageId = d.vmIdAt(p))
                .put(
                        DiskField.LUN_GUID,
                        (d, p) -> lastDisk(d).lunId = text(d, p, ReportedText.LUN_ID))
                .freeze();
        top.put(VmField.MEMORY_STATS, part(SampleNumber.Part.MEMORY).freeze()::readObject);
        top.put(VmField.BALLOON_INFO, part(SampleNumber.Part.BALLOON).freeze()::readObject);
        top.put(VmField.NETWORK, (d, p) -> readNics(d, p, nic));
        top.put(VmField.DISKS, (d, p) -> readDisks(d, p, disk));
        top.put(VmField.DISKS_USAGE, VmMembers::readDisksUsage);
        top.put(VmField.VM_JOBS, VmJobs::read);
        top.put(VmField.V_NODE_RUNTIME_INFO, VmMembers::readNuma);
    }

    private static Reader readerOf(SampleNumber number) {
        SampleNumber.Kind kind = number.kind;
        return (d, p) -> {
            long bits =
                    kind.real
                            ? kind.real(Lenient.doubleOf(p, Double.NaN))
                            : kind.whole(Lenient.longOf(p, VmSample.NOT_REPORTED));
            number.set(d.sample, number.rows(d.sample) - 1, bits);
        };
    }

    private static long mac(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.VALUE_STRING) {
            p.skipChildren();
            return VmSample.NOT_REPORTED;
        }
        return VmSample.Nic.macOf(d.textAt(p));
    }

    private static VmSample.Nic lastNic(VmDecoder d) {
        return d.sample.nic(d.sample.nicCount() - 1);
    }

    private static VmSample.Disk lastDisk(VmDecoder d) {
        return d.sample.disk(d.sample.diskCount() - 1);
    }

    private static void readNics(VmDecoder d, JsonParser p, Group nic) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        d.sample.nicsReported = true;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            p.nextToken();
            if (d.sample.nicCount() == ReportedText.VM_NICS.mostEntries()) {
                p.skipChildren();
                continue;
            }
            VmSample.Nic row = d.sample.addNic();
            nic.readObject(d, p);
            if (row.mac == VmSample.NOT_REPORTED) {
                d.sample.dropLastNic(); // no other member identifies the interface
            }
        }
    }

    private static void readDisks(VmDecoder d, JsonParser p, Group disk) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        d.sample.disksReported = true;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = p.currentName();
            p.nextToken();
            if (d.sample.diskCount() == ReportedText.VM_DISKS.mostEntries()) {
                p.skipChildren();
                continue;
            }
            VmSample.Disk row = d.sample.addDisk();
            row.name = SafeText.of(name, ReportedText.VM_DISKS.mostCharacters());
            disk.readObject(d, p);
        }
    }

    /**
     * Only old hosts report it, and it rarely changes: a value with the known digest is not parsed.
     */
    private static void readNuma(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        d.scratch.clear();
        d.scratch.appendDocument(
                p, ReportedText.NUMA_NODES.limit(), TextLimit.NAME.characters(), false);
        long digest = d.scratch.digest();
        d.sample.numaDigest = digest;
        if (digest != d.sample.knownNumaDigest) {
            if (d.scratch.isAltered()) {
                d.altered(VmField.V_NODE_RUNTIME_INFO);
            }
            d.sample.numaNodes = parseNuma(d.scratch.copy());
        }
    }

    /** {@code {"0": [0, 1]}}: the host's nodes by virtual node. */
    private static List<VmNumaNode> parseNuma(char[] json) {
        List<VmNumaNode> nodes = new ArrayList<>();
        try (JsonParser p =
                Json.FACTORY.createParser(ObjectReadContext.empty(), json, 0, json.length)) {
            p.nextToken();
            while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                int index = Lists.index(p.currentName());
                p.nextToken();
                List<Integer> hostNodes = Lists.integers(p, ReportedText.NUMA_NODES.mostEntries());
                if (index >= 0) {
                    nodes.add(new VmNumaNode(index, hostNodes));
                }
            }
        }
        return nodes;
    }

    private static void readDisksUsage(VmDecoder d, JsonParser p) {
        d.scratch.clear();
        ReportedText usage = ReportedText.DISKS_USAGE;
        d.scratch.appendDocument(p, usage.limit(), LONGEST_PATH, true);
        long digest = d.scratch.digest();
        d.sample.disksUsageDigest = digest;
        if (digest != d.sample.knownDisksUsageDigest) {
            d.sample.disksUsage = d.scratched(null, usage.wire());
        }
    }
}
