package org.stillwater.xapi.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.core.id.VmId;
import org.stillwater.xapi.client.RrdColumn;

/**
 * Assigns the columns of a reply of {@code rrd_updates} to their objects. Immutable; made once per
 * legend.
 */
final class RrdLegend {

    private final List<RrdColumn> columns;
    private final Map<String, Map<String, Integer>> places = new HashMap<>();
    private final Map<VmId, VmColumns> vms = new HashMap<>();
    private final List<Counted> counted = new ArrayList<>();
    private String host = "";

    /** A column with a rate that is added up. */
    record Counted(String key, int column) {}

    RrdLegend(List<RrdColumn> columns) {
        this.columns = columns;
        Map<String, Map<String, Integer>> counters = new HashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            RrdColumn column = columns.get(i);
            if (column.name().startsWith("vif_") || column.name().startsWith("pif_")) {
                counters.computeIfAbsent(column.uuid(), _ -> new HashMap<>())
                        .put(column.name(), counted.size());
                counted.add(new Counted(key(column.uuid(), column.name()), i));
            }
            if (column.function().equals("AVERAGE")) {
                places.computeIfAbsent(column.uuid(), _ -> new HashMap<>()).put(column.name(), i);
                if (column.type().equals("host")) {
                    host = column.uuid();
                }
            }
        }
        places.forEach((uuid, of) -> {
            try {
                vms.put(VmId.parse(uuid), new VmColumns(of, counters.getOrDefault(uuid, Map.of())));
            } catch (IllegalArgumentException _) {
                // No VM of the engine has such an identity.
            }
        });
    }

    /** Whether this is the legend of these columns, which replies with the same legend share. */
    @SuppressWarnings("ReferenceEquality") // replies share the list
    boolean isOf(List<RrdColumn> others) {
        return columns == others;
    }

    /** The key of a counter. */
    static String key(String uuid, String name) {
        return uuid + "/" + name;
    }

    /** Columns with rates that are added up. */
    List<Counted> counted() {
        return counted;
    }

    /** VMs with columns, and the host. */
    Set<VmId> vms() {
        return vms.keySet();
    }

    /** A VM's columns. */
    VmColumns of(VmId vm) {
        return vms.getOrDefault(vm, VmColumns.EMPTY);
    }

    /** Places of the host's own columns by name; empty if it has none. */
    Map<String, Integer> host() {
        return places.getOrDefault(host, Map.of());
    }

    /** Whether an object has columns. */
    boolean has(String uuid) {
        return places.containsKey(uuid);
    }
}
