package org.stillwater.testkit.hypervisor;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;

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

    /** Whether it ever began to move to another host from here. */
    boolean transferred;

    /** How many orders to migrate it had. */
    int departures;

    boolean failsToStart;
    int plan;

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
