package org.stillwater.server;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.stillwater.core.vm.RuntimeField;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The expected state of each VM in the engine, derived from the simulator's account of itself
 * ({@code GET /state}) by the words of the specification, without any code of the engine that
 * decodes or analyses. One entry per row of the field table; a row without an entry fails the test.
 */
final class Truth {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Pattern INTERNAL =
            Pattern.compile("lo[0-9]*|Loopback.*|tun[0-9]*|veth[0-9a-f]*");
    private static final Map<RuntimeField, Function<JsonNode, Object>> EXPECTED =
            new EnumMap<>(RuntimeField.class);

    static {
        EXPECTED.put(RuntimeField.STATUS, vm -> status(vm.path("status").asString()));
        EXPECTED.put(
                RuntimeField.PAUSE_STATUS,
                vm -> {
                    String code = text(vm, "pauseCode");
                    return code == null ? "none" : code.toLowerCase(Locale.ROOT);
                });
        EXPECTED.put(RuntimeField.EXIT_STATUS, _ -> "normal");
        EXPECTED.put(RuntimeField.EXIT_REASON, _ -> "unknown");
        EXPECTED.put(RuntimeField.EXIT_MESSAGE, _ -> null);
        EXPECTED.put(RuntimeField.ACPI_ENABLED, vm -> vm.path("acpi").asBoolean());
        EXPECTED.put(RuntimeField.UTC_DIFF, vm -> vm.path("timeOffsetSeconds").asInt());
        EXPECTED.put(RuntimeField.CLIENT_IP, vm -> text(vm, "clientIp"));
        EXPECTED.put(RuntimeField.CURRENT_CD, Truth::nothing);
        EXPECTED.put(RuntimeField.SPICE_IP, vm -> display(vm, "spice", "address"));
        EXPECTED.put(RuntimeField.SPICE_PORT, vm -> display(vm, "spice", "port"));
        EXPECTED.put(RuntimeField.SPICE_TLS_PORT, vm -> display(vm, "spice", "tlsPort"));
        EXPECTED.put(RuntimeField.VNC_IP, vm -> display(vm, "vnc", "address"));
        EXPECTED.put(RuntimeField.VNC_PORT, vm -> display(vm, "vnc", "port"));
        EXPECTED.put(RuntimeField.VNC_TLS_PORT, vm -> display(vm, "vnc", "tlsPort"));
        EXPECTED.put(
                RuntimeField.LAST_WATCHDOG_EVENT,
                vm -> number(vm.path("watchdog").path("timeEpochSeconds")));
        EXPECTED.put(RuntimeField.LAST_WATCHDOG_ACTION, vm -> text(vm.path("watchdog"), "action"));
        EXPECTED.put(RuntimeField.GUEST_USER, vm -> guestText(vm, "userName"));
        EXPECTED.put(
                RuntimeField.SESSION,
                vm ->
                        switch (vm.path("guest").path("session").asString()) {
                            case "UserLoggedOn" -> "user_logged_on";
                            case "LoggedOff" -> "logged_off";
                            case String other -> other.toLowerCase(Locale.ROOT);
                        });
        EXPECTED.put(RuntimeField.GUEST_CPU_COUNT, vm -> number(vm.path("guest").path("cpuCount")));
        EXPECTED.put(
                RuntimeField.APP_LIST,
                vm -> {
                    List<String> names = new ArrayList<>();
                    vm.path("guest").path("applications").forEach(it -> names.add(it.asString()));
                    return String.join(",", names);
                });
        EXPECTED.put(
                RuntimeField.FQDN,
                vm -> {
                    String name = guestText(vm, "fqdn");
                    return name == null || name.startsWith("localhost") ? null : name.strip();
                });
        EXPECTED.put(RuntimeField.GUEST_HOST_NAME, vm -> guestText(vm, "hostName"));
        EXPECTED.put(RuntimeField.GUEST_OS, vm -> guestText(vm, "os"));
        EXPECTED.put(
                RuntimeField.GUEST_OS_TYPE,
                vm -> guestText(vm, "osType") == null ? "Other" : guestText(vm, "osType"));
        EXPECTED.put(RuntimeField.GUEST_OS_ARCH, vm -> guestText(vm, "osArch"));
        EXPECTED.put(RuntimeField.GUEST_OS_KERNEL, vm -> guestText(vm, "osKernel"));
        EXPECTED.put(RuntimeField.GUEST_OS_DISTRIBUTION, vm -> guestText(vm, "osDistribution"));
        EXPECTED.put(RuntimeField.GUEST_OS_VERSION, vm -> guestText(vm, "osVersion"));
        EXPECTED.put(RuntimeField.GUEST_OS_CODENAME, vm -> guestText(vm, "osCodename"));
        EXPECTED.put(RuntimeField.GUEST_TIMEZONE_NAME, vm -> guestText(vm, "timezoneName"));
        EXPECTED.put(
                RuntimeField.GUEST_TIMEZONE_OFFSET,
                vm -> number(vm.path("guest").path("timezoneOffsetMinutes")));
        EXPECTED.put(RuntimeField.GUEST_CONTAINERS, Truth::nothing);
        EXPECTED.put(RuntimeField.GUEST_NICS, vm -> interfaces(vm).toString());
        EXPECTED.put(RuntimeField.GUEST_IPS, Truth::addresses);
    }

