package org.stillwater.xapi.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.xapi.client.EventBatch.Event;
import org.stillwater.xapi.client.PoolConnection.Session;
import org.stillwater.xapi.client.PoolListener.Change;

/**
 * Keeps a copy of a pool's objects by {@code event.from}, on two loops: tasks alone, which the
 * server does not delay, and all else. A new session, a bad token and a count that does not fit may
 * mean lost events; the loop then reads again. Thread-safe.
 *
 * <p>It is long because both loops share the session and the copy that they keep.
 */
public final class PoolWatch implements AutoCloseable {

    /** The way in which all objects are read at the beginning. */
    public enum Sync {
        /** One call of {@code event.from} with an empty token. */
        EVENTS,
        /** A token by {@code event.inject}, then {@code get_all_records} of each class. */
        RECORDS
    }

    /**
     * Times.
     *
     * @param hold how long the server holds a call without events
     * @param patience how much later its reply may come
     * @param firstBackOff before the first new attempt; doubled up to the longest
     * @param longestBackOff before any later attempt
     * @param refetchPause between two refetches of a class with a wrong count
     */
    public record Times(
            Duration hold,
            Duration patience,
            Duration firstBackOff,
            Duration longestBackOff,
            Duration refetchPause) {
        /** Values for real pools. */
        public static final Times USUAL =
                new Times(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(120),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10));
    }

    /** A loop in two halves, so that one can see whether it works or waits for the pool. */
    public interface Turns {

        /**
         * Waits for the pool's next reply.
         *
         * @return false once the watch is closed
         */
        boolean await() throws InterruptedException;

        /** Processes that reply. */
        void perform();
    }

    /** Runs loops. */
    @FunctionalInterface
    public interface Runner {

        /**
         * Runs a loop on a platform thread of its own: decoding a whole pool must not hold a
         * carrier of virtual threads.
         *
         * @param loop the subject that it reads, a word
         * @return ends the loop when the watch is closed
         */
        Runnable run(String loop, Turns turns);
    }

    private static final Logger LOG = LoggerFactory.getLogger(PoolWatch.class);
    private static final XapiClass TASK = XapiClass.of("task");
    private static final XapiClass MESSAGE = XapiClass.of("message");

    /** Stored identities of messages, so that each is reported once. */
    private static final int REMEMBERED_MESSAGES = 10_000;

    /**
     * So many errors that request a new beginning are followed at once, as a fail-over or a restart
     * gives; a pool that ends every session waits, or it would be logged in to without a pause.
     */
    private static final int MOST_BEGINNINGS = 3;

    private final PoolConnection connection;
    private final PoolListener listener;
    private final EngineClock clock;
    private final Sync sync;
    private final Times times;
    private final List<Loop> loops;
    private final ExecutorService threads;
    private final Set<String> reportedMessages =
            Collections.newSetFromMap(
                    new LinkedHashMap<>() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                            return size() > REMEMBERED_MESSAGES;
                        }
                    });
    private final List<Runnable> ends = new ArrayList<>();
    private volatile boolean closed;

    private PoolWatch(
            PoolConnection connection,
            PoolListener listener,
            EngineClock clock,
            Sync sync,
            Times times,
            ExecutorService threads) {
        this.connection = connection;
        this.listener = listener;
        this.clock = clock;
        this.sync = sync;
        this.times = times;
        List<XapiClass> state = new ArrayList<>(XapiClass.all());
        state.remove(TASK);
        this.loops = List.of(new Loop("state", state), new Loop("tasks", List.of(TASK)));
        this.threads = threads;
    }

    /** Starts both loops on threads of their own. */
    public static PoolWatch start(
            PoolConnection connection,
            PoolListener listener,
            EngineClock clock,
            Sync sync,
            Times times) {
        return start(connection, listener, clock, sync, times, null);
    }

    /**
     * Starts both loops.
     *
     * @param runner runs them; null for threads without supervision
     */
    public static PoolWatch start(
            PoolConnection connection,
            PoolListener listener,
            EngineClock clock,
            Sync sync,
            Times times,
            @Nullable Runner runner) {
        ExecutorService threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().daemon().name("xapi watch ", 0).factory());
        PoolWatch watch = new PoolWatch(connection, listener, clock, sync, times, threads);
        for (Loop each : watch.loops) {
            if (runner == null) {
                threads.execute(each::run);
            } else {
                watch.ends.add(runner.run(each.name, each));
            }
        }
        return watch;
    }

    /** A watch without threads, for simulations: its loops continue by {@link #step}. */
    public static PoolWatch stepped(
            PoolConnection connection,
            PoolListener listener,
            EngineClock clock,
            Sync sync,
            Times times) {
        return new PoolWatch(connection, listener, clock, sync, times, new CallersThread());
    }

    /**
     * One exchange of a loop of a stepped watch on the caller's thread, unless the loop waits after
     * a failure.
     *
     * @param tasks whether the loop of the tasks continues, or that of everything else
     */
    public void step(boolean tasks) {
        Loop loop = loops.get(tasks ? 1 : 0);
        if (loop.due - clock.nanoTime() <= 0) {
            Duration wait = loop.turn();
            loop.due = clock.nanoTime() + wait.toNanos();
        }
    }

    /** The objects of a class as last seen; it changes while it is read. */
    public Map<String, XapiRecord> objects(XapiClass type) {
        return Collections.unmodifiableMap(loopOf(type).objects.getOrDefault(type, Map.of()));
    }

    private Loop loopOf(XapiClass type) {
        return loops.get(type.equals(TASK) ? 1 : 0);
    }

    /**
     * Waits until every change that the pool has made by now is seen.
     *
     * @return {@code false} if that took too long
     */
    public boolean barrier(Duration most) throws IOException, InterruptedException {
        Session session = connection.session();
        String before =
                connection.call("event.inject", List.of("pool", session.poolRef()), Decoder.TEXT);
        String generation = before.substring(0, before.indexOf(','));
        long deadline = clock.nanoTime() + most.toNanos();
        Loop state = loops.getFirst();
        synchronized (state) {
            while (state.token.isEmpty()
                    || state.token.substring(0, state.token.indexOf(',')).compareTo(generation)
                            <= 0) {
                long left = deadline - clock.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(state, Math.max(left, 1));
            }
        }
        return true;
    }

    /**
     * Arrival of the oldest reply that is not processed yet, by the engine's monotonic clock; null
     * if there is none.
     */
    public @Nullable Long waitingSinceNanos() {
        Long oldest = null;
        for (Loop each : loops) {
            Long since = each.arrivedNanos;
            if (since != null && (oldest == null || since - oldest < 0)) {
                oldest = since;
            }
        }
        return oldest;
    }

    /**
     * Time of the pool's last answer to the loop that reads all but tasks, by the engine's
     * monotonic clock; null before the first.
     */
    public @Nullable Long heardNanos() {
        return loops.getFirst().heardNanos;
    }

    @Override
    public void close() {
        closed = true;
        ends.forEach(Runnable::run);
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("the loops of {} still run", connection.poolUuid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Half of an exchange. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** One subscription and its objects. Its thread alone changes them. */
    private final class Loop implements Turns {

        private final String name;
        private final List<XapiClass> types;
        private final Map<XapiClass, Long> refetchedAtNanos = new HashMap<>();

        /** Objects with unreadable records, with the reasons. */
        private final Map<XapiClass, Map<String, String>> unreadable = new HashMap<>();

        /** Whether a reply was unreadable since the last full reading. */
        private boolean careful;

        /**
         * The session of the last full reading; null before it, and after an error that ends it.
         */
        private @Nullable Session synced;

        /** Errors that end a session or a token, since the last batch of events. */
        private int beginnings;

        private Duration backOff = times.firstBackOff();

        /** The pool's last reply, until it is processed. */
        private @Nullable Step arrived;

        /** The pause before the next exchange. */
        private Duration pausing = Duration.ZERO;

        // Read by any thread.
        private volatile @Nullable Long arrivedNanos;
        private volatile @Nullable Long heardNanos;

        /** The time at which a stepped loop may continue. */
        private long due = clock.nanoTime();

        private volatile Map<XapiClass, Map<String, XapiRecord>> objects = Map.of();
        private String token = "";

        Loop(String name, List<XapiClass> types) {
            this.name = name;
            this.types = types;
        }

        void run() {
            while (!closed) {
                try {
                    if (await()) {
                        perform();
                    }
                } catch (InterruptedException _) {
                    // closed; a stray interrupt ends a pause only
                }
            }
        }

        @Override
        public boolean await() throws InterruptedException {
            while (!closed) {
                Duration wait = pausing;
                pausing = Duration.ZERO;
                if (wait.isPositive()) {
                    pause(wait);
                }
                pausing = guarded(this::hear);
                if (arrived != null) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void perform() {
            pausing = guarded(this::takeOver);
        }

        /**
         * One exchange with the pool: everything is read, or the next batch.
         *
         * @return how long to wait before the next one
         */
        Duration turn() {
            Duration wait = guarded(this::hear);
            return arrived == null ? wait : guarded(this::takeOver);
        }

        /** Waits for the pool's answer. */
        private void hear() throws IOException {
            Session known = synced;
            synced = null;
            arrived = null;
            if (known == null) {
                Session session = connection.session();
                boolean apart = careful;
                Map<XapiClass, Map<String, XapiRecord>> all = readAnew(session);
                arrived =
                        () -> {
                            publish(all);
                            // Reading object by object is expensive for a pool: not again at once.
                            backOff = apart ? backOff : times.firstBackOff();
                            synced = session;
                        };
            } else {
                EventBatch batch = from(known, times.hold().toMillis() / 1000.0, Decoder::batch);
                arrived =
                        () -> {
                            apply(known, batch);
                            beginnings = 0;
                            synced = known;
                        };
            }
            heardNanos = clock.nanoTime();
            arrivedNanos = heardNanos;
        }

        private void takeOver() throws IOException {
            Step step = arrived;
            arrived = null;
            try {
                if (step != null) {
                    step.run();
                }
            } finally {
                arrivedNanos = null;
            }
        }

        /** Does one half of an exchange; how long to wait before the next one. */
        private Duration guarded(Step step) {
            try {
                step.run();
                return Duration.ZERO;
            } catch (XapiException.Failure e) {
                if (isNewBeginning(e) && ++beginnings <= MOST_BEGINNINGS) {
                    return Duration.ZERO;
                }
                return closed ? Duration.ZERO : lost(e);
            } catch (XapiException.Protocol e) {
                careful = true;
                connection.repairTexts();
                return closed ? Duration.ZERO : lost(e);
            } catch (IOException e) {
                return closed ? Duration.ZERO : lost(e);
            } catch (Throwable e) {
                // Also an error: the loop ends only when it is closed.
                LOG.error("the {} loop failed and begins again", name, e);
                return lost(e);
            }
        }

        private boolean isNewBeginning(XapiException.Failure e) {
            return switch (e.code()) {
                case "SESSION_INVALID",
                        "HOST_IS_SLAVE",
                        "HANDLE_INVALID",
                        "EVENTS_LOST",
                        "EVENT_FROM_TOKEN_PARSE_FAILURE" ->
                        true;
                default -> false;
            };
        }

        /** The pause after an error; longer each time. */
        private Duration lost(Throwable reason) {
            Duration wait = backOff;
            LOG.info("the {} loop waits {} after {}", name, wait, reason.toString());
            tellLost(reason);
            Duration doubled = wait.multipliedBy(2);
            backOff =
                    doubled.compareTo(times.longestBackOff()) < 0
                            ? doubled
                            : times.longestBackOff();
            return wait;
        }

        private void tellLost(Throwable reason) {
            if (this != loops.getFirst()) {
                return;
            }
            try {
                listener.lost(reason instanceof Exception known ? known : new IOException(reason));
            } catch (RuntimeException e) {
                LOG.error("the listener failed", e);
            }
        }

        /** By the engine's clock, which need not be the system's. */
        private void pause(Duration time) throws InterruptedException {
            long due = clock.nanoTime() + time.toNanos();
            synchronized (this) {
                for (long left = time.toNanos(); left > 0; left = due - clock.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
            }
        }

        private EventBatch from(
                Session session, double waitSeconds, Decoder.Result<EventBatch> result)
                throws IOException {
            List<String> classes = types.stream().map(XapiClass::eventName).toList();
            return connection.callOnce(
                    session,
                    "event.from",
                    List.of(classes, token, waitSeconds),
                    times.hold().plus(times.patience()),
                    result);
        }

        /** Reads everything. */
        private Map<XapiClass, Map<String, XapiRecord>> readAnew(Session session)
                throws IOException {
            setToken("");
            Map<XapiClass, Map<String, XapiRecord>> read = new HashMap<>();
            types.forEach(each -> read.put(each, new ConcurrentHashMap<>()));
            boolean apart = careful;
            unreadable.clear();
            if (sync == Sync.EVENTS && !apart) {
                // Without a wait: a pool that has no object of a class answers with none of it.
                EventBatch batch =
                        from(session, 0, in -> Decoder.eachEvent(in, each -> put(read, each)));
                setToken(batch.token());
            } else {
                setToken(
                        connection.callOnce(
                                session,
                                "event.inject",
                                List.of("pool", session.poolRef()),
                                times.patience(),
                                Decoder.TEXT));
                if (apart) {
                    for (XapiClass each : types) {
                        read.put(each, fetchApart(session, each));
                    }
                } else {
                    readAll(session, read);
                }
            }
            careful = false;
            return read;
        }

        /** All of it at once. */
        private void publish(Map<XapiClass, Map<String, XapiRecord>> read) {
            read.replaceAll(this::merged);
            objects = read;
            tellUnreadable();
            listener.synced(Collections.unmodifiableMap(read));
            read.getOrDefault(MESSAGE, Map.of()).values().forEach(this::tell);
        }

        /**
         * The map that is kept already, with the new content: references and nodes of objects that
         * did not change stay the old ones, and those that were just read go.
         */
        private Map<String, XapiRecord> merged(XapiClass type, Map<String, XapiRecord> fresh) {
            Map<String, XapiRecord> of = objects.get(type);
            if (of == null || of.isEmpty()) {
                return fresh;
            }
            of.keySet().removeIf(ref -> !fresh.containsKey(ref));
            fresh.forEach((ref, record) -> {
                if (!record.equals(of.get(ref))) {
                    of.put(ref, record);
                }
            });
            return of;
        }

        private void put(Map<XapiClass, Map<String, XapiRecord>> read, Event event) {
            Map<String, XapiRecord> of = read.get(event.type());
            XapiRecord snapshot = event.snapshot();
            if (of != null && snapshot != null) {
                of.put(event.ref(), kept(event.type(), event.ref(), snapshot));
            }
        }

        /**
         * The record that is kept already, if it is equal: when a pool is read anew, its old
         * records do not live beside new ones.
         */
        private XapiRecord kept(XapiClass type, String ref, XapiRecord next) {
            Map<String, XapiRecord> of = objects.get(type);
            XapiRecord before = of == null ? null : of.get(ref);
            return before != null && before.equals(next) ? before : next;
        }

        private void readAll(Session session, Map<XapiClass, Map<String, XapiRecord>> read)
                throws IOException {
            Map<XapiClass, Future<Map<String, XapiRecord>>> open = new LinkedHashMap<>();
            for (XapiClass each : types) {
                open.put(each, threads.submit(() -> fetch(session, each)));
            }
            try {
                for (Map.Entry<XapiClass, Future<Map<String, XapiRecord>>> each : open.entrySet()) {
                    read.put(each.getKey(), each.getValue().get());
                }
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new java.io.InterruptedIOException("stopped");
            }
        }

        private Map<String, XapiRecord> fetch(Session session, XapiClass type) throws IOException {
            return fetch(session, type, false);
        }

        private Map<String, XapiRecord> fetch(Session session, XapiClass type, boolean carefully)
                throws IOException {
            String method = type.name() + ".get_all_records";
            Map<String, XapiRecord> read = new ConcurrentHashMap<>();
            Decoder.Result<Integer> records =
                    Decoder.records(type, (ref, record) -> read.put(ref, kept(type, ref, record)));
            try {
                int _ =
                        carefully
                                ? connection.callCarefully(
                                        session, method, List.of(), times.patience(), records)
                                : connection.callOnce(
                                        session, method, List.of(), times.patience(), records);
            } catch (XapiException.Failure e) {
                if (!e.code().equals("MESSAGE_METHOD_UNKNOWN")) {
                    throw e;
                } // else a class that the server does not have
            }
            return read;
        }

        /** A class, without the objects with unreadable records. */
        private Map<String, XapiRecord> fetchApart(Session session, XapiClass type)
                throws IOException {
            unreadable.remove(type);
            try {
                return fetch(session, type, true);
            } catch (XapiException.Protocol e) {
                LOG.info("{} is read object by object: {}", type.name(), e.getMessage());
            }
            Map<String, XapiRecord> read = new ConcurrentHashMap<>();
            for (String ref :
                    connection.callCarefully(
                            session,
                            type.name() + ".get_all",
                            List.of(),
                            times.patience(),
                            Decoder::strings)) {
                try {
                    read.put(
                            ref,
                            connection.callCarefully(
                                    session,
                                    type.name() + ".get_record",
                                    List.of(ref),
                                    times.patience(),
                                    in -> Decoder.record(in, type)));
                } catch (XapiException.Failure e) {
                    if (!e.code().equals("HANDLE_INVALID")) {
                        throw e;
                    } // else it is gone
                } catch (XapiException.Protocol e) {
                    LOG.warn("{} {} is left out: {}", type.name(), ref, e.getMessage());
                    unreadable
                            .computeIfAbsent(type, _ -> new LinkedHashMap<>())
                            .put(ref, String.valueOf(e.getMessage()));
                }
            }
            return read;
        }

        private void tellUnreadable() {
            if (this != loops.getFirst()) {
                return;
            }
            List<String> sentences = new ArrayList<>();
            unreadable.forEach((type, of) ->
                    of.forEach((ref, reason) ->
                            sentences.add(
                                    "the record of %s %s cannot be read: %s"
                                            .formatted(type.name(), ref, reason))));
            listener.unreadable(List.copyOf(sentences));
        }

        /** It went, or can be read again. */
        private void noLongerUnreadable(XapiClass type, String ref) {
            Map<String, String> of = unreadable.get(type);
            if (of != null && of.remove(ref) != null) {
                tellUnreadable();
            }
        }

        private void apply(Session session, EventBatch batch) throws IOException {
            List<Change> changes = new ArrayList<>();
            for (Event each : batch.events()) {
                apply(each.type(), each.ref(), each.snapshot(), changes);
            }
            check(session, batch.counts(), changes);
            if (!changes.isEmpty()) {
                listener.changed(List.copyOf(changes));
            }
            setToken(batch.token());
            for (Change each : changes) {
                if (each.type().equals(MESSAGE) && each.after() != null) {
                    tell(each.after());
                }
            }
        }

        private synchronized void setToken(String next) {
            token = next;
            notifyAll();
        }

        private void apply(
                XapiClass type, String ref, @Nullable XapiRecord after, List<Change> changes) {
            Map<String, XapiRecord> of = objects.get(type);
            if (of == null) {
                return;
            }
            noLongerUnreadable(type, ref);
            XapiRecord before = of.get(ref);
            if (before == null ? after == null : before.equals(after)) {
                return; // an equal record does not take the place of the old one
            }
            if (after == null) {
                of.remove(ref);
            } else {
                of.put(ref, after);
            }
            changes.add(new Change(type, ref, before, after));
        }

        /**
         * Compares the numbers of objects with those of the server: the one sign of a deletion that
         * the server forgot. A class that does not fit is read again, with a least pause.
         */
        private void check(Session session, Map<String, Long> counts, List<Change> changes)
                throws IOException {
            for (XapiClass type : types) {
                Long count = counts.get(type.eventName());
                Map<String, XapiRecord> of = objects.get(type);
                int without = unreadable.getOrDefault(type, Map.of()).size();
                if (count == null || of == null || count == of.size() + without) {
                    continue;
                }
                Long last = refetchedAtNanos.get(type);
                long now = clock.nanoTime();
                if (last != null && now - last < times.refetchPause().toNanos()) {
                    continue;
                }
                refetchedAtNanos.put(type, now);
                LOG.info("{}: {} objects here, {} there; read anew", type.name(), of.size(), count);
                Map<String, XapiRecord> fresh =
                        without == 0 ? fetch(session, type) : fetchApart(session, type);
                for (String gone : List.copyOf(of.keySet())) {
                    if (!fresh.containsKey(gone)) {
                        apply(type, gone, null, changes);
                    }
                }
                fresh.forEach((ref, record) -> apply(type, ref, record, changes));
            }
        }

        private void tell(XapiRecord message) {
            synchronized (reportedMessages) {
                if (!reportedMessages.add(message.text("uuid"))) {
                    return;
                }
            }
            listener.message(message);
        }
    }
}
