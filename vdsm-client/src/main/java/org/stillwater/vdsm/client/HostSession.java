package org.stillwater.vdsm.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.EventName;
import org.stillwater.vdsm.jsonrpc.JsonRpcError;
import org.stillwater.vdsm.jsonrpc.JsonRpcId;
import org.stillwater.vdsm.jsonrpc.JsonRpcRequest;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompEncoder;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeader;
import org.stillwater.vdsm.stomp.StompHeaders;
import org.stillwater.vdsm.wire.Destination;
import tools.jackson.core.JsonGenerator;

/**
 * Stays connected to one host: connects, subscribes and matches answers with calls. When the
 * connection is lost, it fails the pending calls and reconnects with growing pauses. There is never
 * more than one connection to the host.
 *
 * <p>Threads: one virtual thread for the life of the session. Calls come from any thread.
 *
 * <p>It is long because connection, calls and their ends share one state.
 */
final class HostSession implements HostCaller {
    private static final Logger log = LoggerFactory.getLogger(HostSession.class);

    /** Receives the events of the session, on the session's thread; must not block. */
    interface Handler {
        /**
         * Decides whether the certificate that the host showed is the host's own.
         *
         * @return why it is refused, null to accept it
         */
        @Nullable String certificateShown(HostCertificate shown);

        void connected();

        void disconnected(HostFailure failure);

        /** An event; the handler closes the frame. */
        void event(EventName name, StompFrame frame, long receivedNanos, VmMessage.Verdict from);

        void malformed(String reason);

        /** An ERROR frame, or an answer without a request; it is left out. */
        void unexplained(String what);

        /** The host sends faster than the engine reads and has to wait; called once a second. */
        void slowed();
    }

    private record Pending(String verb, Receiver receiver, long sentNanos, Timers.Timer timeout) {}

    private final HostDefinition host;
    private final ConnectionResources wire;
    private final Handler handler;
    private final SplittableRandom random;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread;
    private volatile @Nullable StompConnection connection;
    private volatile @Nullable Link link;
    private volatile HostFailure lastFailure = new HostFailure.Unreachable("not connected yet");
    private volatile boolean closing;
    private int failuresInRow;
    private @Nullable String loggedRefusal;

