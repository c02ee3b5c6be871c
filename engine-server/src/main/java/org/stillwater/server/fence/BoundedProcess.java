package org.stillwater.server.fence;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One run of a program without a shell or surroundings: bounded in time and output, and killed with
 * all that it started when it exceeds its time. {@link #kill} may be called by any thread.
 */
final class BoundedProcess {

    private static final int OUTPUT_BYTES = 4 * 1024;
    private static final Duration OUTPUT_PATIENCE = Duration.ofSeconds(1);

    private final Process process;
    private final FutureTask<String> output;

    /**
     * How a run ended.
     *
     * @param inTime whether it ended by itself
     * @param exitCode its exit code, meaningless unless in time
     * @param output the beginning of both outputs
     */
    record Ended(boolean inTime, int exitCode, String output) {}

    private BoundedProcess(Process process) {
        this.process = process;
        this.output = new FutureTask<>(() -> beginning(process.getInputStream()));
    }

    /**
     * Starts the program.
     *
     * @param command the program and its arguments, each passed on as it is
     * @throws IOException if it cannot be started
     */
    static BoundedProcess start(List<String> command) throws IOException {
        return start(command, "");
    }

    /**
     * Starts the program.
     *
     * @param command the program and its arguments, each passed on as it is
     * @param input its standard input, written by another thread; the program may ignore it
     * @throws IOException if it cannot be started
     */
    static BoundedProcess start(List<String> command, String input) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(new File("/")).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        String path = environment.get("PATH");
        environment.clear();
        environment.put("LC_ALL", "C");
        if (path != null) {
            environment.put("PATH", path);
        }
        BoundedProcess started = new BoundedProcess(builder.start());
        Thread.ofVirtual().name("output of " + command.getFirst()).start(started.output);
        if (input.isEmpty()) {
            started.process.getOutputStream().close();
        } else {
            byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
            Thread.ofVirtual()
                    .name("input of " + command.getFirst())
                    .start(() -> started.write(bytes));
        }
        return started;
    }

    private void write(byte[] bytes) {
        try (OutputStream out = process.getOutputStream()) {
            out.write(bytes);
        } catch (IOException _) {
            // The process ended, or does not read; its exit decides the result.
        }
    }

    /** Waits for the end, which comes in time or by force. */
    Ended await(Duration limit) throws InterruptedException {
        try {
            boolean inTime = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            kill();
            return new Ended(inTime, inTime ? process.exitValue() : -1, text());
        } finally {
            kill();
            process.destroyForcibly(); // closes the rest of the output
        }
    }

    /**
     * Ends it and its child processes by force; no effect if it has ended. By their handles: {@link
     * Process#destroyForcibly} would close the output before it is read.
     */
    void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.toHandle().destroyForcibly();
    }

    /** Another process may hold the output open; the output until then has to suffice. */
    private String text() throws InterruptedException {
        try {
            return output.get(OUTPUT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException _) {
            return "";
        }
    }

    private static String beginning(InputStream stream) throws IOException {
        try (InputStream in = stream) {
            byte[] kept = in.readNBytes(OUTPUT_BYTES);
            in.transferTo(OutputStream.nullOutputStream());
            return new String(kept, StandardCharsets.UTF_8);
        }
    }
}
