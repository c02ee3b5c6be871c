package org.stillwater.fake.xapi.world;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.world.Store.Row;

/**
 * The allowed operations of a VM in each state. Source: xapi_vm_lifecycle.ml. Pure functions of the
 * row.
 */
public final class VmOperations {

    private static final List<String> ANY = List.of("Halted", "Paused", "Suspended", "Running");
    private static final List<String> HALTED = List.of("Halted");
    private static final List<String> RUNNING = List.of("Running");

    /** Power states from which each operation is allowed, in the order of the source. */
    public static final Map<String, List<String>> STATES = states();

    /** Operations that {@code allowed_operations} names, in the order in which the source tries. */
    private static final List<String> ADVERTISED =
            List.of(
                    "snapshot",
                    "copy",
                    "clone",
                    "revert",
                    "checkpoint",
                    "snapshot_with_quiesce",
                    "start",
                    "start_on",
                    "pause",
                    "unpause",
                    "clean_shutdown",
                    "clean_reboot",
                    "hard_shutdown",
                    "hard_reboot",
                    "suspend",
                    "resume",
                    "resume_on",
                    "export",
                    "destroy",
                    "provision",
                    "changing_VCPUs_live",
                    "pool_migrate",
                    "migrate_send",
                    "make_into_template",
                    "changing_static_range",
                    "changing_shadow_memory",
                    "changing_dynamic_range",
                    "changing_NVRAM",
                    "create_vtpm");

    private static final Set<String> COPIES = Set.of("clone", "copy", "export");
    private static final Set<String> SNAPSHOTS = Set.of("snapshot", "checkpoint");
    private static final Set<String> OF_TEMPLATES =
            Set.of(
                    "changing_dynamic_range",
                    "changing_static_range",
                    "changing_memory_limits",
                    "changing_shadow_memory",
                    "changing_VCPUs",
                    "clone",
                    "copy",
                    "export",
                    "metadata_export",
                    "provision");
    private static final Set<String> OF_SNAPSHOTS =
            Set.of(
                    "revert",
                    "clone",
                    "copy",
                    "export",
                    "destroy",
                    "hard_shutdown",
                    "metadata_export");
    private static final Set<String> OF_CONTROL_DOMAINS =
            Set.of(
                    "data_source_op",
                    "changing_memory_live",
                    "awaiting_memory_live",
                    "metadata_export",
                    "changing_dynamic_range");
    private static final Set<String> NEED_AGENT =
            Set.of(
                    "clean_shutdown",
                    "clean_reboot",
                    "changing_VCPUs_live",
                    "suspend",
                    "pool_migrate");

    private VmOperations() {}

    private static Map<String, List<String>> states() {
        Map<String, List<String>> states = new LinkedHashMap<>();
        put(
                states,
                HALTED,
                "start",
                "start_on",
                "provision",
                "make_into_template",
                "create_vtpm",
                "changing_static_range",
                "changing_shadow_memory",
                "changing_VCPUs",
                "changing_memory_limits",
                "changing_NVRAM");
        put(states, List.of("Paused"), "unpause");
        put(states, List.of("Suspended"), "resume", "resume_on", "csvm");
        put(
                states,
                RUNNING,
                "pause",
                "suspend",
                "clean_shutdown",
                "clean_reboot",
                "pool_migrate",
                "snapshot_with_quiesce",
                "changing_VCPUs_live",
                "send_sysrq",
                "send_trigger",
                "data_source_op");
        put(states, List.of("Paused", "Running"), "hard_reboot");
        put(
                states,
                List.of("Paused", "Suspended", "Running"),
                "hard_shutdown",
                "shutdown",
                "checkpoint");
        put(states, List.of("Halted", "Suspended", "Running"), "migrate_send");
        put(states, List.of("Halted", "Running"), "changing_dynamic_range");
        put(
                states,
                List.of("Halted", "Suspended"),
                "clone",
                "copy",
                "destroy",
                "export",
                "create_template");
        put(states, ANY, "snapshot", "revert", "power_state_reset");
        return java.util.Collections.unmodifiableMap(states);
    }

