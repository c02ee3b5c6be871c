package org.stillwater.server.profile;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CPU time of HotSpot's compiler threads, from Linux's {@code /proc/self/task} (proc(5)).
 *
 * <p>The JVM itself reports elapsed time only, which counts the waiting of a compiler thread for a
 * busy core as well. HotSpot starts and ends compiler threads as it needs them, and the kernel
 * forgets a thread that ended, so the last figure of each thread is kept. Without {@code /proc}
 * only the elapsed time is available. For one thread at a time.
 */
final class CompilerCpu {

    /** Names of HotSpot's compiler threads start so; the kernel keeps 15 characters of a name. */
    private static final String[] COMPILERS = {"C1 Compiler", "C2 Compiler"};

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Long OTHER = -1L;

    private final Path tasks;

    /**
     * Latest CPU time of each living thread in ns; {@link #OTHER} for threads that do not compile.
     */
    private Map<Path, Long> known = new HashMap<>();

    private long ended;

    CompilerCpu(Path tasks) {
        this.tasks = tasks;
    }

    /** Of this process. */
    static CompilerCpu ofThisProcess() {
        return new CompilerCpu(Path.of("/proc/self/task"));
    }

    /** CPU time of all compiler threads since they started, ms; never less than before. */
    long millis() {
        Map<Path, Long> now = new HashMap<>();
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            String unnamed = Files.readString(tasks.resolveSibling("comm"));
            for (Path thread : threads) {
                Long before = known.get(thread);
                Long nanos = OTHER.equals(before) ? before : nanosOf(thread, unnamed);
                if (nanos == null) {
                    continue;
                }
                now.put(thread, nanos);
                sum += Math.max(0, nanos);
            }
        } catch (IOException | RuntimeException noProc) {
            return elapsedMillis();
        }
        known.forEach((thread, nanos) -> {
            if (!now.containsKey(thread)) {
                ended += Math.max(0, nanos);
            }
        });
        known = now;
        return (sum + ended) / NANOS_PER_MILLI;
    }

    /**
     * Null for a thread that ended while it was looked at, and for one that has no name yet: a
     * thread begins with its process' name.
     */
    private static @Nullable Long nanosOf(Path thread, String unnamed) {
        try {
            String name = Files.readString(thread.resolve("comm"));
            if (name.equals(unnamed)) {
                return null;
            }
            for (String compiler : COMPILERS) {
                if (name.startsWith(compiler)) {
                    String times = Files.readString(thread.resolve("schedstat"));
                    return Long.parseLong(times.substring(0, times.indexOf(' ')));
                }
            }
            return OTHER;
        } catch (IOException gone) {
            return null;
        }
    }

    private static long elapsedMillis() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        return compiler != null && compiler.isCompilationTimeMonitoringSupported()
                ? compiler.getTotalCompilationTime()
                : 0;
    }
}
