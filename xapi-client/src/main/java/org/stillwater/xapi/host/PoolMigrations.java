package org.stillwater.xapi.host;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.xapi.client.XapiRecord;

/**
 * Tasks of the migrations that are under way in a pool: those of the engine, of other clients, and
 * of the pool's own evacuations. Bounded by the pool's VMs. Thread-safe: the loop of VMs writes,
 * that of tasks reads.
 */
final class PoolMigrations {

    private static final Set<String> OPERATIONS = Set.of("pool_migrate", "migrate_send");
    private static final int WHOLE = 100;

    private final Map<String, VmId> vms = new ConcurrentHashMap<>();
    private final Map<VmId, String> tasks = new ConcurrentHashMap<>();

    /** The task that migrates a VM, by its record of class VM; null if none does. */
    static @Nullable String taskOf(XapiRecord vm) {
        for (Map.Entry<String, String> each : vm.map("current_operations").entrySet()) {
            if (OPERATIONS.contains(each.getValue())) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Progress of a task that is under way, 0 to 100; 0 for any other task. */
    static int percent(XapiRecord task) {
        Double progress = task.real("progress");
        return progress == null || !task.text("status").equals("pending")
                ? 0
                : Math.clamp((long) (progress * WHOLE), 0, WHOLE);
    }

    /** A VM has this record now; null if it is gone. */
    void told(VmId vm, @Nullable XapiRecord record) {
        String task = record == null ? null : taskOf(record);
        String before = task == null ? tasks.remove(vm) : tasks.put(vm, task);
        if (before != null && !before.equals(task)) {
            vms.remove(before);
        }
        if (task != null) {
            vms.put(task, vm);
        }
    }

    /** The task that migrates a VM; null if none does. */
    @Nullable String taskOf(VmId vm) {
        return tasks.get(vm);
    }

    /** The VM that a task migrates; null for any other task. */
    @Nullable VmId vmOf(String task) {
        return vms.get(task);
    }
}
