package org.stillwater.guest;

/**
 * A measured cell of the matrix.
 *
 * @param recordBytes size of each read or write
 * @param bytes how much was read or written, at least 1
 * @param nanos how long that took, at least 1
 */
record Measurement(DiskOperation operation, int recordBytes, long bytes, long nanos) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    Measurement {
        if (recordBytes < 1 || bytes < 1 || nanos < 1) {
            throw new IllegalArgumentException("no measurement was made");
        }
    }

    /** Megabytes (1 000 000 bytes) a second. */
    double megabytesPerSecond() {
        return bytes / BYTES_PER_MEGABYTE / (nanos / NANOS_PER_SECOND);
    }
}
