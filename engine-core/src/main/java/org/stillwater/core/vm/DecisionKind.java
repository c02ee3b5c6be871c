package org.stillwater.core.vm;

import java.util.ArrayList;
import java.util.List;

/** Kinds of decisions that follow from a transition, as bits. */
public enum DecisionKind {
    /** Removes the VM's remains from the reporting host. */
    DESTROY_HERE(0),
    /** Removes the VM's remains from another host. */
    DESTROY_ELSEWHERE(1),
    /** The responsible host is polled because of the claim of another one. */
    CONTEST(2),
    /** Other hosts report first. */
    HEAR_OTHERS(3),
    /** An audit event reports it. */
    AUDIT(4),
    /** The start is tried again. */
    RERUN(5),
    /** Cleans up after a run. */
    PROCESS_DOWN(6),
    /** The VM is started with its next configuration. */
    COLD_REBOOT(7),
    /** The highly available VM is started again. */
    HA_RESTART(8),
    /** The migration is tried again. */
    RERUN_MIGRATION(9),
    /** A waiting command has succeeded. */
    COMMAND_SUCCEEDED(10),
    /** A command waits in vain. */
    COMMAND_DROPPED(11),
    /** TPM and NVRAM data are saved. */
    SAVE_EXTERNAL_DATA(12),
    /** The host's VMs are unknown. */
    LOSE_VMS(13),
    /** The host is fenced. */
    FENCE(14),
    /** The host's VMs move to others. */
    MOVE_VMS(15),
    /** VMs with leases are started elsewhere. */
    RESTART_LEASE_VMS(16),
    /** The connection to the host is opened or closed. */
    CONNECTION(17),
    /** The host is polled at once. */
    ASK(18);

    private final int bit;

    DecisionKind(int bit) {
        this.bit = bit;
    }

    /** Its bit. */
    public int mask() {
        return 1 << bit;
    }

    /** The kinds of these bits; bits of a newer engine are left out. */
    public static List<DecisionKind> of(int bits) {
        List<DecisionKind> kinds = new ArrayList<>(4);
        for (DecisionKind kind : values()) {
            if ((bits & kind.mask()) != 0) {
                kinds.add(kind);
            }
        }
        return kinds;
    }
}
