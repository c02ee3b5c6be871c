package org.stillwater.ovirt.action;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.host.HostOperations;
import org.stillwater.command.operation.Answer;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.ovirt.action.Operations.Subject;
import org.stillwater.ovirt.model.Action;

/** Actions on hosts: {@code POST /hosts/{id}/{action}}. */
final class HostActions {

    private static final int LONGEST_REASON = 1_000;

    private final Access access;
    private final ActionLimits limits;
    private final @Nullable Operations operations;
    private final @Nullable HostOperations hosts;
    private final HostPower power;

    HostActions(
            Access access,
            ActionLimits limits,
            @Nullable Operations operations,
            @Nullable HostOperations hosts,
            HostPower power) {
        this.access = access;
        this.limits = limits;
        this.operations = operations;
        this.hosts = hosts;
        this.power = power;
    }

    /** Whether there is such an action. */
    static boolean isAction(String name) {
        return WritableBodies.action("hosts", name) != null;
    }

    Outcome act(Change change, String id, String action) {
        HostView host = access.host(change, id);
        HostId known = host.state().definition().id();
        return switch (action) {
            case "activate" -> order(change, known, new HostFact.Activate(), "activate Host");
            case "deactivate" ->
                    order(
                            change,
                            known,
                            new HostFact.Maintain(reason(change.body())),
                            "switch Host to maintenance mode");
            case "refresh" -> refresh(change, known);
            case "fence" -> fence(change, known);
            default -> throw Refused.noPath();
        };
    }

    private static @Nullable String reason(Body body) {
        String reason = body.text("reason");
        return reason == null || reason.length() <= LONGEST_REASON
                ? reason
                : reason.substring(0, LONGEST_REASON);
    }

    private Outcome refresh(Change change, HostId host) {
        if (!access.administration().refresh(host)) {
            throw Refused.notFound("Host", host.toString());
        }
        return Operations.done(change, subject(host), null);
    }

    private static Subject subject(HostId host) {
        return Subject.host(host.toString());
    }

    private Outcome order(Change change, HostId host, HostFact.Order order, String verb) {
        CompletableFuture<OrderAnswer> answer = access.administration().order(host, order);
        if (answer == null) {
            throw Refused.notFound("Host", host.toString());
        }
        try {
            return switch (answer.get(limits.durable().toNanos(), TimeUnit.NANOSECONDS)) {
                case OrderAnswer.Followed _ -> Operations.done(change, subject(host), null);
                case OrderAnswer.Refused refused ->
                        throw Refused.conflict(
                                "Cannot %s: %s"
                                        .formatted(verb, Operations.sentence(refused.why())));
            };
        } catch (TimeoutException _) {
            throw Refused.unavailable(
                    "The host's monitor or the database has not answered for %d s; look at the host's status."
                            .formatted(limits.durable().toSeconds()));
        } catch (CancellationException | ExecutionException _) {
            throw Refused.unavailable(
                    "The watching of the host ended before it followed; look at its status.");
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private static Refused interrupted() {
        Thread.currentThread().interrupt(); // the server is stopping
        return Refused.unavailable("The engine is stopping.");
    }

    private Outcome fence(Change change, HostId host) {
        String type = change.body().text("fence_type");
        if (type == null) {
            throw Refused.incomplete(
                    "Action [fence] requires [fence_type]: one of manual, restart, start, status"
                            + " and stop.");
        }
        try {
            return switch (type) {
                case "status" -> powerStatus(change, host);
                case "start" -> start(change, host);
                case "restart" -> operation(change, host, true);
                case "manual" -> operation(change, host, false);
                case "stop" ->
                        throw Refused.conflict(
                                "Cannot stop Host: the engine switches a host off only to switch it"
                                        + " on again; use restart.");
                default ->
                        throw Refused.invalid(
                                "fence_type is manual, restart, start, status or stop, not "
                                        + Refused.shortened(type));
            };
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private Outcome powerStatus(Change change, HostId host) throws InterruptedException {
        String withheld = power.withheld(host);
        if (withheld != null) {
            throw Refused.conflict("Cannot fence Host: " + Operations.sentence(withheld));
        }
        return Operations.done(
                change, subject(host), new Action.PowerManagement(power.status(host)));
    }

    private Outcome start(Change change, HostId host) throws InterruptedException {
        String failure = power.on(host);
        if (failure != null) {
            throw Refused.conflict("Cannot start Host: " + Operations.sentence(failure));
        }
        return Operations.done(change, subject(host), null);
    }

    private Outcome operation(Change change, HostId host, boolean switched) {
        Operations known = operations;
        HostOperations ordered = hosts;
        if (known == null || ordered == null) {
            throw Refused.conflict("Cannot fence Host: the engine only watches.");
        }
        CompletableFuture<Answer> answer =
                switched
                        ? ordered.fence(host, change.origin())
                        : ordered.confirmRebooted(host, change.origin());
        return known.answer(
                change,
                known.accepted(answer, null, "fence Host"),
                "hosts/" + host + "/fence",
                subject(host),
                "fence Host");
    }

    /** Status of an action that was answered before its end. */
    Outcome status(Change change, String id, String action, String task) {
        HostId host = access.host(change, id).state().definition().id();
        Operations known = operations;
        if (known == null) {
            throw Refused.notFound("Action", task);
        }
        return known.status(change, "hosts/" + host + "/" + action, task, subject(host));
    }
}
