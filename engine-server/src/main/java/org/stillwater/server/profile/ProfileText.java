package org.stillwater.server.profile;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The figures of a profile as a page of text. */
final class ProfileText {

    private static final int ROWS = 12;
    private static final double PERCENT = 100;
    private static final double KIBI = 1024;

    private ProfileText() {}

    /** CPU, statements, memory and waits. */
    static String of(Profile profile, Profile.Window window) {
        StringBuilder text = new StringBuilder();
        cpu(text, ProfileReport.cpu(profile, window, false));
        statements(text, ProfileReport.statements(window));
        memory(text, ProfileReport.memory(window));
        return text.toString();
    }

    private static void cpu(StringBuilder text, ProfileReport.Cpu cpu) {
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "CPU: %.1f s of the process in %.0f s, %d samples",
                        cpu.cpuMillis() / 1_000.0,
                        cpu.seconds(),
                        cpu.samples()));
        line(
                text,
                String.format(
                        Locale.ROOT, "  %-12s %7s %10s %10s", "stage", "share", "CPU", "samples"));
        for (ProfileReport.StageItem item : cpu.items()) {
            if (item.samples() > 0 || item.cpuMillis() > 0) {
                line(
                        text,
                        String.format(
                                Locale.ROOT,
                                "  %-12s %6.1f%% %8.2f s %10d",
                                item.stage(),
                                item.share() * PERCENT,
                                item.cpuMillis() / 1_000.0,
                                item.samples()));
            }
        }
        line(text, "");
        line(
                text,
                String.format(
                        Locale.ROOT, "Waits for locks: %s", cpu.waits().isEmpty() ? "none" : ""));
        for (ProfileReport.WaitItem wait : first(cpu.waits())) {
            line(
                    text,
                    String.format(
                            Locale.ROOT,
                            "  %6d × %8d ms  %s (%s, %s)",
                            wait.waits(),
                            wait.totalMillis(),
                            wait.name(),
                            wait.stage(),
                            wait.place()));
        }
        line(text, "");
    }

    private static void statements(StringBuilder text, ProfileReport.Statements statements) {
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "Database: %d statements and commits, %.2f s. %s",
                        statements.calls(),
                        statements.totalMicros() / 1_000_000.0,
                        statements.summary()));
        if (!statements.items().isEmpty()) {
            line(
                    text,
                    String.format(
                            Locale.ROOT,
                            "  %7s %8s %9s %9s  %-14s %s",
                            "share",
                            "calls",
                            "mean µs",
                            "p99 µs",
                            "stage",
                            "statement"));
        }
        for (ProfileReport.StatementItem item : first(statements.items())) {
            line(
                    text,
                    String.format(
                            Locale.ROOT,
                            "  %6.1f%% %8d %9d %9d  %-14s %s (%s)",
                            item.share() * PERCENT,
                            item.calls(),
                            item.meanMicros(),
                            item.p99Micros(),
                            item.stage(),
                            item.name(),
                            item.statement()));
        }
        line(text, "");
    }

    private static void memory(StringBuilder text, ProfileReport.Memory memory) {
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "Memory: heap after collection %s, resident %s, direct buffers %s",
                        size(memory.heapAfterCollectionBytes()),
                        size(memory.residentBytes()),
                        size(memory.directBytes())));
        line(
                text,
                String.format(
                        Locale.ROOT,
                        "  %d collections stopped the engine for %.1f ms, the longest for %.1f ms",
                        memory.collections(),
                        memory.pauseMillis(),
                        memory.longestPauseMillis()));
        line(
                text,
                String.format(
                        Locale.ROOT, "  allocated %s, by type:", size(memory.allocatedBytes())));
        for (ProfileReport.TypeItem item : first(memory.types())) {
            line(
                    text,
                    String.format(
                            Locale.ROOT,
                            "  %6.1f%% %12s  %s",
                            item.share() * PERCENT,
                            size(item.allocatedBytes()),
                            item.type()));
        }
        line(text, String.format(Locale.ROOT, "  by stage:"));
        for (ProfileReport.AllocationItem item : first(memory.stages())) {
            line(
                    text,
                    String.format(
                            Locale.ROOT,
                            "  %6.1f%% %12s  %s",
                            item.share() * PERCENT,
                            size(item.allocatedBytes()),
                            item.stage()));
        }
    }

    private static <T> List<T> first(List<T> items) {
        return items.subList(0, Math.min(ROWS, items.size()));
    }

    private static String size(@Nullable Long bytes) {
        if (bytes == null) {
            return "unknown";
        }
        double value = bytes;
        for (String unit : List.of("B", "KiB", "MiB")) {
            if (value < KIBI) {
                return String.format(Locale.ROOT, "%.1f %s", value, unit);
            }
            value /= KIBI;
        }
        return String.format(Locale.ROOT, "%.1f GiB", value);
    }

    private static void line(StringBuilder text, String line) {
        text.append(line.stripTrailing()).append('\n');
    }
}
