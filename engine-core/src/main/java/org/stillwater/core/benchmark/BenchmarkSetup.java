package org.stillwater.core.benchmark;

/**
 * How a run measured. Only runs of the same setup are comparable.
 *
 * @param engine name of the program that read and wrote, without its version
 * @param direct whether it bypassed the cache of the operating system
 * @param fileBytes size of the file
 * @param seconds how long a cell ran at most
 */
public record BenchmarkSetup(String engine, boolean direct, long fileBytes, int seconds) {

    /** Its name within findings. */
    public String key() {
        return engine + (direct ? "-direct-" : "-buffered-") + fileBytes + "-" + seconds;
    }
}
