package org.stillwater.relay.agent;

import io.grpc.ManagedChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.state.Outbox;
import org.stillwater.relay.vm.Deadbands;

/** A relay: its hosts, and its stream to the engine. Thread-safe. */
final class Relay implements AutoCloseable {

    /** Time between two checksums of a host's whole state. */
    private static final Duration CHECK = Duration.ofMinutes(1);

    private static final long CLOSE_SECONDS = 5;

    private final RelaySettings settings;
    private final ThreadLoop loop;
    private final ManagedChannel channel;
    private final List<HostWatch> watches = new ArrayList<>();
    private final EngineStream stream;

    /**
     * A relay that is not started.
     *
     * @param channel to the engine; closed with the relay
     * @param random chooses epochs and pauses
     */
    Relay(
            RelaySettings settings,
            EngineClock clock,
            ManagedChannel channel,
            RandomGenerator random) {
        this.settings = settings;
        this.channel = channel;
        this.loop = new ThreadLoop(clock);
        Outbox outbox = new Outbox(CHECK);
        WatchEnvironment environment = new WatchEnvironment(outbox, clock);
        RelaySettings.Deadbands bands = settings.deadbands();
        Deadbands deadbands =
                new Deadbands(
                        bands.cpuPercent(),
                        bands.memoryKibibytes(),
                        bands.bytesPerSecond(),
                        bands.latencyNanos());
        for (RelaySettings.Host host : settings.hosts()) {
            HostLedger ledger =
                    new HostLedger(random.nextLong(), deadbands, settings.bounds().marks());
            HostWatch watch =
                    new HostWatch(
                            host.definition(),
                            host.certificate(),
                            ledger,
                            loop,
                            settings.interval(),
                            settings.bounds().events(),
                            environment);
            outbox.add(host.definition().id(), ledger);
            watches.add(watch);
        }
        this.stream =
                new EngineStream(
                        channel,
                        settings.name(),
                        settings.interval(),
                        watches.stream().map(HostWatch::offered).toList(),
                        outbox,
                        loop,
                        random);
        stream.takeCalls(new PassedCalls(watches, settings.bounds(), loop));
        environment.stream = stream;
    }

    /** Services for watches; used on the loop. */
    private static final class WatchEnvironment implements HostWatch.Environment {
        private final Outbox outbox;
        private final EngineClock clock;
        private @Nullable EngineStream stream;

        WatchEnvironment(Outbox outbox, EngineClock clock) {
            this.outbox = outbox;
            this.clock = clock;
        }

        @Override
        public long session() {
            return stream == null ? 0 : stream.session();
        }

        @Override
        public long mark() {
            return stream == null ? 0 : stream.mark();
        }

        @Override
        public void changed(HostWatch watch) {
            outbox.changed(watch.host().id());
            if (stream != null) {
                stream.pump();
            }
        }

        @Override
        public Instant now() {
            return clock.now();
        }
    }

    /** Connects to the hosts and to the engine. */
    void start(HostConnector connector) {
        loop.execute(() -> {
            long step = settings.interval().toNanos() / watches.size();
            for (int i = 0; i < watches.size(); i++) {
                watches.get(i).start(connector, Duration.ofNanos(i * step));
            }
            stream.open();
            SmallHeap.ofProcess().watch(loop);
        });
    }

    /**
     * State of a relay.
     *
     * @param trouble why no stream to the engine is open or hosts are refused; null without trouble
     * @param hosts its hosts
     */
    record Status(@Nullable String trouble, List<HostWatch.HostStatus> hosts) {
        Status {
            hosts = List.copyOf(hosts);
        }

        /** Whether the stream is open and every host is connected. */
        boolean isWell() {
            return trouble == null && hosts.stream().allMatch(HostWatch.HostStatus::connected);
        }
    }

    /** The state of the relay; completed on the loop. */
    CompletableFuture<Status> status() {
        return CompletableFuture.supplyAsync(
                () ->
                        new Status(
                                stream.trouble(), watches.stream().map(HostWatch::status).toList()),
                loop);
    }

    /** Closes the stream and the connections in an orderly way, within seconds. */
    @Override
    public void close() {
        loop.execute(() -> {
            stream.close();
            watches.forEach(HostWatch::stop);
        });
        loop.close();
        channel.shutdown();
        try {
            if (!channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                channel.shutdownNow();
            }
        } catch (InterruptedException _) {
            channel.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
