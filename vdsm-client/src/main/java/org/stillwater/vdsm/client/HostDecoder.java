package org.stillwater.vdsm.client;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.NumaStatistics;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostField.Source;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.core.report.ReportedText;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Decodes a host's reports about itself. They are small and rare, so this code favours readability
 * over speed. Each method takes the parser on the first token of the result. A member of the wrong
 * kind counts as not reported; unknown members are skipped.
 */
final class HostDecoder {

    /** The treatment of a member: a field, or an object with members of its own. */
    private sealed interface Node {

        record Leaf(HostField field) implements Node {}

        record Group(Map<String, Node> members) implements Node {}
    }

    private static final String PACKAGES = "packages2.";
    private static final String VERSION = "version";
    private static final String RELEASE = "release";
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern ZONE = Pattern.compile("\\s*(GMT|UTC|Z)$");

    /** Characters of numbers that stand in one text: five digits and a comma for each. */
    private static final int LONGEST_NUMBERS = 6 * ReportedText.HOST_LIST.mostEntries();

    /**
     * Upper bound of whole numbers: as MiB, it fits a {@code long} in bytes; no other unit reaches
     * it.
     */
    private static final long MOST_WHOLE = 1L << 42;

    private static final double MOST_NUMBER = 1e12;

    private static final Map<Source, Map<String, Node>> MEMBERS = members();

    private static final RecordReader<HostCapabilities.Cpu.Place> PLACE =
            new RecordReader<>(HostCapabilities.Cpu.Place.class);
    private static final RecordReader<HostCapabilities.FibreChannelPort> FIBRE_CHANNEL_PORT =
            new RecordReader<>(HostCapabilities.FibreChannelPort.class);
    private static final RecordReader<HostNetworks.Network> NETWORK =
            new RecordReader<>(HostNetworks.Network.class);
    private static final RecordReader<HostNetworks.Nic> CARD =
            new RecordReader<>(HostNetworks.Nic.class);
    private static final RecordReader<HostNetworks.Bond> BOND =
            new RecordReader<>(HostNetworks.Bond.class);
    private static final RecordReader<HostNetworks.Vlan> VLAN =
            new RecordReader<>(HostNetworks.Vlan.class);
    private static final RecordReader<HostNetworks.Bridge> BRIDGE =
            new RecordReader<>(HostNetworks.Bridge.class);
    private static final RecordReader<HostStatistics.HugePages> HUGE_PAGES =
            new RecordReader<>(HostStatistics.HugePages.class);
    private static final RecordReader<HostStatistics.Nic> INTERFACE =
            new RecordReader<>(HostStatistics.Nic.class);
    private static final RecordReader<HostStatistics.StorageDomain> STORAGE_DOMAIN =
            new RecordReader<>(HostStatistics.StorageDomain.class);
    private static final RecordReader<HostStatistics.Multipath> MULTIPATH =
            new RecordReader<>(HostStatistics.Multipath.class);
    private static final RecordReader<HostStatistics.V2vJob> V2V_JOB =
            new RecordReader<>(HostStatistics.V2vJob.class);

    private final int mostMembers;
    private final IntConsumer misfits;
    private final Consumer<String> altered;

    /**
     * Interfaces that the newest capabilities name. Statistics also list an interface of each VM;
     * reading them would cost an object per VM and cycle and add nothing to the VM's own report.
     */
    private volatile Set<String> interfaces = Set.of();

    /**
     * A decoder for one host; thread-safe.
     *
     * @param mostMembers kept of one object or list
     * @param misfits receives, per answer, the number of values of a wrong kind
     * @param altered receives the name of an answer in which a text or list was cut or cleaned
     */
    HostDecoder(int mostMembers, IntConsumer misfits, Consumer<String> altered) {
        this.mostMembers = mostMembers;
        this.misfits = misfits;
        this.altered = altered;
    }

    private static Map<Source, Map<String, Node>> members() {
        Map<Source, Map<String, Node>> bySource = new EnumMap<>(Source.class);
        for (HostField field : HostField.values()) {
            Map<String, Node> members =
                    bySource.computeIfAbsent(field.source(), _ -> new HashMap<>());
            int dot = field.wire().indexOf('.');
            if (dot < 0) {
                members.put(field.wire(), new Node.Leaf(field));
            } else if (members.computeIfAbsent(
                            field.wire().substring(0, dot), _ -> new Node.Group(new HashMap<>()))
                    instanceof Node.Group(Map<String, Node> inner)) {
                inner.put(field.wire().substring(dot + 1), new Node.Leaf(field));
            }
        }
        return bySource;
    }

    /** {@code Host.getCapabilities} (protocol page §3.4). */
    HostCapabilities capabilities(JsonParser p) throws MalformedEnvelope {
        HostCapabilities capabilities = read(p, Source.CAPABILITIES).capabilities();
        interfaces = capabilities.network().interfaces();
        return capabilities;
    }

