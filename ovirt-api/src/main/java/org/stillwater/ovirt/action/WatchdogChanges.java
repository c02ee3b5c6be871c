package org.stillwater.ovirt.action;

import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;

/** The watchdog of a VM: {@code /vms/{id}/watchdogs}. It takes effect with the next start. */
final class WatchdogChanges {

    /** The elements of a watchdog. */
    static final BodyRules RULES =
            BodyRules.of("watchdog", "watchdog", "edit watchdog")
                    .kept(List.of("action"))
                    .fixed("model", "i6300esb", "a watchdog is an i6300esb")
                    .unsupported(
                            List.of("name", "description", "comment"),
                            "the engine does not store this member of a watchdog")
                    .ignored(List.of("id", "vm"), "the path names it")
                    .ignored(List.of("template", "instance_type", "vms"), "not of a VM's watchdog")
                    .table();

    private static final String ADD = "add watchdog";
    private static final String EDIT = "edit watchdog";
    private static final String REMOVE = "remove watchdog";

    /** A VM has one watchdog at most. */
    private static final String ONLY = new UUID(0, 0).toString();

    private final Access access;
    private final DefinitionEdits edits;

    WatchdogChanges(Access access, DefinitionEdits edits) {
        this.access = access;
        this.edits = edits;
    }

    Outcome add(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change.body(), ADD);
        VmWatchdog.Action action = action(body);
        if (action == null || body.text("model") == null) {
            throw Refused.incomplete("Watchdog [action, model] is required for add.");
        }
        edit(
                change,
                vm,
                ADD,
                specification -> {
                    if (specification.watchdog() != null) {
                        throw Refused.conflict("Cannot add watchdog: the VM has one.");
                    }
                    return specification.withWatchdog(new VmWatchdog(action));
                });
        return Outcome.showing(201, path(vm));
    }

    Outcome update(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change, EDIT);
        VmWatchdog.Action action = action(body);
        edit(
                change,
                vm,
                EDIT,
                specification -> {
                    VmWatchdog present = present(specification, change.at(3));
                    return action == null
                            ? specification.withWatchdog(present)
                            : specification.withWatchdog(new VmWatchdog(action));
                });
        return Outcome.showing(200, path(vm));
    }

    Outcome remove(Change change) {
        VmView vm = access.vm(change, change.at(1));
        edit(
                change,
                vm,
                REMOVE,
                specification -> {
                    VmWatchdog _ = present(specification, change.at(3));
                    return specification.withWatchdog(null);
                });
        return Operations.removed(change, null);
    }

    private static VmWatchdog present(VmSpecification specification, String id) {
        VmWatchdog watchdog = specification.watchdog();
        if (watchdog == null || !id.equals(ONLY)) {
            throw Refused.notFound("Watchdog", id);
        }
        return watchdog;
    }

    private void edit(Change change, VmView vm, String verb, UnaryOperator<VmSpecification> edit) {
        Definition _ =
                edits.edit(
                        change,
                        vm,
                        verb,
                        before ->
                                DefinitionEdits.with(
                                        before, edit.apply(DefinitionEdits.of(before))));
    }

    private static String path(VmView vm) {
        return "vms/" + vm.id() + "/watchdogs/" + ONLY;
    }

    private static VmWatchdog.@Nullable Action action(Body body) {
        String action = body.text("action");
        return switch (action) {
            case null -> null;
            case "none" -> VmWatchdog.Action.NONE;
            case "reset" -> VmWatchdog.Action.RESET;
            case "poweroff" -> VmWatchdog.Action.POWER_OFF;
            case "pause" -> VmWatchdog.Action.PAUSE;
            case "dump" -> VmWatchdog.Action.DUMP;
            default ->
                    throw Refused.invalid(
                            "action is none, reset, poweroff, pause or dump, not "
                                    + Refused.shortened(action));
        };
    }
}
