package org.stillwater.guest;

/** Carries one cell of the matrix out. Used by one thread. */
interface DiskEngine {

    /** Its name and version, for the result. */
    String name();

    /**
     * Reads or writes records of the file until the duration is over or as many bytes as the file
     * has were moved.
     *
     * @throws BenchmarkFailed if the disk or the engine refuses
     * @throws InterruptedException if the thread was interrupted
     */
    Measurement measure(TestFile file, DiskOperation operation, int recordBytes)
            throws BenchmarkFailed, InterruptedException;
}
