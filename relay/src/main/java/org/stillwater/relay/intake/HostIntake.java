package org.stillwater.relay.intake;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.VmReports;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.HostMirror;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.MirroredReports;

/**
 * What relays say of one host, and whether it may stand for a poll. Thread-safe; takes times as
 * arguments, in monotonic nanoseconds of the engine.
 *
 * <p>How nothing is lost or taken twice, in any order of the two ways. A poll of a relay stands for
 * a poll of the engine if all of these hold:
 *
 * <ul>
 *   <li>it was not taken before;
 *   <li>the relay sent it after a <em>mark</em> of the present stream, so the engine knows a moment
 *       of its own clock before which the host had not been asked. That moment is the report's
 *       {@code fetchedNanos}, and every rule about reports that may be older than a change holds as
 *       it is;
 *   <li>the mark is later than the engine's own connection to the host, so that it is of the host's
 *       present boot and session, whose stamps the analysis compares;
 *   <li>the mark is later than the request of the newest poll of either way that was taken.
 * </ul>
 *
 * Otherwise the engine asks the host itself, and of a poll that is left out nothing is lost: it is
 * older than what the engine has, or the next one follows.
 */
final class HostIntake {

    private static final int DRIFTS_TOLERATED = 3;

    private final HostMirror mirror;

    private @Nullable Object stream;
    private String relay = "";
    private long session;
    private long lagNanos;
    private @Nullable String refusal;
    private int drifts;

    private long directConnectedNanos;
    private boolean directConnected;
    private long newestFetchedNanos;
    private boolean fetched;

    /** Number of the newest poll of the present stream. */
    private long newestPoll;

    private boolean polled;

    /** When the newest poll arrived that could be taken. */
    private long usableNanos;

    private boolean usable;

    /** Whether that poll waits to be taken. */
    private boolean waits;

    /** When it was said that one waits. */
    private long announcedNanos;

    private int bytes;

    /**
     * An intake that knows nothing.
     *
     * @param mostCells most cells of the host's state
     */
    HostIntake(int mostCells) {
        this.mirror = new HostMirror(mostCells);
    }

    /**
     * A stream offers the host; it takes the place of an earlier one.
     *
     * @param which identifies the stream
     * @param relayName the relay, for people
     * @param streamSession as in the stream's Welcome
     * @param epoch of the relay's state of the host
     * @param lag after this time without a poll the relay counts as lagging
     * @return the sequence from which the relay is to go on
     */
    synchronized long attach(
            Object which, String relayName, long streamSession, long epoch, Duration lag) {
        stream = which;
        relay = relayName;
        session = streamSession;
        lagNanos = lag.toNanos();
        refusal = null;
        drifts = 0;
        forgetPolls();
        mirror.bind(epoch);
        return mirror.sequence();
    }

    /** A stream ended. Whether it was the present one. */
    @SuppressWarnings("ReferenceEquality") // a stream equals only itself
    synchronized boolean detach(Object which) {
        if (stream != which) {
            return false;
        }
        stream = null;
        forgetPolls();
        return true;
    }

    private void forgetPolls() {
        polled = false;
        usable = false;
        waits = false;
    }

    /**
     * What became of a delta.
     *
     * @param outcome of the state
     * @param sequence that the state is at now
     * @param poll whether a complete poll came that may be taken, and none has waited before: a
     *     receiver that is late takes the newest, and is not sent to ask the host for the others
     */
    record Taken(HostMirror.Outcome outcome, long sequence, boolean poll) {}

