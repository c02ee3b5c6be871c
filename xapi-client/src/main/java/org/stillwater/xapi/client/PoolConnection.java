package org.stillwater.xapi.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.xapi.client.Decoder.Result;

/**
 * A pool's coordinator: found by itself, logged in once for all callers, and found again when it
 * fails. Thread-safe; calls block.
 *
 * <p>The class is long because the session, the login, and the search for the coordinator share one
 * lock and one state.
 */
public final class PoolConnection implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PoolConnection.class);
    private static final String API_VERSION = "1.0";

    /** A session and how it was got. A new one has another epoch. */
    record Session(
            long epoch,
            String address,
            XapiEncoding encoding,
            String ref,
            String poolRef,
            String poolUuid,
            List<String> addresses) {}

    private final EngineClock clock;
    private final PoolClaims claims;
    private final Function<PoolAccess, Transport> transports;
    private volatile PoolAccess access;
    private volatile Http http;
    private final Supplier<ExecutorService> racing;
    private final Object login = new Object();
    private volatile @Nullable Session session;
    private volatile boolean closed;
    private final Set<String> known = new LinkedHashSet<>();
    private @Nullable String poolUuid;
    private XapiException.@Nullable Failure refused;
    private long refusedAtNanos;
    private long epochs;

    /** Connects at the first call. */
    public PoolConnection(
            PoolAccess access, CertificatePins pins, PoolClaims claims, EngineClock clock) {
        this(
                access,
                to -> new NetworkTransport(to, pins, clock),
                claims,
                clock,
                Executors::newVirtualThreadPerTaskExecutor);
    }

    private PoolConnection(
            PoolAccess access,
            Function<PoolAccess, Transport> transports,
            PoolClaims claims,
            EngineClock clock,
            Supplier<ExecutorService> racing) {
        this.access = access;
        this.clock = clock;
        this.claims = claims;
        this.transports = transports;
        this.http = new Http(transports.apply(access));
        this.racing = racing;
        this.poolUuid = access.poolUuid();
        known.addAll(access.addresses());
    }

    /** A connection that uses no thread but its caller's, for simulations. */
    public static PoolConnection stepped(
            PoolAccess access, Transport transport, PoolClaims claims, EngineClock clock) {
        return new PoolConnection(access, _ -> transport, claims, clock, CallersThread::new);
    }

    /**
     * Reaches the same pool in another way from now on. Calls under way end; the next one logs in
     * anew, also if the former password was refused a moment ago.
     */
    public void use(PoolAccess next) {
        if (session == null) {
            http.close(); // ends a search, which holds the lock
        }
        Http before;
        PoolAccess former;
        Session last;
        synchronized (login) {
            before = http;
            former = access;
            last = session;
            access = next;
            http = new Http(transports.apply(next));
            session = null;
            refused = null;
            known.clear();
            known.addAll(next.addresses());
            if (closed) {
                http.close();
            }
        }
        before.close();
        if (last != null) { // after the change, or a call that the logout ends would log in as
            // before
            try (Http farewell = new Http(transports.apply(former))) {
                logOut(farewell, last.address, last.encoding, last.ref, former.connectTimeout());
            }
        }
    }

    /** The session, after a login if there is none: one login for all that wait for it. */
    Session session() throws IOException {
        Session present = session;
        if (present != null) {
            return present;
        }
        synchronized (login) {
            present = session;
            if (present == null) {
                if (closed) {
                    throw new XapiException.Unreachable("the connection is closed", null);
                }
                present = find();
                session = present;
            }
            return present;
        }
    }

    /** A session that failed; one that came after it stays. */
    private void drop(Session failed, @Nullable String coordinator) {
        synchronized (login) {
            Session present = session;
            if (present != null && present.epoch == failed.epoch) {
                session = null;
                if (coordinator != null && !coordinator.isEmpty()) {
                    // First in line.
                    List<String> others = new ArrayList<>(known);
                    known.clear();
                    known.add(coordinator);
                    known.addAll(others);
                }
            }
        }
    }

    /**
     * Calls the coordinator. The session is put in front of the arguments; if it is no longer
     * valid, or the coordinator is another, the call is made once more.
     */
    <T> T call(String method, List<?> arguments, Result<T> result) throws IOException {
        try {
            return callOnce(session(), method, arguments, access.callTimeout(), result);
        } catch (XapiException.Failure e) {
            if (!e.code().equals("SESSION_INVALID") && !e.code().equals("HOST_IS_SLAVE")) {
                throw e;
            }
        }
        return callOnce(session(), method, arguments, access.callTimeout(), result);
    }

    /**
     * Calls within a session; after an error that ends the session, the next call logs in again.
     */
    <T> T callOnce(Session in, String method, List<?> arguments, Duration timeout, Result<T> result)
            throws IOException {
        List<Object> all = new ArrayList<>();
        all.add(in.ref);
        all.addAll(arguments);
        try {
            return http.call(in.address, in.encoding, method, all, timeout, result);
        } catch (XapiException.Failure e) {
            switch (e.code()) {
                case "SESSION_INVALID" -> drop(in, null);
                case "HOST_IS_SLAVE" ->
                        drop(in, e.parameters().isEmpty() ? null : e.parameters().getFirst());
                case "HOST_STILL_BOOTING" -> drop(in, null);
                default -> {
                    // An answer.
                }
            }
            throw e;
        } catch (java.io.InterruptedIOException e) {
            throw e; // the caller stops; the session is good
        } catch (IOException e) {
            drop(in, null);
            throw e;
        }
    }

    /** Calls within a session, which stays unchanged when the reply cannot be read. */
    <T> T callCarefully(
            Session in, String method, List<?> arguments, Duration timeout, Result<T> result)
            throws IOException {
        List<Object> all = new ArrayList<>();
        all.add(in.ref);
        all.addAll(arguments);
        return http.call(in.address, in.encoding, method, all, timeout, result);
    }

    /** A reply could not be read: from now on bytes that are no UTF-8 cost no reply. */
    void repairTexts() {
        http.repairTexts();
    }

    /** Starts an operation; gives the reference of its task. */
    public String async(String method, Object... arguments) throws IOException {
        return call("Async." + method, List.of(arguments), Decoder.TEXT);
    }

    /** Asks a task to stop, one's own or, with more rights, another client's; its end follows. */
    public void cancelTask(String ref) throws IOException {
        call("task.cancel", List.of(ref), Decoder.VOID);
    }

    /** Removes a task that ended, or one's own that has not. */
    public void destroyTask(String ref) throws IOException {
        call("task.destroy", List.of(ref), Decoder.VOID);
    }

    /** All objects of a class. */
    public Map<String, XapiRecord> allRecords(XapiClass type) throws IOException {
        return call(type.name() + ".get_all_records", List.of(), Decoder.records(type));
    }

    /** The pool's permanent identity, once it is known. */
    public @Nullable String poolUuid() {
        synchronized (login) {
            return poolUuid;
        }
    }

    /** The encoding in use; {@code null} without a session. */
    public @Nullable XapiEncoding encoding() {
        Session present = session;
        return present == null ? null : present.encoding;
    }

    /** Address of the coordinator; {@code null} without a session. */
    public @Nullable String coordinator() {
        Session present = session;
        return present == null ? null : present.address;
    }

    /**
     * Ends the calls that wait for the coordinator if it accepts no connection now; the next call
     * finds another one.
     */
    public void endIfUnreachable() {
        Session present = session;
        if (present != null) {
            http.endIfUnreachable(present.address);
        }
    }

    /** Metrics of one host, by its own address. */
    Transport.Answer metrics(String address, String query, Duration timeout) throws IOException {
        return http.get(
                address,
                "/rrd_updates?session_id=" + session().ref + query,
                "application/json, text/xml;q=0.5",
                timeout);
    }

    // ------------------------------------------------------------------------------- finding

    /**
     * Asks the address that answered last, then all others at the same time. A host that refuses
     * the password may have left the pool, so its refusal counts only if no other host serves.
     */
    private Session find() throws IOException {
        if (refused != null
                && clock.nanoTime() - refusedAtNanos < access.authenticationPause().toNanos()) {
            throw refused;
        }
        List<String> candidates = List.copyOf(known);
        Set<String> asking = ConcurrentHashMap.newKeySet();
        IOException last;
        try {
            return adopt(reach(candidates.getFirst(), asking));
        } catch (IOException e) {
            last = e;
        }
        String first = candidates.getFirst();
        if (!(last instanceof XapiException.Failure) && known.remove(first)) {
            // If it has no power, each attempt takes the time of a connection: the next search asks
            // it together with the others.
            known.add(first);
        }
        LOG.info("{} does not serve as coordinator: {}", first, last.toString());
        try {
            if (candidates.size() == 1) {
                throw last;
            }
            return race(candidates.subList(1, candidates.size()), asking, last);
        } catch (XapiException.Failure e) {
            if (refusal(e) != null) {
                refused = e;
                refusedAtNanos = clock.nanoTime();
            }
            throw e;
        }
    }

    /** The refusal of the user or its password; null for any other failure. */
    private static XapiException.@Nullable Failure refusal(@Nullable Throwable e) {
        return e instanceof XapiException.Failure failure
                        && (failure.code().equals("SESSION_AUTHENTICATION_FAILED")
                                || failure.code().equals("RBAC_PERMISSION_DENIED"))
                ? failure
                : null;
    }

    private Session race(List<String> candidates, Set<String> asking, IOException first)
            throws IOException {
        IOException last = first;
        XapiException.Failure refusal = refusal(first);
        try (ExecutorService threads = racing.get()) {
            ExecutorCompletionService<Session> race = new ExecutorCompletionService<>(threads);
            for (String each : candidates) {
                Future<Session> _ = race.submit(() -> reach(each, asking));
            }
            for (int i = 0; i < candidates.size(); i++) {
                try {
                    Session found = adopt(race.take().get());
                    logOutOthers(threads, race);
                    return found;
                } catch (ExecutionException e) {
                    refusal = refusal == null ? refusal(e.getCause()) : refusal;
                    if (!(e.getCause() instanceof AskedAlready)) {
                        last =
                                e.getCause() instanceof IOException io
                                        ? io
                                        : new IOException(e.getCause());
                    }
                } catch (XapiException.Unreachable e) {
                    last = e;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException("stopped");
        }
        if (refusal != null) {
            throw refusal;
        }
        throw new XapiException.Unreachable(
                "no coordinator among " + known + ": " + last.getMessage(), last);
    }

    /** Other hosts that let the engine in, such as one that was ejected from the pool. */
    private void logOutOthers(ExecutorService searching, ExecutorCompletionService<Session> ended) {
        searching.shutdownNow();
        searching.close();
        for (Future<Session> each = ended.poll(); each != null; each = ended.poll()) {
            if (each.state() == Future.State.SUCCESS) {
                Session other = each.resultNow();
                logOutUnused(other.address, other.encoding, other.ref);
            }
        }
    }

    /** Another search asks this address now, or was answered there. */
    private static final class AskedAlready extends IOException {
        private static final long serialVersionUID = 1L;

        AskedAlready(String address) {
            super(address + " is asked already");
        }
    }

    /**
     * Logs in at an address or at the coordinator that it names.
     *
     * @param asking addresses that searches at the same time ask, that refused, or that did not
     *     answer: all members of a large pool name the same coordinator, which must not get a login
     *     from each of them
     */
    private Session reach(String address, Set<String> asking) throws IOException {
        Set<String> asked = new LinkedHashSet<>();
        String next = address;
        while (asked.add(next)) {
            String here = next;
            if (!asking.add(here)) {
                throw new AskedAlready(here);
            }
            boolean answered = false;
            try {
                Session found = logIn(here);
                answered = true;
                return found;
            } catch (XapiException.Failure e) {
                answered = refusal(e) != null;
                if (!e.code().equals("HOST_IS_SLAVE") || e.parameters().isEmpty()) {
                    throw e;
                }
                next = e.parameters().getFirst();
            } catch (XapiException.Protocol e) {
                throw e; // another encoding may do by the next search
            } catch (XapiException.Untrusted e) {
                answered = true;
                throw e;
            } catch (IOException e) {
                answered = true; // no search of these asks it again
                throw asked.size() > 1 ? withoutCoordinator(address, here, e) : e;
            } finally {
                if (!answered) {
                    asking.remove(here);
                }
            }
        }
        throw new XapiException.NoCoordinator(
                "hosts name each other as coordinator: " + asked + " → " + next, null);
    }

    private static IOException withoutCoordinator(String member, String named, IOException why) {
        return why instanceof java.io.InterruptedIOException
                ? why
                : new XapiException.NoCoordinator(
                        "%s is a member and names %s as coordinator, which does not serve: %s"
                                .formatted(member, named, why.getMessage()),
                        why);
    }

    /** Logs in with the first encoding that the server supports. */
    private Session logIn(String address) throws IOException {
        XapiException.Protocol last = null;
        for (XapiEncoding encoding : access.encodings()) {
            try {
                List<String> arguments =
                        List.of(
                                access.user(),
                                access.password().get(),
                                API_VERSION,
                                access.originator());
                String ref =
                        http.call(
                                address,
                                encoding,
                                "session.login_with_password",
                                arguments,
                                access.callTimeout(),
                                Decoder.TEXT);
                return entered(address, encoding, ref);
            } catch (XapiException.Protocol e) {
                last = e; // another encoding may do
            }
        }
        throw new XapiException.Protocol(address + " supports none of " + access.encodings(), last);
    }

    /** A new session with what it tells; one that tells nothing is logged out. */
    private Session entered(String address, XapiEncoding encoding, String ref) throws IOException {
        boolean described = false;
        try {
            Session found = describe(address, encoding, ref);
            described = true;
            return found;
        } finally {
            if (!described) {
                logOutUnused(address, encoding, ref);
            }
        }
    }

    private Session describe(String address, XapiEncoding encoding, String ref) throws IOException {
        List<String> in = List.of(ref);
        Map.Entry<String, XapiRecord> pool =
                http.call(
                                address,
                                encoding,
                                "pool.get_all_records",
                                in,
                                access.callTimeout(),
                                Decoder.records(XapiClass.of("pool")))
                        .entrySet()
                        .iterator()
                        .next();
        List<String> addresses =
                http
                        .call(
                                address,
                                encoding,
                                "host.get_all_records",
                                in,
                                access.callTimeout(),
                                Decoder.records(XapiClass.of("host")))
                        .values()
                        .stream()
                        .map(each -> each.text("address"))
                        .filter(each -> !each.isEmpty())
                        .toList();
        return new Session(
                0, address, encoding, ref, pool.getKey(), pool.getValue().text("uuid"), addresses);
    }

    /** Takes a session, if it is one of the right pool. */
    private Session adopt(Session found) throws IOException {
        String expected = poolUuid;
        String wrong = null;
        if (expected != null && !expected.equals(found.poolUuid)) {
            wrong =
                    "%s belongs to pool %s, not to %s"
                            .formatted(found.address, found.poolUuid, expected);
        } else if (!claims.claim(found.poolUuid, this)) {
            wrong =
                    "%s belongs to pool %s, which another connection watches"
                            .formatted(found.address, found.poolUuid);
        }
        if (wrong != null) {
            known.remove(found.address);
            if (known.isEmpty()) {
                known.addAll(access.addresses());
            }
            logOut(found.address, found.encoding, found.ref, access.callTimeout());
            throw new XapiException.Unreachable(wrong, null);
        }
        poolUuid = found.poolUuid;
        refused = null;
        known.clear();
        known.add(found.address);
        known.addAll(found.addresses);
        known.addAll(access.addresses());
        return new Session(
                ++epochs,
                found.address,
                found.encoding,
                found.ref,
                found.poolRef,
                found.poolUuid,
                found.addresses);
    }

    /** Briefly, since a search waits for it; also on an interrupted thread. */
    private void logOutUnused(String address, XapiEncoding encoding, String ref) {
        boolean stopped = Thread.interrupted(); // it would end the request
        logOut(address, encoding, ref, access.connectTimeout());
        if (stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void logOut(String address, XapiEncoding encoding, String ref, Duration timeout) {
        logOut(http, address, encoding, ref, timeout);
    }

    private static void logOut(
            Http by, String address, XapiEncoding encoding, String ref, Duration timeout) {
        try {
            by.call(address, encoding, "session.logout", List.of(ref), timeout, Decoder.VOID);
        } catch (IOException e) {
            LOG.debug("no logout at {}: {}", address, e.toString());
        }
    }

    /** Logs out and closes all connections. */
    @Override
    public void close() {
        Session last;
        synchronized (login) {
            closed = true;
            last = session;
            session = null;
        }
        if (last != null) {
            // Briefly: a pool that is silent must not hold up its removal.
            logOut(last.address, last.encoding, last.ref, access.connectTimeout());
        }
        claims.release(this);
        http.close();
    }
}
