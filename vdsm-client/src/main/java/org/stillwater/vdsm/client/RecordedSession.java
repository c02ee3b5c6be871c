package org.stillwater.vdsm.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.EventName;
import org.stillwater.vdsm.jsonrpc.JsonRpcRequest;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;
import org.stillwater.vdsm.wire.ErrorCode;
import org.stillwater.vdsm.wire.Verb;
import tools.jackson.core.JsonGenerator;

/**
 * A connection to a host that replays a recording. Requests that the recording answers wait for
 * that answer. All other orders succeed; all other queries get the answer of a host that lacks the
 * feature.
 */
final class RecordedSession implements HostCaller {

    private static final Set<String> READINGS =
            Set.of(
                    Verb.GET_CAPABILITIES,
                    Verb.GET_HARDWARE_INFO,
                    Verb.GET_STATS,
                    Verb.GET_ALL_VM_STATS,
                    Verb.DUMPXMLS,
                    Verb.VM_GET_EXTERNAL_DATA);

    /** A host's properties change rarely, so the last answer serves later requests, too. */
    private static final Set<String> LASTING =
            Set.of(Verb.GET_CAPABILITIES, Verb.GET_HARDWARE_INFO, Verb.GET_STATS);

    /** Without these a host is unknown, so nothing stands for them. */
    private static final Set<String> ESSENTIAL =
            Set.of(Verb.GET_CAPABILITIES, Verb.GET_ALL_VM_STATS);

    private final HostId host;
    private final EngineClock clock;
    private final HostSession.Handler handler;
    private final Map<String, Integer> expected;
    private final BiConsumer<HostId, Call> orders;
    private final Map<String, Deque<Call>> waiting = new HashMap<>();
    private final Map<String, Message> kept = new HashMap<>();
    private HostFailure lastFailure = new HostFailure.Unreachable("not connected yet");
    private boolean standing;
    private boolean closed;

    /** A request that waits. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Call(String verb, byte[] request, Receiver receiver) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Message(long sentNanos, byte[] text) {}

    /**
     * A session that is not connected.
     *
     * @param expected how many recorded answers there will be, by verb; reduced by each
     * @param orders receives each request that is no query
     */
    RecordedSession(
            HostId host,
            EngineClock clock,
            HostSession.Handler handler,
            Map<String, Integer> expected,
            BiConsumer<HostId, Call> orders) {
        this.host = host;
        this.clock = clock;
        this.handler = handler;
        this.expected = expected;
        this.orders = orders;
    }

    @Override
    public void call(String verb, Consumer<? super JsonGenerator> params, Receiver receiver) {
        if (!standing) {
            receiver.failed(lastFailure);
            return;
        }
        Call call = new Call(verb, JsonRpcRequest.encode("recorded", verb, params), receiver);
        if (!READINGS.contains(verb)) {
            orders.accept(host, call);
        }
        Message known = LASTING.contains(verb) ? kept.get(verb) : kept.remove(verb);
        if (known != null) {
            give(call, known);
        } else if (isExpected(verb) || ESSENTIAL.contains(verb)) {
            waiting.computeIfAbsent(verb, _ -> new ArrayDeque<>()).add(call);
        } else {
            give(call, new Message(clock.nanoTime(), otherwise(verb)));
        }
    }

    private boolean isExpected(String verb) {
        return expected.getOrDefault(verb, 0) > 0;
    }

    private static byte[] otherwise(String verb) {
        String answer =
                switch (verb) {
                    case Verb.DUMPXMLS, Verb.VM_GET_EXTERNAL_DATA ->
                            "\"error\":{\"code\":"
                                    + ErrorCode.NO_SUCH_VM
                                    + ",\"message\":\"not recorded\"}";
                    case Verb.GET_HARDWARE_INFO, Verb.GET_STATS -> "\"result\":{}";
                    default -> "\"result\":true";
                };
        return ("{\"jsonrpc\":\"2.0\",\"id\":\"recorded\"," + answer + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    boolean isAsked(String verb) {
        Deque<Call> calls = waiting.get(verb);
        return calls != null && !calls.isEmpty();
    }

    void connected() {
        if (!closed && !standing) {
            standing = true;
            handler.connected();
        }
    }

    void disconnected(HostFailure failure) {
        lastFailure = failure;
        standing = false;
        kept.clear();
        List<Call> lost = new ArrayList<>();
        waiting.values().forEach(lost::addAll);
        waiting.clear();
        lost.forEach(call -> call.receiver().failed(failure));
        if (!closed) {
            handler.disconnected(failure);
        }
    }

    void answered(String verb, long sentNanos, byte[] text) {
        expected.computeIfPresent(verb, (_, left) -> left - 1);
        if (closed || !standing) {
            return;
        }
        Message message = new Message(sentNanos, text);
        Call call = next(verb);
        if (call == null || LASTING.contains(verb)) {
            kept.put(verb, message);
        }
        if (call != null) {
            give(call, message);
        }
    }

    void failed(String verb, HostFailure failure) {
        expected.computeIfPresent(verb, (_, left) -> left - 1);
        Call call = closed ? null : next(verb);
        if (call != null) {
            call.receiver().failed(failure);
        }
    }

    private @Nullable Call next(String verb) {
        Deque<Call> calls = waiting.get(verb);
        return calls == null ? null : calls.poll();
    }

    @SuppressWarnings("MustBeClosedChecker") // the receiver of an answer closes it
    private void give(Call call, Message message) {
        StompFrame frame = frame(message.text());
        Envelope envelope;
        try {
            envelope = Envelope.open(frame.body());
        } catch (MalformedEnvelope malformed) {
            call.receiver().failed(new HostFailure.ProtocolViolation(Refusals.words(malformed)));
            return;
        }
        call.receiver()
                .answered(
                        new Answer(
                                Unjudged.VERDICT,
                                frame,
                                envelope,
                                message.sentNanos(),
                                clock.nanoTime()));
    }

    void event(byte[] text) {
        if (closed || !standing) {
            return;
        }
        StompFrame frame = frame(text);
        EventName name = null;
        try (Envelope envelope = Envelope.open(frame.body())) {
            String method = envelope.method();
            name = method == null ? null : EventName.parse(method);
        } catch (MalformedEnvelope malformed) {
            handler.malformed(Refusals.words(malformed));
        }
        if (name != null) {
            handler.event(name, frame, clock.nanoTime(), Unjudged.VERDICT);
        }
    }

    void malformed() {
        if (!closed && standing) {
            handler.malformed("not JSON");
        }
    }

    private static StompFrame frame(byte[] text) {
        return new StompFrame(StompCommand.MESSAGE, StompHeaders.none(), FrameBody.of(text));
    }

    /** The recording decides when the connection is up. */
    @Override
    public void reconnect(String reason) {}

    @Override
    public void close() {
        closed = true;
        disconnected(new HostFailure.Unreachable("the connection was closed"));
    }

    /** Does not count malformed messages. */
    private enum Unjudged implements VmMessage.Verdict {
        VERDICT;

        @Override
        public void understood() {}

        @Override
        public void malformed(String reason) {}
    }
}
