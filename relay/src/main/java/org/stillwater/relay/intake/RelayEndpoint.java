package org.stillwater.relay.intake;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.HostMirror;
import org.stillwater.relay.v1.Ack;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.relay.v1.Demand;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.FromRelay;
import org.stillwater.relay.v1.Hello;
import org.stillwater.relay.v1.Mark;
import org.stillwater.relay.v1.Offer;
import org.stillwater.relay.v1.RelayServiceGrpc;
import org.stillwater.relay.v1.Resume;
import org.stillwater.relay.v1.Welcome;
import org.stillwater.relay.wire.DeltaCodec;
import org.stillwater.relay.wire.StreamLimits;

/** Serves the streams of relays. Thread-safe; messages of one stream arrive one at a time. */
final class RelayEndpoint extends RelayServiceGrpc.RelayServiceImplBase {

    private static final Logger log = LoggerFactory.getLogger(RelayEndpoint.class);

    private final RelayIntake relays;
    private final EngineClock clock;
    private final RelayServer.Pace pace;
    private final SecureRandom random = new SecureRandom();
    private final Set<Stream> streams = ConcurrentHashMap.newKeySet();

    /**
     * An endpoint.
     *
     * @param pace limits of each stream
     */
    RelayEndpoint(RelayIntake relays, EngineClock clock, RelayServer.Pace pace) {
        this.relays = relays;
        this.clock = clock;
        this.pace = pace;
    }

    @Override
    public StreamObserver<FromRelay> connect(StreamObserver<FromEngine> answers) {
        Stream stream =
                new Stream((ServerCallStreamObserver<FromEngine>) answers, RelayName.OF_PEER.get());
        streams.add(stream);
        long silent = streams.stream().filter(each -> each.isSilent(stream.peer)).count();
        if (silent > pace.mostSilent()) {
            stream.refuse(
                    Status.RESOURCE_EXHAUSTED,
                    "more than " + pace.mostSilent() + " streams without a Hello");
        }
        return stream;
    }

    /**
     * Sends a mark to every relay: polls that it requests after the mark are later. Ends streams
     * without a Hello. Called at regular intervals; a stream that fails ends, and the others get
     * their marks.
     */
    void mark() {
        long now = clock.nanoTime();
        for (Stream stream : streams) {
            try {
                stream.expire(now);
                stream.expireCalls(now);
                stream.mark();
            } catch (RuntimeException | Error e) {
                stream.end("it takes no marks, " + e);
            }
        }
    }

    /** Connected relays that have got their Welcome. */
    int connected() {
        return (int) streams.stream().filter(stream -> stream.welcomed).count();
    }

    /** One host of a stream; its intake is null if the host is refused. */
    private record Lane(HostId host, @Nullable HostIntake intake, long epoch) {}

    /** One relay's stream. */
    private final class Stream implements StreamObserver<FromRelay> {
        private final ServerCallStreamObserver<FromEngine> answers;
        private final @Nullable String peer;
        private final long session;
        private final long openedNanos = clock.nanoTime();
        private List<Lane> lanes = List.of();
        private final Map<Integer, Long> demanded = new HashMap<>();
        private String relay = "";
        private volatile boolean welcomed;

        /** Null for a relay without calls. */
        private volatile @Nullable CallLane calls;

        private boolean ended;

        /** Whether its Hello arrived, in time. Guarded by this. */
        private boolean greeted;

        /** Whether the next message is requested only after the relay has read the answers. */
        private boolean held;

        Stream(ServerCallStreamObserver<FromEngine> answers, @Nullable String peer) {
            this.answers = answers;
            this.peer = peer;
            this.session = random.nextLong() | 1; // never 0, which marks no value
            answers.setOnCancelHandler(() -> end("it was cancelled"));
            answers.disableAutoRequest();
            answers.setOnReadyHandler(this::release);
            answers.request(1);
        }

        synchronized boolean isSilent(@Nullable String of) {
            return !greeted && !ended && Objects.equals(peer, of);
        }

        private synchronized void expire(long now) {
            if (!greeted && !ended && now - openedNanos > pace.helloWithin().toNanos()) {
                refuse(
                        Status.DEADLINE_EXCEEDED,
                        "no Hello within " + pace.helloWithin().toSeconds() + " s");
            }
        }

