package org.stillwater.command.definition;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * Adds, changes and removes definitions: the database first, then the copy in memory. A change that
 * may have been made before the database stopped to answer, or the engine to run, is made again,
 * and counts as made if it finds itself. Used by the deciding thread only.
 */
public final class DefinitionChanges {

    private static final Logger LOG = LoggerFactory.getLogger(DefinitionChanges.class);

    private final CommandContext context;
    private final Definitions definitions;
    private final DefinedLeases leases;
    private final Function<String, Definition> parser;
    private final ThrottledLog warnings;
    private final Set<UUID> mayBeDone = new HashSet<>();
    private final NameReservations reservations;

    /** Receives the leases that definitions request. */
    @FunctionalInterface
    public interface DefinedLeases {

        /** A VM's definition requests a lease on this storage domain, null for none. */
        void defined(VmId vm, @Nullable UUID domain);
    }

    public DefinitionChanges(
            CommandContext context,
            Definitions definitions,
            DefinedLeases leases,
            Function<String, Definition> parser) {
        this.context = context;
        this.definitions = definitions;
        this.leases = leases;
        this.parser = parser;
        this.reservations = new NameReservations(context);
        this.warnings =
                new ThrottledLog(
                        LOG, context.clock(), context.settings().quietPeriod(), "definitions");
    }

    /** These were open when the engine stopped. */
    public void recover(List<Operation> open) {
        for (Operation operation : open) {
            if (operation.parameters() instanceof OperationParameters.Definition
                    || operation.kind() == OperationKind.REMOVE_VM) {
                mayBeDone.add(operation.id());
                String _ = reserve(operation);
                context.post(() -> define(operation));
            }
        }
    }

    /**
     * Takes the name and the hardware addresses that an operation gives to its VM, so that of two
     * that are requested at the same time one is refused. Any thread.
     *
     * @return why it cannot have them; null if it has
     */
    public @Nullable String reserve(Operation operation) {
        Definition definition;
        try {
            if (operation.kind() == OperationKind.REMOVE_VM) {
                return null;
            }
            definition = parsed(operation);
        } catch (IllegalArgumentException e) {
            return null; // the operation reports the error
        }
        return reservations.reserve(operation, definition);
    }

    /**
     * Reason why the database would refuse the values of an operation's definition: memory does not
     * know all rows that others wrote.
     */
    public @Nullable String taken(Operation operation) throws StoreUnavailable {
        if (operation.kind() == OperationKind.REMOVE_VM) {
            return null;
        }
        Definition definition;
        try {
            definition = parsed(operation);
        } catch (IllegalArgumentException e) {
            return null; // the operation reports the error
        }
        return definitions.store().taken(Objects.requireNonNull(operation.vm()), definition);
    }

    /** An operation has ended, or will not begin. Any thread. */
    public void release(Operation operation) {
        reservations.release(operation);
    }

    /** The operation is durable. */
    public void define(Operation operation) {
        VmId vm = Objects.requireNonNull(operation.vm());
        Definition definition = null;
        if (operation.kind() == OperationKind.REMOVE_VM) {
            VmView view = context.fleet().vm(vm);
            VmStatus status = view == null ? VmStatus.DOWN : view.state().runtime().status();
            if (status != VmStatus.DOWN && status != VmStatus.IMAGE_ILLEGAL) {
                fail(
                        operation,
                        Code.ILLEGAL_STATE,
                        "the VM is %s by now: only a VM that is down can be removed"
                                .formatted(status.label()));
                return;
            }
        } else {
            try {
                definition = parsed(operation);
            } catch (IllegalArgumentException e) {
                fail(operation, Code.INVALID, String.valueOf(e.getMessage()));
                return;
            }
        }
        Operation begun = operation.doing("is being recorded", context.clock().now());
        context.goesOn(begun);
        record(begun, vm, definition, context.settings().firstRetry());
    }

