package org.stillwater.ovirt.action;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.ovirt.model.Action;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Fault;
import org.stillwater.ovirt.model.Link;
import org.stillwater.ovirt.model.Reference;

/**
 * Operations of the command layer in the form of the API: submitted, waited for, and answered as
 * actions. One per engine; thread-safe.
 */
final class Operations implements AutoCloseable {

    private final CommandEngine commands;
    private final ActionLimits limits;
    private final Map<UUID, Waiter> waiters = new ConcurrentHashMap<>();

    private record Waiter(Predicate<Operation> enough, CompletableFuture<Operation> done) {}

    Operations(CommandEngine commands, ActionLimits limits) {
        this.commands = commands;
        this.limits = limits;
        commands.follow(this::told);
    }

    CommandEngine commands() {
        return commands;
    }

    ActionLimits limits() {
        return limits;
    }

    /** A VM's definition as the database has it. */
    Definition stored(VmId vm) {
        Definition found;
        try {
            found = commands.definitions().load(List.of(vm)).get(vm);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
        if (found == null) {
            throw Refused.notFound("VM", vm.toString());
        }
        String problem = found.problem();
        if (problem != null) {
            throw Refused.conflict("This is not possible: " + problem + ".");
        }
        return found;
    }

    private void told(Operation operation) {
        Waiter waiter = waiters.get(operation.id());
        if (waiter != null && waiter.enough().test(operation)) {
            waiter.done().complete(operation);
        }
    }

    @Override
    public void close() {
        waiters.values().forEach(waiter -> waiter.done().cancel(false));
    }

    /**
     * Asks for something to be done with a VM.
     *
     * @param verb action that a refusal names: {@code run}, {@code stop}
     */
    Operation begin(OperationRequest wanted, Operation.Origin origin, String verb) {
        return accepted(commands.submit(List.of(wanted), origin).getFirst(), wanted.vm(), verb);
    }

    /** The operation that was accepted; a refusal becomes a fault. */
    Operation accepted(CompletableFuture<Answer> answer, @Nullable VmId vm, String verb) {
        return switch (durable(answer)) {
            case Answer.Accepted(Operation operation) -> operation;
            case Answer.Refused refused -> throw refusal(refused, vm, verb);
        };
    }

    private Answer durable(CompletableFuture<Answer> answer) {
        try {
            return answer.get(limits.durable().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw Refused.unavailable(
                    "The database has not answered for %d s, so the outcome is unknown; poll the jobs."
                            .formatted(limits.durable().toSeconds()));
        } catch (CancellationException | ExecutionException _) {
            throw stopping();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the server is stopping
            throw stopping();
        }
    }

    private static Refused stopping() {
        return Refused.unavailable("The engine is stopping.");
    }

    private Refused refusal(Answer.Refused refused, @Nullable VmId vm, String verb) {
        String reason = refused.reason();
        return switch (refused.why()) {
            case UNKNOWN -> Refused.notFound("VM", vm == null ? "" : vm.toString());
            case INVALID -> Refused.invalid(sentence(reason));
            case TOO_MUCH -> Refused.tooMuch(sentence(reason));
            case UNAVAILABLE -> Refused.unavailable(sentence(reason));
            case CONFLICT ->
                    Refused.conflict(
                            "Cannot %s: %s%s"
                                    .formatted(
                                            verb,
                                            sentence(reason),
                                            isBusy(vm)
                                                    ? " Related operation is currently in progress."
                                                    : ""));
        };
    }

    private boolean isBusy(@Nullable VmId vm) {
        return vm != null
                && !commands.operations(each -> !each.isEnded() && vm.equals(each.vm())).isEmpty();
    }

    static String sentence(String clause) {
        String text = clause.strip();
        return text.isEmpty() || text.endsWith(".") || text.endsWith("…") ? text : text + ".";
    }

    /** The operation once its host has taken the order, or as it is when patience is over. */
    Operation ordered(Operation operation) {
        return awaited(
                operation,
                each -> each.isEnded() || commands.isOrdered(each.id()),
                limits.ordered());
    }

    /** The operation once it has ended, or as it is when patience is over. */
    Operation ended(Operation operation) {
        return awaited(operation, Operation::isEnded, limits.ended());
    }

    /**
     * Refuses, unless an operation has ended well.
     *
     * @param verb action that failed
     */
    void requireDone(Operation ended, String verb) {
        if (!ended.isEnded()) {
            throw Refused.unavailable(
                    "The outcome of the request to %s is unknown: poll the job %s."
                            .formatted(verb, ended.id()));
        }
        if (ended.state() != OperationState.SUCCEEDED) {
            throw Refused.conflict("Cannot %s: %s".formatted(verb, sentence(why(ended))));
        }
    }

    private Operation awaited(Operation operation, Predicate<Operation> enough, Duration patience) {
        UUID id = operation.id();
        Waiter waiter = new Waiter(enough, new CompletableFuture<>());
        waiters.put(id, waiter);
        try {
            Operation now = commands.operation(id);
            if (now != null && enough.test(now)) {
                return now;
            }
            return waiter.done().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            Operation now = commands.operation(id);
            return now == null ? operation : now;
        } catch (CancellationException | ExecutionException _) {
            throw stopping();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the server is stopping
            throw stopping();
        } finally {
            waiters.remove(id, waiter);
        }
    }

    /**
     * Answers an action after its operation was accepted, as early or late as the caller wants.
     *
     * @param path the path of the action
     * @param subject object of the action
     */
    Outcome answer(Change change, Operation accepted, String path, Subject subject, String verb) {
        Boolean async = change.async();
        if (change.flag("async")) {
            return later(change, accepted, path, subject, "in_progress");
        }
        if (Boolean.TRUE.equals(async)) {
            return later(change, accepted, path, subject, "pending");
        }
        boolean ofVm = accepted.vm() != null;
        Operation now =
                Boolean.FALSE.equals(async) ? ended(accepted) : ofVm ? ordered(accepted) : accepted;
        if (now.isEnded() && now.state() != OperationState.SUCCEEDED) {
            throw Refused.conflict("Cannot %s: %s".formatted(verb, sentence(why(now))));
        }
        if (Boolean.FALSE.equals(async) && !now.isEnded()) {
            return later(change, now, path, subject, "in_progress");
        }
        return Outcome.of(
                200,
                "action",
                action(change, null, List.of(), null, null, now.id(), "complete", subject));
    }

    private Outcome later(
            Change change, Operation operation, String path, Subject subject, String status) {
        return Outcome.of(202, "action", task(change, operation, path, subject, status, null));
    }

    /** Status of an action that was answered before its end. */
    Outcome status(Change change, String path, String id, Subject subject) {
        Operation operation = find(id);
        if (operation == null || !subject.isOf(operation)) {
            throw Refused.notFound("Action", id);
        }
        String status =
                switch (operation.state()) {
                    case QUEUED -> "pending";
                    case RUNNING -> "in_progress";
                    case SUCCEEDED -> "complete";
                    case FAILED, CANCELLED -> "failed";
                };
        Fault fault =
                status.equals("failed")
                        ? new Fault("[" + sentence(why(operation)) + "]", "Operation Failed")
                        : null;
        return Outcome.of(200, "action", task(change, operation, path, subject, status, fault));
    }

    @Nullable Operation find(String id) {
        try {
            return commands.findOperation(UUID.fromString(id));
        } catch (IllegalArgumentException _) {
            return null;
        } catch (StoreUnavailable e) {
            throw Refused.unavailable(
                    "The operation is not in memory, and the database does not answer: "
                            + e.getMessage());
        }
    }

    static String why(Operation operation) {
        OperationFailure failure = operation.failure();
        return failure == null ? operation.step() : failure.reason();
    }

    /**
     * Object of an action.
     *
     * @param vm the VM, null for none
     * @param host the host, null for none
     * @param path the path of it
     */
    record Subject(@Nullable String vm, @Nullable String host, String path) {

        static Subject vm(VmId id) {
            return new Subject(id.toString(), null, "vms/" + id);
        }

        static Subject host(String id) {
            return new Subject(null, id, "hosts/" + id);
        }

        boolean isOf(Operation operation) {
            Object about = operation.vm() == null ? operation.host() : operation.vm();
            String id = vm == null ? host : vm;
            return about != null && about.toString().equals(id);
        }
    }

    private static Action task(
            Change change,
            Operation operation,
            String path,
            Subject subject,
            String status,
            @Nullable Fault fault) {
        return action(
                change,
                path + "/" + operation.id(),
                List.of(
                        new Link(change.href(subject.path()), "parent"),
                        new Link(change.href(path), "replay")),
                true,
                fault,
                operation.id(),
                status,
                subject);
    }

    private static Action action(
            Change change,
            @Nullable String path,
            List<Link> links,
            @Nullable Boolean async,
            @Nullable Fault fault,
            UUID job,
            String status,
            Subject subject) {
        return new Action(
                path == null ? null : job.toString(),
                path == null ? null : change.href(path),
                links,
                async,
                fault,
                reference(change, "hosts", subject.host()),
                reference(change, "jobs", job.toString()),
                null,
                status,
                null,
                reference(change, "vms", subject.vm()));
    }

    static @Nullable Entity reference(Change change, String collection, @Nullable String id) {
        return id == null ? null : new Reference(id, change.href(collection + "/" + id));
    }

    /** A removed object. */
    static Outcome removed(Change change, @Nullable String job) {
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
                        reference(change, "jobs", job),
                        null,
                        "complete",
                        null,
                        null));
    }

    /** An action that is done, and for which no operation was needed. */
    static Outcome done(Change change, Subject subject, Action.@Nullable PowerManagement power) {
        return Outcome.of(
                200,
                "action",
                new Action(
                        null,
                        null,
                        List.of(),
                        null,
                        null,
                        reference(change, "hosts", subject.host()),
                        null,
                        power,
                        "complete",
                        null,
                        reference(change, "vms", subject.vm())));
    }
}
