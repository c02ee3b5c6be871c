package org.stillwater.server.programs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import jdk.jfr.consumer.RecordingFile;
import jdk.management.jfr.RemoteRecordingStream;
import org.stillwater.server.configuration.SecretScrubber;

/**
 * A short recording of a running engine. It has events of threads, memory, locks and the engine's
 * own work, and none with command lines, environment variables, system properties or sent data,
 * also while the recorder records more for others. Stateless.
 */
final class FlightRecording {

    private static final long MOST_BYTES = 64L * 1024 * 1024;

    private static final List<String> EVENTS =
            List.of(
                    "jdk.ExecutionSample",
                    "jdk.NativeMethodSample",
                    "jdk.CPULoad",
                    "jdk.ThreadCPULoad",
                    "jdk.JavaThreadStatistics",
                    "jdk.ObjectAllocationSample",
                    "jdk.JavaMonitorEnter",
                    "jdk.VirtualThreadPinned",
                    "jdk.GarbageCollection",
                    "jdk.GCPhasePause",
                    "jdk.GCHeapSummary",
                    "jdk.GCConfiguration",
                    "jdk.ResidentSetSize",
                    "jdk.DirectBufferStatistics",
                    "jdk.ThreadStart",
                    "jdk.ThreadEnd",
                    "jdk.DataLoss",
                    "stillwater.StatisticsCycle",
                    "stillwater.BatchWrite",
                    "stillwater.SqlCommit");

    private FlightRecording() {}

    /**
     * Records.
     *
     * @throws IOException if the recorder does not start, or a secret is in the recording after all
     */
    static byte[] of(MBeanServerConnection server, int seconds, SecretScrubber scrubber)
            throws IOException, InterruptedException {
        Map<String, String> settings = new LinkedHashMap<>();
        EVENTS.forEach(each -> settings.put(each + "#enabled", "true"));
        settings.put("jdk.ExecutionSample#period", "20 ms");
        settings.put("jdk.NativeMethodSample#period", "200 ms");
        settings.put("jdk.ObjectAllocationSample#throttle", "50/s");
        settings.put("jdk.JavaMonitorEnter#threshold", "10 ms");
        Set<String> names = EVENTS.stream().collect(Collectors.toUnmodifiableSet());
        Path folder = Files.createTempDirectory("stillwater-diagnose");
        Path whole = folder.resolve("whole.jfr"); // must not exist yet
        Path clean = folder.resolve("clean.jfr");
        try (RemoteRecordingStream stream = new RemoteRecordingStream(server)) {
            stream.setSettings(settings);
            stream.setMaxSize(MOST_BYTES);
            stream.startAsync();
            stream.awaitTermination(Duration.ofSeconds(seconds));
            stream.dump(whole);
            try (RecordingFile file = new RecordingFile(whole)) {
                file.write(clean, event -> names.contains(event.getEventType().getName()));
            }
            byte[] bytes = Files.readAllBytes(clean);
            if (scrubber.finds(new String(bytes, StandardCharsets.ISO_8859_1))) {
                throw new IOException("a secret is in it, so it is left out");
            }
            return bytes;
        } finally {
            Files.deleteIfExists(whole);
            Files.deleteIfExists(clean);
            Files.deleteIfExists(folder);
        }
    }
}
