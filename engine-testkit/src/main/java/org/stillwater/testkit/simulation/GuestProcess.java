package org.stillwater.testkit.simulation;

import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmStatus;

/**
 * State of one VM on one host.
 *
 * @param number which process it is; a record of an ended one keeps its number
 * @param role its role for the VM
 * @param status as its host reports it
 * @param pause as its host reports it
 * @param guest the guest's report of itself
 * @param exit how it ended; meaningless before
 * @param reason why it ended; meaningless before
 */
record GuestProcess(
        long number,
        Role role,
        VmStatus status,
        PauseStatus pause,
        Guest guest,
        ExitStatus exit,
        ExitReason reason) {

    /** Role of a process for the VM. */
    enum Role {
        /** It is the VM: it executes the guest, or would if it were not paused. */
        VM,
        /** It receives the guest of a migration and does not execute it yet. */
        INCOMING,
        /** It executed the guest before another process took over. */
        SPENT,
        /** It ended; its host keeps the record until an order to forget it. */
        ENDED
    }

    /** Report of a guest about itself. */
    record Guest(String os, String user, String applications) {
        static final Guest SILENT = new Guest("", "", "");
    }

    static GuestProcess begin(long number, Role role, VmStatus status, Guest guest) {
        return new GuestProcess(
                number,
                role,
                status,
                PauseStatus.NONE,
                guest,
                ExitStatus.NORMAL,
                ExitReason.UNKNOWN);
    }

    GuestProcess as(Role next) {
        return new GuestProcess(number, next, status, pause, guest, exit, reason);
    }

    GuestProcess in(VmStatus next) {
        return new GuestProcess(number, role, next, PauseStatus.NONE, guest, exit, reason);
    }

    GuestProcess paused(PauseStatus cause) {
        return new GuestProcess(number, role, VmStatus.PAUSED, cause, guest, exit, reason);
    }

    GuestProcess with(Guest next) {
        return new GuestProcess(number, role, status, pause, next, exit, reason);
    }

    GuestProcess ended(ExitStatus how, ExitReason why) {
        return new GuestProcess(
                number, Role.ENDED, VmStatus.DOWN, PauseStatus.NONE, Guest.SILENT, how, why);
    }

    boolean hasEnded() {
        return role == Role.ENDED;
    }

    /** Whether the VM ended with it, as opposed to continuing elsewhere. */
    boolean endedTheVm() {
        return hasEnded()
                && reason != ExitReason.MIGRATION_SUCCEEDED
                && reason != ExitReason.MIGRATION_FAILED;
    }

    @Override
    public String toString() {
        if (hasEnded()) {
            return "ended " + exit + "/" + reason;
        }
        return status.label()
                + (status == VmStatus.PAUSED ? "/" + pause : "")
                + (role == Role.VM ? "" : " (" + role + ")");
    }
}
