package org.stillwater.server.profile;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.ProfileSettings;

/**
 * The profile of the running engine, fed by an event stream of the flight recorder in this process.
 * The recorder keeps its events in a temporary folder of its own until the stream has read them, a
 * second later. Thread-safe: the stream's thread folds, threads of requests read.
 */
@Component
public final class EngineProfile implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(EngineProfile.class);

    private final ProfileSettings settings;
    private final Profile profile;
    private final EventFold fold;
    private final Runnable emitter = new Emitter();
    private @Nullable RecordingStream stream;

    /** One for each engine: the flight recorder refuses an object that it has already. */
    private static final class Emitter implements Runnable {

        private static final Path THREADS = Path.of("/proc/self/task");

        private final JvmThreadCpu compilers = JvmThreadCpu.compilers(THREADS);
        private final JvmThreadCpu collectors = JvmThreadCpu.concurrentCollectors(THREADS);

        @Override
        public void run() {
            EngineProcessEvent.emit(compilers, collectors);
        }
    }

    EngineProfile(ProfileSettings settings) {
        this.settings = settings;
        this.profile = new Profile(limits(settings));
        this.fold = new EventFold(profile);
    }

    private static Profile.Limits limits(ProfileSettings settings) {
        return new Profile.Limits(
                settings.interval(), settings.span(), settings.mostCalls(), settings.mostNames());
    }

    /** Sampling of the stream and of recordings. */
    EventFold.Sampling sampling() {
        return new EventFold.Sampling(
                settings.samplePeriod(),
                settings.nativeSamplePeriod(),
                settings.allocationSamples(),
                settings.waitThreshold());
    }

    /** Whether the engine records its profile. */
    public boolean isEnabled() {
        return settings.enabled();
    }

    /** The longest time that reports may be about. */
    public Duration span() {
        return settings.span();
    }

    /** CPU and waits of the last seconds, null before the first event. */
    public ProfileReport.@Nullable Cpu cpu(int seconds, boolean tree) {
        return report(seconds, window -> ProfileReport.cpu(profile, window, tree));
    }

    /** Statements of the last seconds, null before the first event. */
    public ProfileReport.@Nullable Statements statements(int seconds) {
        return report(seconds, ProfileReport::statements);
    }

    /** Memory of the last seconds, null before the first event. */
    public ProfileReport.@Nullable Memory memory(int seconds) {
        return report(seconds, ProfileReport::memory);
    }

    /** Samples of a stage since the start. */
    public long samples(Stage stage) {
        synchronized (profile) {
            return profile.total(stage).samples;
        }
    }

    /** Bytes that a stage allocated since the start, estimated from samples. */
    public long allocatedBytes(Stage stage) {
        synchronized (profile) {
            return profile.total(stage).allocatedBytes;
        }
    }

    private <T> @Nullable T report(int seconds, Function<Profile.Window, T> report) {
        synchronized (profile) {
            Profile.Window window = profile.window(seconds);
            return window == null ? null : report.apply(window);
        }
    }

    /** Before everything else, so that the start is in the profile, too. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    @Override
    public synchronized void start() {
        if (!settings.enabled() || stream != null) {
            return;
        }
        RecordingStream opened;
        try {
            opened = new RecordingStream();
        } catch (IllegalStateException | SecurityException e) {
            log.warn("The flight recorder cannot start; the engine runs without its profile", e);
            return;
        }
        opened.setSettings(EventFold.settings(sampling()));
        FlightRecorder.addPeriodicEvent(EngineProcessEvent.class, emitter);
        opened.onEvent(event -> {
            synchronized (profile) {
                fold.accept(event);
            }
        });
        opened.onError(failure -> log.warn("The profile lost an event", failure));
        opened.startAsync();
        stream = opened;
    }

    @Override
    public synchronized void stop() {
        if (stream != null) {
            stream.close();
            stream = null;
            FlightRecorder.removePeriodicEvent(emitter);
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return stream != null;
    }
}
