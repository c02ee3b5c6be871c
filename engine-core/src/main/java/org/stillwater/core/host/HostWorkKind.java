package org.stillwater.core.host;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Work that the watching of hosts leaves to commands, recorded durably until a command has done it
 * (monitoring specification §3.4–3.8). Codes of the {@code host_work} table.
 */
public enum HostWorkKind implements Coded {
    /** Make sure that a silent host runs nothing: soft fence, then power management. */
    FENCE(1, "fence"),
    /** Migrate VMs away from a host that must not run any, as its cluster's policy has it. */
    EVACUATE(2, "evacuate"),
    /** Migrate all VMs away, so that the host can enter maintenance. */
    DRAIN(3, "drain"),
    /**
     * Start VMs with a storage lease elsewhere, by priority: the lease names the host that may run
     * them.
     */
    RESTART_LEASE_VMS(4, "restart_lease_vms");

    private static final Map<Integer, HostWorkKind> BY_CODE = Coded.byCode(HostWorkKind.class);

    private final int code;
    private final String label;

    HostWorkKind(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /**
     * The kind with this database code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static HostWorkKind ofCode(int code) {
        HostWorkKind kind = BY_CODE.get(code);
        if (kind == null) {
            throw new IllegalArgumentException("no kind of host work has code " + code);
        }
        return kind;
    }

    /**
     * Whether work that is found at the engine's start waits until monitoring comes to the same
     * conclusion again. A host that was silent may answer by now, and whether a silent one may be
     * fenced depends on its cluster and on the others as they are now.
     */
    public boolean isDecidedAnew() {
        return this == FENCE;
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST answers and metrics. */
    public String label() {
        return label;
    }
}
