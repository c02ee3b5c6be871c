package org.stillwater.benchmarks.chaos;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.value.Coded;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import tools.jackson.databind.JsonNode;

/**
 * Reads the three accounts into one form. The words of the specification translate the state of
 * hosts, the codes of the schema that of rows.
 */
final class Accounts {

    private static final String DOWN = VmStatus.DOWN.label();
    private static final String UP = word(HostStatus.UP);
    private static final String GUEST_NICS = member(RuntimeField.GUEST_NICS);
    private static final Pattern INTERNAL =
            Pattern.compile("lo[0-9]*|Loopback.*|tun[0-9]*|veth[0-9a-f]*");

    private Accounts() {}

    // The hosts

    /**
     * True state of hosts and VMs.
     *
     * @param state of the reachable hosts
     * @param vms every VM there is or was
     */
    static Facts ofHosts(JsonNode state, JsonNode vms) {
        Map<String, Facts.Vm> all = new HashMap<>();
        for (JsonNode vm : vms) {
            all.put(vm.path("id").asString(), new Facts.Vm(DOWN, null, Map.of()));
        }
        Map<String, String> hosts = new HashMap<>();
        for (JsonNode host : state.path("hosts")) {
            String name = host.path("name").asString();
            hosts.put(name, UP);
            for (JsonNode vm : host.path("vms")) {
                if (vm.path("home").asBoolean() && vm.path("exit").isNull()) {
                    all.put(
                            vm.path("id").asString(),
                            new Facts.Vm(status(vm.path("status").asString()), name, values(vm)));
                }
            }
        }
        return new Facts(all, hosts, Set.of());
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

    private static Map<String, @Nullable String> values(JsonNode vm) {
        JsonNode guest = vm.path("guest");
        Map<String, @Nullable String> values = new TreeMap<>();
        String pause = text(vm.path("pauseCode"));
        values.put("pauseStatus", pause == null ? "none" : pause.toLowerCase(Locale.ROOT));
        values.put("exitStatus", "normal");
        values.put("clientIp", text(vm.path("clientIp")));
        values.put("guestUser", text(guest.path("userName")));
        values.put("guestHostName", text(guest.path("hostName")));
        values.put("guestOs", text(guest.path("os")));
        for (String type : List.of("vnc", "spice")) {
            JsonNode display = display(vm, type);
            values.put(type + "Ip", text(display.path("address")));
            values.put(type + "Port", text(display.path("port")));
            values.put(type + "TlsPort", text(display.path("tlsPort")));
        }
        values.put("guestIps", addresses(guest.path("interfaces")));
        return values;
    }

    private static JsonNode display(JsonNode vm, String type) {
        for (JsonNode display : vm.path("graphics")) {
            if (display.path("type").asString().equals(type)) {
                return display;
            }
        }
        return vm.path("there is none");
    }

    private static @Nullable String addresses(JsonNode interfaces) {
        List<String> ipv4 = new ArrayList<>();
        List<String> ipv6 = new ArrayList<>();
        for (JsonNode nic : interfaces) {
            if (!INTERNAL.matcher(nic.path("name").asString()).matches()) {
                nic.path("ipv4").forEach(address -> ipv4.add(address.asString()));
                nic.path("ipv6").forEach(address -> ipv6.add(address.asString()));
            }
        }
        ipv4.addAll(ipv6);
        return ipv4.isEmpty() ? null : String.join(" ", ipv4);
    }

    // The engine

    /** State that the engine shows to readers. */
    static Facts ofEngine(JsonNode vms, JsonNode hosts, List<JsonNode> work) {
        Map<String, String> names = new HashMap<>();
        Map<String, String> statuses = new HashMap<>();
        for (JsonNode host : hosts) {
            names.put(host.path("id").asString(), host.path("name").asString());
            statuses.put(host.path("name").asString(), host.path("status").asString());
        }
        Map<String, Facts.Vm> all = new HashMap<>();
        for (JsonNode vm : vms) {
            Map<String, @Nullable String> values = new TreeMap<>();
            for (RuntimeField field : RuntimeField.values()) {
                JsonNode value = vm.path(member(field));
                values.put(
                        member(field),
                        field == RuntimeField.GUEST_NICS ? nics(value) : text(value));
            }
            values.put("migratingTo", name(names, vm.path("migratingToHostId")));
            values.put("lastStart", moment(vm.path("lastStartAt")));
            values.put("lastStop", moment(vm.path("lastStopAt")));
            all.put(
                    vm.path("id").asString(),
                    new Facts.Vm(
                            vm.path("status").asString(), name(names, vm.path("hostId")), values));
        }
        Set<String> keys = new HashSet<>();
        for (JsonNode each : work) {
            String vm = text(each.path("vmId"));
            keys.add(
                    vm != null
                            ? key(
                                    each.path("kind").asString(),
                                    vm,
                                    each.path("runGeneration").asString())
                            : key(
                                    each.path("kind").asString(),
                                    String.valueOf(name(names, each.path("hostId"))),
                                    each.path("episode").asString()
                                            + "."
                                            + each.path("attempt").asString()));
        }
        return new Facts(all, statuses, keys);
    }

    private static @Nullable String name(Map<String, String> names, JsonNode id) {
        String text = text(id);
        return text == null ? null : names.getOrDefault(text, text);
    }

    private static @Nullable String moment(JsonNode value) {
        String text = text(value);
        return text == null ? null : moment(Instant.parse(text));
    }

    /** As precise as the database keeps it. */
    private static String moment(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS).toString();
    }

