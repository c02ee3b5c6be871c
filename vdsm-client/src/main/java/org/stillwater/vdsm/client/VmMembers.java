package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.GuestNic;
import org.stillwater.core.model.GuestNics;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmNumaNode;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.wire.DiskField;
import org.stillwater.vdsm.wire.GuestField;
import org.stillwater.vdsm.wire.MemoryField;
import org.stillwater.vdsm.wire.NicField;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.Named;

/**
 * What to do with each member of a VM record: the table {@link RuntimeField} compiled into readers,
 * and beside it the members that fill a {@link VmSample}. Built once, immutable, thread-safe.
 *
 * <p>A member of the table that is an object or a list, once reported, is reported whole: fields of
 * it that are missing are cleared, in events too.
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

    private static final String LOCALHOST = "localhost";
    private static final String LOCALHOST_LOCALDOMAIN = "localhost.localdomain";

    private final Group top = new Group();

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

    private void addOthers() {
        top.put(
                VmField.STATUS_TIME,
                (d, p) -> d.stampMillis = Lenient.longOf(p, VmReport.NO_STAMP));
        // Only a second id in one record comes here; the first one is read before all else.
        top.put(VmField.VM_ID, (_, p) -> p.skipChildren());
        top.put(VmField.VM_NAME, (d, p) -> d.name = Texts.textOr(p, null));
        top.put(VmField.HASH, (d, p) -> d.deviceHash = Texts.textOr(p, null));
        top.put(VmField.TPM_HASH, (d, p) -> d.tpmHash = Texts.textOr(p, null));
        top.put(VmField.NVRAM_HASH, (d, p) -> d.nvramHash = Texts.textOr(p, null));
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
                        d.scratch.appendValue(p);
                        d.draft.set(field, d.scratch.textOr(knownText(d, field)));
                    };
            case GUEST_NICS -> VmMembers::readGuestNics;
            // −1 is what a host says without an agent: not known.
            case GUEST_CPU_COUNT -> (d, p) -> setInteger(d, field, Lenient.longOf(p, -1), 0);
            default -> plainReader(field);
        };
    }

    private static Reader plainReader(RuntimeField field) {
        return switch (field.type()) {
            case TEXT ->
                    (d, p) -> {
                        String text = Texts.textOr(p, knownText(d, field));
                        if (text != null) {
                            d.draft.set(field, text);
                        }
                    };
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

    private static void readFqdn(VmDecoder d, JsonParser p) {
        String text = Texts.textOr(p, knownText(d, RuntimeField.FQDN));
        if (text != null) {
            String name = text.strip();
            boolean none = name.equals(LOCALHOST) || name.equals(LOCALHOST_LOCALDOMAIN);
            d.draft.set(RuntimeField.FQDN, none ? null : name);
        }
    }

    private static void readCurrentCd(VmDecoder d, JsonParser p) {
        CharSequence path = p.currentToken() == JsonToken.VALUE_STRING ? d.textAt(p) : "";
        int slash = path.length() - 1;
        while (slash >= 0 && path.charAt(slash) != '/') {
            slash--;
        }
        String known = knownText(d, RuntimeField.CURRENT_CD);
        String base = path.subSequence(slash + 1, path.length()).toString();
        p.skipChildren();
        d.draft.set(RuntimeField.CURRENT_CD, base.equals(known) ? known : Texts.clean(base));
    }

    /** A list of texts, joined by commas. */
    private static void readAppList(VmDecoder d, JsonParser p) {
        d.scratch.clear();
        if (p.currentToken() == JsonToken.START_ARRAY) {
            boolean first = true;
            while (p.nextToken() != JsonToken.END_ARRAY) {
                if (!p.currentToken().isScalarValue()) {
                    p.skipChildren();
                    continue;
                }
                if (!first) {
                    d.scratch.append(',');
                }
                d.scratch.appendText(p);
                first = false;
            }
        } else if (p.currentToken().isScalarValue()) {
            d.scratch.appendText(p);
        } else {
            p.skipChildren();
            return;
        }
        d.draft.set(RuntimeField.APP_LIST, d.scratch.textOr(knownText(d, RuntimeField.APP_LIST)));
    }

    private static void readGuestNics(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.START_ARRAY) {
            p.skipChildren();
            return;
        }
        d.scratch.clear();
        d.scratch.appendValue(p);
        long digest = d.scratch.digest();
        d.draft.set(
                RuntimeField.GUEST_NICS,
                d.draft.originValue(RuntimeField.GUEST_NICS) instanceof GuestNics known
                                && known.digest() == digest
                        ? known
                        : new GuestNics(digest, parseNics(d.scratch.copy())));
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
                        case NicField.NAME -> name = textOrEmpty(p);
                        case GuestField.HW ->
                                mac = textOrEmpty(p).replace('-', ':').toLowerCase(Locale.ROOT);
                        case GuestField.INET -> ipv4 = Lists.texts(p);
                        case GuestField.INET6 -> ipv6 = Lists.texts(p);
                        default -> p.skipChildren();
                    }
                }
                nics.add(new GuestNic(name, mac, ipv4, ipv6));
            }
        }
        return nics;
    }

    private static String textOrEmpty(JsonParser p) {
        return Objects.requireNonNullElse(Texts.textOr(p, null), "");
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

    /** {@code displayInfo}: a list whose elements say only by a member which display they are. */
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
                        d.scratch.appendText(p);
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
            // "0" or "0.0.0.0" is "any address of the host", which no client can dial.
            d.draft.set(
                    address,
                    d.scratch.charAt(0) == '0'
                            ? d.hostAddress
                            : d.scratch.textOr(knownText(d, address)));
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

    private void addSample() {
        top.put(VmField.CPU_USER, (d, p) -> d.sample.cpuUserPercent = number(p));
        top.put(VmField.CPU_SYS, (d, p) -> d.sample.cpuSystemPercent = number(p));
        top.put(VmField.ELAPSED_TIME, (d, p) -> d.sample.elapsedSeconds = whole(p));
        top.put(VmField.MEM_USAGE, (d, p) -> d.sample.memoryUsagePercent = whole(p));
        top.put(VmField.MIGRATION_PROGRESS, (d, p) -> d.sample.migrationProgressPercent = whole(p));
        Group memory =
                new Group()
                        .put(
                                MemoryField.MEM_FREE,
                                (d, p) -> d.sample.memoryFreeKibibytes = whole(p))
                        .put(
                                MemoryField.MEM_UNUSED,
                                (d, p) -> d.sample.memoryUnusedKibibytes = whole(p))
                        .put(
                                MemoryField.MEM_BUFFERS,
                                (d, p) -> d.sample.memoryBufferedKibibytes = whole(p))
                        .put(
                                MemoryField.MEM_CACHED,
                                (d, p) -> d.sample.memoryCachedKibibytes = whole(p));
        top.put(VmField.MEMORY_STATS, memory.freeze()::readObject);
        Group balloon =
                new Group()
                        .put(
                                MemoryField.BALLOON_CUR,
                                (d, p) -> d.sample.balloonCurrentKibibytes = whole(p))
                        .put(
                                MemoryField.BALLOON_MAX,
                                (d, p) -> d.sample.balloonMaximumKibibytes = whole(p))
                        .put(
                                MemoryField.BALLOON_TARGET,
                                (d, p) -> d.sample.balloonTargetKibibytes = whole(p))
                        .put(
                                MemoryField.BALLOON_MIN,
                                (d, p) -> d.sample.balloonMinimumKibibytes = whole(p));
        top.put(VmField.BALLOON_INFO, balloon.freeze()::readObject);
        Group nic =
                new Group()
                        .put(NicField.MAC_ADDR, (d, p) -> lastNic(d).mac = mac(d, p))
                        .put(NicField.RX, (d, p) -> lastNic(d).receivedBytes = whole(p))
                        .put(NicField.TX, (d, p) -> lastNic(d).sentBytes = whole(p))
                        .put(NicField.RX_DROPPED, (d, p) -> lastNic(d).receiveDropped = whole(p))
                        .put(NicField.TX_DROPPED, (d, p) -> lastNic(d).sendDropped = whole(p))
                        .put(
                                NicField.SAMPLE_TIME,
                                (d, p) -> lastNic(d).sampleTimeSeconds = number(p));
        top.put(VmField.NETWORK, (d, p) -> readNics(d, p, nic));
        nic.freeze();
        Group disk =
                new Group()
                        .put(DiskField.IMAGE_ID, (d, p) -> lastDisk(d).imageId = d.vmIdAt(p))
                        .put(
                                DiskField.LUN_GUID,
                                (d, p) -> lastDisk(d).lunId = Texts.textOr(p, null))
                        .put(DiskField.READ_RATE, (d, p) -> lastDisk(d).readRate = number(p))
                        .put(DiskField.WRITE_RATE, (d, p) -> lastDisk(d).writeRate = number(p))
                        .put(DiskField.READ_OPS, (d, p) -> lastDisk(d).readOperations = whole(p))
                        .put(DiskField.WRITE_OPS, (d, p) -> lastDisk(d).writeOperations = whole(p))
                        .put(DiskField.TRUESIZE, (d, p) -> lastDisk(d).actualSizeBytes = whole(p))
                        .put(
                                DiskField.READ_LATENCY,
                                (d, p) -> lastDisk(d).readLatencyNanos = number(p))
                        .put(
                                DiskField.WRITE_LATENCY,
                                (d, p) -> lastDisk(d).writeLatencyNanos = number(p))
                        .put(
                                DiskField.FLUSH_LATENCY,
                                (d, p) -> lastDisk(d).flushLatencyNanos = number(p));
        top.put(VmField.DISKS, (d, p) -> readDisks(d, p, disk));
        disk.freeze();
        top.put(VmField.DISKS_USAGE, VmMembers::readDisksUsage);
        top.put(VmField.VM_JOBS, VmJobs::read);
        top.put(VmField.V_NODE_RUNTIME_INFO, VmMembers::readNuma);
    }

    private static double number(JsonParser p) {
        return Lenient.doubleOf(p, Double.NaN);
    }

    private static long whole(JsonParser p) {
        return Lenient.longOf(p, VmSample.NOT_REPORTED);
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
            VmSample.Nic row = d.sample.addNic();
            nic.readObject(d, p);
            if (row.mac == VmSample.NOT_REPORTED) {
                d.sample.dropLastNic(); // nothing else could tell which interface it is
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
            VmSample.Disk row = d.sample.addDisk();
            row.name = p.currentName();
            p.nextToken();
            disk.readObject(d, p);
        }
    }

    /**
     * Reported by old hosts only, and seldom different: what has the known digest is not parsed.
     */
    private static void readNuma(VmDecoder d, JsonParser p) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        d.scratch.clear();
        d.scratch.appendValue(p);
        long digest = d.scratch.digest();
        d.sample.numaDigest = digest;
        if (digest != d.sample.knownNumaDigest) {
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
                List<Integer> hostNodes = Lists.integers(p);
                if (index >= 0) {
                    nodes.add(new VmNumaNode(index, hostNodes));
                }
            }
        }
        return nodes;
    }

    private static void readDisksUsage(VmDecoder d, JsonParser p) {
        d.scratch.clear();
        d.scratch.appendValue(p);
        long digest = d.scratch.digest();
        d.sample.disksUsageDigest = digest;
        if (digest != d.sample.knownDisksUsageDigest) {
            d.sample.disksUsage = d.scratch.textOr(null);
        }
    }
}
