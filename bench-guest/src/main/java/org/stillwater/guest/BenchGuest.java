package org.stillwater.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The program: measures the disk of a folder, prints the matrix, and leaves no file behind, also
 * when it is stopped.
 */
public final class BenchGuest {

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final int STOPPED = 130;

    private final PrintStream out;
    private final PrintStream err;
    private final Clock clock;
    private final Pause pause;

    BenchGuest(PrintStream out, PrintStream err, Clock clock, Pause pause) {
        this.out = out;
        this.err = err;
        this.clock = clock;
        this.pause = pause;
    }

    /** The program's start. */
    public static void main(String[] arguments) {
        System.exit(
                new BenchGuest(System.out, System.err, Clock.systemUTC(), Thread::sleep)
                        .run(arguments));
    }

    /** Runs it; returns the exit code. */
    int run(String... arguments) {
        try {
            Options options = Options.of(arguments);
            if (options.help()) {
                out.print(help());
                return 0;
            }
            measure(options);
            return 0;
        } catch (WrongUsage e) {
            err.println("bench-guest: " + e.getMessage() + "; see --help");
            return WRONG_USAGE;
        } catch (BenchmarkFailed | EngineRefused | EngineAway | IOException e) {
            err.println("bench-guest: " + e.getMessage());
            return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return STOPPED;
        }
    }

    private static String help() throws IOException {
        try (InputStream text =
                Objects.requireNonNull(BenchGuest.class.getResourceAsStream("help.txt"))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void measure(Options options)
            throws BenchmarkFailed, EngineRefused, EngineAway, IOException, InterruptedException {
        FioEngine fio = options.engine() == Options.EngineChoice.DIRECT ? null : FioEngine.find();
        if (fio == null && options.engine() == Options.EngineChoice.FIO) {
            throw new BenchmarkFailed("fio is not installed; --engine=direct needs none");
        }
        DiskEngine engine = fio != null ? fio : new DirectEngine(System::nanoTime);
        TestFile.check(options);
        Path json = options.json();
        if (json != null && !Files.isWritable(folderOf(json))) {
            throw new BenchmarkFailed("cannot write to " + folderOf(json));
        }
        int cells = options.recordBytes().size() * options.operations().size();
        long writing = options.operations().stream().filter(DiskOperation::writing).count();
        err.printf(
                "bench-guest: %s, %d cells of at most %d s; writes at most %s%n",
                engine.name(),
                cells,
                options.seconds(),
                Options.text(options.fileBytes() * (1 + writing * options.recordBytes().size())));
        if (options.dryRun()) {
            return;
        }
        Posting posting = options.posting();
        Target target = options.target();
        if (posting == null || target == null) {
            BenchReport _ = result(options, engine, fio);
            return;
        }
        try (EngineClient client = EngineClient.of(posting, pause)) {
            Schedule schedule = posting.schedule();
            if (schedule != null) {
                new ScheduledRuns(
                                schedule,
                                () -> client.permit(options, target),
                                () -> result(options, engine, fio).json(),
                                client::post,
                                pause,
                                text -> err.println("bench-guest: " + text))
                        .run();
                return;
            }
            Permit permit = client.permit(options, target);
            if (!permit.granted()) {
                throw new BenchmarkFailed("the engine permits no run now: " + permit.text());
            }
            client.post(result(options, engine, fio).json());
            err.println("bench-guest: posted to " + posting.engine());
        }
    }

    private BenchReport result(Options options, DiskEngine engine, @Nullable FioEngine fio)
            throws BenchmarkFailed, IOException, InterruptedException {
        TestFile.check(options);
        BenchReport report = measure(options, engine, fio);
        out.print(report.table());
        Path json = options.json();
        if (json != null) {
            Files.writeString(json, report.json());
        }
        return report;
    }

    private static Path folderOf(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder == null ? file.toAbsolutePath() : folder;
    }

    private BenchReport measure(Options options, DiskEngine engine, @Nullable FioEngine fio)
            throws BenchmarkFailed, InterruptedException {
        TestFile file = TestFile.of(options);
        Thread cleaner =
                new Thread(
                        () -> {
                            if (fio != null) {
                                fio.stop();
                            }
                            file.close();
                        },
                        "bench-guest-cleaner");
        Runtime.getRuntime().addShutdownHook(cleaner);
        try (file) {
            var startedAt = clock.instant();
            err.println("bench-guest: fills " + file.path());
            file.fill();
            List<Measurement> results = new ArrayList<>();
            int cells = options.recordBytes().size() * options.operations().size();
            for (int record : options.recordBytes()) {
                for (DiskOperation operation : options.operations()) {
                    Measurement measured = engine.measure(file, operation, record);
                    results.add(measured);
                    err.printf(
                            "bench-guest: %d/%d %s %s: %.1f MB/s%n",
                            results.size(),
                            cells,
                            Options.text(record),
                            operation.label(),
                            measured.megabytesPerSecond());
                }
            }
            return new BenchReport(
                    UUID.randomUUID(),
                    startedAt,
                    engine.name(),
                    machine(),
                    System.getProperty("os.name") + " " + System.getProperty("os.version"),
                    options,
                    results);
        } finally {
            forget(cleaner);
        }
    }

    private static void forget(Thread cleaner) {
        try {
            Runtime.getRuntime().removeShutdownHook(cleaner);
        } catch (IllegalStateException e) {
            // the process ends, and the hook runs
        }
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
