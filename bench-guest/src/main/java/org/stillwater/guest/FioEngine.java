package org.stillwater.guest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Measures with the installed fio. It ends with this process. */
final class FioEngine implements DiskEngine {

    private static final Pattern VERSION = Pattern.compile("fio-[0-9A-Za-z.\\-]{1,40}");
    private static final int VERSION_SECONDS = 10;

    private final String version;
    private volatile @Nullable Process running;

    private FioEngine(String version) {
        this.version = version;
    }

    /** The installed fio, null without one. */
    static @Nullable FioEngine find() throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder("fio", "--version").redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return null;
            }
            Matcher version =
                    VERSION.matcher(
                            new String(
                                    process.getInputStream().readAllBytes(),
                                    StandardCharsets.UTF_8));
            return version.find() ? new FioEngine(version.group()) : null;
        } catch (IOException e) {
            return null; // not installed
        }
    }

    @Override
    public String name() {
        return version;
    }

    static List<String> command(TestFile file, DiskOperation operation, int recordBytes) {
        return List.of(
                "fio",
                "--name=stillwater",
                "--output-format=json",
                "--ioengine=psync",
                "--iodepth=1",
                "--numjobs=1",
                "--overwrite=1",
                "--allow_file_create=0",
                "--filename=" + file.path().toString().replace(":", "\\:"),
                "--direct=" + (file.buffered() ? 0 : 1),
                "--rw=" + operation.fioName(),
                "--bs=" + recordBytes,
                "--size=" + file.bytes(),
                "--runtime=" + file.seconds(),
                "--end_fsync=" + (operation.writing() ? 1 : 0));
    }

    @Override
    public Measurement measure(TestFile file, DiskOperation operation, int recordBytes)
            throws BenchmarkFailed, InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command(file, operation, recordBytes))
                            .redirectErrorStream(true)
                            .start();
            running = process;
            process.getOutputStream().close();
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                String line = text.strip().replace('\n', ' ');
                throw new BenchmarkFailed(
                        "fio ended with "
                                + code
                                + ": "
                                + line.substring(0, Math.min(line.length(), 200)));
            }
            return FioOutput.measurement(text, operation, recordBytes);
        } catch (IOException e) {
            throw new BenchmarkFailed("cannot run fio: " + e.getMessage());
        } finally {
            running = null;
        }
    }

    /** Ends a fio that runs. Any thread. */
    void stop() {
        Process process = running;
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
