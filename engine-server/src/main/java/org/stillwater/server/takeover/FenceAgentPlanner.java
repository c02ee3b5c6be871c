package org.stillwater.server.takeover;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.FenceAgent;
import tools.jackson.databind.JsonNode;

/**
 * Converts a fence agent of oVirt's API to one that runs the same program with the same input.
 * oVirt has names of its own for three options ({@code port}, {@code slot}, {@code secure}),
 * repeats the port among the options, and adds options of some types when it fences; its
 * configuration values VdsFenceOptionMapping, FenceAgentMapping and FenceAgentDefaultParams list
 * them. Another Stillwater has the programs' names already, and no member {@code encrypt_options},
 * which each agent of oVirt has. Stateless.
 */
final class FenceAgentPlanner {

    private static final String PORT = "port";
    private static final String SLOT = "slot";
    private static final String SECURE = "secure";

    private static final String ORDER = "order";
    private static final long NO_ORDER = -1;

    /** The port of the board: a member of ours, and no option. */
    private static final String IP_PORT = "ipport";

    /** The programs' names of oVirt's options; other types and options have the programs' names. */
    private static final Map<String, Map<String, String>> NAMES =
            Map.of(
                    "apc", Map.of(PORT, IP_PORT, SLOT, PORT),
                    "bladecenter", Map.of(PORT, IP_PORT, SLOT, PORT),
                    "cisco_ucs", Map.of(SECURE, "ssl", SLOT, PORT),
                    "drac5", Map.of(SLOT, PORT),
                    "eps", Map.of(SLOT, PORT),
                    "ilo", Map.of(SECURE, "ssl", PORT, IP_PORT),
                    "ilo2", Map.of(SECURE, "ssl", PORT, IP_PORT),
                    "redfish", Map.of(SECURE, "ssl", PORT, IP_PORT),
                    "rsa", Map.of(PORT, IP_PORT),
                    "wti", Map.of(PORT, IP_PORT, SLOT, PORT));

    /** Types with a plug as option {@code port}, for oVirt as for the program. */
    private static final Set<String> PLUGS = Set.of("apc_snmp", "hpblade", "ilo_ssh");

    /** Options that oVirt adds. */
    private static final Map<String, Map<String, String>> ADDED =
            Map.of(
                    "drac7", Map.of("privlvl", "OPERATOR", "lanplus", "1", "delay", "10"),
                    "ilo3", Map.of("lanplus", "1", "power_wait", "4"),
                    "ilo4", Map.of("lanplus", "1", "power_wait", "4"),
                    "redfish", Map.of("ssl_insecure", "1"));

    /** Types without a program of their name. */
    private static final Map<String, String> PROGRAMS = Map.of("drac7", "ipmilan");

    private FenceAgentPlanner() {}

    /**
     * Refuses an agent that oVirt uses together with another one of the host: both have one order,
     * and the host is off when both have switched it off, as with two power supplies. Here the
     * first that reports "off" is believed, so that the host's VMs would start elsewhere while the
     * other power supply keeps them running.
     *
     * @throws IllegalArgumentException if another agent of the host has its order
     */
    static void requireAnOrderOfItsOwn(JsonNode agent, List<JsonNode> ofTheHost) {
        long order = OvirtJson.number(agent, NO_ORDER, ORDER);
        if (order != NO_ORDER
                && ofTheHost.stream()
                                .filter(each -> OvirtJson.number(each, NO_ORDER, ORDER) == order)
                                .count()
                        > 1) {
            throw new IllegalArgumentException(
                    "another agent has its order "
                            + order
                            + ": oVirt needs both to switch the host off, and here one is enough");
        }
    }

    /**
     * The agent, without a password.
     *
     * @throws IllegalArgumentException if it cannot be one of ours
     */
    static FenceAgent plan(JsonNode agent) {
        String type = OvirtJson.text(agent, "type");
        boolean ovirt = OvirtJson.has(agent, "encrypt_options");
        Map<String, String> names = ovirt ? NAMES.getOrDefault(type, Map.of()) : Map.of();
        Map<String, String> options = new HashMap<>();
        String port = OvirtJson.text(agent, PORT);
        for (JsonNode each : OvirtJson.list(agent, "options", "option")) {
            String given = OvirtJson.text(each, "name");
            String value = OvirtJson.text(each, "value");
            String name = names.getOrDefault(given, given);
            if (name.equals(IP_PORT)) {
                port = port.isEmpty() ? value : port;
            } else if (!ovirt || !isRepeated(type, given, value, port)) {
                options.put(name, ovirt && given.equals(SECURE) ? flag(value) : value);
            }
        }
        if (ovirt) {
            ADDED.getOrDefault(type, Map.of()).forEach(options::putIfAbsent);
        }
        return new FenceAgent(
                ovirt ? PROGRAMS.getOrDefault(type, type) : type,
                OvirtJson.text(agent, "address"),
                number(port),
                OvirtJson.textOrNull(agent, "username"),
                null,
                options);
    }

    /** Whether an option only repeats the port of the board. */
    private static boolean isRepeated(String type, String given, String value, String port) {
        return given.equals(PORT) && value.equals(port) && !PLUGS.contains(type);
    }

    private static String flag(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "1" -> "1";
            case "false", "no", "off", "0" -> "0";
            default -> value;
        };
    }

    private static @Nullable Integer number(String port) {
        if (port.isEmpty() || port.equals("0")) {
            return null;
        }
        try {
            return Integer.valueOf(port);
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException("its port is no number");
        }
    }
}