    private Definition parsed(Operation operation) {
        if (operation.parameters() instanceof OperationParameters.Definition(String text)) {
            return parser.apply(text);
        }
        throw new IllegalArgumentException("there is no definition");
    }

    private void record(
            Operation operation, VmId vm, @Nullable Definition definition, Duration pause) {
        context.storeExecutor()
                .submit(
                        () -> {
                            boolean done = stored(operation.kind(), vm, definition);
                            context.post(() -> recorded(operation, vm, definition, done));
                        },
                        failure ->
                                context.post(() ->
                                        notRecorded(operation, vm, definition, pause, failure)));
    }

    private void notRecorded(
            Operation operation,
            VmId vm,
            @Nullable Definition definition,
            Duration pause,
            Throwable failure) {
        switch (failure) {
            case StoreUnavailable e -> again(operation, vm, definition, pause, e);
            case DefinitionTaken e ->
                    fail(operation, Code.ILLEGAL_STATE, String.valueOf(e.getMessage()));
            default -> {
                warnings.about("a definition was not recorded", failure.toString());
                fail(operation, Code.INVALID, "the database refuses it: " + failure.getMessage());
            }
        }
    }

    private boolean stored(OperationKind kind, VmId vm, @Nullable Definition definition)
            throws StoreUnavailable {
        if (definition == null) {
            return definitions.store().remove(vm);
        }
        if (kind == OperationKind.ADD_VM) {
            return definitions.store().add(vm, definition);
        }
        boolean updated = definitions.store().update(vm, definition);
        // Known before the new definition is: listeners must not see it as the definition of a
        // running VM.
        definitions.readRun(vm);
        return updated;
    }

    private void again(
            Operation operation,
            VmId vm,
            @Nullable Definition definition,
            Duration pause,
            StoreUnavailable why) {
        warnings.about("a definition was not recorded yet", String.valueOf(why.getMessage()));
        mayBeDone.add(operation.id());
        Duration longest = context.settings().longestRetry();
        Duration next = pause.multipliedBy(2);
        context.after(
                pause,
                () ->
                        record(
                                operation,
                                vm,
                                definition,
                                next.compareTo(longest) < 0 ? next : longest));
    }

    private void recorded(
            Operation operation, VmId vm, @Nullable Definition definition, boolean done) {
        boolean again = mayBeDone.remove(operation.id());
        if (definition == null) {
            if (done || again) {
                boolean _ = context.vmAccess().forget(vm);
                definitions.forget(vm);
                leases.defined(vm, null);
                succeed(operation, "was removed");
            } else {
                fail(operation, Code.GONE, "the VM is not there any more");
            }
        } else if (operation.kind() == OperationKind.ADD_VM) {
            if (!done && !again) {
                fail(operation, Code.ILLEGAL_STATE, "a VM with this identity is there already");
                return;
            }
            if (!context.vmAccess().knows(vm)) {
                context.vmAccess()
                        .added(
                                new StoredVm(
                                        vm,
                                        definition.definition(),
                                        VmRuntime.INITIAL,
                                        VmPlacement.NOWHERE));
            }
            definitions.recorded(vm, definition);
            leases.defined(vm, definition.lease());
            succeed(operation, "was added");
        } else if (done) {
            boolean _ = context.vmAccess().redefine(vm, definition.definition());
            definitions.recorded(vm, definition);
            leases.defined(vm, definition.lease());
            succeed(operation, "was changed; a running VM keeps its definition until its restart");
        } else {
            fail(operation, Code.GONE, "the VM is not there any more");
        }
    }

    private void succeed(Operation operation, String result) {
        context.ended(
                operation.ended(OperationState.SUCCEEDED, result, null, context.clock().now()));
    }

    private void fail(Operation operation, Code code, String reason) {
        mayBeDone.remove(operation.id());
        context.ended(
                operation.ended(
                        OperationState.FAILED,
                        "failed",
                        new OperationFailure(code, reason),
                        context.clock().now()));
    }
}
