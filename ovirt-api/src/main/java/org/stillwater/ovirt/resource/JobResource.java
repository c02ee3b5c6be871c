package org.stillwater.ovirt.resource;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Job;
import org.stillwater.ovirt.model.Step;
import org.stillwater.ovirt.query.Fields;

/** Operations of commands as jobs, each with one step (chapter 3.10). */
final class JobResource extends Resource<Resource.Root, Operation> {

    private final Supplier<FleetFields> fields;

    JobResource(Supplier<FleetFields> fields) {
        super(Kind.JOB);
        this.fields = fields;
    }

    @Override
    List<Operation> list(Scope scope, Root parent) {
        return scope.fleet().operations().reversed().stream()
                .filter(operation -> isSeen(scope, operation))
                .toList();
    }

    static boolean isSeen(Scope scope, Operation operation) {
        if (scope.readsAll()) {
            return true;
        }
        VmId vmId = operation.vm();
        HostId hostId = operation.host();
        VmView vm = vmId == null ? null : scope.fleet().vm(vmId);
        HostView host = hostId == null ? null : scope.fleet().host(hostId);
        return vmId == null ? host != null && scope.sees(host) : vm != null && scope.sees(vm);
    }

    @Override
    @Nullable Operation find(Scope scope, Root parent, String id) {
        UUID uuid = Uuids.parse(id);
        Operation operation = uuid == null ? null : scope.fleet().operation(uuid);
        return operation == null || !isSeen(scope, operation) ? null : operation;
    }

    @Override
    String id(Operation item) {
        return item.id().toString();
    }

    @Override
    boolean isLive() {
        return true;
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<Operation> fields(Scope scope) {
        return fields.get().jobs(scope);
    }

    static String status(OperationState state) {
        return switch (state) {
            case QUEUED, RUNNING -> "started";
            case SUCCEEDED -> "finished";
            case FAILED -> "failed";
            case CANCELLED -> "aborted";
        };
    }

    static String description(Scope scope, Operation operation) {
        VmId vmId = operation.vm();
        VmView vm = vmId == null ? null : scope.fleet().vm(vmId);
        String subject =
                vmId != null
                        ? "VM " + (vm == null ? vmId.toString() : vm.definition().name())
                        : "host "
                                + Objects.requireNonNullElse(
                                        HostResource.name(scope, operation.host()),
                                        String.valueOf(operation.host()));
        return switch (operation.kind()) {
            case RUN -> "Starting " + subject;
            case SHUTDOWN -> "Shutting down " + subject;
            case POWER_OFF -> "Stopping " + subject;
            case REBOOT -> "Rebooting " + subject;
            case RESET -> "Resetting " + subject;
            case PAUSE -> "Pausing " + subject;
            case RESUME -> "Resuming " + subject;
            case SUSPEND -> "Suspending " + subject;
            case MIGRATE -> "Migrating " + subject;
            case CANCEL_MIGRATION -> "Cancelling the migration of " + subject;
            case CONSOLE_TICKET -> "Opening the console of " + subject;
            case CHANGE_CD -> "Changing the CD of " + subject;
            case PLUG_DEVICE -> "Plugging a device into " + subject;
            case UNPLUG_DEVICE -> "Unplugging a device of " + subject;
            case ADD_VM -> "Adding " + subject;
            case UPDATE_VM -> "Changing " + subject;
            case REMOVE_VM -> "Removing " + subject;
            case DRAIN -> "Moving VMs away from " + subject;
            case EVACUATE -> "Evacuating " + subject;
            case FENCE -> "Fencing " + subject;
        };
    }

    @Override
    Job tell(Scope scope, At<Root, Operation> at) {
        Operation operation = at.item();
        Instant end = operation.endedAt();
        Instant started = operation.startedAt();
        return new Job(
                operation.id().toString(),
                at.href(),
                scope.actions(Kind.JOB, at.href()),
                description(scope, operation),
                scope.links(this, at),
                true,
                end,
                false,
                end != null ? end : started != null ? started : operation.createdAt(),
                operation.createdAt(),
                status(operation.state()),
                scope.reference(Kind.USER, Users.id(operation.origin().requestedBy())),
                scope.inlined(this, at));
    }

    /** The one step of a job. */
    static final class Steps extends Resource<Operation, Operation> {
        Steps() {
            super(Kind.STEP);
        }

        @Override
        List<Operation> list(Scope scope, Operation parent) {
            return List.of(parent);
        }

        @Override
        String id(Operation item) {
            return Uuids.of("step", item.id().toString());
        }

        @Override
        boolean isLive() {
            return true;
        }

        @Override
        Step tell(Scope scope, At<Operation, Operation> at) {
            Operation operation = at.item();
            Instant started = operation.startedAt();
            HostId target = operation.target();
            return new Step(
                    id(operation),
                    at.href(),
                    operation.step(),
                    scope.links(this, at),
                    operation.endedAt(),
                    false,
                    1,
                    operation.isEnded() ? null : (Integer) operation.progress(),
                    started == null ? operation.createdAt() : started,
                    status(operation.state()),
                    "executing",
                    target == null || scope.filtered()
                            ? null
                            : scope.reference(Kind.HOST, target.toString()),
                    scope.reference(Kind.JOB, operation.id().toString()),
                    scope.inlined(this, at));
        }
    }
}
