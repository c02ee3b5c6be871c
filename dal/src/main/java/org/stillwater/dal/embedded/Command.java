package org.stillwater.dal.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs one short-lived program to its end, with a bounded wait, bounded output and an environment
 * that cannot lead PostgreSQL astray. Stateless.
 */
final class Command {

    private static final int OUTPUT_LIMIT = 64 * 1024;
    private static final int OUTPUT_WAIT_SECONDS = 5;

    /**
     * How a program ended.
     *
     * @param exitCode its exit code; -1 when it had to be killed for taking too long
     * @param output the beginning of its standard output and standard error
     */
    record Result(int exitCode, String output) {
        boolean succeeded() {
            return exitCode == 0;
        }
    }

    private Command() {}

    static Result run(List<String> command, Duration limit) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(new java.io.File("/"))
                        .redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        builder.environment().put("LC_ALL", "C");
        builder.environment().remove("LD_LIBRARY_PATH");
        Process process = builder.start();
        process.getOutputStream().close();
        FutureTask<String> output = new FutureTask<>(() -> beginning(process.getInputStream()));
        Thread.ofVirtual().name("output of " + command.getFirst()).start(output);
        try {
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                process.destroyForcibly();
            }
            String text = output.get(OUTPUT_WAIT_SECONDS, TimeUnit.SECONDS).strip();
            return new Result(ended ? process.exitValue() : -1, text);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while running " + command.getFirst(), e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("lost the output of " + command.getFirst(), e);
        }
    }

    private static String beginning(InputStream stream) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] buffer = new byte[8 * 1024];
        try (InputStream in = stream) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (text.length() < OUTPUT_LIMIT) {
                    text.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
                }
            }
        }
        return text.toString();
    }
}