        private void expireCalls(long now) {
            CallLane open = calls;
            if (open != null) {
                open.expire(now);
            }
        }

        private void release() {
            if (held) {
                held = false;
                answers.request(1);
            }
        }

        @Override
        public void onNext(FromRelay message) {
            take(message);
            held = true;
            if (answers.isReady()) {
                release();
            }
        }

        private void take(FromRelay message) {
            switch (message.getKindCase()) {
                case HELLO -> hello(message.getHello());
                case DELTA -> delta(message.getDelta());
                case RESULT -> result(message.getResult());
                case KIND_NOT_SET -> refuse(Status.INVALID_ARGUMENT, "an empty message");
            }
        }

        private void hello(Hello hello) {
            synchronized (this) {
                if (ended) {
                    return; // refused meanwhile
                }
                greeted = true;
            }
            if (welcomed) {
                refuse(Status.FAILED_PRECONDITION, "a second Hello");
                return;
            }
            String name = hello.getRelay();
            if (peer == null || !peer.equals(name)) {
                refuse(
                        Status.PERMISSION_DENIED,
                        "the certificate is not that of relay " + RelayName.printable(name));
                return;
            }
            if (hello.getVersion() < StreamLimits.VERSION) {
                refuse(Status.UNIMPLEMENTED, "version " + hello.getVersion() + " of the schema");
                return;
            }
            if (!relays.isKnown(name)) {
                refuse(
                        Status.PERMISSION_DENIED,
                        "stillwater.relay.hosts names no relay " + RelayName.printable(name));
                return;
            }
            Duration interval =
                    Duration.ofMillis(Integer.toUnsignedLong(hello.getIntervalMillis()));
            if (!interval.isPositive() || interval.compareTo(pace.longestInterval()) > 0) {
                refuse(
                        Status.FAILED_PRECONDITION,
                        "relay.interval is longer than the engine's own interval, "
                                + pace.longestInterval().toSeconds()
                                + " s");
                return;
            }
            if (hello.getHostsCount() > StreamLimits.MOST_HOSTS) {
                refuse(
                        Status.RESOURCE_EXHAUSTED,
                        "more than " + StreamLimits.MOST_HOSTS + " hosts");
                return;
            }
            relay = name;
            Duration lag = interval.multipliedBy(3).dividedBy(2);
            List<Lane> taken = new ArrayList<>();
            Welcome.Builder welcome =
                    Welcome.newBuilder().setWindow(pace.window()).setSession(session);
            for (Offer offer : hello.getHostsList()) {
                HostId host;
                try {
                    host = new HostId(DeltaCodec.read(offer.getHost()));
                } catch (IllegalArgumentException malformed) {
                    refuse(Status.INVALID_ARGUMENT, String.valueOf(malformed.getMessage()));
                    return;
                }
                HostIntake intake = relays.of(name, host);
                taken.add(new Lane(host, intake, offer.getEpoch()));
                Resume.Builder resume = Resume.newBuilder();
                if (intake == null) {
                    welcome.setRefusal(
                            "stillwater.relay.hosts does not list them with the relay " + name);
                } else {
                    resume.setAccepted(true)
                            .setSequence(intake.attach(this, name, session, offer.getEpoch(), lag));
                }
                welcome.addHosts(resume);
            }
            lanes = taken;
            send(FromEngine.newBuilder().setWelcome(welcome).build());
            welcomed = true;
            takeCalls(relays.lane(hello, this::isSent, this::end));
            mark();
            log.info("relay={} connected with {} hosts", RelayName.printable(relay), taken.size());
        }

        /** A stream that ended meanwhile gets no calls. */
        private void takeCalls(@Nullable CallLane lane) {
            synchronized (this) {
                if (lane == null || ended) {
                    return;
                }
                calls = lane;
                for (int i = 0; i < lanes.size(); i++) {
                    if (lanes.get(i).intake() != null) {
                        relays.attach(lanes.get(i).host(), lane, i);
                    }
                }
            }
        }

        private void result(CallResult result) {
            CallLane open = calls;
            if (open == null) {
                refuse(Status.INVALID_ARGUMENT, "a result of no call");
            } else {
                open.answered(result);
            }
        }

