package org.stillwater.server.stall;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A thread that delays waiting work: one that had a carrier at the reading of the JVM, or that of a
 * host. The JDK lists carriers only in a dump of all threads, which is expensive.
 *
 * @param name of the thread
 * @param stack its frames, the innermost first
 */
record CarriedThread(String name, List<String> stack) {

    private static final Logger LOG = LoggerFactory.getLogger(CarriedThread.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Carried threads of this process; none if the JVM cannot list them. */
    static List<CarriedThread> present() {
        Path folder = null;
        try {
            folder = Files.createTempDirectory("stillwater-threads");
            Path dump = folder.resolve("threads.json");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toAbsolutePath().toString(), ThreadDumpFormat.JSON);
            return in(JSON.readTree(Files.readString(dump)));
        } catch (IOException | JacksonException | UnsupportedOperationException e) {
            LOG.warn("The threads that hold carriers cannot be listed: {}", e.toString());
            return List.of();
        } finally {
            delete(folder);
        }
    }

    /** Those in a dump of threads. */
    static List<CarriedThread> in(JsonNode root) {
        List<CarriedThread> all = new ArrayList<>();
        for (JsonNode container : root.path("threadDump").path("threadContainers")) {
            for (JsonNode thread : container.path("threads")) {
                if (thread.has("carrier")) {
                    all.add(
                            new CarriedThread(
                                    thread.path("name").asString(""),
                                    thread.path("stack")
                                            .valueStream()
                                            .map(frame -> frame.asString(""))
                                            .collect(Collectors.toList())));
                }
            }
        }
        return all;
    }

    private static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try {
            Files.deleteIfExists(folder.resolve("threads.json"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted: {}", folder, e.toString());
        }
    }
}
