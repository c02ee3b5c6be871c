package org.stillwater.ovirt.action;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.ConsolePassword;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.access.Role;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.action.Operations.Subject;
import org.stillwater.ovirt.model.Action;

/** Actions on VMs: {@code POST /vms/{id}/{action}}. */
final class VmActions {

    private static final int LONGEST_REASON = 1_000;
    private static final int USUAL_TICKET_SECONDS = 120;
    private static final int MOST_SECONDS = 86_400;
    private static final int LONGEST_USER = 255;

    private final Access access;
    private final Operations operations;
    private final PoolKeeper pools;
    private final DefinitionServices services;
    private final VmDefinitions definitions;

    VmActions(Access access, Operations operations, PoolKeeper pools, DefinitionServices services) {
        this.access = access;
        this.operations = operations;
        this.pools = pools;
        this.services = services;
        this.definitions = new VmDefinitions(services);
    }

    /** Whether there is such an action. */
    static boolean isAction(String name) {
        return WritableBodies.action("vms", name) != null;
    }

    Outcome act(Change change, String id, String action) {
        VmView vm = access.vm(change, id);
        return switch (action) {
            case "start" -> start(change, vm);
            case "stop" ->
                    done(
                            change,
                            vm,
                            action,
                            new OperationRequest(
                                    vm.id(), OperationKind.POWER_OFF, shutdown(change.body())),
                            "stop VM");
            case "shutdown" ->
                    done(
                            change,
                            vm,
                            action,
                            new OperationRequest(
                                    vm.id(), OperationKind.SHUTDOWN, shutdown(change.body())),
                            "shut down VM");
            case "suspend" -> simple(change, vm, action, OperationKind.SUSPEND, "suspend VM");
            case "reboot" -> reboot(change, vm);
            case "reset" -> simple(change, vm, action, OperationKind.RESET, "reset VM");
            case "migrate" -> migrate(change, vm);
            case "cancelmigration" ->
                    simple(
                            change,
                            vm,
                            action,
                            OperationKind.CANCEL_MIGRATION,
                            "cancel the migration of VM");
            case "detach" -> detach(change, vm);
            case "ticket" -> ticket(change, vm, null);
            default -> throw Refused.noPath();
        };
    }

    private Outcome simple(
            Change change, VmView vm, String action, OperationKind kind, String verb) {
        return done(
                change,
                vm,
                action,
                new OperationRequest(vm.id(), kind, OperationParameters.NONE),
                verb);
    }

    private Outcome done(
            Change change, VmView vm, String action, OperationRequest wanted, String verb) {
        Operation accepted = operations.begin(wanted, change.origin(), verb);
        return operations.answer(
                change, accepted, "vms/" + vm.id() + "/" + action, Subject.vm(vm.id()), verb);
    }

    // ----------------------------------------------------------------------------------- starts

    /** A suspended or paused VM continues as it was; another one may differ for one run. */
    private Outcome start(Change change, VmView vm) {
        Body body = change.body();
        VmStatus status = vm.state().runtime().status();
        boolean goesOn = status == VmStatus.SUSPENDED || status == VmStatus.PAUSED;
        Definition once = definitions.once(body.object("vm"), () -> operations.stored(vm.id()));
        if (once != null) {
            Access.refuseReach(change, operations.stored(vm.id()), once, "run VM");
        }
        HostId named = access.named(change, "vm", "placement_policy", "hosts", "host");
        boolean paused = Boolean.TRUE.equals(body.flag("pause"));
        if (goesOn && (once != null || named != null || paused)) {
            throw Refused.conflict(
                    "Cannot run VM: it is %s and goes on as it was; stop it to run it otherwise."
                            .formatted(status.label()));
        }
        OperationRequest wanted =
                goesOn
                        ? new OperationRequest(
                                vm.id(), OperationKind.RESUME, OperationParameters.NONE)
                        : new OperationRequest(
                                vm.id(),
                                OperationKind.RUN,
                                new OperationParameters.Run(
                                        named,
                                        paused,
                                        OperationParameters.Cause.REQUEST,
                                        once == null ? null : services.text(once)));
        if (status == VmStatus.IMAGE_LOCKED) {
            throw Refused.conflict("Cannot run VM. VM is locked. Disk is locked.");
        }
        return done(change, vm, "start", wanted, "run VM");
    }

