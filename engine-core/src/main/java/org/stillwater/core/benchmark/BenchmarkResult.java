package org.stillwater.core.benchmark;

/**
 * A measured cell of a run.
 *
 * @param operation measured operation
 * @param recordBytes size of each read or write
 * @param bytes how much it read or wrote
 * @param millis how long that took, rounded down, at least 1
 * @param megabytesPerSecond speed as the agent measured it; 1 MB is 1 000 000 bytes
 */
public record BenchmarkResult(
        BenchmarkOperation operation,
        int recordBytes,
        long bytes,
        long millis,
        double megabytesPerSecond) {

    /** Smallest record. */
    public static final int SMALLEST_RECORD = 64 << 10;

    /** Largest record. */
    public static final int LARGEST_RECORD = 16 << 20;

    /** Longest cell that is accepted, in milliseconds. */
    private static final long MOST_MILLIS = 3_600_000;

    /** A part in a hundred, and a unit of the last digit, for rounding. */
    private static final double TOLERANCE = 0.01;

    private static final double LAST_DIGIT = 0.001;
    private static final double BYTES_PER_MILLI = 1_000;

    public BenchmarkResult {
        if (recordBytes < SMALLEST_RECORD
                || recordBytes > LARGEST_RECORD
                || Integer.bitCount(recordBytes) != 1) {
            throw new IllegalArgumentException(
                    "recordBytes must be a power of two from 65536 to 16777216, not "
                            + recordBytes);
        }
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes must be positive, not " + bytes);
        }
        if (millis < 1 || millis > MOST_MILLIS) {
            throw new IllegalArgumentException(
                    "millis must be 1 to " + MOST_MILLIS + ", not " + millis);
        }
        if (!(megabytesPerSecond > 0 && megabytesPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "megabytesPerSecond must be a positive number, not " + megabytesPerSecond);
        }
        double slowest = bytes / BYTES_PER_MILLI / (millis + 1);
        // Less than a millisecond is reported as one.
        double fastest = millis == 1 ? Double.POSITIVE_INFINITY : bytes / BYTES_PER_MILLI / millis;
        if (megabytesPerSecond < slowest * (1 - TOLERANCE) - LAST_DIGIT
                || megabytesPerSecond > fastest * (1 + TOLERANCE) + LAST_DIGIT) {
            throw new IllegalArgumentException(
                    "megabytesPerSecond does not follow from bytes and millis (1 MB is 1000000"
                            + " bytes)");
        }
    }

    /** Whether it is of this cell. */
    boolean isOf(BenchmarkOperation wanted, int size) {
        return operation == wanted && recordBytes == size;
    }
}
