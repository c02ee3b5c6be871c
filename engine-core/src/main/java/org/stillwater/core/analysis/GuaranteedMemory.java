package org.stillwater.core.analysis;

/**
 * Whether a VM has the memory that is guaranteed to it (monitoring specification §4.9). Pure, on
 * primitives, for the per-cycle path.
 */
public final class GuaranteedMemory {

    private static final long KIBIBYTES_PER_MEBIBYTE = 1024;

    private GuaranteedMemory() {}

    /**
     * Whether the balloon took more than it may.
     *
     * @param guaranteedMebibytes memory that ballooning may not go below
     * @param currentKibibytes current balloon, KiB; a value that is not positive counts as unknown
     */
    public static boolean isUndercut(int guaranteedMebibytes, long currentKibibytes) {
        return currentKibibytes > 0 && guaranteedMebibytes > mebibytes(currentKibibytes);
    }

    /** A balloon in whole MiB. */
    public static long mebibytes(long kibibytes) {
        return kibibytes / KIBIBYTES_PER_MEBIBYTE;
    }
}
