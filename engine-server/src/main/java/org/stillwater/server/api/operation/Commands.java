package org.stillwater.server.api.operation;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import org.stillwater.server.settings.RestSettings;

/**
 * Between the interface and the command layer: wishes one way, operations the other. Thread-safe.
 */
@IfCommandsAreEnabled
@Component
public final class Commands {

    private final CommandEngine commands;
    private final FleetReader fleet;
    private final Duration patience;
    private final CallerScope scope;

    Commands(CommandEngine commands, FleetReader fleet, RestSettings settings, CallerScope scope) {
        this.commands = commands;
        this.fleet = fleet;
        this.scope = scope;
        this.patience = settings.orderPatience();
    }

    public CommandEngine engine() {
        return commands;
    }

    /** Origin of the operations of this thread's request. */
    public static Operation.Origin origin(String correlation) {
        return new Operation.Origin(Callers.name(), correlation);
    }

    /** The VM of a path. */
    public VmView known(String id) {
        VmView vm = fleet.vm(Ids.vm(id));
        if (vm == null) {
            throw ApiException.notFound("There is no VM " + Ids.shortened(id) + ".");
        }
        return vm;
    }

    /**
     * A host that a caller with sight of it named by id or name in a member of a body; null if it
     * is left out.
     */
    @Nullable HostId host(JsonObjectReader body) {
        String text = body.text("host");
        if (text == null) {
            return null;
        }
        HostView named = fleet.hostNamed(text.strip());
        if (named == null && Ids.isId(text.strip())) {
            named = fleet.host(Ids.host(text.strip()));
        }
        if (named == null
                || !scope.has(Role.READER, named.state().definition().id(), scope.caller())) {
            throw ApiException.badRequest(
                    "There is no host with the name or id \"" + Ids.shortened(text) + "\".");
        }
        return named.state().definition().id();
    }

    /** 202 with the operation once it is durable. */
    public ResponseEntity<OperationJsonModule.OperationView> submit(
            VmId vm, OperationKind kind, OperationParameters parameters, String correlation) {
        OperationRequest wanted = new OperationRequest(vm, kind, parameters);
        return accepted(await(commands.submit(List.of(wanted), origin(correlation)).getFirst()));
    }

    public ResponseEntity<OperationJsonModule.OperationView> accepted(Operation operation) {
        return ResponseEntity.accepted().location(location(operation)).body(view(operation));
    }

    public static URI location(Operation operation) {
        return URI.create("/api/v1/operations/" + operation.id());
    }

    /** The operation that was accepted; a refusal becomes a problem. */
    public Operation await(CompletableFuture<Answer> answer) {
        return switch (awaitAll(List.of(answer), "vm=").getFirst()) {
            case Answer.Accepted(Operation operation) -> operation;
            case Answer.Refused refused -> throw problem(refused);
        };
    }

    /**
     * Outcome of each request, in order.
     *
     * @param query finds their operations, if the outcome is not known in time
     */
    List<Answer> awaitAll(List<CompletableFuture<Answer>> answers, String query) {
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .get(patience.toNanos(), TimeUnit.NANOSECONDS);
            List<Answer> all = new ArrayList<>(answers.size());
            answers.forEach(answer -> all.add(answer.join()));
            return all;
        } catch (TimeoutException e) {
            throw ApiException.unavailable(
                    "The database has not answered for %d s, so the outcome is not known yet; poll GET /api/v1/operations?%s."
                            .formatted(patience.toSeconds(), query));
        } catch (CancellationException | ExecutionException e) {
            throw ApiException.unavailable("The engine is stopping.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the server is stopping
            throw ApiException.unavailable("The engine is stopping.");
        }
    }

    /** The answer for a refusal. */
    static ApiException problem(Answer.Refused refused) {
        String reason = sentence(refused.reason());
        return switch (refused.why()) {
            case UNKNOWN -> ApiException.notFound(reason);
            case CONFLICT -> ApiException.conflict(reason);
            case INVALID -> ApiException.badRequest(reason);
            case TOO_MUCH -> ApiException.tooMany(reason);
            case UNAVAILABLE -> ApiException.unavailable(reason);
        };
    }

    static String sentence(String clause) {
        String text = clause.strip();
        if (text.isEmpty()) {
            return text;
        }
        String begun = Character.toUpperCase(text.charAt(0)) + text.substring(1);
        return begun.endsWith(".") || begun.endsWith("…") ? begun : begun + ".";
    }

    /** The operation of this id, from the database if need be. */
    Operation operation(UUID id) {
        Operation found;
        try {
            found = commands.findOperation(id);
        } catch (StoreUnavailable e) {
            throw unread("The operation", e);
        }
        if (found == null) {
            throw ApiException.notFound("There is no operation " + id + ".");
        }
        return found;
    }

    static ApiException unread(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                what + " is not in memory, and the database does not answer: " + e.getMessage());
    }

    public OperationJsonModule.OperationView view(Operation operation) {
        VmId vmId = operation.vm();
        VmView vm = vmId == null ? null : fleet.vm(vmId);
        return new OperationJsonModule.OperationView(
                operation,
                vm == null ? null : vm.definition().name(),
                hostName(operation.host()),
                hostName(operation.target()));
    }

    private @Nullable String hostName(@Nullable HostId id) {
        HostView host = id == null ? null : fleet.host(id);
        return host == null ? null : host.state().definition().name();
    }
}
