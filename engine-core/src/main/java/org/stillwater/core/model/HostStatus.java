package org.stillwater.core.model;

import java.util.Map;

/** Status of a host: codes of {@code host_dynamic.status} (monitoring specification §3.1). */
public enum HostStatus implements Coded {
    UNASSIGNED(0),
    DOWN(1),
    MAINTENANCE(2),
    UP(3),
    NON_RESPONSIVE(4),
    ERROR(5),
    INSTALLING(6),
    INSTALL_FAILED(7),
    REBOOT(8),
    PREPARING_FOR_MAINTENANCE(9),
    NON_OPERATIONAL(10),
    PENDING_APPROVAL(11),
    INITIALIZING(12),
    CONNECTING(13),
    INSTALLING_OS(14),
    KDUMPING(15);

    private static final Map<Integer, HostStatus> BY_CODE = Coded.byCode(HostStatus.class);

    private final int code;

    HostStatus(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNASSIGNED} for codes from a newer schema. */
    public static HostStatus ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNASSIGNED);
    }

    @Override
    public int code() {
        return code;
    }
}
