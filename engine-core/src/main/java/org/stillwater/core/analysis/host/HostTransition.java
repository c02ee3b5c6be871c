package org.stillwater.core.analysis.host;

import static org.stillwater.core.host.HostStatus.CONNECTING;
import static org.stillwater.core.host.HostStatus.DOWN;
import static org.stillwater.core.host.HostStatus.ERROR;
import static org.stillwater.core.host.HostStatus.INITIALIZING;
import static org.stillwater.core.host.HostStatus.INSTALLING;
import static org.stillwater.core.host.HostStatus.INSTALL_FAILED;
import static org.stillwater.core.host.HostStatus.KDUMPING;
import static org.stillwater.core.host.HostStatus.MAINTENANCE;
import static org.stillwater.core.host.HostStatus.NON_OPERATIONAL;
import static org.stillwater.core.host.HostStatus.NON_RESPONSIVE;
import static org.stillwater.core.host.HostStatus.PREPARING_FOR_MAINTENANCE;
import static org.stillwater.core.host.HostStatus.REBOOT;
import static org.stillwater.core.host.HostStatus.UNASSIGNED;
import static org.stillwater.core.host.HostStatus.UP;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.vm.BeliefRule;

/**
 * Every change of a host's status that monitoring can decide: with its origin, target and cause
 * (monitoring specification §3, §5). A rule that is not here cannot happen; the diagram of hosts is
 * made from this table.
 */
public enum HostTransition implements BeliefRule {
    /** Capabilities fit and numbers arrived (§3.3). */
    CONTACT_MADE(
            "capabilities fit, statistics arrived",
            UP,
            UNASSIGNED,
            CONNECTING,
            NON_RESPONSIVE,
            INITIALIZING),
    /** A contact failed within the grace period (§3.4). */
    CONTACT_LOST(
            "a contact failed", CONNECTING, UNASSIGNED, UP, ERROR, NON_OPERATIONAL, INITIALIZING),
    /** Contacts failed for longer than the grace period (§3.4). */
    GIVEN_UP(
            "silent for longer than the grace period",
            NON_RESPONSIVE,
            UNASSIGNED,
            UP,
            ERROR,
            CONNECTING,
            NON_OPERATIONAL,
            INITIALIZING,
            PREPARING_FOR_MAINTENANCE),
    /** The host's agent answers that it is recovering (§3.5). */
    AGENT_RECOVERING(
            "the agent is recovering",
            INITIALIZING,
            UNASSIGNED,
            UP,
            ERROR,
            CONNECTING,
            NON_RESPONSIVE),
    /** The agent did not recover in time (§3.5). */
    RECOVERY_TIMED_OUT("not recovered in time", NON_OPERATIONAL, INITIALIZING),
    /**
     * The host does not fit its cluster, or a user or a check found it unable to run VMs (§3.8).
     */
    UNFIT(
            "unfit to run VMs",
            NON_OPERATIONAL,
            UNASSIGNED,
            UP,
            ERROR,
            CONNECTING,
            NON_RESPONSIVE,
            INITIALIZING),
    /** An interface of a required network is down for too long (§3.3). */
    INTERFACE_DOWN("required interface down", NON_OPERATIONAL, UP, ERROR),
    /** The reason for the status non-operational is over (§3.8). */
    FIT_AGAIN("fit again", UNASSIGNED, NON_OPERATIONAL),
    /** Maintenance of a host in contact: its VMs leave first (§3.7). */
    MAINTENANCE_ORDERED(
            "maintenance ordered",
            PREPARING_FOR_MAINTENANCE,
            UNASSIGNED,
            UP,
            ERROR,
            NON_OPERATIONAL,
            INITIALIZING),
    /** Maintenance of a host that does not exist (§3.7). */
    MAINTENANCE_OF_SILENT(
            "maintenance ordered", MAINTENANCE, CONNECTING, NON_RESPONSIVE, DOWN, INSTALL_FAILED),
    /** No VM is left on the host (§3.7). */
    DRAINED("no VM left", MAINTENANCE, PREPARING_FOR_MAINTENANCE),
    /** The host is to be used again (§3.7). */
    ACTIVATED(
            "activated",
            UNASSIGNED,
            MAINTENANCE,
            PREPARING_FOR_MAINTENANCE,
            NON_OPERATIONAL,
            ERROR,
            DOWN,
            INSTALL_FAILED),
    /**
     * The host is stopped or restarted by power management (§3.6). A host in maintenance stays in
     * it.
     */
    REBOOT_ORDERED(
            "reboot ordered",
            REBOOT,
            UNASSIGNED,
            UP,
            ERROR,
            CONNECTING,
            NON_RESPONSIVE,
            NON_OPERATIONAL,
            INITIALIZING,
            PREPARING_FOR_MAINTENANCE,
            DOWN),
    /** A host that is given up reports a kernel dump (§3.6). */
    DUMP_FOUND("it writes a kernel dump", KDUMPING, NON_RESPONSIVE),
    /** The dump sent no message for long enough, or took too long (§3.6). */
    DUMP_OVER("the kernel dump is over", REBOOT, KDUMPING),
    /** The time that a host may take to boot is over (§3.4). */
    REBOOT_OVER("time to boot is over", UNASSIGNED, REBOOT, KDUMPING),
    /** The engine started again: interrupted phases start again (§5.3). */
    ENGINE_STARTED(
            "the engine started",
            UNASSIGNED,
            REBOOT,
            NON_RESPONSIVE,
            CONNECTING,
            INSTALLING,
            INITIALIZING,
            KDUMPING),
    /** The engine started again: an error is forgiven (§5.3). */
    ENGINE_STARTED_FORGIVING("the engine started", UP, ERROR);

    private final String cause;
    private final HostStatus to;

    @SuppressWarnings("ImmutableEnumChecker") // never changed, and handed out as a copy
    private final Set<HostStatus> from;

    HostTransition(String cause, HostStatus to, HostStatus first, HostStatus... more) {
        this.cause = cause;
        this.to = to;
        this.from = EnumSet.of(first, more);
    }

    /** Cause of the transition, a few words. */
    public String cause() {
        return cause;
    }

    @Override
    public String clause() {
        return cause;
    }

    @Override
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public int scenario() {
        return switch (this) {
            case CONTACT_MADE -> 85;
            case CONTACT_LOST -> 80;
            case GIVEN_UP -> 81;
            case AGENT_RECOVERING, RECOVERY_TIMED_OUT -> 90;
            case UNFIT, FIT_AGAIN -> 86;
            case INTERFACE_DOWN -> 87;
            case MAINTENANCE_ORDERED, DRAINED -> 88;
            case MAINTENANCE_OF_SILENT, REBOOT_ORDERED, REBOOT_OVER -> 83;
            case ENGINE_STARTED, ENGINE_STARTED_FORGIVING -> 93;
            case ACTIVATED, DUMP_FOUND, DUMP_OVER -> 0;
        };
    }

    /** Status after the transition. */
    public HostStatus to() {
        return to;
    }

    /** From where it is possible. */
    public Set<HostStatus> from() {
        return EnumSet.copyOf(from);
    }

    /** Whether it is possible from there. */
    public boolean leaves(HostStatus status) {
        return from.contains(status);
    }
}
