package org.stillwater.benchmarks.console;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The longest task of a page's main thread, out of the events of Chromium's tracing. Events are
 * added as they arrive and only sums are kept. Not safe for several threads at a time.
 *
 * <p>A task is a {@code RunTask} event of the category {@value #CATEGORY}, with its length in
 * microseconds (Trace Event Format, {@code dur}). Every process of a page has a main thread named
 * {@value #MAIN_THREAD}; the one with the most work is the page's, since spare processes idle.
 */
final class TaskTrace {

    /** The category of tracing that has tasks. */
    static final String CATEGORY = "disabled-by-default-devtools.timeline";

    private static final String TASK = "RunTask";
    private static final String MAIN_THREAD = "CrRendererMain";

    private final Map<String, Busy> threads = new HashMap<>();
    private final Set<String> mainThreads = new HashSet<>();

    /** Work of one thread, microseconds. */
    private record Busy(long total, long longest) {

        Busy with(long micros) {
            return new Busy(total + micros, Math.max(longest, micros));
        }
    }

    /** Takes the events of one message. */
    void add(JsonNode events) {
        for (JsonNode event : events) {
            String thread = event.path("pid").asString("") + "/" + event.path("tid").asString("");
            String name = event.path("name").asString("");
            if (name.equals("thread_name")
                    && event.path("args").path("name").asString("").equals(MAIN_THREAD)) {
                mainThreads.add(thread);
            } else if (name.equals(TASK)) {
                long micros = event.path("dur").asLong(0);
                threads.put(thread, threads.getOrDefault(thread, new Busy(0, 0)).with(micros));
            }
        }
    }

    /** Milliseconds of the longest task; NaN if no task was traced. */
    double longestMillis() {
        Busy most = new Busy(-1, -1);
        for (String thread : mainThreads) {
            Busy busy = threads.getOrDefault(thread, most);
            if (busy.total() > most.total()) {
                most = busy;
            }
        }
        return most.total() < 0 ? Double.NaN : most.longest() / 1000.0;
    }
}
