package org.stillwater.core.vm;

import java.util.EnumSet;
import java.util.Set;
import org.stillwater.core.value.Coded;

/**
 * Status of a VM. Codes are those of {@code vm_dynamic.status} (monitoring specification §2.1);
 * groups follow §2.2.
 */
public enum VmStatus implements Coded {
    /** The host sent a status text that this engine does not know. */
    UNASSIGNED(-1, "unassigned"),
    DOWN(0, "down"),
    UP(1, "up"),
    POWERING_UP(2, "powering_up"),
    PAUSED(4, "paused"),
    MIGRATING_FROM(5, "migrating_from"),
    MIGRATING_TO(6, "migrating_to"),
    /** The VM's host does not answer: the true state is unknown. */
    UNKNOWN(7, "unknown"),
    /** The host answers, but its hypervisor process for the VM does not. */
    NOT_RESPONDING(8, "not_responding"),
    WAIT_FOR_LAUNCH(9, "wait_for_launch"),
    REBOOT_IN_PROGRESS(10, "reboot_in_progress"),
    SAVING_STATE(11, "saving_state"),
    RESTORING_STATE(12, "restoring_state"),
    SUSPENDED(13, "suspended"),
    IMAGE_ILLEGAL(14, "image_illegal"),
    IMAGE_LOCKED(15, "image_locked"),
    POWERING_DOWN(16, "powering_down");

    private static final java.util.Map<Integer, VmStatus> BY_CODE = Coded.byCode(VmStatus.class);
    private static final Set<VmStatus> NOT_RUNNING =
            EnumSet.of(DOWN, SUSPENDED, IMAGE_LOCKED, IMAGE_ILLEGAL);
    private static final Set<VmStatus> RUNNING =
            EnumSet.of(
                    UP,
                    POWERING_DOWN,
                    POWERING_UP,
                    MIGRATING_FROM,
                    MIGRATING_TO,
                    WAIT_FOR_LAUNCH,
                    REBOOT_IN_PROGRESS);

    private final int code;
    private final String label;

    VmStatus(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /**
     * The status with this database code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static VmStatus ofCode(int code) {
        VmStatus status = BY_CODE.get(code);
        if (status == null) {
            throw new IllegalArgumentException("no VM status has code " + code);
        }
        return status;
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST answers and metrics, for example {@code powering_up}. */
    public String label() {
        return label;
    }

    /** Whether the VM has no process on any host. */
    public boolean isNotRunning() {
        return NOT_RUNNING.contains(this);
    }

    /** Whether a run of the VM has begun and not ended; one that is suspended continues with it. */
    public boolean isInRun() {
        return !isNotRunning() || this == SUSPENDED;
    }

    /** Whether the VM's process runs guest code or is about to. */
    public boolean isRunning() {
        return RUNNING.contains(this);
    }

    /** Whether the VM has a process on some host, paused or saving and restoring included. */
    public boolean isRunningOrPaused() {
        return isRunning() || this == PAUSED || this == SAVING_STATE || this == RESTORING_STATE;
    }

    /** Whether the VM is on either side of a migration. */
    public boolean isMigrating() {
        return this == MIGRATING_FROM || this == MIGRATING_TO;
    }
}
