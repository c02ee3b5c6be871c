package org.stillwater.command.host;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationAudit;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.vm.VmView;

/**
 * Begins and ends operations on hosts, the same way for every kind. Used by the deciding thread
 * only.
 */
final class HostOperationLifecycle {

    /** The requester of operations that the engine starts by itself. */
    static final String ENGINE = "engine";

    private final CommandEngine engine;
    private final CommandContext context;
    private final Consumer<HostWork> reopen;
    private final Map<UUID, HostWork> beginning = new HashMap<>();

    /**
     * A life cycle for the operations of one engine.
     *
     * @param reopen takes back work for which no operation can begin now
     */
    HostOperationLifecycle(CommandEngine engine, Consumer<HostWork> reopen) {
        this.engine = engine;
        this.context = engine.context();
        this.reopen = reopen;
    }

    CommandEngine engine() {
        return engine;
    }

    CommandContext context() {
        return context;
    }

    @Nullable HostState host(HostId id) {
        return context.vmAccess().host(id);
    }

    /** Whether the trouble from which work follows is not over. */
    boolean isPresent(HostWork work) {
        HostState host = host(work.host());
        return host != null && host.condition().episode() == work.episode();
    }

    String nameOf(VmId vm) {
        VmView view = context.fleet().vm(vm);
        return view == null ? vm.toString() : view.definition().name();
    }

    /** Begins the operation for this work, now or as soon as no operation conflicts. */
    void begin(HostWork work, OperationKind kind, OperationParameters parameters) {
        begin(work, kind, parameters, true);
    }

    /** Begins another operation for work that one took over which failed. */
    void beginAgain(HostWork work, OperationKind kind, OperationParameters parameters) {
        begin(work, kind, parameters, false);
    }

    private void begin(
            HostWork work, OperationKind kind, OperationParameters parameters, boolean takes) {
        Operation operation =
                Operation.on(
                        work.host(),
                        context.ids().get(),
                        kind,
                        parameters,
                        new Operation.Origin(ENGINE, work.why()),
                        work.episode(),
                        context.clock().now());
        if (context.registry().add(operation) != null) {
            later(work);
            return;
        }
        beginning.put(operation.id(), work);
        engine.begin(new Begun(operation, null, takes ? work : null), new CompletableFuture<>());
    }

    /** The operation is durable; the work that it does, null if it was requested. */
    @Nullable HostWork begun(Operation operation) {
        audit(AuditEvent.HOST_OPERATION_BEGUN, operation, operation.origin().correlation());
        return beginning.remove(operation.id());
    }

    /** The operation will not be; whether it may be tried again. */
    void notBegun(Operation operation, boolean again) {
        HostWork work = beginning.remove(operation.id());
        if (work != null && again) {
            later(work);
        }
    }

    private void later(HostWork work) {
        context.after(
                context.settings().longestRetry(),
                () -> {
                    if (isPresent(work)) {
                        reopen.accept(work);
                    }
                });
    }

    void succeed(Operation operation, String result) {
        audit(AuditEvent.HOST_OPERATION_DONE, operation, result);
        context.ended(
                operation.ended(OperationState.SUCCEEDED, result, null, context.clock().now()));
    }

    void cancel(Operation operation, String result) {
        audit(AuditEvent.HOST_OPERATION_DONE, operation, result);
        context.ended(
                operation.ended(OperationState.CANCELLED, result, null, context.clock().now()));
    }

    void fail(Operation operation, OperationFailure.Code code, String reason) {
        audit(AuditEvent.HOST_OPERATION_FAILED, operation, reason);
        context.ended(
                operation.ended(
                        OperationState.FAILED,
                        "failed",
                        new OperationFailure(code, reason),
                        context.clock().now()));
    }

    private void audit(AuditEvent event, Operation operation, String reason) {
        context.vmAccess()
                .audit(
                        event,
                        null,
                        Objects.requireNonNull(operation.host()),
                        OperationAudit.details(
                                operation,
                                Map.of("operation", operation.kind().label(), "reason", reason)));
    }
}
