package org.stillwater.core.host;

import java.util.Map;
import org.stillwater.core.value.Coded;

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

    /** Whether monitoring asks the host anything at all (monitoring specification §3.1). */
    public boolean isRefreshed() {
        return switch (this) {
            case INSTALLING,
                    INSTALL_FAILED,
                    REBOOT,
                    MAINTENANCE,
                    PENDING_APPROVAL,
                    INSTALLING_OS,
                    DOWN,
                    KDUMPING ->
                    false;
            case UNASSIGNED,
                    UP,
                    NON_RESPONSIVE,
                    ERROR,
                    PREPARING_FOR_MAINTENANCE,
                    NON_OPERATIONAL,
                    INITIALIZING,
                    CONNECTING ->
                    true;
        };
    }

    /**
     * Whether the host is in contact, so that its VMs are polled and its capabilities need no
     * reading (monitoring specification §3.1, §3.3).
     */
    public boolean isInContact() {
        return switch (this) {
            case UP, ERROR, NON_OPERATIONAL, PREPARING_FOR_MAINTENANCE -> true;
            case UNASSIGNED,
                    DOWN,
                    MAINTENANCE,
                    NON_RESPONSIVE,
                    INSTALLING,
                    INSTALL_FAILED,
                    REBOOT,
                    PENDING_APPROVAL,
                    INITIALIZING,
                    CONNECTING,
                    INSTALLING_OS,
                    KDUMPING ->
                    false;
        };
    }

    /** Whether the host does not answer calls. */
    public boolean isSilent() {
        return this == CONNECTING || this == NON_RESPONSIVE;
    }
}
