package org.stillwater.monitoring.host;

import java.time.Duration;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.host.HostTimers.Timer;

/**
 * Times of the next connection and poll of one host: regular polls at its phase of the interval,
 * shorter pauses while it is out of contact, and polls outside the schedule. Reads no clock; times
 * are monotonic nanoseconds. Used by the host's thread only.
 */
final class PollSchedule {

    private final HostMonitorSettings settings;
    private final long spread;
    private final HostTimers timers = new HostTimers();
    private long interval;
    private boolean pollWanted;
    private boolean polledBefore;
    private long lastPollNanos;

    /** An empty schedule. */
    PollSchedule(HostId host, HostMonitorSettings settings) {
        this.settings = settings;
        this.spread = host.hashCode() * 0x9E3779B97F4A7C15L;
        this.interval = settings.interval().toNanos();
    }

    /** Plans the opening of the connection. */
    void connectAt(long nanos) {
        timers.set(Timer.CONNECT, nanos);
    }

    /** Plans another attempt to open the connection, should the one that begins now fail. */
    void connectAgain(long nowNanos) {
        connectAt(nowNanos + settings.refresh().toNanos());
    }

    /** Cancels the opening of a connection. */
    void cancelConnect() {
        timers.cancel(Timer.CONNECT);
    }

    /** Whether the opening of the connection is planned. */
    boolean isConnectPlanned() {
        return timers.isSet(Timer.CONNECT);
    }

    /** Whether something regular is due; it is cancelled then, until {@link #plan} sets it. */
    boolean fire(Timer timer, long nowNanos) {
        return timers.fire(timer, nowNanos);
    }

    /** Asks for a complete poll outside the schedule. */
    void wantPoll() {
        pollWanted = true;
    }

    /** Notes that the monitor requests a complete poll now. */
    void polled(long nowNanos) {
        pollWanted = false;
        polledBefore = true;
        lastPollNanos = nowNanos;
    }

    /**
     * Takes another interval; the next cycle is at the host's phase of it, and with a shorter one
     * no later than that after the last poll.
     */
    void pace(Duration next, long nowNanos) {
        long nanos = next.toNanos();
        boolean shorter = nanos < interval;
        if (nanos != interval && timers.isSet(Timer.CYCLE)) {
            interval = nanos;
            long cycle = nextCycleAfter(nowNanos);
            if (shorter) {
                timers.bringForward(Timer.CYCLE, cycle);
                hasten(next, nowNanos);
            } else {
                timers.set(Timer.CYCLE, cycle);
            }
        }
        interval = nanos;
    }

    /** The next cycle comes soon, but not sooner after the last poll than this. */
    void hasten(Duration pause, long nowNanos) {
        long due = lastPollNanos + pause.toNanos();
        timers.bringForward(Timer.CYCLE, !polledBefore || due - nowNanos < 0 ? nowNanos : due);
    }

    /** Whether a poll outside the schedule is wanted, due or not. */
    boolean isPollWanted() {
        return pollWanted;
    }

    /** Time until a poll outside the schedule may be requested; not positive once it may. */
    long untilWantedPoll(long nowNanos) {
        return polledBefore ? lastPollNanos + settings.repollPause().toNanos() - nowNanos : 0;
    }

    /** Time until the first regular task is due; {@link Long#MAX_VALUE} for none. */
    long untilNext(long nowNanos) {
        return timers.untilNext(nowNanos);
    }

    /**
     * Sets the timers that the host's status requests.
     *
     * @param vmsToLose whether VMs may be shown as known although the host is not watched
     */
    void plan(HostStatus status, boolean vmsToLose, long nowNanos) {
        boolean watched = status.isRefreshed() && !timers.isSet(Timer.CONNECT);
        plan(Timer.CYCLE, watched, nextCycleAfter(nowNanos));
        boolean moving =
                status == HostStatus.REBOOT
                        || status == HostStatus.PREPARING_FOR_MAINTENANCE
                        || (vmsToLose && !status.isRefreshed())
                        || (watched && !status.isInContact());
        plan(Timer.REFRESH, moving, nowNanos + settings.refresh().toNanos());
        plan(
                Timer.RECHECK,
                status == HostStatus.NON_OPERATIONAL,
                nowNanos + settings.policy().autoRecovery().toNanos());
    }

    private void plan(Timer timer, boolean wanted, long next) {
        if (!wanted) {
            timers.cancel(timer);
        } else if (!timers.isSet(timer)) {
            timers.set(timer, next);
        }
    }

    /** The next moment of this host's phase, which its id fixes. */
    private long nextCycleAfter(long now) {
        long next = now - Math.floorMod(now, interval) + Math.floorMod(spread, interval);
        return next - now <= 0 ? next + interval : next;
    }
}