    private static OperationParameters.Shutdown shutdown(Body body) {
        String reason = body.text("reason");
        long seconds = Math.ceilDiv(grace(body), 1_000L);
        if (seconds > MOST_SECONDS) {
            throw Refused.invalid("grace_period/expiry is at most a day, in ms");
        }
        return new OperationParameters.Shutdown(
                reason == null ? "" : cut(reason, LONGEST_REASON), (int) seconds);
    }

    /** How long the caller wants an action to wait, in ms. */
    private static long grace(Body body) {
        Long grace = body.number("grace_period", "expiry");
        if (grace != null && grace < 0) {
            throw Refused.invalid("grace_period/expiry is not negative, in ms");
        }
        return grace == null ? 0 : grace;
    }

    private static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest);
    }

    /** A reboot that is forced does not ask the guest. */
    private Outcome reboot(Change change, VmView vm) {
        boolean forced = Boolean.TRUE.equals(change.body().flag("force"));
        OperationRequest wanted =
                forced
                        ? new OperationRequest(
                                vm.id(), OperationKind.RESET, OperationParameters.NONE)
                        : new OperationRequest(
                                vm.id(),
                                OperationKind.REBOOT,
                                new OperationParameters.Reboot(false));
        return done(change, vm, "reboot", wanted, "reboot VM");
    }

    private Outcome migrate(Change change, VmView vm) {
        ClusterId cluster = access.cluster(change, vm.definition().cluster());
        if (cluster != null && !cluster.equals(vm.definition().cluster())) {
            throw Refused.conflict(
                    "Cannot migrate VM: the engine does not migrate VMs into another cluster.");
        }
        return done(
                change,
                vm,
                "migrate",
                new OperationRequest(
                        vm.id(),
                        OperationKind.MIGRATE,
                        new OperationParameters.Migrate(access.named(change, "host"), "")),
                "migrate VM");
    }

    // ------------------------------------------------------------------------- pools, consoles

    private Outcome detach(Change change, VmView vm) {
        VmPool pool = pools.poolOf(vm.id());
        if (pool == null) {
            throw Refused.conflict("Cannot detach VM from pool: it belongs to none.");
        }
        if (!change.caller().has(Role.ADMINISTRATOR, pool.cluster())) {
            throw Refused.forbidden(); // the pool is not the operators' of its VMs
        }
        try {
            pools.removeMembers(pool.id(), List.of(vm.id()));
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
        return Operations.done(change, Subject.vm(vm.id()), null);
    }

    static Refused unavailable(StoreUnavailable e) {
        return Refused.unavailable(
                "The state is unchanged, because the database does not answer: " + e.getMessage());
    }

    /**
     * The ticket is good once its operation has ended, so that is waited for.
     *
     * @param console protocol of the console that it is for; null for the VM's first one
     */
    Outcome ticket(Change change, VmView vm, VmConsole.@Nullable Protocol console) {
        String given = change.body().raw("ticket", "value");
        Long expiry = change.body().number("ticket", "expiry");
        long seconds = expiry == null ? USUAL_TICKET_SECONDS : expiry;
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw Refused.invalid("ticket/expiry is 1 to %d s".formatted(MOST_SECONDS));
        }
        String password = given == null || given.isEmpty() ? ConsolePassword.made() : given;
        if (!ConsolePassword.isFine(password)) {
            throw Refused.invalid("ticket/value " + ConsolePassword.RULE);
        }
        OperationRequest wanted =
                new OperationRequest(
                        vm.id(),
                        OperationKind.CONSOLE_TICKET,
                        new OperationParameters.Console(
                                cut(change.caller().name(), LONGEST_USER),
                                null,
                                (int) seconds,
                                console),
                        password);
        Operation ended =
                operations.ended(operations.begin(wanted, change.origin(), "set a ticket of VM"));
        if (ended.isEnded() && ended.state() != OperationState.SUCCEEDED) {
            throw Refused.conflict(
                    "Cannot set a ticket of VM: " + Operations.sentence(Operations.why(ended)));
        }
        UUID job = ended.id();
        return Outcome.of(
                200,
                "action",
                new Action(
                        null,
                        null,
                        List.of(),
                        null,
                        null,
                        null,
                        Operations.reference(change, "jobs", job.toString()),
                        null,
                        "complete",
                        new Action.Ticket(password, seconds),
                        Operations.reference(change, "vms", vm.id().toString())));
    }

    /** Status of an action that was answered before its end. */
    Outcome status(Change change, String id, String action, String task) {
        VmView vm = access.vm(change, id);
        return operations.status(
                change, "vms/" + vm.id() + "/" + action, task, Subject.vm(vm.id()));
    }
}
