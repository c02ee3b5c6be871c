package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Encoding;
import org.stillwater.fake.xapi.model.XType.DateTime;
import org.stillwater.fake.xapi.world.Store.Row;

/** Work that takes time, as task objects. Guarded by the pool. */
final class Tasks {

    /** Limits on the number and age of finished tasks. Source: db_gc.ml. */
    static final int MOST_FINISHED = 200;

    private static final Duration KEPT = Duration.ofMinutes(65);

    /**
     * The work of a task.
     *
     * @param finish gives its result, or fails it with an error
     * @param undo runs after a cancellation or failure
     */
    record Work(Duration duration, Supplier<Object> finish, Runnable undo) {}

    private final Pool pool;
    private final Map<String, Work> pending = new HashMap<>();
    private final Map<String, String> owners = new HashMap<>();

    Tasks(Pool pool) {
        this.pool = pool;
    }

    /** Makes a pending task; {@link #begin} gives it its work. */
    String create(String name, String session) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("name_label", name);
        fields.put("created", pool.clock.wireNow());
        fields.put("finished", DateTime.NEVER);
        fields.put("status", "pending");
        fields.put("resident_on", pool.coordinator());
        fields.put("type", "<none/>");
        fields.put("allowed_operations", List.of("cancel"));
        String ref = pool.store.create("task", fields);
        owners.put(ref, session);
        trim();
        pool.changed();
        return ref;
    }

    void begin(String task, Work work) {
        pending.put(task, work);
        if (work.duration.isZero()) {
            finish(task);
            return;
        }
        pool.clock.after(work.duration.dividedBy(2), () -> pool.locked(() -> progress(task)));
        pool.clock.after(work.duration, () -> pool.locked(() -> finish(task)));
    }

    private void progress(String task) {
        if (pending.containsKey(task)) {
            pool.store.set("task", task, "progress", 0.5);
        }
    }

    private void finish(String task) {
        Work work = pending.remove(task);
        if (work == null) {
            return;
        }
        try {
            Object result = work.finish.get();
            end(task, "success", Encoding.xmlValue(result), List.of());
        } catch (XapiError e) {
            work.undo.run();
            end(task, "failure", "", e.description());
        }
        pool.changed();
    }

    private void end(String task, String status, String result, List<String> error) {
        pool.store.set(
                "task",
                task,
                "status",
                status,
                "result",
                result,
                "error_info",
                error,
                "finished",
                pool.clock.wireNow(),
                "progress",
                1.0,
                "allowed_operations",
                List.of());
        pool.clock.after(KEPT, () -> pool.locked(() -> destroy(task)));
    }

    /** Fails a task that could not even begin. */
    void fail(String task, XapiError error) {
        end(task, "failure", "", error.description());
        pool.changed();
    }

    /** Fails a task that is under way, and undoes its work. */
    void abort(String task, XapiError error) {
        Work work = pending.remove(task);
        if (work != null) {
            work.undo.run();
            fail(task, error);
        }
    }

    private void trim() {
        List<Row> finished =
                pool.store.all("task").stream()
                        .filter(each -> !pending.containsKey(each.ref()))
                        .filter(each -> !each.text("status").equals("pending"))
                        .toList();
        for (int i = 0; i < finished.size() - MOST_FINISHED; i++) {
            destroy(finished.get(i).ref());
        }
    }

    /**
     * Asks a task to stop; its status is {@code cancelling} first and {@code cancelled} a little
     * later.
     */
    void cancel(String task) {
        Row row = pool.store.get("task", task);
        if (!row.list("allowed_operations").contains("cancel")) {
            throw new XapiError("OPERATION_NOT_ALLOWED", "Cancel is not allowed");
        }
        pool.store.set("task", task, "status", "cancelling", "allowed_operations", List.of());
        pool.clock.after(
                Duration.ofMillis(200),
                () ->
                        pool.locked(() -> {
                            Work work = pending.remove(task);
                            if (work != null) {
                                work.undo.run();
                                end(task, "cancelled", "", List.of("TASK_CANCELLED", task));
                                pool.changed();
                            }
                        }));
        pool.changed();
    }

    void destroy(String task) {
        pending.remove(task);
        owners.remove(task);
        pool.store.destroy("task", task);
    }

    @Nullable String owner(String task) {
        return owners.get(task);
    }

    /** A coordinator that restarts forgets its tasks; the work they stood for is undone. */
    void vanish() {
        Map<String, Work> open = Map.copyOf(pending);
        pending.clear();
        open.forEach((task, work) -> {
            work.undo.run();
            pool.store.destroy("task", task);
        });
    }

    /** Waits until a task is over, and gives its row; the lock is let go meanwhile. */
    Row await(String task) throws InterruptedException {
        synchronized (pool.lock) {
            while (true) {
                Row row = pool.store.get("task", task);
                switch (row.text("status")) {
                    case "pending", "cancelling" -> pool.lock.wait();
                    default -> {
                        return row;
                    }
                }
            }
        }
    }
}