    /** {@code Host.getHardwareInfo} (§3.6). */
    HostHardware hardware(JsonParser p) throws MalformedEnvelope {
        return read(p, Source.HARDWARE).hardware();
    }

    private HostValues read(JsonParser p, Source source) throws MalformedEnvelope {
        requireObject(p, source.verb());
        HostReader reader = new HostReader(p, mostMembers);
        HostValues values = new HostValues();
        NumaStatistics numa = new NumaStatistics();
        readMembers(
                reader,
                MEMBERS.getOrDefault(source, Map.of()),
                values,
                field -> structure(p, reader, field, numa));
        List<NumaNodeStatistics> nodes = numa.build();
        values.put(HostField.NUMA_STATISTICS, nodes.isEmpty() ? null : nodes);
        if (reader.misfits() > 0) {
            misfits.accept(reader.misfits());
        }
        if (reader.altered() > 0) {
            altered.accept(source.verb());
        }
        return values;
    }

    private static void readMembers(
            HostReader reader,
            Map<String, Node> nodes,
            HostValues values,
            Function<HostField, @Nullable Object> structures) {
        reader.members(name -> {
            switch (nodes.get(name)) {
                case null -> reader.skip();
                case Node.Leaf(HostField field) ->
                        values.put(field, valueOf(reader, field, structures));
                case Node.Group(Map<String, Node> members) ->
                        readMembers(reader, members, values, structures);
            }
        });
    }

    private static @Nullable Object valueOf(
            HostReader reader, HostField field, Function<HostField, @Nullable Object> structures) {
        return switch (field.kind()) {
            case TEXT ->
                    field.wire().startsWith(PACKAGES)
                            ? packageOf(reader)
                            : reader.text(Objects.requireNonNull(field.limit()).characters());
            case INTEGER -> {
                Long value = reader.whole(least(field), Integer.MAX_VALUE);
                yield value == null ? null : (Integer) value.intValue();
            }
            case LONG -> reader.whole(least(field), MOST_WHOLE);
            case NUMBER -> reader.number((double) least(field), MOST_NUMBER);
            case BOOLEAN -> reader.truth();
            case TIME -> instant(reader.text());
            case TEXTS -> reader.texts();
            case INTEGERS -> field == HostField.ONLINE_CPUS ? numbersIn(reader) : reader.integers();
            case TEXT_MAP -> reader.map(reader::textOrJson);
            case STRUCTURE -> structures.apply(field);
        };
    }

    /**
     * The lower bound of a field: zero if it has a unit, because no measured quantity is negative.
     */
    private static long least(HostField field) {
        return field.unit().isEmpty() ? Integer.MIN_VALUE : 0;
    }

    private @Nullable Object structure(
            JsonParser p, HostReader reader, HostField field, NumaStatistics numa) {
        return switch (field) {
            case CPU_TOPOLOGY -> reader.list(() -> place(reader));
            case BLOCK_SIZES -> reader.map(reader::integers);
            case ADAPTERS -> adapters(reader);
            case NETWORKS -> reader.map(() -> NETWORK.read(reader));
            case NICS -> reader.map(() -> CARD.read(reader));
            case BONDS -> reader.map(() -> BOND.read(reader));
            case VLANS -> reader.map(() -> VLAN.read(reader));
            case BRIDGES -> reader.map(() -> BRIDGE.read(reader));
            case HOOKS -> reader.map(() -> reader.map(() -> checksum(reader)));
            case NUMA_NODES -> NumaDecoder.nodes(p, reader);
            case NUMA_DISTANCES -> NumaDecoder.distances(reader);
            case CORES -> NumaDecoder.processors(p, reader, numa);
            case NUMA_STATISTICS -> {
                NumaDecoder.memory(p, reader, numa);
                yield null;
            }
            case HUGE_PAGES -> reader.map(() -> HUGE_PAGES.read(reader));
            case INTERFACES -> reader.map(this::isInterface, () -> INTERFACE.read(reader));
            case LOCAL_DISKS -> reader.map(() -> reader.map(reader::whole).get("free"));
            case STORAGE_DOMAINS -> reader.map(() -> STORAGE_DOMAIN.read(reader));
            case MULTIPATH -> reader.map(() -> MULTIPATH.read(reader));
            case V2V_JOBS -> reader.map(() -> V2V_JOB.read(reader));
            default -> throw new IllegalStateException("no reader for " + field);
        };
    }

    /** Interfaces that the newest capabilities name. */
    Set<String> interfaces() {
        return interfaces;
    }

    /**
     * Whether capabilities name the interface; true for every name before the first capabilities.
     */
    boolean isInterface(String name) {
        Set<String> known = interfaces;
        return known.isEmpty() || known.contains(name);
    }

    /** Version and release of a package. */
    private static @Nullable String packageOf(HostReader reader) {
        Map<String, String> one = reader.map(reader::textOrNone);
        String version = one.get(VERSION);
        String release = one.get(RELEASE);
        return version == null || release == null ? version : version + "-" + release;
    }

