package org.stillwater.relay.intake;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.v1.CallFailure;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.Hello;
import org.stillwater.relay.wire.CallCodec;
import org.stillwater.vdsm.client.CallPassage.Outcome;
import org.stillwater.vdsm.client.CallPassage.PassedCall;

/**
 * The commands that are under way over one relay's stream. Thread-safe.
 *
 * <p>A command is written to the stream once. It has exactly one end: the relay's result, its time
 * limit, or the end of the stream. After the last two the host may have carried it out. Only a
 * command that was not written, or that the relay certainly did not send, may go another way.
 */
final class CallLane {

    private static final Logger log = LoggerFactory.getLogger(CallLane.class);

    /** Largest parameters of one call that may be under way at the same time. */
    private static final int LARGE_CALLS = 8;

    private final String relay;
    private final int mostOfHost;
    private final int most;
    private final int callBytes;
    private final Predicate<FromEngine> stream;
    private final Consumer<String> broken;
    private final EngineClock clock;
    private final Consumer<CommandOutcome> meter;

    // Guarded by this.
    private final Map<Long, Pending> pending = new TreeMap<>();
    private final Map<Integer, Integer> ofHost = new HashMap<>();
    private long bytes;
    private long last;
    private boolean ended;

    private record Pending(int host, PassedCall call, long deadlineNanos, Outcome outcome) {}

    /**
     * A lane without calls.
     *
     * @param hello what the relay takes
     * @param limits what the engine permits
     * @param stream writes a message; false if the stream has ended, so that nothing was written
     * @param broken ends a stream that fails, with the reason
     */
    CallLane(
            Hello hello,
            RelayIntake.CommandLimits limits,
            Predicate<FromEngine> stream,
            Consumer<String> broken,
            EngineClock clock,
            Consumer<CommandOutcome> meter) {
        this.relay = RelayName.printable(hello.getRelay());
        this.mostOfHost = least(hello.getCalls(), limits.perHost());
        this.most = limits.perRelay();
        this.callBytes = least(hello.getCallBytes(), limits.callBytes());
        this.stream = stream;
        this.broken = broken;
        this.clock = clock;
        this.meter = meter;
    }

    private static int least(int unsigned, int other) {
        return (int) Math.min(Integer.toUnsignedLong(unsigned), other);
    }

    /**
     * Sends a call, or returns it as not sent.
     *
     * @param host its position in the relay's Hello
     * @param certificate of the host; null without TLS
     */
    void pass(
            int host,
            @Nullable CertificateFingerprint certificate,
            PassedCall call,
            Outcome outcome) {
        String why;
        RuntimeException failure = null;
        synchronized (this) { // ids and messages have the same order
            why = reasonAgainst(host, call);
            if (why == null) {
                long id = ++last;
                long deadline = clock.nanoTime() + call.limit().toNanos();
                pending.put(id, new Pending(host, call, deadline, outcome));
                ofHost.merge(host, 1, Integer::sum);
                bytes += call.params().length;
                try {
                    FromEngine message =
                            FromEngine.newBuilder()
                                    .setCall(CallCodec.write(id, host, call, certificate))
                                    .build();
                    if (!stream.test(message)) {
                        take(id);
                        why = "the stream of relay " + relay + " has ended";
                    }
                } catch (RuntimeException e) {
                    failure = e; // some of it may have been written: the outcome is unknown
                }
            }
        }
        if (failure != null) {
            broken.accept("it takes no calls, " + failure);
        } else if (why != null) {
            meter.accept(CommandOutcome.BUSY);
            outcome.notSent(new HostFailure.Overloaded(why));
        }
    }

    private @Nullable String reasonAgainst(int host, PassedCall call) {
        int length = call.params().length;
        if (ended) {
            return "the stream of relay " + relay + " has ended";
        }
        if (length > callBytes) {
            return "its parameters have %d bytes, more than %d".formatted(length, callBytes);
        }
        if (ofHost.getOrDefault(host, 0) >= mostOfHost
                || pending.size() >= most
                || bytes + length > (long) LARGE_CALLS * callBytes) {
            return "too many calls are under way through relay " + relay;
        }
        return null;
    }

    /** Removes a call. Returns null if it has ended. */
    private @Nullable Pending take(long id) {
        Pending call = pending.remove(id);
        if (call != null) {
            ofHost.computeIfPresent(call.host(), (_, count) -> count == 1 ? null : count - 1);
            bytes -= call.call().params().length;
        }
        return call;
    }

    /** A result arrived; one of a call that has ended is left out. */
    void answered(CallResult result) {
        Pending call;
        synchronized (this) {
            call = take(result.getId());
        }
        if (call == null) {
            log.debug("relay={} a late result is left out", relay);
            return;
        }
        meter.accept(
                switch (result.getOutcomeCase()) {
                    case ANSWER -> CommandOutcome.ANSWERED;
                    case FAILURE -> outcome(result.getFailure());
                    case OUTCOME_NOT_SET -> CommandOutcome.LOST;
                });
        guarded(() -> CallCodec.deliver(result, call.call(), relay, call.outcome()));
    }

    private static CommandOutcome outcome(CallFailure failure) {
        if (failure.getNeverSent()) {
            return CommandOutcome.NOT_SENT;
        }
        return failure.getReason() == CallFailure.Reason.REASON_TIMED_OUT
                ? CommandOutcome.TIMED_OUT
                : CommandOutcome.LOST;
    }

    /** Ends the calls without a result within their limits. */
    void expire(long nowNanos) {
        List<Pending> late = new ArrayList<>();
        synchronized (this) {
            for (long id : List.copyOf(pending.keySet())) {
                Pending call = pending.get(id);
                if (call != null && nowNanos - call.deadlineNanos() >= 0) {
                    take(id);
                    late.add(call);
                }
            }
        }
        for (Pending each : late) {
            meter.accept(CommandOutcome.TIMED_OUT);
            PassedCall call = each.call();
            fail(each, new HostFailure.TimedOut(call.verb(), call.limit().toMillis()));
        }
    }

    /** The stream ended: the outcome of the calls under way is unknown. */
    void end() {
        Collection<Pending> lost;
        synchronized (this) {
            ended = true;
            lost = List.copyOf(pending.values());
            pending.clear();
            ofHost.clear();
            bytes = 0;
        }
        for (Pending each : lost) {
            meter.accept(CommandOutcome.LOST);
            fail(
                    each,
                    new HostFailure.Unreachable(
                            "the stream of relay "
                                    + relay
                                    + " ended before the answer to "
                                    + each.call().verb()));
        }
    }

    /** Calls under way. */
    synchronized int underWay() {
        return pending.size();
    }

    private static void fail(Pending call, HostFailure failure) {
        guarded(() -> call.outcome().failed(failure));
    }

    /** A receiver that fails keeps no other one from its outcome. */
    private static void guarded(Runnable delivery) {
        try {
            delivery.run();
        } catch (RuntimeException bug) {
            log.error("a receiver of an answer failed", bug);
        }
    }
}