    HostSession(HostDefinition host, ConnectionResources wire, Handler handler) {
        this.host = host;
        this.wire = wire;
        this.handler = handler;
        this.random = wire.newRandom();
        this.thread = Thread.ofVirtual().name("host-" + host.name()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Whether the session is connected, and neither reads nor writes at this moment. */
    boolean isIdle() {
        StompConnection current = connection;
        return link != null && current != null && current.isIdle();
    }

    @Override
    public void call(String verb, Consumer<? super JsonGenerator> params, Receiver receiver) {
        call(
                verb,
                id -> JsonRpcRequest.encode(id, verb, params),
                wire.settings.timeouts().request(),
                receiver);
    }

    /**
     * Sends a request with a time limit of its own.
     *
     * @param request makes the request of its id
     */
    void call(String verb, Function<String, byte[]> request, Duration limit, Receiver receiver) {
        Link current = link;
        if (current == null) {
            receiver.notSent(lastFailure);
        } else {
            current.call(verb, request, limit, receiver);
        }
    }

    /** Ends the present connection, after which a new one follows; without one, hurries up. */
    @Override
    public void reconnect(String reason) {
        StompConnection current = connection;
        if (current != null && !current.ended()) {
            current.abort(new HostFailure.Unreachable("reconnecting: " + reason));
        } else {
            wake.release();
        }
    }

    /** Sends DISCONNECT, waits a short time for the answer, and ends. */
    @Override
    public void close() {
        closing = true;
        HostFailure closed = new HostFailure.Unreachable("the connection was closed");
        Link current = link;
        if (current != null) {
            current.disconnect();
        } else {
            StompConnection opening = connection;
            if (opening != null) {
                opening.abort(closed);
            }
        }
        wake.release();
        // A name look-up cannot be stopped; everything else ends within the close timeout.
        Timers.Timer limit =
                wire.timers.after(
                        wire.settings.timeouts().close().multipliedBy(2), thread::interrupt);
        if (!Thread.currentThread().equals(thread)) {
            boolean interrupted = false;
            try {
                if (!thread.join(wire.settings.timeouts().close().multipliedBy(4))) {
                    log.debug("host {}: closing goes on in the background", host.name());
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        limit.cancel();
    }

    private void run() {
        try {
            while (!closing) {
                attempt();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            link = null;
        }
    }

    /**
     * The top frame of one connection's life: a defect, an error included, ends the connection and
     * counts as a failed attempt; the next one follows after a pause.
     */
    private void attempt() throws InterruptedException {
        try {
            pause(wire.gate.nextSlot());
            if (!closing) {
                connectOnce();
            }
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (Throwable bug) {
            failuresInRow++;
            lastFailure = new HostFailure.Unreachable("internal error: " + bug);
            log.error("host {}: the session failed and goes on", host.name(), bug);
            endAfter(lastFailure);
        }
        if (!closing) {
            pause(backOff());
        }
    }

    private void endAfter(HostFailure failure) {
        StompConnection current = connection;
        if (current != null) {
            current.abort(failure);
        }
        notifyDisconnected(failure);
    }

    private void connectOnce() throws InterruptedException {
        StompConnection fresh =
                new StompConnection(host, wire, this::refusal, () -> guarded(handler::slowed));
        connection = fresh;
        if (closing) {
            return;
        }
        try {
            fresh.open();
        } catch (ConnectFailed failed) {
            failuresInRow++;
            wire.meter.attemptFailed(host.id());
            lastFailure = failed.failure();
            if (isNewRefusal(failed.failure()) || failuresInRow == 1) {
                log.warn("host {}: {}", host.name(), failed.failure().describe());
            } else {
                log.debug(
                        "host {}: attempt {} failed: {}",
                        host.name(),
                        failuresInRow,
                        failed.failure().describe());
            }
            notifyDisconnected(failed.failure());
            return;
        }
        serve(fresh);
    }

    /** Whether a certificate is refused for another reason than since the last connection. */
    private boolean isNewRefusal(HostFailure failure) {
        String reason = failure.isUntrusted() ? failure.describe() : null;
        boolean another = reason != null && !reason.equals(loggedRefusal);
        if (another) {
            loggedRefusal = reason;
        }
        return another;
    }

    /** A listener that fails has not accepted the certificate. */
    private @Nullable String refusal(HostCertificate shown) {
        try {
            return handler.certificateShown(shown);
        } catch (RuntimeException bug) {
            log.error("host {}: a listener failed", host.name(), bug);
            return "it could not be checked: " + bug;
        }
    }

    private void serve(StompConnection fresh) {
        Link current = new Link(fresh);
        long since = wire.clock.nanoTime();
        current.subscribe();
        wire.meter.connected(host.id());
        // Remains the reason if a defect ends the session.
        HostFailure reason = new HostFailure.Unreachable("the session ended");
        loggedRefusal = null;
        try {
            link = current;
            log.info(
                    "host {}: connected{}",
                    host.name(),
                    failuresInRow > 1 ? " after " + failuresInRow + " failures" : "");
            if (closing) {
                current.disconnect();
            } else {
                WireTap tap = tap();
                if (tap != null) {
                    guarded(() -> tap.connected(host.id(), wire.clock.nanoTime()));
                }
                guarded(handler::connected);
            }
            reason = fresh.readFrames(current::frame);
        } finally {
            lastFailure = reason;
            link = null;
            fresh.abort(reason);
            wire.meter.lost(host.id());
            current.failAll(reason);
        }
        boolean lasted =
                wire.clock.nanoTime() - since >= wire.settings.reconnect().longestDelay().toNanos();
        failuresInRow = lasted ? 1 : failuresInRow + 1;
        if (closing) {
            log.info("host {}: disconnected", host.name());
        } else {
            log.warn("host {}: {}", host.name(), reason.describe());
        }
        notifyDisconnected(reason);
    }

    private void notifyDisconnected(HostFailure failure) {
        if (!closing) {
            WireTap tap = tap();
            if (tap != null) {
                guarded(() -> tap.disconnected(host.id(), wire.clock.nanoTime(), failure));
            }
            guarded(() -> handler.disconnected(failure));
        }
    }

    /** Null unless the host is recorded. */
    private @Nullable WireTap tap() {
        return wire.tapOf(host.id());
    }

    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException bug) {
            log.error("host {}: a listener failed", host.name(), bug);
        }
    }

    /** Between a half and the whole of {@code firstDelay × 2ⁿ⁻¹}, at most {@code longestDelay}. */
    private Duration backOff() {
        VdsmClientSettings.Reconnect settings = wire.settings.reconnect();
        double factor = Math.pow(2, Math.clamp(failuresInRow - 1, 0, 30));
        double nanos =
                Math.min(
                        settings.firstDelay().toNanos() * factor,
                        (double) settings.longestDelay().toNanos());
        return Duration.ofNanos((long) (nanos * (0.5 + random.nextDouble() / 2)));
    }

    private void pause(Duration duration) throws InterruptedException {
        if (duration.isZero()) {
            return;
        }
        wake.drainPermits();
        if (closing) {
            return;
        }
        Timers.Timer timer = wire.timers.after(duration, wake::release);
        try {
            wake.acquire();
        } finally {
            timer.cancel();
        }
    }

    /** One connection that stands: its subscriptions and the calls pending on it. */
    final class Link implements VmMessage.Verdict {
        private final StompConnection stomp;
        private final Map<String, Pending> pending = new ConcurrentHashMap<>();
        private final AtomicInteger malformedInRow = new AtomicInteger();
        private final String replyTo =
                wire.settings.replies() == VdsmClientSettings.Replies.SHARED
                        ? Destination.RESPONSES
                        : Destination.RESPONSES + "." + UUID.randomUUID();
        private final @Nullable FrameQueue turns;
        private volatile @Nullable String receipt;

        Link(StompConnection stomp) {
            this.stomp = stomp;
            this.turns =
                    host.traits().olderAgent()
                            ? new FrameQueue(stomp::send, wire.timers, this::unsent)
                            : null;
        }

        /** Ids are new for each connection, so a host that kept the old ones is not confused. */
        void subscribe() {
            subscribe(Destination.EVENTS);
            subscribe(replyTo);
        }

        private void subscribe(String destination) {
            String id = UUID.randomUUID().toString();
            StompHeaders headers =
                    StompHeaders.of(
                            StompHeader.DESTINATION,
                            destination,
                            StompHeader.ID,
                            id,
                            StompHeader.ACK,
                            "auto");
            FrameQueue inTurn = turns;
            if (inTurn == null) {
                stomp.send(StompEncoder.encode(StompFrame.of(StompCommand.SUBSCRIBE, headers)));
            } else {
                // VDSM answers nothing, other agents ACK or RECEIPT.
                inTurn.send(
                        id,
                        StompEncoder.encode(
                                StompFrame.of(
                                        StompCommand.SUBSCRIBE,
                                        headers.with(StompHeader.RECEIPT, id))),
                        wire.settings.timeouts().close());
            }
        }

        /** A frame could not be queued, now or at its turn: none of it was sent. */
        private void unsent(String id) {
            HostFailure reason =
                    stomp.endReason(new HostFailure.Overloaded("the host does not take requests"));
            fail(id, reason, receiver -> receiver.notSent(reason));
        }

        /** A frame has its answer, or no longer waits for one. */
        private void over(@Nullable String id) {
            FrameQueue inTurn = turns;
            if (inTurn != null) {
                inTurn.over(id);
            }
        }

        void call(
                String verb, Function<String, byte[]> encoded, Duration limit, Receiver receiver) {
            if (pending.size() >= wire.settings.bounds().pendingCalls()) {
                receiver.notSent(new HostFailure.Overloaded("too many calls wait for an answer"));
                return;
            }
            String id = JsonRpcRequest.newId();
            byte[] request = encoded.apply(id);
            byte[] frame =
                    StompEncoder.encode(
                            new StompFrame(
                                    StompCommand.SEND,
                                    StompHeaders.of(
                                            StompHeader.DESTINATION,
                                            Destination.REQUESTS,
                                            StompHeader.REPLY_TO,
                                            replyTo),
                                    FrameBody.of(request)));
            long now = wire.clock.nanoTime();
            WireTap tap = tap();
            if (tap != null) {
                guarded(() -> tap.called(host.id(), now, verb, request));
            }
            Timers.Timer timeout = wire.timers.after(limit, () -> timedOut(id, limit));
            pending.put(id, new Pending(verb, receiver, now, timeout));
            FrameQueue inTurn = turns;
            if (inTurn != null) {
                inTurn.send(id, frame, null);
            } else if (!stomp.send(frame)) {
                unsent(id);
            }
            if (stomp.ended()) {
                fail(id, stomp.endReason(lastFailure));
            }
        }

        void frame(StompFrame frame) throws IOException {
            switch (frame.command()) {
                case StompCommand.MESSAGE -> message(frame);
                case StompCommand.ERROR -> {
                    wire.meter.errorFrame(host.id());
                    String quoted = StompConnection.quote(frame);
                    frame.close();
                    guarded(() -> handler.unexplained("ERROR frame: " + quoted));
                }
                case StompCommand.RECEIPT -> {
                    String awaited = receipt;
                    String given = frame.header(StompHeader.RECEIPT_ID);
                    if (awaited != null && awaited.equals(given)) {
                        stomp.abort(new HostFailure.Unreachable("the connection was closed"));
                    }
                    frame.close();
                    over(given);
                }
                case StompCommand.ACK -> {
                    String given = frame.header(StompHeader.ID);
                    frame.close();
                    over(given);
                }
                default -> frame.close();
            }
        }

        @SuppressWarnings("MustBeClosedChecker") // the receiver of an answer closes it
        private void message(StompFrame frame) {
            long now = wire.clock.nanoTime();
            WireTap tap = tap();
            Envelope envelope;
            try {
                envelope = Envelope.open(frame.body());
            } catch (MalformedEnvelope malformed) {
                frame.close();
                if (tap != null) {
                    guarded(() -> tap.malformed(host.id(), now));
                }
                String reason = Refusals.words(malformed);
                guarded(() -> handler.malformed(reason));
                malformed(reason);
                return;
            }
            JsonRpcId id = envelope.id();
            switch (envelope.kind()) {
                case RESULT, ERROR -> {
                    Pending call = id == null ? null : pending.remove(id.text());
                    if (call != null) {
                        call.timeout().cancel();
                        over(id == null ? null : id.text());
                        if (tap != null) {
                            guarded(() ->
                                    tap.answered(
                                            host.id(),
                                            call.sentNanos(),
                                            now,
                                            call.verb(),
                                            frame.body()));
                        }
                        Answer answer = new Answer(this, frame, envelope, call.sentNanos(), now);
                        guarded(() -> call.receiver().answered(answer));
                        return;
                    }
                    if (id == null) {
                        JsonRpcError error = envelope.error();
                        String with = error == null ? "" : ", with error code " + error.code();
                        guarded(() -> handler.unexplained("an answer without id" + with));
                    }
                    wire.meter.unmatchedAnswer(host.id());
                    envelope.close();
                    frame.close();
                }
                case EVENT -> {
                    String method = envelope.method();
                    EventName name = method == null ? null : EventName.parse(method);
                    envelope.close();
                    if (name == null) {
                        frame.close();
                    } else {
                        if (tap != null) {
                            guarded(() -> tap.event(host.id(), now, frame.body()));
                        }
                        guarded(() -> handler.event(name, frame, now, this));
                    }
                }
                case REQUEST -> {
                    envelope.close();
                    frame.close();
                }
            }
        }

        /** A message was understood to its end. */
        @Override
        public void records(int predicted, int decoded) {
            wire.meter.records(host.id(), predicted, decoded);
        }

        @Override
        public void understood() {
            if (malformedInRow.get() != 0) {
                malformedInRow.set(0);
            }
        }

        /** A message was not; it is lost, and when that continues, the connection is, too. */
        @Override
        public void malformed(String reason) {
            wire.meter.malformed(host.id());
            int inRow = malformedInRow.incrementAndGet();
            if (inRow == 1) {
                // The listener writes a throttled log line: a host may do this without end.
                log.debug("host {}: malformed message: {}", host.name(), reason);
            }
            if (inRow >= wire.settings.bounds().malformedMessages()) {
                stomp.abort(
                        new HostFailure.ProtocolViolation(inRow + " malformed messages in a row"));
            }
        }

        void disconnect() {
            String id = UUID.randomUUID().toString();
            receipt = id;
            wire.timers.after(
                    wire.settings.timeouts().close(),
                    () -> stomp.abort(new HostFailure.Unreachable("the connection was closed")));
            stomp.send(
                    StompEncoder.encode(
                            StompFrame.of(
                                    StompCommand.DISCONNECT,
                                    StompHeaders.of(StompHeader.RECEIPT, id))));
        }

        private void timedOut(String id, Duration limit) {
            Pending call = pending.remove(id);
            if (call != null) {
                over(id);
                wire.meter.timedOut(host.id());
                if (!stomp.heardSince(call.sentNanos())) {
                    // No answer, and no byte either: a dead peer that promised no heart-beats.
                    stomp.abort(new HostFailure.Unreachable("the host is silent"));
                }
                HostFailure failure = new HostFailure.TimedOut(call.verb(), limit.toMillis());
                tell(call, failure);
                guarded(() -> call.receiver().failed(failure));
            }
        }

        /** Each receiver is called, even after an error of another one. */
        private void failAll(HostFailure reason) {
            for (String id : pending.keySet()) {
                try {
                    fail(id, reason);
                } catch (Error bug) {
                    log.error("host {}: a receiver failed", host.name(), bug);
                }
            }
        }

        private void fail(String id, HostFailure reason) {
            fail(id, reason, receiver -> receiver.failed(reason));
        }

        private void fail(String id, HostFailure reason, Consumer<Receiver> outcome) {
            Pending call = pending.remove(id);
            if (call != null) {
                call.timeout().cancel();
                over(id);
                tell(call, reason);
                guarded(() -> outcome.accept(call.receiver()));
            }
        }

        private void tell(Pending call, HostFailure failure) {
            WireTap tap = tap();
            if (tap != null) {
                guarded(() -> tap.failed(host.id(), wire.clock.nanoTime(), call.verb(), failure));
            }
        }
    }
}
