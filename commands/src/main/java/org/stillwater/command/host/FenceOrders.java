package org.stillwater.command.host;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.Answer.Why;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.monitoring.feed.HostState;

/** Requests of users about hosts that are to be fenced. Thread-safe. */
final class FenceOrders {

    private final HostOperationLifecycle lifecycle;
    private final HostOperationSettings settings;

    FenceOrders(HostOperationLifecycle lifecycle, HostOperationSettings settings) {
        this.lifecycle = lifecycle;
        this.settings = settings;
    }

    /** A user orders that a host is switched off and on. */
    CompletableFuture<Answer> order(HostId host, Operation.Origin origin) {
        if (isOfPool(lifecycle.host(host))) {
            return leftToThePool();
        }
        return ask(host, new OperationParameters.Fence(settings.fencingDryRun()), origin);
    }

    /** A user confirms that a host was off. */
    CompletableFuture<Answer> confirm(HostId host, Operation.Origin origin) {
        HostState state = lifecycle.host(host);
        if (isOfPool(state)) {
            return leftToThePool();
        }
        if (state != null && state.status().isInContact()) {
            return refused(
                    Why.CONFLICT,
                    "the host is %s, so the engine itself monitors its VMs"
                            .formatted(state.status().name().toLowerCase(Locale.ROOT)));
        }
        return ask(host, OperationParameters.NONE, origin);
    }

    private boolean isOfPool(@Nullable HostState state) {
        return state != null
                && lifecycle.context().administration().isOfPool(state.definition().cluster());
    }

    /** Its pool itself detects that a host is dead, and handles its VMs. */
    private static CompletableFuture<Answer> leftToThePool() {
        return refused(
                Why.CONFLICT,
                "hosts of a XAPI pool are fenced by the pool's own high availability, not by the"
                        + " engine");
    }

    private CompletableFuture<Answer> ask(
            HostId host, OperationParameters parameters, Operation.Origin origin) {
        HostState state = lifecycle.host(host);
        if (state == null) {
            return refused(Why.UNKNOWN, "there is no host " + host);
        }
        CommandEngine engine = lifecycle.engine();
        CommandContext context = lifecycle.context();
        Operation operation =
                Operation.on(
                        host,
                        context.ids().get(),
                        OperationKind.FENCE,
                        parameters,
                        origin,
                        state.condition().episode(),
                        context.clock().now());
        Operation other = context.registry().add(operation);
        if (other != null) {
            return refused(
                    Why.CONFLICT,
                    "the host is being fenced already (%s): %s"
                            .formatted(other.id(), other.step()));
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        engine.begin(Begun.of(operation), answer);
        return answer;
    }

    private static CompletableFuture<Answer> refused(Why why, String reason) {
        return CompletableFuture.completedFuture(new Answer.Refused(why, reason));
    }
}
