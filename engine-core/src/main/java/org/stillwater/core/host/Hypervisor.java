package org.stillwater.core.host;

import java.util.Map;
import org.stillwater.core.value.Coded;

/** Software that manages the hosts of a cluster: codes of {@code cluster.hypervisor}. */
public enum Hypervisor implements Coded {
    /** KVM hosts, each with a host agent of its own. */
    VDSM(0, "vdsm"),
    /** A pool of XenServer or XCP-ng hosts. */
    XAPI(1, "xapi");

    private static final Map<Integer, Hypervisor> BY_CODE = Coded.byCode(Hypervisor.class);

    private final int code;
    private final String label;

    Hypervisor(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /**
     * The constant with this database code.
     *
     * @throws IllegalArgumentException if there is none: its hosts must not be dialled as others
     */
    public static Hypervisor ofCode(int code) {
        Hypervisor hypervisor = BY_CODE.get(code);
        if (hypervisor == null) {
            throw new IllegalArgumentException("no hypervisor has code " + code);
        }
        return hypervisor;
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST answers. */
    public String label() {
        return label;
    }
}