    private Truth() {}

    /** Fields of the table that this class forgets. */
    static List<RuntimeField> missing() {
        List<RuntimeField> missing = new ArrayList<>(List.of(RuntimeField.values()));
        missing.removeAll(EXPECTED.keySet());
        return missing;
    }

    /** The VMs that live on a host, by id; of a migrating VM the side that is responsible. */
    static Map<String, JsonNode> running(JsonNode state) {
        Map<String, JsonNode> running = new TreeMap<>();
        for (JsonNode host : state.path("hosts")) {
            for (JsonNode vm : host.path("vms")) {
                if (vm.path("home").asBoolean()) {
                    running.put(vm.path("id").asString(), vm);
                }
            }
        }
        return running;
    }

    /** Every wrong member in the engine's answer about a running VM. */
    static Map<String, String> differences(
            JsonNode truth, JsonNode answer, Map<String, String> hostNames) {
        Map<String, String> differences = new LinkedHashMap<>();
        compare(differences, "name", "external-" + truth.path("name").asString(), answer);
        String host = hostNames.get(answer.path("hostId").asString(""));
        if (!truth.path("host").asString().equals(host)) {
            differences.put("host", truth.path("host").asString() + " but engine says " + host);
        }
        EXPECTED.forEach((field, expected) -> {
            if (!isRemembered(field, truth)) {
                compare(differences, member(field), expected.apply(truth), answer);
            }
        });
        return differences;
    }

    /**
     * Every number in which the engine's statistics of a running VM are not what its host reports.
     * The engine counts traffic from when it first saw an interface and over restarts of the host's
     * counter; without its offset a total is the host's. The account gives rates in whole numbers.
     */
    static Map<String, String> statisticsDifferences(JsonNode truth, JsonNode answer) {
        Map<String, String> differences = new LinkedHashMap<>();
        boolean sampled = truth.path("sampled").asBoolean();
        compareNumber(differences, "cpuUserPercent", truth.path("cpuUserPercent"), answer);
        compareNumber(differences, "cpuSystemPercent", truth.path("cpuSystemPercent"), answer);
        compareNumber(differences, "elapsedSeconds", truth.path("elapsedSeconds"), answer);
        if (sampled) {
            compareNumber(
                    differences, "usageMemoryPercent", truth.path("memoryUsedPercent"), answer);
            nicDifferences(differences, truth, answer);
            Map<String, JsonNode> disks = new TreeMap<>();
            answer.path("disks").forEach(it -> disks.put(it.path("name").asString(), it));
            for (JsonNode disk : truth.path("disks")) {
                String name = disk.path("device").asString();
                JsonNode known = disks.getOrDefault(name, NODES.objectNode());
                String of = "disks." + name + ".";
                compareNumber(differences, of, "actualSizeBytes", disk.path("actualBytes"), known);
                compareNumber(
                        differences,
                        of,
                        "readBytesPerSecond",
                        disk.path("readBytesPerSecond"),
                        known);
                compareNumber(
                        differences,
                        of,
                        "writeBytesPerSecond",
                        disk.path("writeBytesPerSecond"),
                        known);
                if (disk.path("imageId").isString()
                        && !disk.path("imageId").equals(known.path("imageId"))) {
                    differences.put(of + "imageId", disk.path("imageId") + " but " + known);
                }
            }
        }
        return differences;
    }

    private static void nicDifferences(
            Map<String, String> differences, JsonNode truth, JsonNode answer) {
        Map<String, JsonNode> known = new TreeMap<>();
        answer.path("nics").forEach(it -> known.put(it.path("mac").asString(), it));
        for (JsonNode nic : truth.path("nics")) {
            if (!nic.has("rxBytes")) {
                continue;
            }
            String mac = nic.path("mac").asString();
            JsonNode seen = known.getOrDefault(mac, NODES.objectNode());
            String of = "nics." + mac + ".";
            reported(differences, of, nic.path("rxBytes"), seen, "received");
            reported(differences, of, nic.path("txBytes"), seen, "sent");
            compareNumber(differences, of, "receiveDropped", nic.path("rxDropped"), seen);
            if (!seen.path("status").asString().equals("up")) {
                differences.put(of + "status", "up but engine says " + seen.path("status"));
            }
        }
    }

    private static void reported(
            Map<String, String> differences,
            String prefix,
            JsonNode expected,
            JsonNode nic,
            String direction) {
        JsonNode total = nic.path(direction + "Bytes");
        JsonNode offset = nic.path(direction + "OffsetBytes");
        boolean fine =
                total.isNumber()
                        && offset.isNumber()
                        && total.asLong() >= 0
                        && total.asLong() - offset.asLong() == expected.asLong();
        if (!fine) {
            differences.put(
                    prefix + direction + "Bytes",
                    expected + " but engine says " + total + " with offset " + offset);
        }
    }