    /**
     * Takes a delta of a stream.
     *
     * @param size bytes of its message
     * @return null if the stream is not the present one, or the host is refused
     */
    @SuppressWarnings("ReferenceEquality") // a stream equals only itself
    synchronized @Nullable Taken apply(Object which, Delta delta, long nowNanos, int size) {
        if (stream != which || refusal != null) {
            return null;
        }
        HostMirror.Outcome outcome = mirror.apply(delta);
        switch (outcome) {
            case APPLIED -> drifts = delta.sum() == null ? drifts : 0;
            case DRIFTED -> {
                drifts++;
                if (drifts > DRIFTS_TOLERATED) {
                    refusal = "its state drifts repeatedly";
                }
            }
            case TOO_LARGE -> refusal = "its state is larger than stillwater.relay.most-cells";
            case REPEATED, GAP, FOREIGN -> {}
        }
        boolean fresh = false;
        if (outcome == HostMirror.Outcome.APPLIED) {
            bytes = (int) Math.min((long) bytes + size, Integer.MAX_VALUE);
            HostCells host = HostCells.of(mirror.get(HostCells.id()));
            waits &= host.connected();
            if (host.session() == session && (!polled || host.poll() != newestPoll)) {
                polled = true;
                newestPoll = host.poll();
                boolean takeable = isTakeable(host, nowNanos);
                if (takeable) {
                    usable = true;
                    usableNanos = nowNanos;
                    fresh = !waits || nowNanos - announcedNanos > lagNanos;
                }
                if (fresh) {
                    announcedNanos = nowNanos;
                }
                waits = takeable;
            }
        }
        return new Taken(outcome, mirror.sequence(), fresh);
    }

    private boolean isTakeable(HostCells host, long nowNanos) {
        long mark = host.mark();
        return host.connected()
                && host.session() == session
                && mark != 0
                && nowNanos - mark >= 0
                && directConnected
                && mark - directConnectedNanos > 0
                && (!fetched || mark - newestFetchedNanos > 0);
    }

    /** The engine's own connection to the host stands since then. */
    synchronized void directConnected(long nanos) {
        directConnected = true;
        directConnectedNanos = nanos;
        waits = false; // of before the connection
    }

    /** The engine's own connection to the host is gone. */
    synchronized void directLost() {
        directConnected = false;
    }

    /** The host answered a poll of the engine that was sent then. */
    synchronized void directlyPolled(long sentNanos) {
        fetched(sentNanos);
    }

    private void fetched(long nanos) {
        if (!fetched || nanos - newestFetchedNanos > 0) {
            newestFetchedNanos = nanos;
            fetched = true;
        }
    }

    /** Why the engine asks the host itself, one clause; null while a relay stands for it. */
    synchronized @Nullable String trouble(long nowNanos) {
        if (stream == null) {
            return "no relay is connected";
        }
        if (refusal != null) {
            return "relay " + relay + " is not taken: " + refusal;
        }
        Cells told = mirror.get(HostCells.id());
        if (told == null) {
            return "relay " + relay + " has sent no message yet";
        }
        HostCells host = HostCells.of(told);
        if (!host.connected()) {
            String reason = host.reason();
            return "relay "
                    + relay
                    + " does not reach the host"
                    + (reason == null ? "" : ": " + reason);
        }
        if (!usable) {
            return "relay " + relay + " has sent no poll yet that can be taken";
        }
        if (nowNanos - usableNanos > lagNanos) {
            return "relay " + relay + " lags";
        }
        return null;
    }

    /** The relay whose stream is the present one; null for none. */
    synchronized @Nullable String relay() {
        return stream == null ? null : relay;
    }

    /** The newest poll of the relay as the host's answer; null if the host must be asked itself. */
    synchronized @Nullable VmReports take(long nowNanos) {
        boolean one = waits && trouble(nowNanos) == null;
        waits = false;
        if (!one) {
            return null;
        }
        HostCells host = HostCells.of(mirror.get(HostCells.id()));
        if (!isTakeable(host, nowNanos)) {
            return null;
        }
        Map<UUID, Cells> records = mirror.records();
        fetched(host.mark());
        int size = bytes;
        bytes = 0;
        return new MirroredReports(VmReports.Kind.POLL, records, host.mark(), usableNanos, size);
    }
}
