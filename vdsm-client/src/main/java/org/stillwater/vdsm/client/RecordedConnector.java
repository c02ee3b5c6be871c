package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;

/**
 * Hosts that replay a recording, through the decoders of real connections. The caller moves the
 * clock and delivers the messages, in their order; nothing else happens. An answer goes to the
 * request of its verb that waits; without one it is kept for the next such request, the newest
 * only. Used on one thread.
 */
public final class RecordedConnector implements HostConnector {

    private final EngineClock clock;
    private final VdsmClientSettings.Bounds bounds = VdsmClientSettings.Bounds.DEFAULT;
    private final VmDecoder.Pool decoders = new VmDecoder.Pool();
    private final Map<HostId, RecordedSession> sessions = new HashMap<>();
    private final Map<HostId, Boolean> standing = new HashMap<>();
    private final Map<HostId, Map<String, Integer>> expected = new HashMap<>();
    private final List<Order> orders = new ArrayList<>();

    /**
     * An order that the engine gave to a host.
     *
     * @param verb its method, such as {@code VM.destroy}
     * @param vm identity of the VM that it is about; null for none
     */
    public record Order(HostId host, String verb, @Nullable String vm) {}

    /** A connector of hosts that have reported nothing yet. */
    public RecordedConnector(EngineClock clock) {
        this.clock = clock;
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        Map<String, Integer> answers = expected.computeIfAbsent(host.id(), _ -> new HashMap<>());
        VdsmHostConnection connection =
                new VdsmHostConnection(
                        host,
                        listener,
                        bounds,
                        WireMeter.NONE,
                        decoders,
                        handler ->
                                new RecordedSession(
                                        host.id(), clock, handler, answers, this::ordered));
        if (connection.caller() instanceof RecordedSession session) {
            sessions.put(host.id(), session);
            if (standing.getOrDefault(host.id(), false)) {
                session.connected();
            }
        }
        return connection;
    }

    private void ordered(HostId host, RecordedSession.Call call) {
        orders.add(new Order(host, call.verb(), RequestFields.of(call.request()).vm()));
    }

    /** The orders since the last call: requests other than readings. */
    public List<Order> takeOrders() {
        List<Order> taken = List.copyOf(orders);
        orders.clear();
        return taken;
    }

    /** A recorded answer to such a request will be delivered. */
    public void expect(HostId host, String verb) {
        expected.computeIfAbsent(host, _ -> new HashMap<>()).merge(verb, 1, Integer::sum);
    }

    /** Whether a request with this verb waits for its answer. */
    public boolean isAsked(HostId host, String verb) {
        RecordedSession session = sessions.get(host);
        return session != null && session.isAsked(verb);
    }

    /** The connection stands from now on, also one that is opened later. */
    public void connected(HostId host) {
        standing.put(host, true);
        with(host, RecordedSession::connected);
    }

    /** The connection is lost. */
    public void disconnected(HostId host, HostFailure failure) {
        standing.put(host, false);
        with(host, session -> session.disconnected(failure));
    }

    /**
     * An answer, by a result or an error.
     *
     * @param sentNanos when the request was sent
     * @param message the JSON-RPC answer
     */
    public void answered(HostId host, String verb, long sentNanos, byte[] message) {
        with(host, session -> session.answered(verb, sentNanos, message));
    }

    /** A request ended without an answer. */
    public void failed(HostId host, String verb, HostFailure failure) {
        with(host, session -> session.failed(verb, failure));
    }

    /** An event. */
    public void event(HostId host, byte[] message) {
        with(host, session -> session.event(message));
    }

    /** A message that is no JSON-RPC. */
    public void malformed(HostId host) {
        with(host, RecordedSession::malformed);
    }

    private void with(HostId host, Consumer<RecordedSession> action) {
        RecordedSession session = sessions.get(host);
        if (session != null) {
            action.accept(session);
        }
    }
}
