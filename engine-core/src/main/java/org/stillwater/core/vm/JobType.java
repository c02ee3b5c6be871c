package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Object that a job works on: codes of {@code vm_jobs.job_type} (monitoring specification §1.6).
 */
public enum JobType implements Coded {
    UNKNOWN(0),
    /** A disk of a running VM. */
    BLOCK(1);

    private static final Map<Integer, JobType> BY_CODE = Coded.byCode(JobType.class);

    private final int code;

    JobType(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNKNOWN} for codes from a newer schema. */
    public static JobType ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNKNOWN);
    }

    @Override
    public int code() {
        return code;
    }
}