    private static String nics(JsonNode list) {
        StringBuilder text = new StringBuilder();
        for (JsonNode nic : list) {
            text.append(nic.path("name").asString()).append(' ').append(nic.path("mac").asString());
            nic.path("ipv4").forEach(address -> text.append(' ').append(address.asString()));
            nic.path("ipv6").forEach(address -> text.append(' ').append(address.asString()));
            text.append('\n');
        }
        return text.toString();
    }

    private static @Nullable String text(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? null : value.asString();
    }

    // The database

    /** Durable state. */
    static Facts ofRows(Connection connection) throws SQLException {
        Map<UUID, String> names = new HashMap<>();
        Map<String, String> statuses = new HashMap<>();
        Map<String, String> guestNics = new HashMap<>();
        Map<String, Facts.Vm> vms = new HashMap<>();
        Set<String> work = new HashSet<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT host_id, host_name, status FROM host_static JOIN host_dynamic"
                                    + " USING (host_id)")) {
                while (row.next()) {
                    names.put(row.getObject(1, UUID.class), row.getString(2));
                    statuses.put(row.getString(2), word(HostStatus.ofCode(row.getInt(3))));
                }
            }
            try (ResultSet row =
                    statement.executeQuery(
                            """
                            SELECT vm_guid::text, interface_name, mac_addr, ipv4_addresses, ipv6_addresses
                              FROM vm_guest_agent_interfaces ORDER BY vm_guid, nic_index
                            """)) {
                while (row.next()) {
                    guestNics.merge(row.getString(1), nic(row), String::concat);
                }
            }
            try (ResultSet row =
                    statement.executeQuery("SELECT vm_guid::text AS id, * FROM vm_dynamic")) {
                while (row.next()) {
                    String id = row.getString("id");
                    vms.put(id, vm(row, names, guestNics.getOrDefault(id, "")));
                }
            }
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT kind, vm_guid::text, run_generation FROM pending_work WHERE"
                                    + " taken_over_at IS NULL")) {
                while (row.next()) {
                    work.add(
                            key(
                                    WorkKind.ofCode(row.getInt(1)).label(),
                                    row.getString(2),
                                    row.getString(3)));
                }
            }
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT kind, host_id, episode, attempt FROM host_work WHERE"
                                    + " taken_over_at IS NULL")) {
                while (row.next()) {
                    work.add(
                            key(
                                    HostWorkKind.ofCode(row.getInt(1)).label(),
                                    names.getOrDefault(row.getObject(2, UUID.class), "nobody"),
                                    row.getString(3) + "." + row.getString(4)));
                }
            }
        }
        return new Facts(vms, statuses, work);
    }

    private static Facts.Vm vm(ResultSet row, Map<UUID, String> names, String nics)
            throws SQLException {
        Map<String, @Nullable String> values = new TreeMap<>();
        for (RuntimeField field : RuntimeField.values()) {
            Object value = row.getObject(field.column());
            values.put(member(field), text(field.type().fromSql(value)));
        }
        values.put(GUEST_NICS, nics);
        values.put("migratingTo", host(names, row.getObject("migrating_to_vds", UUID.class)));
        values.put("lastStart", moment(row.getObject("last_start_time", OffsetDateTime.class)));
        values.put("lastStop", moment(row.getObject("last_stop_time", OffsetDateTime.class)));
        return new Facts.Vm(
                VmStatus.ofCode(row.getInt("status")).label(),
                host(names, row.getObject("run_on_vds", UUID.class)),
                values);
    }

    private static @Nullable String host(Map<UUID, String> names, @Nullable UUID id) {
        return id == null ? null : names.getOrDefault(id, id.toString());
    }

    private static @Nullable String moment(@Nullable OffsetDateTime time) {
        return time == null ? null : moment(time.toInstant());
    }

    private static String nic(ResultSet row) throws SQLException {
        StringBuilder text =
                new StringBuilder(row.getString(2)).append(' ').append(row.getString(3));
        for (int column = 4; column <= 5; column++) {
            Array addresses = row.getArray(column);
            for (String address : (String[]) addresses.getArray()) {
                text.append(' ').append(address);
            }
        }
        return text.append('\n').toString();
    }

    private static @Nullable String text(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case VmStatus status -> status.label();
            case Coded code when code instanceof Enum<?> constant -> word(constant);
            default -> value.toString();
        };
    }

    /** How many restarts were ever queued of each VM, done or not. */
    static Map<String, Integer> restarts(Connection connection) throws SQLException {
        return counts(
                connection,
                "SELECT vm_guid::text, count(*) FROM pending_work WHERE kind = "
                        + WorkKind.HA_RESTART.code()
                        + " GROUP BY 1");
    }

    /** How often an audit event reported that a VM failed. */
    static Map<String, Integer> toldFailures(Connection connection) throws SQLException {
        return counts(
                connection,
                "SELECT vm_id::text, count(*) FROM audit_log WHERE vm_id IS NOT NULL AND log_type ="
                        + " "
                        + AuditEvent.VM_DOWN_ERROR.code()
                        + " GROUP BY 1");
    }

    private static Map<String, Integer> counts(Connection connection, String sql)
            throws SQLException {
        Map<String, Integer> counts = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                counts.put(row.getString(1), row.getInt(2));
            }
        }
        return counts;
    }

    // Words

    static String key(String kind, String subject, String number) {
        return kind + " " + subject + " " + number;
    }

    /** As the REST interface spells it. */
    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** As the REST interface spells it. */
    static String member(RuntimeField field) {
        StringBuilder name = new StringBuilder();
        for (String word : field.name().toLowerCase(Locale.ROOT).split("_")) {
            name.append(
                    name.isEmpty()
                            ? word
                            : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }
}
