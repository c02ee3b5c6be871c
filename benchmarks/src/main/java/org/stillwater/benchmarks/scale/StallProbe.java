package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.management.remote.JMXConnector;
import jdk.jfr.consumer.RecordedEvent;
import jdk.management.jfr.RemoteRecordingStream;

/**
 * The stalls that an engine sees itself, and the pauses of its collector, each with its time: read
 * from the engine's flight recorder. {@link #close} returns after the last event was read.
 */
public final class StallProbe implements AutoCloseable {

    private static final String STALL = "stillwater.Stall";
    private static final String PAUSE = "jdk.GCPhasePause";

    /** Names that the engine gives to a stall of all serving threads, and of the process. */
    private static final List<String> SERVING = List.of("process", "virtual_threads");

    /** Of the collector. */
    private static final String COLLECTOR = "collector";

    private final JMXConnector connector;
    private final RemoteRecordingStream stream;
    private final Queue<Stall> stalls = new ConcurrentLinkedQueue<>();

    /**
     * Something waited.
     *
     * @param what {@code process}, {@code virtual_threads}, {@code mailbox} or {@code collector}
     * @param end when it continued
     */
    private record Stall(String what, Instant end, Duration waited) {
        boolean overlaps(Instant from, Instant to) {
            return !end.isBefore(from) && !end.minus(waited).isAfter(to);
        }
    }

    private StallProbe(JMXConnector connector, RemoteRecordingStream stream) {
        this.connector = connector;
        this.stream = stream;
    }

    /** Listens to an engine from now on. */
    public static StallProbe attach(EngineProcess engine) throws IOException {
        JMXConnector connector = JvmProbe.connect(engine.pid());
        StallProbe probe =
                new StallProbe(
                        connector, new RemoteRecordingStream(connector.getMBeanServerConnection()));
        probe.listen();
        return probe;
    }

    private void listen() {
        stream.enable(STALL);
        stream.enable(PAUSE);
        stream.onEvent(
                STALL, event -> took(event.getString("what"), event, event.getDuration("waited")));
        stream.onEvent(PAUSE, event -> took(COLLECTOR, event, event.getDuration()));
        stream.startAsync();
    }

    private void took(String what, RecordedEvent event, Duration waited) {
        stalls.add(new Stall(what, event.getEndTime(), waited));
    }

    /** Reads the remaining events; afterwards {@link #longestMillis} knows all of it. */
    public void stop() {
        boolean _ = stream.stop();
    }

    /** The longest stall of the serving path between these times; 0 without one. */
    public double longestMillis(Instant from, Instant to) {
        return longest(SERVING, from, to);
    }

    /** The longest pause of the collector between these times; 0 without one. */
    public double longestPauseMillis(Instant from, Instant to) {
        return longest(List.of(COLLECTOR), from, to);
    }

    private double longest(List<String> what, Instant from, Instant to) {
        return stalls.stream()
                .filter(stall -> what.contains(stall.what()) && stall.overlaps(from, to))
                .mapToDouble(stall -> stall.waited().toNanos() / 1e6)
                .max()
                .orElse(0);
    }

    @Override
    public void close() throws IOException {
        stream.close();
        connector.close();
    }
}
