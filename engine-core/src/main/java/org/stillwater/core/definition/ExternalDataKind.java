package org.stillwater.core.definition;

import org.stillwater.core.value.Coded;

/**
 * Kind of data that a VM keeps on its host outside its disks and that is lost there unless the
 * engine saves it.
 */
public enum ExternalDataKind implements Coded {
    /** State of the emulated TPM. */
    TPM(0),
    /** Variables of the firmware. */
    NVRAM(1);

    private final int code;

    ExternalDataKind(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }

    /** The kind with this code. */
    public static ExternalDataKind ofCode(int code) {
        for (ExternalDataKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no kind of external data has code " + code);
    }
}
