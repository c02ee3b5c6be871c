package org.stillwater.command.host;

import java.time.Duration;
import java.util.function.Predicate;
import org.stillwater.command.CommandContext;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure.Code;

/** Has pools move the VMs of a host that is to be empty. Used by the deciding thread only. */
final class PoolEvacuation {

    private final HostOperationLifecycle lifecycle;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final Runnable changed;
    private final Predicate<Drain> forget;

    /**
     * Evacuations of hosts of pools.
     *
     * @param changed called when a drain is to be examined
     * @param forget ends a drain; whether it was open
     */
    PoolEvacuation(
            HostOperationLifecycle lifecycle,
            HostOperationSettings settings,
            Runnable changed,
            Predicate<Drain> forget) {
        this.lifecycle = lifecycle;
        this.context = lifecycle.context();
        this.settings = settings;
        this.changed = changed;
        this.forget = forget;
    }

    /**
     * Has the pool of the host move all VMs, once at a time. Reports of the VMs may come after its
     * answer, so remaining VMs get time before the next request to the pool.
     */
    void order(Drain drain) {
        long now = context.clock().nanoTime();
        if (drain.evacuates || now - drain.evacuateAtNanos < 0) {
            return;
        }
        drain.evacuates = true;
        context.administration()
                .pools()
                .order(
                        drain.host,
                        HypervisorPools.HostOrder.EVACUATE,
                        answer -> context.post(() -> answered(drain, answer)));
    }

    /**
     * A pool refuses to evacuate a host for a VM that cannot move now, such as one that boots; like
     * such a VM of another host, it gets time.
     */
    private void answered(Drain drain, HostAnswer<HostId> answer) {
        long now = context.clock().nanoTime();
        Duration patience = settings.drainPatience();
        drain.evacuates = false;
        drain.refusal = null;
        changed.run();
        switch (answer) {
            case HostAnswer.Success<HostId> _ -> drain.evacuateAtNanos = now + patience.toNanos();
            case HostAnswer.Failed<HostId>(HostFailure failure) -> {
                drain.evacuateAtNanos = now + context.settings().longestRetry().toNanos();
                drain.refusal = Drain.cut(failure.describe());
                boolean isOver =
                        failure instanceof HostFailure.Refused
                                && now - drain.sinceNanos >= patience.toNanos();
                if (isOver && forget.test(drain)) {
                    lifecycle.fail(
                            drain.operation,
                            Code.REFUSED,
                            "its pool does not evacuate the host: " + drain.refusal);
                }
            }
        }
    }
}
