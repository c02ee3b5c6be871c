package org.stillwater.vdsm.client;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.NumaStatistics;
import org.stillwater.core.model.HostNumaNode;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.ExternalDataAnswer;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.wire.CapabilitiesField;
import org.stillwater.vdsm.wire.HardwareField;
import org.stillwater.vdsm.wire.HostStatsField;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Decodes what a host says of itself. These are small and come rarely, so this is written for the
 * reader. Each method takes the parser on the first token of the result. A member of the wrong kind
 * counts as not reported; unknown members are skipped.
 */
final class HostDecoder {
    private HostDecoder() {}

    /** {@code Host.getCapabilities} (protocol page §3.4). */
    static HostCapabilities capabilities(JsonParser p) throws MalformedEnvelope {
        requireObject(p, "Host.getCapabilities");
        String cpuModel = null;
        String cpuFlags = null;
        Integer cpuSockets = null;
        Integer cpuCores = null;
        Integer cpuThreads = null;
        Double cpuSpeed = null;
        Long memory = null;
        Long reserved = null;
        Long overhead = null;
        Boolean kvm = null;
        String version = null;
        String system = null;
        Map<String, String> packages = Map.of();
        List<String> levels = List.of();
        List<String> engines = List.of();
        List<String> machines = List.of();
        String uuid = null;
        String bootUuid = null;
        Integer selinux = null;
        Integer kdump = null;
        String initiator = null;
        String clientInterface = null;
        List<HostNumaNode> numaNodes = List.of();
        Map<Integer, List<Integer>> distances = Map.of();
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case CapabilitiesField.CPU_MODEL -> cpuModel = text(p);
                case CapabilitiesField.CPU_FLAGS -> cpuFlags = text(p);
                case CapabilitiesField.CPU_SOCKETS -> cpuSockets = integer(p);
                case CapabilitiesField.CPU_CORES -> cpuCores = integer(p);
                case CapabilitiesField.CPU_THREADS -> cpuThreads = integer(p);
                case CapabilitiesField.CPU_SPEED -> cpuSpeed = number(p);
                case CapabilitiesField.MEM_SIZE -> memory = whole(p);
                case CapabilitiesField.RESERVED_MEM -> reserved = whole(p);
                case CapabilitiesField.GUEST_OVERHEAD -> overhead = whole(p);
                case CapabilitiesField.KVM_ENABLED -> kvm = truth(p);
                case CapabilitiesField.SOFTWARE_VERSION -> version = text(p);
                case CapabilitiesField.OPERATING_SYSTEM -> system = operatingSystem(p);
                case CapabilitiesField.PACKAGES2 -> packages = packages(p);
                case CapabilitiesField.CLUSTER_LEVELS -> levels = Lists.texts(p);
                case CapabilitiesField.SUPPORTED_ENGINES -> engines = Lists.texts(p);
                case CapabilitiesField.EMULATED_MACHINES -> machines = Lists.texts(p);
                case CapabilitiesField.UUID -> uuid = text(p);
                case CapabilitiesField.BOOT_UUID -> bootUuid = text(p);
                case CapabilitiesField.SELINUX -> selinux = selinux(p);
                case CapabilitiesField.KDUMP_STATUS -> kdump = integer(p);
                case CapabilitiesField.ISCSI_INITIATOR_NAME -> initiator = text(p);
                case CapabilitiesField.LAST_CLIENT_IFACE -> clientInterface = text(p);
                case CapabilitiesField.NUMA_NODES -> numaNodes = NumaDecoder.nodes(p);
                case CapabilitiesField.NUMA_NODE_DISTANCE -> distances = NumaDecoder.distances(p);
                default -> p.skipChildren();
            }
        }
        return new HostCapabilities(
                cpuModel,
                cpuFlags,
                cpuSockets,
                cpuCores,
                cpuThreads,
                cpuSpeed,
                memory,
                reserved,
                overhead,
                kvm,
                version,
                system,
                packages.get("kernel"),
                packages.get("libvirt"),
                packages.get("qemu-kvm"),
                levels,
                engines,
                machines,
                uuid,
                bootUuid,
                selinux,
                kdump,
                initiator,
                clientInterface,
                NumaDecoder.withDistances(numaNodes, distances));
    }

    /** {@code Host.getHardwareInfo} (§3.6). */
    static HostHardware hardware(JsonParser p) throws MalformedEnvelope {
        requireObject(p, "Host.getHardwareInfo");
        String manufacturer = null;
        String product = null;
        String version = null;
        String serial = null;
        String uuid = null;
        String family = null;
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case HardwareField.SYSTEM_MANUFACTURER -> manufacturer = text(p);
                case HardwareField.SYSTEM_PRODUCT_NAME -> product = text(p);
                case HardwareField.SYSTEM_VERSION -> version = text(p);
                case HardwareField.SYSTEM_SERIAL_NUMBER -> serial = text(p);
                case HardwareField.SYSTEM_UUID -> uuid = text(p);
                case HardwareField.SYSTEM_FAMILY -> family = text(p);
                default -> p.skipChildren();
            }
        }
        return new HostHardware(manufacturer, product, version, serial, uuid, family);
    }

    /** {@code Host.getStats} (§3.5). */
    static HostStatistics statistics(JsonParser p) throws MalformedEnvelope {
        requireObject(p, "Host.getStats");
        Double cpuUser = null;
        Double cpuSys = null;
        Double cpuIdle = null;
        Double cpuLoad = null;
        Integer memUsed = null;
        Long memFree = null;
        Long memShared = null;
        Long swapTotal = null;
        Long swapFree = null;
        Long anonHugePages = null;
        Integer ksmCpu = null;
        Long ksmPages = null;
        Boolean ksmState = null;
        Integer vmCount = null;
        Integer vmActive = null;
        Integer vmMigrating = null;
        Integer incoming = null;
        Integer outgoing = null;
        Long bootTime = null;
        Instant clock = null;
        Double elapsed = null;
        NumaStatistics numa = new NumaStatistics();
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = p.currentName();
            p.nextToken();
            switch (member) {
                case HostStatsField.CPU_USER -> cpuUser = number(p);
                case HostStatsField.CPU_SYS -> cpuSys = number(p);
                case HostStatsField.CPU_IDLE -> cpuIdle = number(p);
                case HostStatsField.CPU_LOAD -> cpuLoad = number(p);
                case HostStatsField.MEM_USED -> memUsed = integer(p);
                case HostStatsField.MEM_FREE -> memFree = whole(p);
                case HostStatsField.MEM_SHARED -> memShared = whole(p);
                case HostStatsField.SWAP_TOTAL -> swapTotal = whole(p);
                case HostStatsField.SWAP_FREE -> swapFree = whole(p);
                case HostStatsField.ANON_HUGE_PAGES -> anonHugePages = whole(p);
                case HostStatsField.KSM_CPU -> ksmCpu = integer(p);
                case HostStatsField.KSM_PAGES -> ksmPages = whole(p);
                case HostStatsField.KSM_STATE -> ksmState = truth(p);
                case HostStatsField.VM_COUNT -> vmCount = integer(p);
                case HostStatsField.VM_ACTIVE -> vmActive = integer(p);
                case HostStatsField.VM_MIGRATING -> vmMigrating = integer(p);
                case HostStatsField.INCOMING_VM_MIGRATIONS -> incoming = integer(p);
                case HostStatsField.OUTGOING_VM_MIGRATIONS -> outgoing = integer(p);
                case HostStatsField.BOOT_TIME -> bootTime = whole(p);
                case HostStatsField.DATE_TIME -> clock = instant(text(p));
                case HostStatsField.ELAPSED_TIME -> elapsed = number(p);
                case HostStatsField.NUMA_NODE_MEM_FREE -> NumaDecoder.memory(p, numa);
                case HostStatsField.CPU_STATISTICS -> NumaDecoder.processors(p, numa);
                default -> p.skipChildren();
            }
        }
        return new HostStatistics(
                cpuUser,
                cpuSys,
                cpuIdle,
                cpuLoad,
                memUsed,
                memFree,
                memShared,
                swapTotal,
                swapFree,
                anonHugePages,
                ksmCpu,
                ksmPages,
                ksmState,
                vmCount,
                vmActive,
                vmMigrating,
                incoming,
                outgoing,
                bootTime,
                clock,
                elapsed,
                numa.build());
    }

    /** {@code Host.dumpxmls} (§3.1): XML texts by VM. */
    static Map<VmId, String> domainXmls(JsonParser p) throws MalformedEnvelope {
        requireObject(p, "Host.dumpxmls");
        Map<VmId, String> xmls = new LinkedHashMap<>();
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = p.currentName();
            if (p.nextToken() != JsonToken.VALUE_STRING) {
                p.skipChildren();
                continue;
            }
            try {
                xmls.put(VmId.parse(key), p.getString());
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
                case VmField.HASH -> hash = Objects.requireNonNullElse(text(p), "");
                case VmField.EXTERNAL_DATA -> data = text(p);
                default -> p.skipChildren();
            }
        }
        return new ExternalDataAnswer(hash, data);
    }

    /** {@code 2026-01-01T00:00:00 GMT}, also with a blank for the T; null for anything else. */
    static @Nullable Instant instant(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String zoneless = text.strip().replaceFirst("\\s*(GMT|UTC|Z)$", "").replace(' ', 'T');
        try {
            return LocalDateTime.parse(zoneless).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException otherForm) {
            return null;
        }
    }

    private static @Nullable String operatingSystem(JsonParser p) {
        Map<String, @Nullable String> system = texts(p);
        String pretty = system.get("pretty_name");
        if (pretty != null && !pretty.isBlank()) {
            return pretty;
        }
        String name = system.get("name");
        String version = system.get("version");
        return name == null || version == null ? name : name + " " + version;
    }

    /** Version and release of each package. */
    private static Map<String, String> packages(JsonParser p) {
        Map<String, String> packages = new LinkedHashMap<>();
        eachMember(
                p,
                name -> {
                    Map<String, @Nullable String> one = texts(p);
                    String version = one.get("version");
                    String release = one.get("release");
                    if (version != null) {
                        packages.put(name, release == null ? version : version + "-" + release);
                    }
                });
        return packages;
    }

    private static @Nullable Integer selinux(JsonParser p) {
        String mode = texts(p).get("mode");
        try {
            return mode == null ? null : (Integer) Integer.parseInt(mode.strip());
        } catch (NumberFormatException notANumber) {
            return null;
        }
    }

    /** The scalar members of an object as texts. */
    private static Map<String, @Nullable String> texts(JsonParser p) {
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        eachMember(p, name -> texts.put(name, text(p)));
        return texts;
    }

    /** Calls the reader on the first token of each member's value, if this is an object. */
    private static void eachMember(JsonParser p, Member reader) {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            p.skipChildren();
            return;
        }
        while (p.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = p.currentName();
            p.nextToken();
            reader.read(name);
        }
    }

    /** Reads one member's value, or skips it. */
    @FunctionalInterface
    private interface Member {
        void read(String name);
    }

    private static void requireObject(JsonParser p, String verb) throws MalformedEnvelope {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedEnvelope("the result of " + verb + " is not an object");
        }
    }

    private static @Nullable String text(JsonParser p) {
        return p.currentToken() == JsonToken.VALUE_NULL ? null : Texts.textOr(p, null);
    }

    private static @Nullable Double number(JsonParser p) {
        double value = Lenient.doubleOf(p, Double.NaN);
        return Double.isNaN(value) ? null : (Double) value;
    }

    static @Nullable Long whole(JsonParser p) {
        long value = Lenient.longOf(p, Long.MIN_VALUE);
        return value == Long.MIN_VALUE ? null : (Long) value;
    }

    static @Nullable Integer integer(JsonParser p) {
        long value = Lenient.longOf(p, Long.MIN_VALUE);
        return value == Long.MIN_VALUE
                ? null
                : (Integer) Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private static @Nullable Boolean truth(JsonParser p) {
        boolean ifFalse = Lenient.booleanOf(p, false);
        return ifFalse == Lenient.booleanOf(p, true) ? (Boolean) ifFalse : null;
    }
}
