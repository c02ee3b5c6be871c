package org.stillwater.core.analysis.host;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State of watching a host, in memory only; times are monotonic nanoseconds of the engine's clock.
 *
 * @param sinceNanos when the host took its present status
 * @param failures failed contacts since the last answer
 * @param lastContactNanos when the host last answered, or when watching it began
 * @param silentFailures failed contacts since it is non-responsive, the one that made it so
 *     included
 * @param fit whether it reported capabilities that allow VMs since contact was made
 * @param fenced whether fencing was requested in this outage
 * @param fencingHeld why fencing was held back when it was last checked, null for not
 * @param drainAskedNanos when its VMs were last ordered to leave for maintenance
 * @param interfacesDown interfaces of required networks that are down, by name, and since when
 */
public record HostWatch(
        long sinceNanos,
        int failures,
        long lastContactNanos,
        int silentFailures,
        boolean fit,
        boolean fenced,
        @Nullable FencingHeld fencingHeld,
        long drainAskedNanos,
        Map<String, Long> interfacesDown) {

    public HostWatch {
        interfacesDown = Map.copyOf(interfacesDown);
    }

    /** A host without a report. */
    public static HostWatch begin(long nowNanos) {
        return new HostWatch(nowNanos, 0, nowNanos, 0, false, false, null, nowNanos, Map.of());
    }

    /** The same after the host answered something. */
    HostWatch answered(long nowNanos) {
        return new HostWatch(
                sinceNanos,
                0,
                nowNanos,
                silentFailures,
                fit,
                fenced,
                fencingHeld,
                drainAskedNanos,
                interfacesDown);
    }

    /**
     * The same for a host with an open connection and rare polls: its silence begins with the first
     * question that fails, or at most one ordinary interval before, and not with its last answer.
     * Without effect after a failure.
     *
     * @param nanos when it begins
     */
    public HostWatch inContactUntil(long nanos) {
        return failures > 0 || nanos - lastContactNanos <= 0
                ? this
                : new HostWatch(
                        sinceNanos,
                        failures,
                        nanos,
                        silentFailures,
                        fit,
                        fenced,
                        fencingHeld,
                        drainAskedNanos,
                        interfacesDown);
    }

    /**
     * The same after a time in which the engine itself stood still: that is no silence of the host.
     *
     * @param nanos that time, no longer than the time since the last contact
     */
    public HostWatch notWatchedFor(long nanos) {
        return new HostWatch(
                sinceNanos,
                failures,
                lastContactNanos + nanos,
                silentFailures,
                fit,
                fenced,
                fencingHeld,
                drainAskedNanos,
                interfacesDown);
    }

    /** The same after a contact failed; the host's identity must be requested again. */
    HostWatch failed() {
        return new HostWatch(
                sinceNanos,
                failures + 1,
                lastContactNanos,
                silentFailures,
                false,
                fenced,
                fencingHeld,
                drainAskedNanos,
                interfacesDown);
    }

    /** The same in another status, taken now. */
    HostWatch since(long nowNanos) {
        return new HostWatch(
                nowNanos,
                failures,
                lastContactNanos,
                silentFailures,
                fit,
                fenced,
                fencingHeld,
                drainAskedNanos,
                interfacesDown);
    }

    HostWatch withFit(boolean next) {
        return new HostWatch(
                sinceNanos,
                failures,
                lastContactNanos,
                silentFailures,
                next,
                fenced,
                fencingHeld,
                drainAskedNanos,
                interfacesDown);
    }

    /** The same after this number of failures without a response. */
    HostWatch withSilentFailures(int next) {
        return new HostWatch(
                sinceNanos,
                failures,
                lastContactNanos,
                next,
                fit,
                fenced,
                fencingHeld,
                drainAskedNanos,
                interfacesDown);
    }

    /** The same with fencing requested, or held back for a reason, or neither. */
    HostWatch withFencing(boolean asked, @Nullable FencingHeld held) {
        return new HostWatch(
                sinceNanos,
                failures,
                lastContactNanos,
                silentFailures,
                fit,
                asked,
                held,
                drainAskedNanos,
                interfacesDown);
    }

    HostWatch withDrainAsked(long nowNanos) {
        return new HostWatch(
                sinceNanos,
                failures,
                lastContactNanos,
                silentFailures,
                fit,
                fenced,
                fencingHeld,
                nowNanos,
                interfacesDown);
    }

    HostWatch withInterfacesDown(Map<String, Long> next) {
        return new HostWatch(
                sinceNanos,
                failures,
                lastContactNanos,
                silentFailures,
                fit,
                fenced,
                fencingHeld,
                drainAskedNanos,
                next);
    }
}
