package org.stillwater.fake.xapi.world;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.world.Store.Deleted;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.Store.Table;

/**
 * {@code event.from} and {@code event.inject}. Source: xapi_event.ml. Messages come first, then
 * created, changed and deleted objects; inside each, classes in the order of the datamodel.
 */
final class Events {

    private static final double LONGEST_SECONDS = TimeUnit.HOURS.toSeconds(24);

    /** The server's way of gathering changes before it answers. Times are real ones. */
    enum Batching {
        /** It answers at once. */
        NONE,
        /** Before 25.5: 50 ms after each wake-up. */
        FIXED,
        /** 25.5 to 26.9: the first look after 6 ms, later ones up to 50 ms apart. */
        GROWING,
        /** Since 26.10: 50 ms before the first look, except for tasks alone, then as before. */
        DELAYED;

        long millis(int look, boolean tasksOnly) {
            return switch (this) {
                case NONE -> 0;
                case FIXED -> 50;
                case GROWING -> Math.min(50, 6L << Math.min(look, 4));
                case DELAYED ->
                        look == 0 && tasksOnly ? 6 : look == 0 ? 56 : Math.min(50, 6L << look);
            };
        }
    }

    private record Token(long generation, long messages) {
        static Token parse(String text) {
            if (text.isEmpty()) {
                return new Token(0, 0);
            }
            String[] parts = text.split(",", -1);
            try {
                if (parts.length == 2) {
                    return new Token(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
                }
            } catch (NumberFormatException _) {
                // Below.
            }
            throw new XapiError("EVENT_FROM_TOKEN_PARSE_FAILURE", text);
        }

        String text() {
            return "%020d,%020d".formatted(generation, messages);
        }
    }

    /** Batches that are remembered. */
    private static final int REMEMBERED = 20_000;

    /**
     * A batch of events that was collected for a client.
     *
     * @param generation the newest change that it may hold
     * @param nanos when it was collected, on the machine's monotonic clock
     * @param tasks whether the client requested tasks alone
     * @param events how many it holds
     */
    record Batch(long generation, long nanos, boolean tasks, int events) {}

    /** The subscribed objects: all, those of a class, or one. */
    private record Subscription(@Nullable String type, @Nullable String ref) {
        static Subscription parse(String text) {
            if (text.equals("*")) {
                return new Subscription(null, null);
            }
            int slash = text.indexOf('/');
            String type = (slash < 0 ? text : text.substring(0, slash)).toLowerCase(Locale.ROOT);
            String ref = slash < 0 ? null : text.substring(slash + 1);
            if (type.isEmpty() || (ref != null && ref.contains("/"))) {
                throw new XapiError("EVENT_SUBSCRIPTION_PARSE_FAILURE", text);
            }
            return new Subscription(type, ref);
        }
    }

    private final Pool pool;

    /** The newest batches, oldest first; guarded by the pool's lock. */
    private final Deque<Batch> batches = new ArrayDeque<>();

    Events(Pool pool) {
        this.pool = pool;
    }

