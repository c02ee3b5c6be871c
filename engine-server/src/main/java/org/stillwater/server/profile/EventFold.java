package org.stillwater.server.profile;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordedThreadGroup;
import org.stillwater.monitoring.worker.SupervisedWorker;

/**
 * Folds events of the flight recorder into a profile, and knows which events that takes. It enables
 * no event that has command lines, environment variables, system properties or values of variables.
 * Used by one thread at a time.
 */
final class EventFold {

    /**
     * Sampling settings.
     *
     * @param samplePeriod between samples of running threads
     * @param nativePeriod between samples of threads in native code
     * @param allocationsPerSecond samples of allocations
     * @param waitThreshold shortest wait for a lock that is recorded
     */
    record Sampling(
            Duration samplePeriod,
            Duration nativePeriod,
            int allocationsPerSecond,
            Duration waitThreshold) {}

    /** The name of waits for a database connection. */
    private static final String CONNECTIONS = "database connections";

    /** Prefixes of the types that record waits for named locks; stacks begin at their callers. */
    private static final List<String> LOCKS =
            List.of(
                    "org.stillwater.monitoring.observe.LockWaitEvent",
                    "org.stillwater.monitoring.lock.",
                    "org.stillwater.dal.ConnectionWaitEvent",
                    "org.stillwater.dal.Transactions");

    private final Profile profile;

    EventFold(Profile profile) {
        this.profile = profile;
    }

    /** Settings of the events, as the flight recorder reads them. */
    static Map<String, String> settings(Sampling sampling) {
        Map<String, String> all = new LinkedHashMap<>();
        enable(all, "jdk.ExecutionSample", "period", millis(sampling.samplePeriod()));
        enable(all, "jdk.NativeMethodSample", "period", millis(sampling.nativePeriod()));
        enable(
                all,
                "jdk.ObjectAllocationSample",
                "throttle",
                sampling.allocationsPerSecond() + "/s");
        all.put("jdk.ObjectAllocationSample#stackTrace", "true");
        for (String wait :
                List.of(
                        "jdk.JavaMonitorEnter",
                        "jdk.ThreadPark",
                        "jdk.VirtualThreadPinned",
                        "stillwater.LockWait",
                        "stillwater.ConnectionWait")) {
            enable(all, wait, "threshold", millis(sampling.waitThreshold()));
            all.put(wait + "#stackTrace", "true");
        }
        enable(all, "jdk.GarbageCollection", "threshold", "0 ms");
        all.put("jdk.GCCPUTime#enabled", "true");
        all.put("jdk.GCHeapSummary#enabled", "true");
        enable(all, "jdk.ResidentSetSize", "period", "1 s");
        enable(all, "jdk.DirectBufferStatistics", "period", "5 s");
        for (String own :
                List.of(
                        "stillwater.StatisticsCycle",
                        "stillwater.BatchWrite",
                        "stillwater.SqlStatement",
                        "stillwater.SqlCommit",
                        "stillwater.Stall")) {
            enable(all, own, "threshold", "0 ms");
        }
        enable(all, "stillwater.EngineProcess", "period", "1 s");
        return all;
    }

    private static void enable(
            Map<String, String> all, String event, String setting, String value) {
        all.put(event + "#enabled", "true");
        all.put(event + "#" + setting, value);
    }

    private static String millis(Duration time) {
        return time.toMillis() + " ms";
    }

