package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Whether a job is known to run: codes of {@code vm_jobs.status} (monitoring specification §1.6).
 */
public enum JobState implements Coded {
    /** For a job that an earlier version of the engine saved before a host reported it. */
    UNKNOWN(0),
    /** A host reports it. */
    NORMAL(1);

    private static final Map<Integer, JobState> BY_CODE = Coded.byCode(JobState.class);

    private final int code;

    JobState(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNKNOWN} for codes from a newer schema. */
    public static JobState ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNKNOWN);
    }

    @Override
    public int code() {
        return code;
    }
}
