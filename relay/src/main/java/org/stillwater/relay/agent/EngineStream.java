package org.stillwater.relay.agent;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.text.SafeText;
import org.stillwater.relay.state.Outbox;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.FromRelay;
import org.stillwater.relay.v1.Hello;
import org.stillwater.relay.v1.Offer;
import org.stillwater.relay.v1.RelayServiceGrpc;
import org.stillwater.relay.v1.Welcome;
import org.stillwater.relay.wire.CallCodec;
import org.stillwater.relay.wire.DeltaCodec;
import org.stillwater.relay.wire.StreamLimits;

/**
 * The stream to the engine: opens it, opens it again when it ends, and sends the messages of the
 * outbox as fast as the engine accepts them. Used on the loop; gRPC's threads only hand messages
 * over.
 *
 * <p>Results of calls go before deltas: they are written at once, behind the delta that is being
 * written. They are bounded by the calls under way.
 */
public final class EngineStream {

    private static final Logger log = LoggerFactory.getLogger(EngineStream.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    /**
     * Time without a message after which the stream counts as dead; the engine sends marks
     * regularly.
     */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    /** Characters of a reason that the other side chose, for the log and the health page. */
    private static final int LONGEST_REASON = 500;

    private final ManagedChannel channel;
    private final String name;
    private final Duration interval;
    private final List<Offered> offers;
    private final Map<HostId, Integer> positions = new HashMap<>();
    private final Outbox outbox;
    private final Loop loop;
    private final RandomGenerator random;

    private CallTaker calls = new NoCalls();
    private long lastCall;
    private @Nullable Attempt attempt;
    private boolean ended;
    private Duration pause = FIRST_PAUSE;
    private long session;
    private long mark;
    private long heardNanos;
    private @Nullable String trouble = "no stream yet";

    /** Distinguishes the handlers of one stream from those of earlier streams. */
    private final class Attempt implements ClientResponseObserver<FromRelay, FromEngine> {
        @Nullable ClientCallStreamObserver<FromRelay> requests;

        @Override
        public void beforeStart(ClientCallStreamObserver<FromRelay> stream) {
            requests = stream;
            stream.setOnReadyHandler(() -> loop.execute(EngineStream.this::pump));
        }

        @Override
        public void onNext(FromEngine message) {
            loop.execute(() -> received(this, message));
        }

        @Override
        public void onError(Throwable failure) {
            loop.execute(() -> lost(this, describe(Status.fromThrowable(failure))));
        }

        @Override
        public void onCompleted() {
            loop.execute(() -> lost(this, "the engine ended the stream"));
        }
    }

    /** Takes calls of the engine to the hosts. Used on the loop. */
    public interface CallTaker {

        /** Most calls of one host that may be under way; 0 for none. */
        int most();

        /** Largest parameters of a call, in bytes. */
        int mostBytes();

        /**
         * Takes a call.
         *
         * @param results gets its result, once, on the loop
         */
        void take(Call call, Consumer<CallResult> results);
    }

    /** Refuses a call although none was offered. */
    private static final class NoCalls implements CallTaker {
        @Override
        public int most() {
            return 0;
        }

        @Override
        public int mostBytes() {
            return 0;
        }

        @Override
        public void take(Call call, Consumer<CallResult> results) {
            results.accept(
                    CallCodec.notSent(
                            call.getId(), new HostFailure.Overloaded("the relay takes no calls")));
        }
    }

    /**
     * A host in the offer of a stream.
     *
     * @param host the host
     * @param name for the log
     * @param epoch of its state
     */
    public record Offered(HostId host, String name, long epoch) {}

    /**
     * A stream that is not open yet.
     *
     * @param name the relay's; the channel's certificate carries it
     * @param interval how often the hosts are polled
     * @param offers the hosts, in the order by which messages refer to them
     * @param outbox the messages to send; it has these hosts
     * @param loop the thread of this object and of the outbox
     * @param random chooses pauses
     */
    public EngineStream(
            ManagedChannel channel,
            String name,
            Duration interval,
            List<Offered> offers,
            Outbox outbox,
            Loop loop,
            RandomGenerator random) {
        this.channel = channel;
        this.name = name;
        this.interval = interval;
        this.offers = List.copyOf(offers);
        this.outbox = outbox;
        this.loop = loop;
        this.random = random;
        for (int i = 0; i < this.offers.size(); i++) {
            positions.put(this.offers.get(i).host(), i);
        }
    }

    /** Offers the engine to pass calls on to the hosts. Called before {@link #open}. */
    public void takeCalls(CallTaker taker) {
        calls = taker;
    }

    /** The open stream; 0 for none. */
    public long session() {
        return session;
    }

    /** The newest mark received over it; 0 for none. */
    public long mark() {
        return mark;
    }

    /** Why no stream is open or hosts are refused; null without trouble. */
    public @Nullable String trouble() {
        return trouble;
    }

    /** Opens the stream. */
    public void open() {
        if (ended) {
            return;
        }
        Attempt fresh = new Attempt();
        attempt = fresh;
        lastCall = 0;
        heardNanos = loop.nanoTime();
        channel.resetConnectBackoff(); // the pause between attempts is this class's own
        ClientCallStreamObserver<FromRelay> requests =
                (ClientCallStreamObserver<FromRelay>)
                        RelayServiceGrpc.newStub(channel).connect(fresh);
        fresh.requests = requests;
        Hello.Builder hello =
                Hello.newBuilder()
                        .setRelay(name)
                        .setVersion(StreamLimits.VERSION)
                        .setIntervalMillis((int) interval.toMillis())
                        .setCalls(calls.most())
                        .setCallBytes(calls.mostBytes());
        for (Offered offer : offers) {
            hello.addHosts(
                    Offer.newBuilder()
                            .setHost(DeltaCodec.write(offer.host().value()))
                            .setEpoch(offer.epoch()));
        }
        requests.onNext(FromRelay.newBuilder().setHello(hello).build());
        loop.after(SILENCE, () -> listen(fresh));
    }

    private void listen(Attempt which) {
        if (which != attempt || ended) {
            return;
        }
        long silent = loop.nanoTime() - heardNanos;
        if (silent >= SILENCE.toNanos()) {
            ClientCallStreamObserver<FromRelay> requests = which.requests;
            if (requests != null) {
                requests.cancel("the engine is silent", null);
            }
            lost(which, "no message from the engine for " + SILENCE.toSeconds() + " s");
        } else {
            loop.after(SILENCE.minusNanos(silent), () -> listen(which));
        }
    }

    private void received(Attempt which, FromEngine message) {
        if (which != attempt) {
            return;
        }
        heardNanos = loop.nanoTime();
        switch (message.getKindCase()) {
            case WELCOME -> welcomed(message.getWelcome());
            case ACK -> {
                mark = message.getAck().getMark();
                outbox.acknowledged(message.getAck().getNumber());
                HostId host = hostAt(message.getAck().getHost());
                if (host != null) {
                    outbox.reached(host, message.getAck().getSequence());
                }
            }
            case MARK -> mark = message.getMark().getMark();
            case DEMAND -> {
                HostId host = hostAt(message.getDemand().getHost());
                if (host != null) {
                    outbox.demanded(host, message.getDemand().getFrom());
                }
            }
            case CALL -> call(which, message.getCall());
            case KIND_NOT_SET -> log.debug("a message of a later form is left out");
        }
        pump();
    }

    /**
     * Takes a call. Its result belongs to this stream only: after its end the engine no longer
     * knows the call.
     */
    private void call(Attempt which, Call call) {
        if (call.getId() <= lastCall) {
            ClientCallStreamObserver<FromRelay> requests = which.requests;
            if (requests != null) {
                requests.cancel("a call came twice", null);
            }
            lost(which, "the engine sent a call twice");
            return;
        }
        lastCall = call.getId();
        calls.take(
                call,
                result -> {
                    ClientCallStreamObserver<FromRelay> requests = which.requests;
                    if (which == attempt && requests != null) {
                        requests.onNext(FromRelay.newBuilder().setResult(result).build());
                    }
                });
    }

    /**
     * A status in one line; its own text contains the stack trace of its cause. Its description can
     * come from the other side, which may be no engine.
     */
    private static String describe(Status status) {
        StringBuilder text = new StringBuilder(status.getCode().toString());
        if (status.getDescription() != null) {
            text.append(": ").append(status.getDescription());
        }
        Throwable cause = status.getCause();
        if (cause != null && cause.getMessage() != null) {
            text.append(" (").append(cause.getMessage()).append(')');
        }
        return shown(text.toString());
    }

    /** One line without control characters, which could forge a line of the log. */
    private static String shown(String text) {
        return SafeText.of(text, LONGEST_REASON);
    }

    private @Nullable HostId hostAt(int position) {
        return position >= 0 && position < offers.size() ? offers.get(position).host() : null;
    }

    private void welcomed(Welcome welcome) {
        Map<HostId, Long> resume = new HashMap<>();
        List<String> refused = new ArrayList<>();
        for (int i = 0; i < offers.size(); i++) {
            if (i < welcome.getHostsCount() && welcome.getHosts(i).getAccepted()) {
                resume.put(offers.get(i).host(), welcome.getHosts(i).getSequence());
            } else {
                refused.add(offers.get(i).name());
            }
        }
        pause = FIRST_PAUSE;
        session = welcome.getSession();
        mark = 0;
        outbox.opened(resume, welcome.getWindow());
        if (refused.isEmpty()) {
            trouble = null;
            log.info("the engine takes {} hosts", resume.size());
        } else {
            trouble =
                    "the engine refuses %d %s: %s"
                            .formatted(
                                    refused.size(),
                                    refused.size() == 1 ? "host" : "hosts",
                                    shown(welcome.getRefusal()));
            log.warn("{} ({})", trouble, String.join(", ", refused));
        }
    }

    private void lost(Attempt which, String why) {
        if (which != attempt) {
            return;
        }
        attempt = null;
        session = 0;
        mark = 0;
        outbox.closed();
        if (ended) {
            return;
        }
        trouble = why;
        log.warn("no stream to the engine: {}", why);
        long most = pause.toNanos();
        loop.after(Duration.ofNanos(random.nextLong(most / 2, most + 1)), this::open);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
    }

    /** Sends waiting messages while the engine accepts them. */
    public void pump() {
        Attempt present = attempt;
        ClientCallStreamObserver<FromRelay> requests = present == null ? null : present.requests;
        if (requests == null) {
            return;
        }
        while (requests.isReady()) {
            Outbox.Message message = outbox.next(loop.nanoTime());
            if (message == null) {
                return;
            }
            Integer position = positions.get(message.host());
            if (position != null) {
                requests.onNext(
                        FromRelay.newBuilder()
                                .setDelta(
                                        DeltaCodec.write(
                                                message.number(), position, message.delta()))
                                .build());
            }
        }
    }

    /** Closes the stream; it is not opened again. */
    public void close() {
        ended = true;
        Attempt present = attempt;
        if (present != null && present.requests != null) {
            present.requests.onCompleted();
        }
        attempt = null;
        session = 0;
        outbox.closed();
    }
}