        private void delta(org.stillwater.relay.v1.Delta message) {
            int position = message.getHost();
            if (!welcomed || position < 0 || position >= lanes.size()) {
                refuse(Status.INVALID_ARGUMENT, "a delta of no host that was offered");
                return;
            }
            Lane lane = lanes.get(position);
            HostIntake intake = lane.intake();
            HostIntake.Taken taken = null;
            if (intake != null) {
                Delta delta;
                try {
                    delta = DeltaCodec.read(message, lane.epoch());
                } catch (IllegalArgumentException malformed) {
                    refuse(Status.INVALID_ARGUMENT, String.valueOf(malformed.getMessage()));
                    return;
                }
                taken = intake.apply(this, delta, clock.nanoTime(), message.getSerializedSize());
            }
            send(
                    FromEngine.newBuilder()
                            .setAck(
                                    Ack.newBuilder()
                                            .setNumber(message.getNumber())
                                            .setHost(position)
                                            .setSequence(taken == null ? 0 : taken.sequence())
                                            .setMark(clock.nanoTime()))
                            .build());
            if (taken != null) {
                follow(lane, position, taken);
            }
        }

        private void follow(Lane lane, int position, HostIntake.Taken taken) {
            switch (taken.outcome()) {
                case APPLIED -> {
                    demanded.remove(position);
                    if (taken.poll()) {
                        relays.arrived(lane.host());
                    }
                }
                case GAP, DRIFTED -> {
                    if (taken.outcome() == HostMirror.Outcome.DRIFTED) {
                        log.warn(
                                "relay={} host={} the state drifted; it is sent anew",
                                RelayName.printable(relay),
                                lane.host());
                    }
                    Long before = demanded.put(position, taken.sequence());
                    if (taken.outcome() == HostMirror.Outcome.DRIFTED
                            || before == null
                            || before != taken.sequence()) {
                        send(
                                FromEngine.newBuilder()
                                        .setDemand(
                                                Demand.newBuilder()
                                                        .setHost(position)
                                                        .setFrom(taken.sequence()))
                                        .build());
                    }
                }
                case TOO_LARGE ->
                        log.warn(
                                "relay={} host={} the state is larger than"
                                        + " stillwater.relay.most-cells; the host is polled",
                                RelayName.printable(relay),
                                lane.host());
                case REPEATED, FOREIGN -> {}
            }
        }

        private void mark() {
            if (welcomed && answers.isReady()) {
                send(
                        FromEngine.newBuilder()
                                .setMark(Mark.newBuilder().setMark(clock.nanoTime()))
                                .build());
            }
        }

        private void send(FromEngine message) {
            boolean _ = isSent(message);
        }

        private synchronized boolean isSent(FromEngine message) {
            if (!ended) {
                answers.onNext(message);
            }
            return !ended;
        }

        private void refuse(Status status, String why) {
            log.warn("relay={} refused: {}", RelayName.printable(peer), why);
            synchronized (this) {
                if (!ended) {
                    ended = true;
                    answers.onError(status.withDescription(why).asRuntimeException());
                }
            }
            detach();
        }

        @Override
        public void onError(Throwable failure) {
            end(Status.fromThrowable(failure).toString());
        }

        @Override
        public void onCompleted() {
            synchronized (this) {
                if (!ended) {
                    ended = true;
                    answers.onCompleted();
                }
            }
            detach();
            log.info("relay={} ended its stream", RelayName.printable(relay));
        }

        private void end(String why) {
            synchronized (this) {
                ended = true;
            }
            if (detach()) {
                log.warn(
                        "relay={} lost: {}; its hosts are polled",
                        RelayName.printable(relay),
                        RelayName.printable(why));
            }
        }

        private boolean detach() {
            boolean any = streams.remove(this);
            CallLane open = calls;
            for (int i = 0; i < lanes.size(); i++) {
                HostIntake intake = lanes.get(i).intake();
                if (intake != null) {
                    intake.detach(this);
                    if (open != null) {
                        relays.detach(lanes.get(i).host(), open, i);
                    }
                }
            }
            if (open != null) {
                open.end();
            }
            return any;
        }
    }
}
