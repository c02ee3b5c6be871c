package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Type of a block job: codes of {@code vm_jobs.block_job_type} (monitoring specification §1.6).
 * Hosts start commits only.
 */
public enum BlockJobType implements Coded {
    UNKNOWN(0),
    /** A snapshot is merged into the image below it while the VM runs: live merge. */
    COMMIT(3);

    private static final Map<Integer, BlockJobType> BY_CODE = Coded.byCode(BlockJobType.class);

    private final int code;

    BlockJobType(int code) {
        this.code = code;
    }

    /** The constant with this database code; {@link #UNKNOWN} for codes from a newer schema. */
    public static BlockJobType ofCode(int code) {
        return BY_CODE.getOrDefault(code, UNKNOWN);
    }

    @Override
    public int code() {
        return code;
    }
}