    private static void compareNumber(
            Map<String, String> differences, String name, JsonNode expected, JsonNode answer) {
        compareNumber(differences, "", name, expected, answer);
    }

    private static void compareNumber(
            Map<String, String> differences,
            String prefix,
            String name,
            JsonNode expected,
            JsonNode answer) {
        JsonNode actual = answer.path(name);
        boolean equal =
                actual.isNumber()
                        && Math.abs(actual.asDouble() - expected.asDouble())
                                < (expected.isIntegralNumber() ? 1 : 1e-6);
        if (!equal) {
            differences.put(prefix + name, expected + " but engine says " + actual);
        }
    }

    /**
     * Every member in which the engine's answer about a host is not what it should be. Installed
     * memory is left out: simulated hosts grow with their VMs, real ones only while they are off.
     */
    static Map<String, String> hostDifferences(JsonNode truth, JsonNode answer) {
        Map<String, String> differences = new LinkedHashMap<>();
        compare(differences, "address", truth.path("address").asString(), answer);
        compare(differences, "port", truth.path("port").asString(), answer);
        compare(differences, "status", "up", answer);
        JsonNode capabilities = answer.path("capabilities");
        compare(
                differences,
                "version",
                truth.path("softwareVersion").asString(),
                capabilities.path("software"));
        compare(differences, "hardwareUuid", truth.path("uuid").asString(), capabilities);
        compare(differences, "bootUuid", truth.path("bootUuid").asString(), capabilities);
        compareNumber(
                differences,
                "statistics.memory.",
                "freeMebibytes",
                truth.path("memoryFreeMib"),
                answer.path("statistics").path("memory"));
        return differences;
    }

    /**
     * The engine remembers the last watchdog event over restarts of the VM, and the applications of
     * a guest that is not up (monitoring specification §4.4); the host does not.
     */
    private static boolean isRemembered(RuntimeField field, JsonNode truth) {
        if (field == RuntimeField.APP_LIST && !truth.path("status").asString().equals("Up")) {
            return true;
        }
        return (field == RuntimeField.LAST_WATCHDOG_EVENT
                        || field == RuntimeField.LAST_WATCHDOG_ACTION)
                && truth.path("watchdog").isNull();
    }

    private static void compare(
            Map<String, String> differences, String name, Object expected, JsonNode answer) {
        JsonNode member = answer.get(name);
        String actual =
                member == null
                        ? "no member"
                        : member.isNull()
                                ? "null"
                                : member.isContainer() ? member.toString() : member.asString();
        if (!String.valueOf(expected).equals(actual)) {
            differences.put(name, expected + " but engine says " + actual);
        }
    }

    static String member(RuntimeField field) {
        StringBuilder name = new StringBuilder();
        for (String word : field.name().split("_")) {
            String lower = word.toLowerCase(Locale.ROOT);
            name.append(
                    name.isEmpty()
                            ? lower
                            : Character.toUpperCase(lower.charAt(0)) + lower.substring(1));
        }
        return name.toString();
    }

    private static String status(String wire) {
        return switch (wire) {
            case "Migration Source" -> "migrating_from";
            case "Migration Destination" -> "migrating_to";
            case "WaitForLaunch" -> "wait_for_launch";
            case "RebootInProgress" -> "reboot_in_progress";
            default -> wire.toLowerCase(Locale.ROOT).replace(' ', '_');
        };
    }

    private static Object nothing(JsonNode vm) {
        return null;
    }

    private static String text(JsonNode from, String name) {
        JsonNode value = from.path(name);
        return value.isMissingNode() || value.isNull() ? null : value.asString();
    }

    private static String guestText(JsonNode vm, String name) {
        return text(vm.path("guest"), name);
    }

    private static Object number(JsonNode value) {
        return value.isNumber() && value.asLong() != -1 ? value.asLong() : null;
    }

    private static Object display(JsonNode vm, String type, String name) {
        for (JsonNode display : vm.path("graphics")) {
            if (display.path("type").asString().equals(type)) {
                return text(display, name);
            }
        }
        return null;
    }

    private static JsonNode interfaces(JsonNode vm) {
        JsonNode interfaces = vm.path("guest").path("interfaces");
        return interfaces.isArray() ? interfaces : NODES.arrayNode();
    }

    private static Object addresses(JsonNode vm) {
        List<String> ipv4 = new ArrayList<>();
        List<String> ipv6 = new ArrayList<>();
        for (JsonNode nic : interfaces(vm)) {
            if (!INTERNAL.matcher(nic.path("name").asString()).matches()) {
                nic.path("ipv4").forEach(address -> ipv4.add(address.asString()));
                nic.path("ipv6").forEach(address -> ipv6.add(address.asString()));
            }
        }
        ipv4.addAll(ipv6);
        return ipv4.isEmpty() ? null : String.join(" ", ipv4);
    }
}