    private static void put(
            Map<String, List<String>> states, List<String> from, String... operations) {
        for (String each : operations) {
            states.put(each, from);
        }
    }

    private static List<String> statesOf(Row vm, String operation) {
        boolean copy = operation.equals("clone") || operation.equals("copy");
        return copy && !vm.flag("is_a_snapshot")
                ? HALTED
                : STATES.getOrDefault(operation, List.of());
    }

    /** Why the operation is refused now, or {@code null}. */
    public static @Nullable XapiError check(Row vm, boolean agent, String operation) {
        String ref = vm.ref();
        String blocked = vm.map("blocked_operations").get(operation);
        if (blocked != null) {
            return new XapiError("OPERATION_BLOCKED", ref, blocked);
        }
        List<String> states = statesOf(vm, operation);
        String state = vm.text("power_state");
        if (!states.contains(state)) {
            return new XapiError(
                    "VM_BAD_POWER_STATE",
                    ref,
                    String.join(", ", states).toLowerCase(Locale.ROOT),
                    state.toLowerCase(Locale.ROOT));
        }
        Map<String, String> current = vm.map("current_operations");
        if (!current.isEmpty() && !isConcurrent(operation, current.values())) {
            Map.Entry<String, String> other = current.entrySet().iterator().next();
            return new XapiError(
                    "OTHER_OPERATION_IN_PROGRESS", "VM", ref, other.getValue(), other.getKey());
        }
        boolean snapshot = vm.flag("is_a_snapshot");
        if (vm.flag("is_a_template") && !snapshot) {
            boolean destroyed = operation.equals("destroy") && !isDefaultTemplate(vm);
            if (!OF_TEMPLATES.contains(operation) && !destroyed) {
                return new XapiError("VM_IS_TEMPLATE", ref, operation);
            }
        }
        if (snapshot && !OF_SNAPSHOTS.contains(operation)) {
            return new XapiError("VM_IS_SNAPSHOT", ref, operation);
        }
        if (operation.equals("provision") && !vm.flag("is_a_template")) {
            return new XapiError("ONLY_PROVISION_TEMPLATE");
        }
        if (operation.equals("revert") && !snapshot) {
            return new XapiError("ONLY_REVERT_SNAPSHOT");
        }
        if (vm.flag("is_control_domain") && !OF_CONTROL_DOMAINS.contains(operation)) {
            return new XapiError("OPERATION_NOT_ALLOWED", "Operations on domain 0 are not allowed");
        }
        if (NEED_AGENT.contains(operation) && !agent) {
            return new XapiError("VM_MISSING_PV_DRIVERS", ref);
        }
        if (operation.equals("snapshot_with_quiesce")) {
            return new XapiError("VM_SNAPSHOT_WITH_QUIESCE_NOT_SUPPORTED", ref);
        }
        return null;
    }

    private static boolean isDefaultTemplate(Row vm) {
        return "true".equals(vm.map("other_config").get("default_template"));
    }

    /** Whether an operation may begin while others run. */
    static boolean isConcurrent(String operation, Collection<String> running) {
        return switch (operation) {
            case "hard_shutdown" -> !running.contains("hard_shutdown");
            case "hard_reboot" ->
                    !running.contains("hard_shutdown") && !running.contains("hard_reboot");
            case "clean_shutdown", "clean_reboot" ->
                    running.size() == 1 && running.contains("migrate_send");
            default ->
                    (COPIES.contains(operation) && COPIES.containsAll(running))
                            || (SNAPSHOTS.contains(operation) && SNAPSHOTS.containsAll(running));
        };
    }

    /** The field {@code allowed_operations}. */
    static List<String> allowed(Row vm, boolean agent) {
        List<String> allowed = new ArrayList<>();
        for (String each : ADVERTISED) {
            if (check(vm, agent, each) == null) {
                allowed.addFirst(each);
            }
        }
        return allowed;
    }
}
