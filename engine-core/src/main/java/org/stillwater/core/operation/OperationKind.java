package org.stillwater.core.operation;

import java.util.Map;
import org.stillwater.core.value.Coded;

/** Operations on VMs and hosts.Codes of {@code operation.kind}. */
public enum OperationKind implements Coded {
    RUN(1, "run", Subject.VM),
    SHUTDOWN(2, "shutdown", Subject.VM),
    POWER_OFF(3, "power_off", Subject.VM),
    REBOOT(4, "reboot", Subject.VM),
    RESET(5, "reset", Subject.VM),
    PAUSE(6, "pause", Subject.VM),
    RESUME(7, "resume", Subject.VM),
    SUSPEND(8, "suspend", Subject.VM),
    MIGRATE(9, "migrate", Subject.VM),
    CANCEL_MIGRATION(10, "cancel_migration", Subject.VM),
    CONSOLE_TICKET(11, "console_ticket", Subject.VM),
    ADD_VM(12, "add_vm", Subject.VM),
    UPDATE_VM(13, "update_vm", Subject.VM),
    REMOVE_VM(14, "remove_vm", Subject.VM),
    /** Another CD in the drive of a VM that runs, or none. */
    CHANGE_CD(15, "change_cd", Subject.VM),
    /** Plug an interface or disk into a VM that runs. */
    PLUG_DEVICE(16, "plug_device", Subject.VM),
    /** Unplug an interface or disk of a VM that runs. */
    UNPLUG_DEVICE(17, "unplug_device", Subject.VM),
    /** Migrate all VMs away, so that the host can enter maintenance. */
    DRAIN(20, "drain", Subject.HOST),
    /** Migrate VMs away from a host that must not run any, as its cluster's policy has it. */
    EVACUATE(21, "evacuate", Subject.HOST),
    /** Ensure that a silent host runs no VM. */
    FENCE(22, "fence", Subject.HOST);

    private static final Map<Integer, OperationKind> BY_CODE = Coded.byCode(OperationKind.class);

    /** Kind of object that an operation works on. */
    public enum Subject {
        VM,
        HOST
    }

    private final int code;
    private final String label;
    private final Subject subject;

    OperationKind(int code, String label, Subject subject) {
        this.code = code;
        this.label = label;
        this.subject = subject;
    }

    /**
     * The kind with this database code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static OperationKind ofCode(int code) {
        OperationKind kind = BY_CODE.get(code);
        if (kind == null) {
            throw new IllegalArgumentException("no kind of operation has code " + code);
        }
        return kind;
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST answers and metrics. */
    public String label() {
        return label;
    }

    /** Kind of object that the operation works on. */
    public Subject subject() {
        return subject;
    }

    /** Whether it searches a host for its VM. */
    public boolean isPlaced() {
        return this == RUN || this == RESUME || this == MIGRATE;
    }
}
