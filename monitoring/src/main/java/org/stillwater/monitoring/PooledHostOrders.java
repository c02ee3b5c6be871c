package org.stillwater.monitoring;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.connection.HypervisorPools.HostOrder;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.OrderAnswer;

/**
 * Orders to hosts that their pool must agree to: the pool disables a host before it leaves service,
 * and enables it before it is watched again. A silent host is put into maintenance without its
 * pool. Thread-safe.
 */
final class PooledHostOrders {

    private volatile HypervisorPools pools = HypervisorPools.NONE;

    /** Hosts with an order that their pool, or their monitor after it, has not answered yet. */
    private final Set<HostId> underWay = ConcurrentHashMap.newKeySet();

    /** Sets the target of orders to pools. */
    void use(HypervisorPools port) {
        pools = port;
    }

    HypervisorPools pools() {
        return pools;
    }

    /** Whether an order to its pool about a host has not ended. */
    boolean isUnderWay(HostId host) {
        return underWay.contains(host);
    }

    /** Gives an order to the monitor of a pool's host, once the pool has done its share. */
    CompletableFuture<OrderAnswer> order(HostMonitor monitor, HostFact.Order order) {
        HostTransition first =
                switch (order) {
                    case HostFact.Maintain _ -> HostTransition.MAINTENANCE_ORDERED;
                    case HostFact.Activate _ -> HostTransition.ACTIVATED;
                    case HostFact.Withdraw _,
                            HostFact.Reboot _,
                            HostFact.Fence _,
                            HostFact.Dump _,
                            HostFact.DumpOver _,
                            HostFact.RebootFailed _ ->
                            null;
                };
        // Orders that the monitor refuses anyway, and silence, do not concern the pool.
        if (first == null || !first.leaves(monitor.state().status())) {
            return monitor.order(order);
        }
        HostOrder share = first == HostTransition.ACTIVATED ? HostOrder.ENABLE : HostOrder.DISABLE;
        CompletableFuture<OrderAnswer> answer = new CompletableFuture<>();
        underWay.add(monitor.id());
        CompletableFuture<OrderAnswer> _ =
                answer.whenComplete((_, _) -> underWay.remove(monitor.id()));
        pools.order(monitor.id(), share, told -> then(monitor, order, share, told, answer));
        return answer;
    }

    private static void then(
            HostMonitor monitor,
            HostFact.Order order,
            HostOrder share,
            HostAnswer<HostId> told,
            CompletableFuture<OrderAnswer> answer) {
        if (told instanceof HostAnswer.Failed<HostId>(var failure)) {
            answer.complete(
                    new OrderAnswer.Refused(
                            monitor.state().status(),
                            "its pool does not %s it: %s"
                                    .formatted(
                                            share == HostOrder.ENABLE ? "enable" : "disable",
                                            failure.describe())));
            return;
        }
        CompletableFuture<OrderAnswer> _ =
                monitor.order(order)
                        .whenComplete((followed, failure) -> {
                            if (failure == null) {
                                answer.complete(followed);
                            } else {
                                answer.completeExceptionally(failure);
                            }
                        });
    }
}
