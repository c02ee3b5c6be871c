package org.stillwater.relay.state;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * Selects the next message of a relay: deltas of the hosts in turn, while the receiver keeps up.
 * Not thread-safe; times are monotonic nanoseconds.
 *
 * <p>At most {@code window} deltas are not acknowledged. At that limit no delta is built: changes
 * stay in the states, where later changes replace earlier ones.
 */
public final class Outbox {

    private int window;
    private final long checkNanos;
    private final Map<HostId, Lane> lanes = new HashMap<>();
    private final Set<Lane> ready = new LinkedHashSet<>();
    private final Deque<Long> inFlight = new ArrayDeque<>();
    private long number;
    private boolean open;

    /** One host. */
    private static final class Lane {
        final HostId host;
        final HostState state;
        boolean accepted;
        long sent;
        boolean checked;
        long checkedNanos;

        Lane(HostId host, HostState state) {
            this.host = host;
            this.state = state;
        }
    }

    /**
     * A message for the receiver.
     *
     * @param number counts the messages of one stream from 1
     * @param host the host
     * @param delta the changes
     */
    public record Message(long number, HostId host, Delta delta) {}

    /**
     * An outbox without a stream.
     *
     * @param check time between two checksums in a host's deltas
     */
    public Outbox(Duration check) {
        this.checkNanos = check.toNanos();
    }

    /** Adds a host. */
    public void add(HostId host, HostState state) {
        lanes.put(host, new Lane(host, state));
    }

    /**
     * A stream was opened.
     *
     * @param resume the hosts that the receiver accepts, each with the sequence from which it
     *     continues; 0 for the whole state
     * @param mostUnderWay most unacknowledged deltas that the receiver allows
     */
    public void opened(Map<HostId, Long> resume, int mostUnderWay) {
        closed();
        window = Math.max(1, mostUnderWay);
        open = true;
        resume.forEach((host, from) -> {
            Lane lane = lanes.get(host);
            if (lane != null) {
                lane.accepted = true;
                lane.sent = from;
                lane.checked = false;
                ready.add(lane);
            }
        });
    }

    /** The stream ended: unacknowledged deltas may be lost. */
    public void closed() {
        open = false;
        number = 0;
        inFlight.clear();
        ready.clear();
        lanes.values().forEach(lane -> lane.accepted = false);
    }

    /** Whether a stream is open. */
    public boolean isOpen() {
        return open;
    }

    /** Whether the receiver accepts deltas of a host. */
    public boolean isAccepted(HostId host) {
        Lane lane = lanes.get(host);
        return lane != null && lane.accepted;
    }

    /** Unacknowledged deltas. */
    public int underWay() {
        return inFlight.size();
    }

    /** The state of a host changed. */
    public void changed(HostId host) {
        Lane lane = lanes.get(host);
        if (lane != null && lane.accepted) {
            ready.add(lane);
        }
    }

    /** The receiver lacks the changes after a sequence. */
    public void demanded(HostId host, long from) {
        Lane lane = lanes.get(host);
        if (lane != null && lane.accepted) {
            lane.sent = from;
            lane.checked = false;
            ready.add(lane);
        }
    }

    /** The receiver has handled every message up to this number. */
    public void acknowledged(long upTo) {
        for (Long first = inFlight.peek();
                first != null && first <= upTo;
                first = inFlight.peek()) {
            inFlight.remove();
        }
    }

    /** The receiver has a host's state of this sequence. */
    public void reached(HostId host, long sequence) {
        Lane lane = lanes.get(host);
        if (lane != null && lane.accepted && sequence <= lane.sent) {
            lane.state.acknowledged(sequence);
        }
    }

    /** The next message to send now; null without changes, or while the receiver is behind. */
    public @Nullable Message next(long nowNanos) {
        if (!open || inFlight.size() >= window) {
            return null;
        }
        Iterator<Lane> first = ready.iterator();
        while (first.hasNext()) {
            Lane lane = first.next();
            first.remove();
            if (lane.state.version() == lane.sent) {
                continue;
            }
            boolean withSum = !lane.checked || nowNanos - lane.checkedNanos >= checkNanos;
            Delta delta = lane.state.since(lane.sent, withSum);
            if (withSum) {
                lane.checked = true;
                lane.checkedNanos = nowNanos;
            }
            lane.sent = delta.sequence();
            number++;
            inFlight.add(number);
            return new Message(number, lane.host, delta);
        }
        return null;
    }
}
