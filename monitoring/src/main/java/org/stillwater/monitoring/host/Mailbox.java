package org.stillwater.monitoring.host;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.VmReports;

/**
 * Messages that wait for one host's thread, in the order of arrival.
 *
 * <p>Answers and commands are bounded by the calls that the engine has made. Unrequested messages
 * of a host are bounded here, by number and by bytes: when one does not fit, the oldest is dropped
 * and counted, and a complete poll makes up for it. Any thread adds messages, one takes them.
 */
final class Mailbox {

    private final int unaskedLimit;
    private final long unaskedBytesLimit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<Entry> asked = new ArrayDeque<>();
    private final Deque<Entry> unasked = new ArrayDeque<>();
    private long unaskedBytes;
    private long sequence;
    private long dropped;
    private boolean closed;
    private volatile boolean unaskedWaits;

    private record Entry(long sequence, HostMessage message) {}

    Mailbox(int unaskedLimit, long unaskedBytesLimit) {
        this.unaskedLimit = unaskedLimit;
        this.unaskedBytesLimit = unaskedBytesLimit;
    }

    /** Puts a message in; one that comes too late is discarded. */
    void post(HostMessage message) {
        lock.lock();
        try {
            if (closed) {
                message.discard();
                return;
            }
            if (message instanceof HostMessage.Unasked sent) {
                unasked.add(new Entry(sequence++, message));
                unaskedWaits = true;
                unaskedBytes += sent.sizeBytes();
                while (unasked.size() > unaskedLimit
                        || (unaskedBytes > unaskedBytesLimit && unasked.size() > 1)) {
                    take(unasked).discard();
                    dropped++;
                }
            } else {
                asked.add(new Entry(sequence++, message));
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** The next message, or null if none waits. */
    @Nullable HostMessage poll() {
        lock.lock();
        try {
            return next();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next message if it is an unrequested one of the host; null otherwise. Costs one read when
     * the mailbox is empty.
     */
    @Nullable HostMessage pollUnasked() {
        if (!unaskedWaits) {
            return null;
        }
        lock.lock();
        try {
            Entry first = asked.peek();
            Entry second = unasked.peek();
            boolean isNext =
                    second != null && (first == null || second.sequence() < first.sequence());
            return isNext ? take(unasked) : null;
        } finally {
            lock.unlock();
        }
    }

    /** The next message, waiting for it at most this long; null if none came. */
    @Nullable HostMessage await(long nanos) throws InterruptedException {
        long remaining = nanos;
        lock.lockInterruptibly();
        try {
            HostMessage message = next();
            while (message == null && remaining > 0) {
                remaining = arrived.awaitNanos(remaining);
                message = next();
            }
            return message;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable HostMessage next() {
        Entry first = asked.peek();
        Entry second = unasked.peek();
        if (first == null && second == null) {
            return null;
        }
        boolean takeAsked =
                second == null || (first != null && first.sequence() < second.sequence());
        return take(takeAsked ? asked : unasked);
    }

    private HostMessage take(Deque<Entry> lane) {
        HostMessage message = lane.remove().message();
        if (message instanceof HostMessage.Unasked sent) {
            unaskedBytes -= sent.sizeBytes();
            unaskedWaits = !unasked.isEmpty();
        }
        return message;
    }

    /** How many were dropped since the last call. */
    long takeDropped() {
        lock.lock();
        try {
            long count = dropped;
            dropped = 0;
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Messages that wait. */
    int size() {
        lock.lock();
        try {
            return asked.size() + unasked.size();
        } finally {
            lock.unlock();
        }
    }

    /** When the oldest report that waits arrived, monotonic; null if none waits. */
    @Nullable Long oldestReportNanos() {
        lock.lock();
        try {
            Long poll = oldestReport(asked);
            Long event = oldestReport(unasked);
            return poll == null || (event != null && event - poll < 0) ? event : poll;
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable Long oldestReport(Deque<Entry> lane) {
        for (Entry entry : lane) {
            VmReports reports = HostMessage.reports(entry.message());
            if (reports != null) {
                return reports.receivedNanos();
            }
        }
        return null;
    }

    /** Discards messages of a connection that is closed. */
    void forgetConnection() {
        lock.lock();
        try {
            unasked.forEach(entry -> entry.message().discard());
            unasked.clear();
            unaskedBytes = 0;
            unaskedWaits = false;
            asked.removeIf(entry -> entry.message() instanceof HostMessage.OfConnection);
        } finally {
            lock.unlock();
        }
    }

    /** Discards waiting messages and all later ones. */
    void close() {
        lock.lock();
        try {
            closed = true;
            asked.forEach(entry -> entry.message().discard());
            unasked.forEach(entry -> entry.message().discard());
            asked.clear();
            unasked.clear();
            unaskedWaits = false;
        } finally {
            lock.unlock();
        }
    }
}
