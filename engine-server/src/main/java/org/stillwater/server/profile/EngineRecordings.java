package org.stillwater.server.profile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.ProfileSettings;

/**
 * One recording of the flight recorder at a time, on request: bounded in length, size and age. A
 * copy has the events of {@link EventFold} and some of the JDK's figures, also while the recorder
 * records more for others, but no command line, environment or system property. Thread-safe.
 */
@Component
public final class EngineRecordings implements SmartLifecycle {

    private static final Duration EXPIRY_CHECK = Duration.ofMinutes(1);

    private final ProfileSettings settings;
    private final Map<String, String> events;
    private final Set<String> copied;
    private final EngineClock clock;
    private final Workers workers;
    private final AtomicBoolean copying = new AtomicBoolean();
    private @Nullable SupervisedWorker worker;
    private @Nullable Taken taken;

    private record Taken(Recording recording, Instant startedAt, int seconds) {}

    /**
     * The state of the recording.
     *
     * @param state {@code none}, {@code running} or {@code stopped}
     * @param startedAt null if there is none
     * @param seconds length that was requested, null if there is none
     * @param deletedAt when the engine deletes it, null if there is none
     * @param mostSeconds longest length
     */
    public record Status(
            String state,
            @Nullable Instant startedAt,
            @Nullable Integer seconds,
            @Nullable Instant deletedAt,
            int mostSeconds) {}

    /** A request that the present state does not allow. */
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    EngineRecordings(
            ProfileSettings settings, EngineProfile profile, EngineClock clock, Workers workers) {
        this.settings = settings;
        this.clock = clock;
        this.workers = workers;
        this.events = events(profile.sampling());
        this.copied =
                events.keySet().stream()
                        .map(key -> key.substring(0, key.indexOf('#')))
                        .collect(Collectors.toUnmodifiableSet());
    }

    private static Map<String, String> events(EventFold.Sampling sampling) {
        Map<String, String> all = new LinkedHashMap<>(EventFold.settings(sampling));
        for (String event :
                new String[] {
                    "jdk.CPULoad",
                    "jdk.ThreadCPULoad",
                    "jdk.JavaThreadStatistics",
                    "jdk.GCConfiguration",
                    "jdk.GCPhasePause",
                    "jdk.CompilerStatistics",
                    "jdk.ThreadStart",
                    "jdk.ThreadEnd",
                    "jdk.DataLoss"
                }) {
            all.put(event + "#enabled", "true");
        }
        return all;
    }

    /** The longest recording, in seconds. */
    public int mostSeconds() {
        return (int) settings.recordingLength().toSeconds();
    }

    /** The state. */
    public synchronized Status status() {
        Taken now = taken;
        return now == null
                ? new Status("none", null, null, null, mostSeconds())
                : new Status(
                        isRunning(now) ? "running" : "stopped",
                        now.startedAt(),
                        now.seconds(),
                        now.startedAt().plus(settings.recordingAge()).plusSeconds(now.seconds()),
                        mostSeconds());
    }

    private static boolean isRunning(Taken taken) {
        return taken.recording().getState() == RecordingState.RUNNING;
    }

    /**
     * Starts a recording, which ends by itself; a stopped one is deleted.
     *
     * @throws Refused if one is running, or the flight recorder does not start
     */
    public synchronized Status start(int seconds) throws Refused {
        if (taken != null && isRunning(taken)) {
            throw new Refused("A recording is running; stop it first.");
        }
        delete();
        Recording recording;
        try {
            recording = new Recording(events);
        } catch (IllegalStateException e) {
            throw new Refused("The flight recorder does not start: " + e.getMessage());
        }
        recording.setName("stillwater");
        recording.setToDisk(true);
        recording.setMaxSize(settings.recordingSize().toBytes());
        recording.setDuration(Duration.ofSeconds(seconds));
        recording.start();
        taken = new Taken(recording, clock.now(), seconds);
        return status();
    }

    /**
     * Ends the recording, which stays until its age is over.
     *
     * @throws Refused if none is running
     */
    public synchronized Status end() throws Refused {
        if (taken == null || !isRunning(taken)) {
            throw new Refused("No recording is running.");
        }
        boolean _ = taken.recording().stop();
        return status();
    }

    /** A file with the events of a recording, which goes away when it is closed. */
    public final class Copy implements AutoCloseable {

        private final Path folder;
        private final Path whole;
        private final Path clean;

        private Copy() throws IOException {
            folder = Files.createTempDirectory("stillwater-recording");
            whole = folder.resolve("whole.jfr");
            clean = folder.resolve("clean.jfr");
        }

        private void filter() throws IOException {
            try (RecordingFile file = new RecordingFile(whole)) {
                file.write(clean, event -> copied.contains(event.getEventType().getName()));
            }
            Files.deleteIfExists(whole);
        }

        /** Writes the file. */
        public void writeTo(OutputStream out) throws IOException {
            Files.copy(clean, out);
        }

        @Override
        public void close() throws IOException {
            try {
                Files.deleteIfExists(whole);
                Files.deleteIfExists(clean);
                Files.deleteIfExists(folder);
            } finally {
                copying.set(false);
            }
        }
    }

    /**
     * Copies the stopped recording; there is one copy at a time. It takes the disk twice the size
     * of the recording at first.
     *
     * @throws Refused if there is no stopped recording, or a copy is being made or read
     */
    public Copy copy() throws IOException, Refused {
        if (!copying.compareAndSet(false, true)) {
            throw new Refused("The recording is being downloaded already.");
        }
        Copy copy = null;
        boolean made = false;
        try {
            synchronized (this) {
                Taken now = taken;
                if (now == null || isRunning(now)) {
                    throw new Refused("There is no stopped recording.");
                }
                copy = new Copy();
                now.recording().dump(copy.whole);
            }
            copy.filter();
            made = true;
            return copy;
        } finally {
            if (!made) {
                if (copy == null) {
                    copying.set(false);
                } else {
                    copy.close();
                }
            }
        }
    }

    private void delete() {
        if (taken != null) {
            taken.recording().close();
            taken = null;
        }
    }

    private synchronized void expire() {
        Instant end = status().deletedAt();
        if (end != null && clock.now().isAfter(end)) {
            delete();
        }
    }

    @Override
    public synchronized void start() {
        if (worker == null) {
            worker = workers.periodic("engine-recording", EXPIRY_CHECK, this::expire);
            worker.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
            worker = null;
        }
        delete();
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
