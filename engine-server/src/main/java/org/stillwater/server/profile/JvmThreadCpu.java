package org.stillwater.server.profile;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * CPU time of some of HotSpot's own threads, from Linux's {@code /proc/self/task} (proc(5)).
 *
 * <p>Of compilers, the JVM itself reports elapsed time only, which counts the waiting of a thread
 * for a busy core as well; of the threads of a collector that run beside the program, nothing.
 * HotSpot starts and ends these threads as it needs them, and the kernel forgets a thread that
 * ended, so the last figure of each thread is kept. For one thread at a time.
 */
final class JvmThreadCpu {

    /** Names of threads start so; the kernel keeps 15 characters of a name. */
    private static final String[] COMPILERS = {"C1 Compiler", "C2 Compiler"};

    /** Of G1, Shenandoah and ZGC; they mark, and keep remembered sets, while the program runs. */
    private static final String[] CONCURRENT_COLLECTORS = {
        "G1 Main Marker", "G1 Conc", "G1 Refine", "G1 Service", "Shenandoah", "ZDriver", "ZWorker"
    };

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Long OTHER = -1L;

    private final Path tasks;
    private final String[] names;
    private final LongSupplier otherwise;

    /** Latest CPU time of each living thread in ns; {@link #OTHER} for threads of other names. */
    private Map<Path, Long> known = new HashMap<>();

    private long ended;

    private JvmThreadCpu(Path tasks, String[] names, LongSupplier otherwise) {
        this.tasks = tasks;
        this.names = names;
        this.otherwise = otherwise;
    }

    /**
     * Of compilers; their elapsed time where there is no {@code /proc}.
     *
     * @param tasks folder of a process' threads
     */
    static JvmThreadCpu compilers(Path tasks) {
        return new JvmThreadCpu(tasks, COMPILERS, JvmThreadCpu::elapsedMillis);
    }

    /**
     * Of a collector beside its pauses; 0 where there is no {@code /proc}.
     *
     * @param tasks folder of a process' threads
     */
    static JvmThreadCpu concurrentCollectors(Path tasks) {
        return new JvmThreadCpu(tasks, CONCURRENT_COLLECTORS, () -> 0);
    }

    /** CPU time of the threads since they started, ms; never less than before. */
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
            return otherwise.getAsLong();
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
     * Null for a thread that ended while it was checked, and for one that has no name yet: a thread
     * begins with its process' name.
     */
    private @Nullable Long nanosOf(Path thread, String unnamed) {
        try {
            String name = Files.readString(thread.resolve("comm"));
            if (name.equals(unnamed)) {
                return null;
            }
            for (String wanted : names) {
                if (name.startsWith(wanted)) {
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
