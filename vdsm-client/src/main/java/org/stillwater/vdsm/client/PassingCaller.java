package org.stillwater.vdsm.client;

import java.util.function.Consumer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.JsonRpcRequest;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;
import tools.jackson.core.JsonGenerator;

/**
 * Sends commands to a host through a passage, and all else over the host's session. Thread-safe.
 *
 * <p>A command goes over the session as well if the passage certainly did not send it. After any
 * other failure the host may have carried it out, so it is not sent again: the failure is the
 * caller's, as that of a lost connection is.
 *
 * <p>Commands of a recorded host go over the session, which the recording listens to.
 */
final class PassingCaller implements HostCaller {

    private final HostId host;
    private final HostSession session;
    private final CallPassage passage;
    private final ConnectionResources wire;

    PassingCaller(HostId host, HostSession session, CallPassage passage, ConnectionResources wire) {
        this.host = host;
        this.session = session;
        this.passage = passage;
        this.wire = wire;
    }

    /** The host's session. */
    HostSession session() {
        return session;
    }

    @Override
    public void call(String verb, Consumer<? super JsonGenerator> params, Receiver receiver) {
        session.call(verb, params, receiver);
    }

    @Override
    public void command(String verb, Consumer<? super JsonGenerator> params, Receiver receiver) {
        if (wire.tapOf(host) != null) {
            session.call(verb, params, receiver);
            return;
        }
        long sentNanos = wire.clock.nanoTime();
        passage.pass(
                new CallPassage.PassedCall(
                        verb,
                        JsonRpcRequest.params(params),
                        wire.settings.timeouts().request(),
                        (int)
                                Math.min(
                                        wire.settings.bounds().frames().bodyBytes(),
                                        Integer.MAX_VALUE)),
                new CallPassage.Outcome() {
                    @Override
                    public void answered(byte[] answer) {
                        deliver(answer, sentNanos, receiver);
                    }

                    @Override
                    public void failed(HostFailure failure) {
                        receiver.failed(failure);
                    }

                    @Override
                    public void notSent(HostFailure failure) {
                        session.call(verb, params, receiver);
                    }
                });
    }

    @SuppressWarnings("MustBeClosedChecker") // the receiver of an answer closes it
    private void deliver(byte[] answer, long sentNanos, Receiver receiver) {
        long now = wire.clock.nanoTime();
        StompFrame frame =
                new StompFrame(StompCommand.MESSAGE, StompHeaders.of(), FrameBody.of(answer));
        Envelope envelope;
        try {
            envelope = Envelope.open(frame.body());
        } catch (MalformedEnvelope malformed) {
            refuse(Refusals.words(malformed), receiver);
            return;
        }
        switch (envelope.kind()) {
            case RESULT, ERROR ->
                    receiver.answered(new Answer(new Verdict(), frame, envelope, sentNanos, now));
            case REQUEST, EVENT -> {
                envelope.close();
                refuse("the answer to a command is no answer", receiver);
            }
        }
    }

    private void refuse(String reason, Receiver receiver) {
        wire.meter.malformed(host);
        receiver.failed(new HostFailure.ProtocolViolation(reason));
    }

    /** Counts answers that cannot be read; the connection itself is not their cause. */
    private final class Verdict implements VmMessage.Verdict {
        @Override
        public void understood() {}

        @Override
        public void malformed(String reason) {
            wire.meter.malformed(host);
        }
    }

    @Override
    public void reconnect(String reason) {
        session.reconnect(reason);
    }

    @Override
    public void close() {
        session.close();
    }
}
