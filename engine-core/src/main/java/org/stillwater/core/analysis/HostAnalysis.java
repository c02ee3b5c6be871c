package org.stillwater.core.analysis;

import java.time.Duration;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.port.HostFailure;

/**
 * Decides a host's status from whether it answers (monitoring specification §3.4, §3.5). Pure;
 * times are monotonic nanoseconds of the engine's clock. Maintenance, fencing and cluster checks
 * are not decided here.
 */
public final class HostAnalysis {

    private HostAnalysis() {}

    /**
     * How patient the engine is.
     *
     * @param failures failed contacts that are always forgiven ({@code VDSAttemptsToResetCount})
     * @param base time without contact that is always forgiven ({@code TimeoutToResetVdsInSeconds})
     * @param perVm more of it for each VM ({@code DelayResetPerVmInSeconds})
     * @param handOver how long a VM that migrated, nobody said where to, may be unseen before it
     *     counts as lost
     */
    public record Patience(int failures, Duration base, Duration perVm, Duration handOver) {

        /** The documented defaults: 2 failures, 60 s, 0.5 s for each VM; 5 min for a hand-over. */
        public static final Patience DEFAULT =
                new Patience(
                        2, Duration.ofSeconds(60), Duration.ofMillis(500), Duration.ofMinutes(5));

        /** Time without contact that is forgiven to a host with this many VMs, whole seconds. */
        public Duration withVms(int vms) {
            return Duration.ofSeconds(base.plus(perVm.multipliedBy(vms)).toSeconds());
        }
    }

    /**
     * What decides a host's status.
     *
     * @param status present status
     * @param failures failed contacts since the last answer
     * @param lastContactNanos when the host last answered, or when monitoring of it began
     */
    public record Contact(HostStatus status, int failures, long lastContactNanos) {}

    /** After the host answered its statistics: it is up, and everything is forgiven. */
    public static Contact answered(Contact contact, long nowNanos) {
        HostStatus status =
                switch (contact.status()) {
                    case UNASSIGNED, CONNECTING, NON_RESPONSIVE, INITIALIZING, ERROR, UP ->
                            HostStatus.UP;
                    case DOWN,
                            MAINTENANCE,
                            INSTALLING,
                            INSTALL_FAILED,
                            REBOOT,
                            PREPARING_FOR_MAINTENANCE,
                            NON_OPERATIONAL,
                            PENDING_APPROVAL,
                            INSTALLING_OS,
                            KDUMPING ->
                            contact.status();
                };
        return new Contact(status, 0, nowNanos);
    }

    /** After a contact failed. */
    public static Contact failed(
            Contact contact, HostFailure failure, long nowNanos, int vms, Patience patience) {
        if (failure instanceof HostFailure.Recovering) {
            // The host answers, so it is there; it only cannot tell about its VMs yet.
            return new Contact(
                    isWatched(contact.status()) ? HostStatus.INITIALIZING : contact.status(),
                    0,
                    nowNanos);
        }
        int failures = contact.failures() + 1;
        if (!isWatched(contact.status())) {
            return new Contact(contact.status(), failures, contact.lastContactNanos());
        }
        boolean forgiven =
                failures <= patience.failures()
                        || nowNanos - contact.lastContactNanos() <= patience.withVms(vms).toNanos();
        HostStatus status =
                forgiven && contact.status() != HostStatus.NON_RESPONSIVE
                        ? HostStatus.CONNECTING
                        : HostStatus.NON_RESPONSIVE;
        return new Contact(status, failures, contact.lastContactNanos());
    }

    private static boolean isWatched(HostStatus status) {
        return switch (status) {
            case UNASSIGNED, UP, CONNECTING, NON_RESPONSIVE, INITIALIZING, ERROR -> true;
            case DOWN,
                    MAINTENANCE,
                    INSTALLING,
                    INSTALL_FAILED,
                    REBOOT,
                    PREPARING_FOR_MAINTENANCE,
                    NON_OPERATIONAL,
                    PENDING_APPROVAL,
                    INSTALLING_OS,
                    KDUMPING ->
                    false;
        };
    }
}
