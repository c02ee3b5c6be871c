package org.stillwater.xapi.host;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HypervisorPools.HostOrder;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.id.HostId;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.XapiException;
import org.stillwater.xapi.client.XapiRecord;

/**
 * Orders about hosts as {@code Async.} calls (XAPI specification §1.7), answered when their tasks
 * end. Thread-safe; calls block until the pool has made a task of them.
 */
final class PoolHostOrders {

    private static final Logger LOG = LoggerFactory.getLogger(PoolHostOrders.class);

    /**
     * For how long an order that its pool carried out waits until the pool's state shows it, so
     * that no older state is taken for a later change from outside.
     */
    static final Duration VISIBLE = Duration.ofSeconds(5);

    private final XapiPool pool;
    private final PoolConnection connection;
    private final TaskFollower tasks;
    private final Duration visible;
    private final List<Awaited> awaited = new CopyOnWriteArrayList<>();

    /** An order that waits for the pool's state. */
    private record Awaited(HostId host, boolean enabled, CompletableFuture<Boolean> seen) {}

    /**
     * Orders to the hosts of a pool.
     *
     * @param visible for how long an order waits for the state that it leads to; zero: not at all
     */
    PoolHostOrders(XapiPool pool, PoolConnection connection, TaskFollower tasks, Duration visible) {
        this.pool = pool;
        this.connection = connection;
        this.tasks = tasks;
        this.visible = visible;
    }

    /** The pool's state has this host now. */
    void told(PoolHost host) {
        for (Awaited each : awaited) {
            if (each.host().equals(host.id()) && each.enabled() == host.enabled()) {
                boolean _ = each.seen().complete(true);
            }
        }
    }

    /** Has the pool do it; a host that is enabled or disabled already is left unchanged. */
    void carryOut(HostId id, HostOrder order, Consumer<HostAnswer<HostId>> receiver) {
        PoolHost host = pool.host(id);
        if (host == null) {
            receiver.accept(
                    new HostAnswer.Failed<>(
                            new HostFailure.Unreachable(
                                    "pool " + pool.name() + " does not have the host")));
            return;
        }
        boolean done =
                switch (order) {
                    case DISABLE -> !host.enabled();
                    case ENABLE -> host.enabled();
                    case EVACUATE -> false;
                };
        String operation = order.name().toLowerCase(Locale.ROOT);
        String blocked = done ? null : blocked(host, operation);
        if (blocked != null) {
            receiver.accept(Refusals.refused(RefusalCode.UNEXPECTED, blocked));
        } else if (done) {
            receiver.accept(new HostAnswer.Success<>(id));
        } else {
            call(host, operation, receiver);
        }
    }

    /**
     * The reason why the pool would refuse the operation; null if it would not. Pools do not list
     * {@code disable} among the allowed operations, and old ones not {@code enable}.
     */
    private @Nullable String blocked(PoolHost host, String operation) {
        XapiRecord record = pool.objects().find(PoolObjects.HOST, host.ref());
        List<String> allowed = record == null ? List.of() : record.list("allowed_operations");
        if (record == null
                || allowed.isEmpty()
                || allowed.contains(operation)
                || !operation.equals("evacuate")) {
            return null;
        }
        List<String> sorted = new ArrayList<>(allowed);
        sorted.sort(null);
        List<String> current = record.map("current_operations").values().stream().sorted().toList();
        return "the pool does not allow %s on the host now; it allows %s%s"
                .formatted(
                        operation,
                        String.join(", ", sorted),
                        current.isEmpty() ? "" : "; under way: " + String.join(", ", current));
    }

    private void call(PoolHost host, String operation, Consumer<HostAnswer<HostId>> receiver) {
        String task;
        try {
            task = connection.async("host." + operation, host.ref());
        } catch (XapiException.Failure e) {
            receiver.accept(Refusals.of(e, pool.objects()));
            return;
        } catch (IOException e) {
            LOG.info("host={} {} failed: {}", host.name(), operation, e.toString());
            receiver.accept(new HostAnswer.Failed<>(new HostFailure.Unreachable(pool.why(e))));
            return;
        }
        CompletableFuture<Void> _ =
                tasks.follow(task)
                        .thenAccept(error -> {
                            HostAnswer<HostId> answer = ended(host, operation, error);
                            CompletableFuture<Void> _ =
                                    shown(host, operation, error)
                                            .thenRun(() -> receiver.accept(answer));
                        });
    }

    /** Ends once the pool's state shows the effect of an order. */
    private CompletableFuture<Boolean> shown(PoolHost host, String operation, List<String> error) {
        boolean enabled = operation.equals("enable");
        if (!error.isEmpty() || visible.isZero() || !(enabled || operation.equals("disable"))) {
            return CompletableFuture.completedFuture(true);
        }
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        Awaited order = new Awaited(host.id(), enabled, seen);
        awaited.add(order);
        PoolHost now = pool.host(host.id());
        if (now == null || now.enabled() == enabled) {
            boolean _ = seen.complete(true);
        }
        return seen.completeOnTimeout(false, visible.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, _) -> awaited.remove(order));
    }

    private HostAnswer<HostId> ended(PoolHost host, String operation, List<String> error) {
        if (error.isEmpty()) {
            LOG.info("host={} {} done by its pool", host.name(), operation);
            return new HostAnswer.Success<>(host.id());
        }
        return error.equals(TaskFollower.UNSEEN)
                ? new HostAnswer.Failed<>(
                        new HostFailure.Unreachable(
                                "the pool lost the task of it; whether it was done is unknown"))
                : Refusals.of(error, pool.objects());
    }
}
