package org.stillwater.monitoring.host;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cadence.Cadence;
import org.stillwater.core.cadence.CadenceReason;
import org.stillwater.core.cadence.HostActivity;
import org.stillwater.core.cadence.HostDemand;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.cadence.CadenceControl;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmStatistics;

/**
 * The poll interval of one host: counts the changes in its polls, records its readers, and lets the
 * core decide. It exists only with adaptive intervals.
 *
 * <p>The host's thread counts and decides; any thread reads the interval and announces readers,
 * rules and commands.
 */
final class HostCadence {

    /** Points of a percentage by which usage must change to count as movement. */
    private static final int MOVEMENT_PERCENT = 5;

    private final CadenceControl control;
    private final CadenceSettings settings;
    private final long ordinaryNanos;

    // Used by the host's thread only.
    private int vms;
    private int moved;
    private int held;
    private int stirred;
    private int operations;
    private long polledNanos;
    private HostActivity.@Nullable Polled polled;

    private final Lease views = new Lease();
    private final Lease commands = new Lease();
    private final Lease rules = new Lease();
    private volatile Duration ruleLimit = Duration.ZERO;
    private volatile Pace pace;
    private volatile int weight = 1;

    /** The longest interval in force since the newest poll was analysed. */
    private volatile long promisedNanos;

    /** Something that counts for a while after it was last announced. Any thread. */
    private static final class Lease {

        private volatile boolean given;
        private volatile long untilNanos;

        /** Whether it was not in force before. */
        boolean extend(long nowNanos, Duration time) {
            boolean fresh = !isInForce(nowNanos);
            untilNanos = nowNanos + time.toNanos();
            given = true;
            return fresh;
        }

        boolean isInForce(long nowNanos) {
            return given && untilNanos - nowNanos > 0;
        }
    }

    /** For a host that is not watched yet. */
    HostCadence(CadenceControl control, CadenceSettings settings, long nowNanos) {
        this.control = control;
        this.settings = settings;
        this.ordinaryNanos = settings.limits().ordinary().toNanos();
        this.promisedNanos = ordinaryNanos;
        this.pace = Pace.begin(settings.limits());
        this.polledNanos = nowNanos;
    }

    /** For a host that is not watched yet; null where intervals do not adapt. */
    static @Nullable HostCadence of(HostServices services) {
        CadenceSettings settings = services.cadence().settings();
        return settings == null
                ? null
                : new HostCadence(services.cadence(), settings, services.clock().nanoTime());
    }

    // The host's thread.

    /** A complete poll is about to be analysed. */
    void begin() {
        vms = 0;
        moved = 0;
        held = 0;
    }

    /** A complete poll reports a VM, which a command may hold. */
    void reported(VmReport report, @Nullable VmManager vm) {
        vms++;
        if ((vm != null && vm.isHeld())
                || (report instanceof VmReport.Running running
                        && isMoving(running.runtime().status()))) {
            held++;
        }
    }

    /** Whether a VM is on its way from one status to another. */
    private static boolean isMoving(VmStatus status) {
        return switch (status) {
            case POWERING_UP,
                    MIGRATING_FROM,
                    MIGRATING_TO,
                    WAIT_FOR_LAUNCH,
                    REBOOT_IN_PROGRESS,
                    SAVING_STATE,
                    RESTORING_STATE,
                    POWERING_DOWN ->
                    true;
            case UNASSIGNED,
                    DOWN,
                    UP,
                    PAUSED,
                    UNKNOWN,
                    NOT_RESPONDING,
                    SUSPENDED,
                    IMAGE_ILLEGAL,
                    IMAGE_LOCKED ->
                    false;
        };
    }

    /**
     * The statistics of a VM were updated.
     *
     * @param before its usage before, from {@link VmStatistics#usage}
     */
    void counted(int before, int now) {
        if (VmStatistics.isMoved(before, now, MOVEMENT_PERCENT)) {
            moved++;
        }
    }

    /**
     * The poll was analysed.
     *
     * @param changed VMs whose state it changed
     */
    void analysed(int changed, long nowNanos) {
        long after = Math.max(0, nowNanos - polledNanos);
        long expected = pace.interval().toNanos();
        polled =
                new HostActivity.Polled(
                        vms, Math.max(moved, changed) + stirred, Duration.ofNanos(after));
        polledNanos = nowNanos;
        operations = held;
        stirred = 0;
        if (!(pace.reason() instanceof CadenceReason.Pushed)) {
            control.polled(vms + 1, Math.max(0, 1 - after / (double) expected));
        }
    }

    /** An event changed VMs. */
    void stirred(int changed) {
        stirred = Math.min(stirred + changed, Integer.MAX_VALUE / 2);
    }

    /** Time after a poll at which a host that sent an event is polled again. */
    Duration prompt() {
        return Cadence.prompt(settings.limits(), control.stretch());
    }

    /**
     * Decides about the interval.
     *
     * @param reason why the host keeps the ordinary one; null for no such reason
     */
    Duration decide(@Nullable CadenceReason reason, long nowNanos) {
        HostActivity.Polled news = polled;
        polled = null;
        Pace next =
                Cadence.next(
                        settings.limits(),
                        pace,
                        new HostActivity(
                                news,
                                reason,
                                operations,
                                commands.isInForce(nowNanos),
                                views.isInForce(nowNanos),
                                rules.isInForce(nowNanos) ? ruleLimit : null,
                                control.stretch()));
        long nanos = next.interval().toNanos();
        promisedNanos = news == null ? Math.max(promisedNanos, nanos) : nanos;
        weight = (reason instanceof CadenceReason.Pushed ? 0 : vms) + 1;
        pace = next;
        return next.interval();
    }

    // Any thread.

    /** A client reads; whether none did so a moment ago. */
    boolean view(long nowNanos) {
        return views.extend(nowNanos, settings.viewTime());
    }

    /** The host gets a command; whether it got none a moment ago. */
    boolean command(long nowNanos) {
        return commands.extend(nowNanos, settings.commandTime());
    }

    /**
     * An alert rule covers the host or one of its VMs.
     *
     * @param atMost longest interval that the rule allows
     * @param time validity of this call, which a further call extends
     * @return whether the rule shortens the present interval
     */
    boolean rule(Duration atMost, Duration time, long nowNanos) {
        boolean stricter = !rules.isInForce(nowNanos) || atMost.compareTo(ruleLimit) < 0;
        if (!stricter && atMost.compareTo(ruleLimit) > 0) {
            return false; // the stricter rule repeats its call, or ends after its time
        }
        ruleLimit = atMost;
        boolean _ = rules.extend(nowNanos, time);
        return stricter;
    }

    /** The interval and its reason. */
    Pace pace() {
        return pace;
    }

    /** Its demand on the CPU budget. */
    HostDemand demand() {
        return new HostDemand(weight, pace);
    }

    /** Time after which the next poll is expected: no less than the ordinary interval. */
    Duration expected() {
        return Duration.ofNanos(Math.max(promisedNanos, ordinaryNanos));
    }
}
