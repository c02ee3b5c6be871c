package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * State of the guest's console session: codes of {@code vm_dynamic.session} (monitoring
 * specification §1.2).
 */
public enum GuestSession implements Coded {
    UNKNOWN(0),
    USER_LOGGED_ON(1),
    LOCKED(2),
    ACTIVE(3),
    LOGGED_OFF(4);

    private static final Map<Integer, GuestSession> BY_CODE = Coded.byCode(GuestSession.class);

    private final int code;

    GuestSession(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNKNOWN} for codes from a newer schema. */
    public static GuestSession ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNKNOWN);
    }

    @Override
    public int code() {
        return code;
    }
}
