package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that the harness started: its output goes to a file, and it ends with the harness.
 *
 * <p>Closing asks it to stop (TERM), waits, and kills it when the time is over.
 */
final class ChildProcess implements AutoCloseable {

    private static final int TOLD_LINES = 15;

    private final String name;
    private final Process process;
    private final Path log;
    private final Duration stopTimeout;

    private ChildProcess(String name, Process process, Path log, Duration stopTimeout) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.stopTimeout = stopTimeout;
    }

    static ChildProcess start(String name, List<String> command, Path log, Duration stopTimeout)
            throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .start();
        return new ChildProcess(name, process, log, stopTimeout);
    }

    long pid() {
        return process.pid();
    }

    /**
     * @throws BenchFailure if it has ended
     */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new BenchFailure(
                    name + " ended with code " + process.exitValue() + "\n" + endOfLog());
        }
    }

    /** The last lines of what it said. */
    String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - TOLD_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(stopTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
