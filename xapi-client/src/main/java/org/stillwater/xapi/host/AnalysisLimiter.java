package org.stillwater.xapi.host;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.stillwater.core.id.HostId;
import org.stillwater.xapi.client.CpuTurn;

/**
 * Limits the number of hosts with an analysis of VMs or a reading of the metrics' legend at the
 * same time. One event of a pool concerns all its hosts at once, and each host has a virtual thread
 * that never yields its carrier by itself. Without the limit, a change of a whole pool, or the
 * first reading of it, would keep all carriers from requests until it ends. As many turns as half
 * of the processors leave them carriers and processor time; a turn also yields after a few VMs.
 *
 * <p>A host waits for its turn for a bounded time only: a hanging analysis delays other hosts, and
 * stops none. Thread-safe.
 */
final class AnalysisLimiter {

    /**
     * Longest wait of a host for its turn: longer than the analyses of a large pool's hosts, which
     * begin together, and much shorter than a cycle.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** So few VMs need no turn: all hosts of a pool with as many take a few milliseconds. */
    static final int FEW = 4;

    /** VMs between two moments at which a carrier is given away. */
    static final int VMS = 16;

    private final List<ReentrantLock> lanes;

    /** Turns for a machine with this number of processors. */
    AnalysisLimiter(int processors) {
        this.lanes =
                IntStream.range(0, Math.max(1, processors / 2))
                        .mapToObj(_ -> new ReentrantLock(true))
                        .toList();
    }

    /** The turns that a host takes: always the same. */
    Lane of(HostId host) {
        return new Lane(lanes.get(Math.floorMod(host.hashCode(), lanes.size())));
    }

    /** The turns of a host. */
    record Lane(ReentrantLock lock) implements CpuTurn {

        /**
         * Waits for a turn. The events that a host's thread takes in the middle of a list are part
         * of the turn of the list.
         */
        @Override
        public boolean begin() {
            try {
                return lock.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the host is given up; it ends soon
                return false;
            }
        }

        @Override
        public void end() {
            lock.unlock();
        }

        /** Lets others run that wait for a carrier. */
        @SuppressWarnings("ThreadPriorityCheck") // giving the carrier away is the purpose
        static void giveWay() {
            Thread.yield();
        }
    }
}
