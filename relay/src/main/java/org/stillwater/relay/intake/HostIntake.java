package org.stillwater.relay.intake;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.HostMirror;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.MirroredReports;

/**
 * The state of one host as relays report it, and the rules by which it replaces a poll.
 * Thread-safe; takes times as arguments, in monotonic nanoseconds of the engine.
 *
 * <p>The rules prevent that a report is lost or applied twice, in any order of relay and direct
 * polls. A poll of a relay replaces a poll of the engine if all of these hold:
 *
 * <ul>
 *   <li>it was not used before;
 *   <li>the relay sent it after a <em>mark</em> of the present stream, so the engine has a time of
 *       its own clock that is earlier than the request to the host. That time is the report's
 *       {@code fetchedNanos}, and all rules about reports that may be older than a change apply
 *       unchanged;
 *   <li>the mark is later than the engine's own connection to the host, so that the poll belongs to
 *       the host's present boot and session: the analysis compares only stamps of one session;
 *   <li>the mark is later than the request of the newest poll that was used, from the relay or from
 *       the engine.
 * </ul>
 *
 * Otherwise the engine polls the host itself. A skipped poll loses no data: it is older than the
 * engine's state, or another one follows.
 *
 * <p>A poll that fails only the last rule, because the engine polled the host a moment before it,
 * shows that the relay works: the engine stops its polls, and the relay's next poll is the newest.
 * If the engine continued its polls instead, both could poll at the same pace without end, the
 * engine always a moment earlier.
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
    private @Nullable CertificateFingerprint certificate;
    private long newestFetchedNanos;
    private boolean fetched;

    /** Number of the newest poll of the present stream. */
    private long newestPoll;

    private boolean polled;

    /** Arrival of the newest poll that was taken, waits, or is older than the engine's own. */
    private long usableNanos;

    private boolean usable;

    /** Mark of the newest poll that was older than a poll of the engine. */
    private long overtakenMark;

    private boolean overtaken;

    /** Whether that poll waits to be used. */
    private boolean waits;

    /** When the waiting poll was announced. */
    private long announcedNanos;

    private int bytes;

    /**
     * An intake without state.
     *
     * @param mostCells most cells of the host's state
     */
    HostIntake(int mostCells) {
        this.mirror = new HostMirror(mostCells);
    }

    /**
     * A stream offers the host; it replaces an earlier stream.
     *
     * @param which identifies the stream
     * @param relayName the relay's name for messages
     * @param streamSession as in the stream's Welcome
     * @param epoch of the relay's state of the host
     * @param lag time without a poll after which the relay counts as lagging
     * @return the sequence from which the relay continues
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

    /** A stream ended. Returns whether it was the present one. */
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
        overtaken = false;
    }

    /**
     * Result of a delta.
     *
     * @param outcome outcome for the state
     * @param sequence sequence of the state
     * @param poll whether a usable complete poll arrived while none was waiting: a late receiver
     *     uses the newest poll and need not poll the host for the others
     */
    record Taken(HostMirror.Outcome outcome, long sequence, boolean poll) {}

    /**
     * Applies a delta of a stream.
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
                if (takeable || showsThatRelayWorks(host, nowNanos)) {
                    usable = true;
                    usableNanos = nowNanos;
                }
                if (takeable) {
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

    private boolean isOfPresentConnection(HostCells host, long nowNanos) {
        long mark = host.mark();
        return host.connected()
                && host.session() == session
                && mark != 0
                && nowNanos - mark >= 0
                && directConnected
                && mark - directConnectedNanos > 0;
    }

    private boolean isTakeable(HostCells host, long nowNanos) {
        return isOfPresentConnection(host, nowNanos)
                && (!fetched || host.mark() - newestFetchedNanos > 0);
    }

    /**
     * Whether only a recent poll of the engine is newer. A relay without new marks does not work.
     */
    private boolean showsThatRelayWorks(HostCells host, long nowNanos) {
        if (!isOfPresentConnection(host, nowNanos)
                || (overtaken && host.mark() - overtakenMark <= 0)) {
            return false;
        }
        overtaken = true;
        overtakenMark = host.mark();
        return fetched && nowNanos - newestFetchedNanos <= lagNanos;
    }

    /** The engine's own connection to the host was opened at this time. */
    synchronized void directConnected(long nanos) {
        directConnected = true;
        directConnectedNanos = nanos;
        waits = false; // older than the connection
    }

    /** The engine's own connection to the host was lost. */
    synchronized void directLost() {
        directConnected = false;
    }

    /** Whether the engine's own connection to the host stands. */
    synchronized boolean isDirectlyConnected() {
        return directConnected;
    }

    /** The engine accepted this certificate of the host. */
    synchronized void certificateShown(CertificateFingerprint shown) {
        certificate = shown;
    }

    /** The certificate that the engine accepted last; null without TLS. */
    synchronized @Nullable CertificateFingerprint certificate() {
        return certificate;
    }

    /** The host answered a poll that the engine sent at this time. */
    synchronized void directlyPolled(long sentNanos) {
        fetched(sentNanos);
    }

    private void fetched(long nanos) {
        if (!fetched || nanos - newestFetchedNanos > 0) {
            newestFetchedNanos = nanos;
            fetched = true;
        }
    }

    /** Why the engine polls the host itself, one clause; null while a relay replaces the polls. */
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

    /** The relay of the present stream; null for none. */
    synchronized @Nullable String relay() {
        return stream == null ? null : relay;
    }

    /**
     * The newest poll of the relay as the host's answer; null if the engine must poll the host
     * itself.
     */
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