    /** Takes in one event; one that the profile has no use for changes nothing. */
    void accept(RecordedEvent event) {
        Instant at = event.getEndTime();
        switch (event.getEventType().getName()) {
            case "jdk.ExecutionSample" -> {
                RecordedThread thread = event.getThread("sampledThread");
                profile.sample(at, stack(event), kind(thread));
            }
            case "jdk.NativeMethodSample" -> profile.nativeSample(at, stack(event));
            case "jdk.ObjectAllocationSample" ->
                    profile.allocation(
                            at,
                            stack(event),
                            type(event.getClass("objectClass")),
                            event.getLong("weight"));
            case "jdk.JavaMonitorEnter" ->
                    waited(event, at, "monitor", type(event.getClass("monitorClass")));
            case "jdk.ThreadPark" -> {
                String parked = type(event.getClass("parkedClass"));
                if (isLock(parked)) {
                    waited(event, at, "lock", parked);
                }
            }
            case "jdk.VirtualThreadPinned" -> waited(event, at, "pinned", "carrier thread");
            case "stillwater.LockWait" -> named(event, at, text(event, "name"));
            case "stillwater.ConnectionWait" -> named(event, at, CONNECTIONS);
            case "jdk.GarbageCollection" ->
                    profile.collection(
                            at,
                            event.getDuration("sumOfPauses").toNanos(),
                            event.getDuration("longestPause").toNanos());
            case "jdk.GCCPUTime" ->
                    profile.collector(
                            at,
                            event.getDuration("userTime").toNanos()
                                    + event.getDuration("systemTime").toNanos());
            case "jdk.GCHeapSummary" -> {
                if ("After GC".equals(event.getString("when"))) {
                    profile.heapAfterCollection(at, event.getLong("heapUsed"));
                }
            }
            case "jdk.ResidentSetSize" -> profile.resident(at, event.getLong("size"));
            case "jdk.DirectBufferStatistics" -> profile.direct(at, event.getLong("memoryUsed"));
            case "stillwater.EngineProcess" ->
                    profile.process(
                            at,
                            event.getDuration("cpuTime").toNanos(),
                            event.getDuration("compilationTime").toMillis(),
                            // Recordings of older engines lack it.
                            event.hasField("collectionTime")
                                    ? event.getDuration("collectionTime").toMillis()
                                    : 0);
            case "stillwater.SqlStatement" ->
                    profile.statement(
                            at,
                            new Interval.StatementKey(
                                    text(event, "name"),
                                    text(event, "statement"),
                                    text(event, "stage")),
                            event.getDuration().toNanos(),
                            event.getLong("rows"),
                            event.getBoolean("failed"));
            case "stillwater.SqlCommit" ->
                    profile.statement(
                            at,
                            new Interval.StatementKey(
                                    ProfileReport.COMMIT, "COMMIT", text(event, "stage")),
                            event.getDuration().toNanos(),
                            0,
                            event.getBoolean("failed"));
            default -> {
                // recorded for readers of the file
            }
        }
    }

    private void waited(RecordedEvent event, Instant at, String kind, String name) {
        profile.waited(at, kind, name, stack(event), event.getDuration().toNanos());
    }

    /** The recorded position is the caller of the lock. */
    private void named(RecordedEvent event, Instant at, String name) {
        List<Frame> callers =
                stack(event).stream().dropWhile(frame -> isOfLock(frame.type())).toList();
        profile.waited(at, "lock", name, callers, event.getDuration().toNanos());
    }

    private static boolean isOfLock(String type) {
        return LOCKS.stream().anyMatch(type::startsWith);
    }

    /**
     * Whether a parked thread waits for a lock. A thread that waits for work parks on a condition,
     * a queue or a future, and none of these is held by another thread.
     */
    static boolean isLock(String parked) {
        return parked.startsWith("java.util.concurrent.locks.Reentrant")
                || parked.startsWith("java.util.concurrent.locks.StampedLock")
                || parked.startsWith("java.util.concurrent.Semaphore");
    }

    private static ThreadKind kind(RecordedThread thread) {
        if (thread == null) {
            return ThreadKind.PLATFORM;
        }
        String name = thread.getJavaName();
        return ThreadKind.of(name == null ? "" : name, thread.isVirtual() || isWorker(thread));
    }

    private static boolean isWorker(RecordedThread thread) {
        RecordedThreadGroup group = thread.getThreadGroup();
        return group != null && SupervisedWorker.GROUP.equals(group.getName());
    }

    private static List<Frame> stack(RecordedEvent event) {
        RecordedStackTrace trace = event.getStackTrace();
        if (trace == null) {
            return List.of();
        }
        List<Frame> frames = new ArrayList<>(trace.getFrames().size());
        for (RecordedFrame frame : trace.getFrames()) {
            frames.add(
                    Frame.of(frame.getMethod().getType().getName(), frame.getMethod().getName()));
        }
        return frames;
    }

    private static String type(RecordedClass type) {
        return type == null ? "unknown" : typeName(type.getName());
    }

    /** The name in Java of a class that the virtual machine names. */
    static String typeName(String name) {
        int dimensions = 0;
        while (dimensions < name.length() && name.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = name.substring(dimensions);
        if (dimensions > 0) {
            element =
                    switch (element) {
                        case "B" -> "byte";
                        case "C" -> "char";
                        case "D" -> "double";
                        case "F" -> "float";
                        case "I" -> "int";
                        case "J" -> "long";
                        case "S" -> "short";
                        case "Z" -> "boolean";
                        default ->
                                element.startsWith("L")
                                        ? element.substring(1, element.length() - 1)
                                        : element;
                    };
        }
        return Frame.of(element, "").type() + "[]".repeat(dimensions);
    }

    /** A recorder that was interrupted may lose a text. */
    private static String text(RecordedEvent event, String field) {
        String text = event.getString(field);
        return text == null ? "unknown" : text;
    }
}
