package org.stillwater.core.vm;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * Commands under way on a VM; in memory only, lost at a restart (monitoring specification §5.3,
 * §6.1, §6.6).
 *
 * @param inFlight the command that waits for the VM
 * @param coldReboot whether the VM is to be started again once it is down
 * @param poweringOff whether its destruction was ordered so lately that its absence is no surprise
 * @param startingOn the host that was ordered to run the VM although another one is responsible for
 *     it and silent (a start by lease); null otherwise
 */
public record VmCommands(
        InFlight inFlight, boolean coldReboot, boolean poweringOff, @Nullable HostId startingOn) {

    /** Nothing is under way. */
    public static final VmCommands NONE = new VmCommands(InFlight.NONE, false, false);

    /** Commands on the hosts of the VM's placement. */
    public VmCommands(InFlight inFlight, boolean coldReboot, boolean poweringOff) {
        this(inFlight, coldReboot, poweringOff, null);
    }

    /** A command that waits for reports of hosts. */
    public enum InFlight {
        NONE,
        RUN,
        MIGRATE
    }

    /** Whether a run or migrate command waits for the VM. */
    public boolean isWaitedFor() {
        return inFlight != InFlight.NONE;
    }

    /** The same without a command that waits. */
    public VmCommands dropped() {
        return isWaitedFor() ? new VmCommands(InFlight.NONE, coldReboot, poweringOff) : this;
    }

    /** State of the commands after the VM has stopped: orders do not extend to its next run. */
    public VmCommands ofNextRun() {
        return coldReboot || poweringOff
                ? new VmCommands(inFlight, false, false, startingOn)
                : this;
    }
}