    /**
     * Numbers joined by commas, at most as many as a list may have; skips every entry that is no
     * number.
     */
    private static List<Integer> numbersIn(HostReader reader) {
        String text = reader.text(LONGEST_NUMBERS);
        if (text == null) {
            return List.of();
        }
        List<Integer> numbers = new ArrayList<>();
        for (String word : COMMA.split(text)) {
            int number = Lists.index(word.strip());
            if (number >= 0 && numbers.size() < ReportedText.HOST_LIST.mostEntries()) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    private static HostCapabilities.Cpu.@Nullable Place place(HostReader reader) {
        HostCapabilities.Cpu.Place place = PLACE.read(reader);
        return place == null || place.cpu() < 0 ? null : place;
    }

    private static HostCapabilities.Adapters adapters(HostReader reader) {
        List<String> initiators = new ArrayList<>();
        List<HostCapabilities.FibreChannelPort> ports = new ArrayList<>();
        reader.members(kind -> {
            switch (kind) {
                case "iSCSI" ->
                        reader.list(() -> reader.map(reader::textOrNone))
                                .forEach(one -> {
                                    String name = one.get("InitiatorName");
                                    if (name != null) {
                                        initiators.add(name);
                                    }
                                });
                case "FC" -> ports.addAll(reader.list(() -> FIBRE_CHANNEL_PORT.read(reader)));
                default -> reader.skip();
            }
        });
        return new HostCapabilities.Adapters(initiators, ports);
    }

    private static @Nullable String checksum(HostReader reader) {
        return reader.map(reader::textOrJson).get("checksum");
    }

    /** {@code Host.getStats} (§3.5). */
    HostStatistics statistics(JsonParser p) throws MalformedEnvelope {
        return read(p, Source.STATISTICS).statistics();
    }

    /**
     * {@code Host.dumpxmls} (§3.1): XML texts by VM.
     *
     * @param asked the VMs that were requested; others are not read
     */
    static Map<VmId, String> domainXmls(JsonParser p, Set<VmId> asked) throws MalformedEnvelope {
        requireObject(p, "Host.dumpxmls");
        Map<VmId, String> xmls = new LinkedHashMap<>();
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = p.currentName();
            if (p.nextToken() != JsonToken.VALUE_STRING) {
                p.skipChildren();
                continue;
            }
            try {
                VmId vmId = VmId.parse(key);
                if (asked.contains(vmId)) {
                    xmls.put(vmId, p.getString());
                }
            } catch (IllegalArgumentException notAUuid) {
                throw new MalformedEnvelope("Host.dumpxmls: " + notAUuid.getMessage(), notAUuid);
            }
        }
        return xmls;
    }

    /** {@code VM.getExternalData} (§3.1): a hash, and the data where it is not the known one. */
    static ExternalDataAnswer externalData(JsonParser p) throws MalformedEnvelope {
        requireObject(p, "VM.getExternalData");
        String hash = "";
        @Nullable String data = null;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case VmField.HASH ->
                        hash =
                                Objects.requireNonNullElse(
                                        text(p, ReportedText.TPM_HASH.mostCharacters()), "");
                case VmField.EXTERNAL_DATA -> data = base64(p);
                default -> p.skipChildren();
            }
        }
        return new ExternalDataAnswer(hash, data);
    }

    /**
     * Data exactly as the host encoded it, null for none. Hosts up to oVirt 4.4.4 break the lines;
     * newer ones take line feeds back, but nothing else that stands between.
     */
    private static @Nullable String base64(JsonParser p) throws MalformedEnvelope {
        if (p.currentToken() != JsonToken.VALUE_STRING) {
            p.skipChildren();
            return null;
        }
        int most = ReportedText.EXTERNAL_DATA.mostCharacters();
        if (p.getStringLength() > most) {
            throw new MalformedEnvelope(
                    "VM.getExternalData: data of more than " + most + " characters");
        }
        String data = p.getString();
        if (data.chars().anyMatch(c -> c > '~' || (c < ' ' && c != '\n' && c != '\r'))) {
            throw new MalformedEnvelope("VM.getExternalData: data that is not base64");
        }
        return data;
    }

    /** {@code 2026-01-01T00:00:00 GMT}, also with a blank for the T; null for anything else. */
    static @Nullable Instant instant(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String zoneless = ZONE.matcher(text.strip()).replaceFirst("").replace(' ', 'T');
        try {
            return LocalDateTime.parse(zoneless).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException otherForm) {
            return null;
        }
    }

    private static void requireObject(JsonParser p, String verb) throws MalformedEnvelope {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedEnvelope("the result of " + verb + " is not an object");
        }
    }

    private static @Nullable String text(JsonParser p, int limit) {
        return p.currentToken() == JsonToken.VALUE_NULL ? null : Texts.textOr(p, null, limit);
    }
}
