package org.stillwater.testkit.hypervisor;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmStatus;

/** A VM on a model host: a process, or the record of one that ended. */
final class ModelProcess {

    final long number;
    final VmId vm;
    VmStatus status;
    VmStatus beforeMigration = VmStatus.UP;
    PauseStatus pause = PauseStatus.NONE;
    ExitStatus exitStatus = ExitStatus.NORMAL;
    ExitReason exitReason = ExitReason.UNKNOWN;
    String exitMessage = "";
    @Nullable ModelHost migratingTo;
    Departure departure = Departure.NONE;
    boolean failsToStart;

    /** Address of the client of its console; empty without one. */
    String client = "";

    /** The storage domain of the lease that it holds; null for none. */
    @Nullable UUID lease;

    boolean wakes;
    int plan;

    /** How far its last migration from here is. */
    enum Departure {
        /** There was none. */
        NONE,
        /** It waits until fewer migrations are under way, here or at its destination. */
        WAITS,
        /** It waits, and is to end when its turn comes. */
        CALLED_OFF,
        /** Its memory is on its way. */
        MOVES,
        /** It failed before its memory was on its way. */
        NEVER_BEGUN,
        /** It failed, or was cancelled, afterwards. */
        BROKEN_OFF;

        /** Whether it has not ended yet. */
        boolean isUnderWay() {
            return this == WAITS || this == CALLED_OFF || this == MOVES;
        }
    }

    ModelProcess(long number, VmId vm, VmStatus status) {
        this.number = number;
        this.vm = vm;
        this.status = status;
    }

    /** Whether it is only the record of a process. */
    boolean isOver() {
        return status == VmStatus.DOWN;
    }
}
