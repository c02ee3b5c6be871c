package org.stillwater.xapi.host;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.XapiException;
import org.stillwater.xapi.client.XapiRecord;

/**
 * Follows the tasks that the engine began to their end and destroys them, so that none is left on
 * the pool. Thread-safe.
 */
final class TaskFollower {

    private static final Logger LOG = LoggerFactory.getLogger(TaskFollower.class);

    /** Most tasks that are followed; XAPI itself keeps some 200 that ended. */
    private static final int MOST = 10_000;

    /** For how long an order usually waits for a refusal that comes as the end of its task. */
    static final Duration EARLY = Duration.ofSeconds(1);

    /** A task that went before its end was seen, as when the coordinator restarts. */
    static final List<String> UNSEEN = List.of("TASK_VANISHED");

    private final PoolConnection connection;
    private final Executor threads;
    private final Duration early;
    private final Map<String, CompletableFuture<List<String>>> open = new ConcurrentHashMap<>();
    private volatile Map<String, XapiRecord> present = Map.of();

    /**
     * Follows nothing yet.
     *
     * @param early for how long an order waits for its refusal
     */
    TaskFollower(PoolConnection connection, Executor threads, Duration early) {
        this.connection = connection;
        this.threads = threads;
        this.early = early;
    }

    /** The number of followed tasks. */
    int open() {
        return open.size();
    }

    /** A task of any client; null if the pool has none of this reference. */
    @Nullable XapiRecord find(String ref) {
        return present.get(ref);
    }

    /** All tasks of the pool were read. */
    void read(Map<String, XapiRecord> tasks) {
        present = tasks;
        tasks.forEach(this::told);
        open.forEach((ref, end) -> {
            if (!tasks.containsKey(ref)) {
                open.remove(ref);
                end.complete(UNSEEN);
            }
        });
    }

    /** A task changed; null if it is gone. */
    void told(String ref, @Nullable XapiRecord task) {
        CompletableFuture<List<String>> end = open.get(ref);
        if (end == null) {
            return;
        }
        if (task == null) {
            open.remove(ref);
            end.complete(UNSEEN);
            return;
        }
        String status = task.text("status");
        if (status.equals("pending") || status.equals("cancelling")) {
            return;
        }
        open.remove(ref);
        List<String> error = task.list("error_info");
        boolean well = status.equals("success");
        if (!well) {
            LOG.info("task {} of the pool ended: {} {}", task.text("name_label"), status, error);
        }
        List<String> reason =
                error.isEmpty() ? List.of("TASK_" + status.toUpperCase(Locale.ROOT)) : error;
        end.complete(well ? List.of() : reason);
        threads.execute(() -> destroy(ref));
    }

    private void destroy(String ref) {
        try {
            connection.destroyTask(ref);
        } catch (XapiException.Failure e) {
            LOG.debug("task {} is not there any more: {}", ref, e.code());
        } catch (IOException e) {
            LOG.info("task {} is left to the pool: {}", ref, e.toString());
        }
    }

    /**
     * Follows a task that was just begun to its end.
     *
     * @return why it failed: a code and its parameters; empty if it did not, {@link #UNSEEN} if
     *     that is not known
     */
    CompletableFuture<List<String>> follow(String ref) {
        CompletableFuture<List<String>> end = new CompletableFuture<>();
        if (open.size() >= MOST) {
            end.complete(UNSEEN);
            return end;
        }
        open.put(ref, end);
        XapiRecord seen = present.get(ref);
        if (seen != null) {
            told(ref, seen);
        }
        return end;
    }

    /**
     * Follows a task that was just begun, and waits a moment for its end.
     *
     * @param late gets the failure of a task that fails after that; on the thread of the pool's
     *     events
     * @return why it failed at once: a code and its parameters; empty if it did not. How one ended
     *     that vanished is seen in the VM's state
     */
    List<String> startedWell(String ref, Consumer<List<String>> late) {
        CompletableFuture<List<String>> following = follow(ref);
        try {
            return failure(following.get(early.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            CompletableFuture<Void> _ =
                    following.thenAccept(end -> {
                        if (!failure(end).isEmpty()) {
                            late.accept(end);
                        }
                    });
            return List.of();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> failure(List<String> end) {
        return end.equals(UNSEEN) ? List.of() : end;
    }
}