    /** Blocks until something happens or the time is over. */
    Object from(String session, List<String> classes, String tokenText, double timeoutSeconds) {
        List<Subscription> subscriptions = classes.stream().map(Subscription::parse).toList();
        boolean tasksOnly = subscriptions.stream().allMatch(each -> "task".equals(each.type));
        List<Watched> watched = watched(subscriptions);
        Token token = Token.parse(tokenText);
        double seconds =
                timeoutSeconds >= 0 && timeoutSeconds < LONGEST_SECONDS
                        ? timeoutSeconds
                        : LONGEST_SECONDS;
        long deadline = System.nanoTime() + (long) (seconds * 1e9);
        try {
            for (int look = 0; ; look++) {
                synchronized (pool.lock) {
                    pool.sessions.check(session);
                    List<Object> events = collect(watched, token);
                    long left = deadline - System.nanoTime();
                    if (!events.isEmpty() || left <= 0) {
                        remember(tasksOnly, events.size());
                        return batch(events);
                    }
                    token = new Token(pool.store.generation(), pool.store.messageGeneration());
                    pool.lock.wait(left / 1_000_000, (int) (left % 1_000_000));
                }
                long delay = pool.batching().millis(look, tasksOnly);
                if (delay > 0) {
                    Thread.sleep(Math.min(delay, Math.max(0, millisTo(deadline))));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new XapiError("SESSION_INVALID", session);
        }
    }

    private void remember(boolean tasks, int events) {
        if (events > 0) {
            if (batches.size() >= REMEMBERED) {
                batches.removeFirst();
            }
            batches.addLast(new Batch(pool.store.generation(), System.nanoTime(), tasks, events));
        }
    }

    /** The newest batches that clients got, oldest first. Guarded by the pool. */
    List<Batch> batches() {
        return List.copyOf(batches);
    }

    private static long millisTo(long deadlineNanos) {
        return (deadlineNanos - System.nanoTime()) / 1_000_000;
    }

    private Map<String, Object> batch(List<Object> events) {
        Map<String, Object> batch = new LinkedHashMap<>();
        batch.put("events", events);
        batch.put("valid_ref_counts", pool.store.counts());
        batch.put(
                "token", new Token(pool.store.generation(), pool.store.messageGeneration()).text());
        return batch;
    }

    /**
     * A table with the subscriptions of a call that match it; computed once for the many checks of
     * the call.
     */
    private record Watched(Table table, List<Subscription> matching) {}

    private List<Watched> watched(List<Subscription> subscriptions) {
        return pool.store.tables().stream()
                .filter(table -> table.type.sendsEvents())
                .map(table -> new Watched(table, matching(subscriptions, table)))
                .filter(each -> !each.matching.isEmpty())
                .toList();
    }

    private List<Object> collect(List<Watched> watched, Token since) {
        List<Object> messages = new ArrayList<>();
        List<Object> adds = new ArrayList<>();
        List<Object> mods = new ArrayList<>();
        List<Object> deletions = new ArrayList<>();
        for (Watched each : watched) {
            Table table = each.table;
            boolean message = table.type.name().equals("message");
            long after = message ? since.messages : since.generation;
            for (Row row : changed(table, after)) {
                if (isWanted(each.matching, row.ref())) {
                    boolean isNew = row.created() > after;
                    (message ? messages : isNew ? adds : mods)
                            .add(
                                    event(
                                            table,
                                            message ? 0 : row.modified(),
                                            isNew ? "add" : "mod",
                                            row.ref(),
                                            row));
                }
            }
            for (Deleted gone : table.deleted) {
                if (gone.at() > after
                        && gone.created() <= after
                        && isWanted(each.matching, gone.ref())) {
                    (message ? messages : deletions)
                            .add(event(table, message ? 0 : gone.at(), "del", gone.ref(), null));
                }
            }
        }
        messages.addAll(adds);
        messages.addAll(mods);
        messages.addAll(deletions);
        return messages;
    }

    /** Rows that changed after a generation, in the order of their changes. */
    private static List<Row> changed(Table table, long after) {
        List<Row> changed = new ArrayList<>();
        for (Row row : table.rows.sequencedValues().reversed()) {
            if (row.modified() <= after) {
                break;
            }
            changed.add(row);
        }
        Collections.reverse(changed);
        return changed;
    }

    private static List<Subscription> matching(List<Subscription> all, Table table) {
        return all.stream()
                .filter(each -> each.type == null || each.type.equals(table.type.eventName()))
                .toList();
    }

    private static boolean isWanted(List<Subscription> matching, String ref) {
        return matching.stream().anyMatch(each -> each.ref == null || each.ref.equals(ref));
    }

    private static Map<String, Object> event(
            Table table, long id, String operation, String ref, @Nullable Row row) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("id", Long.toString(id));
        event.put("timestamp", "0.0");
        event.put("class", table.type.eventName());
        event.put("operation", operation);
        event.put("ref", ref);
        if (row != null) {
            event.put("snapshot", row.fields());
        }
        return event;
    }

    /** Touches an object; the token stands before the change. */
    String inject(String type, String ref) {
        Table table = pool.store.table(type);
        if (table == null || !table.rows.containsKey(ref)) {
            throw XapiError.handle(type, ref);
        }
        long before = pool.store.generation();
        pool.store.touch(table.type.name(), ref);
        pool.changed();
        // Messages start again from the beginning: the real token has a zero there too.
        return new Token(before, 0).text();
    }
}
