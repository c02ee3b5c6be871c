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
public final class ChildProcess implements AutoCloseable {

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

    /**
     * Starts a program.
     *
     * @param name for messages
     * @param log where its output goes
     * @param stopTimeout how long it may take to end after the signal
     */
    public static ChildProcess start(
            String name, List<String> command, Path log, Duration stopTimeout) throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .start();
        return new ChildProcess(name, process, log, stopTimeout);
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Whether it runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * @throws BenchFailure if it has ended
     */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new BenchFailure(
                    name + " ended with code " + process.exitValue() + "\n" + endOfLog());
        }
    }

    /** Last lines of its log. */
    String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - TOLD_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** Kills it (SIGKILL) and waits until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
    }

    /**
     * Asks it to stop, waits, and kills it when the time is over.
     *
     * @return whether it ended by itself
     */
    public boolean stop() {
        process.destroy();
        try {
            if (process.waitFor(stopTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
            kill();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        return false;
    }

    @Override
    public void close() {
        boolean _ = stop();
    }
}
