package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time and memory of processes, from Linux's {@code /proc} (proc(5)).
 *
 * <p>Per process, {@code stat} counts user and system time of all threads, dead ones included, in
 * clock ticks; per thread, {@code schedstat} counts nanoseconds but forgets threads that ended.
 */
public final class ProcessCpu {

    /** {@code sysconf(_SC_CLK_TCK)}: 100 on every Linux port the JDK runs on. */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final int PARENT = 1;
    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;
    private static final int CHILDREN_USER_TICKS = 13;
    private static final int CHILDREN_SYSTEM_TICKS = 14;

    private final Path proc;

    ProcessCpu(Path proc) {
        this.proc = proc;
    }

    /** Of this machine. */
    public static ProcessCpu ofThisMachine() {
        return new ProcessCpu(Path.of("/proc"));
    }

    /** CPU time of one process since its start, all threads, nanoseconds. */
    public long nanosOf(long pid) throws IOException {
        String[] fields = stat(proc.resolve(Long.toString(pid)));
        return ticks(fields, USER_TICKS) + ticks(fields, SYSTEM_TICKS);
    }

    /**
     * CPU time of a process and everything below it, nanoseconds; descendants that ended count
     * through the parent that waited for them. Living processes with one thread are read to the
     * nanosecond.
     */
    public long nanosOfTree(long root) throws IOException {
        long total = 0;
        for (long pid : treeOf(root)) {
            Path folder = proc.resolve(Long.toString(pid));
            try {
                String[] fields = stat(folder);
                total +=
                        Math.max(
                                ticks(fields, USER_TICKS) + ticks(fields, SYSTEM_TICKS),
                                schedNanos(folder));
                total += ticks(fields, CHILDREN_USER_TICKS) + ticks(fields, CHILDREN_SYSTEM_TICKS);
            } catch (IOException ended) {
                // between the listing and the reading; its parent has its time
            }
        }
        return total;
    }

    /** CPU time of the living threads of a process, selected by prefixes of their names. */
    long nanosOfThreads(long pid, List<String> prefixes) throws IOException {
        long total = 0;
        Path tasks = proc.resolve(Long.toString(pid)).resolve("task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                try {
                    String name = Files.readString(thread.resolve("comm")).strip();
                    if (prefixes.stream().anyMatch(name::startsWith)) {
                        total += schedNanos(thread);
                    }
                } catch (IOException ended) {
                    // a thread that ended meanwhile
                }
            }
        }
        return total;
    }

    /** Resident memory of a process, bytes. */
    long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(proc.resolve(Long.toString(pid)).resolve("status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        throw new IOException("process " + pid + " has no VmRSS");
    }

    private List<Long> treeOf(long root) throws IOException {
        Map<Long, List<Long>> children = new HashMap<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                try {
                    long parent = Long.parseLong(stat(process)[PARENT]);
                    children.computeIfAbsent(parent, _ -> new ArrayList<>())
                            .add(Long.parseLong(process.getFileName().toString()));
                } catch (IOException ended) {
                    // a process that ended meanwhile
                }
            }
        }
        List<Long> tree = new ArrayList<>();
        Deque<Long> open = new ArrayDeque<>(List.of(root));
        while (!open.isEmpty()) {
            long pid = open.remove();
            tree.add(pid);
            open.addAll(children.getOrDefault(pid, List.of()));
        }
        return tree;
    }

    /**
     * The fields of {@code stat} after the name, which may hold spaces and brackets: state first.
     */
    private static String[] stat(Path folder) throws IOException {
        String text = Files.readString(folder.resolve("stat"), StandardCharsets.ISO_8859_1);
        return text.substring(text.lastIndexOf(')') + 2).strip().split(" ");
    }

    private static long ticks(String[] fields, int index) {
        return Long.parseLong(fields[index]) * NANOS_PER_TICK;
    }

    private static long schedNanos(Path folder) throws IOException {
        String text = Files.readString(folder.resolve("schedstat"));
        return Long.parseLong(text.substring(0, text.indexOf(' ')));
    }
}
