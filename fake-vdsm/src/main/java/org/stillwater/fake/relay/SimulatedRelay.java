package org.stillwater.fake.relay;

import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.stillwater.core.id.HostId;
import org.stillwater.fake.world.WatchedHost;
import org.stillwater.relay.agent.EngineStream;
import org.stillwater.relay.agent.Loop;
import org.stillwater.relay.state.Outbox;
import org.stillwater.vdsm.client.VmListText;

/** One simulated relay: its hosts, and its stream to the engine. Used on its loop. */
final class SimulatedRelay {

    private static final Duration CHECK = Duration.ofMinutes(1);
    private static final long CLOSE_SECONDS = 5;

    private final String name;
    private final Loop loop;
    private final Duration interval;
    private final ManagedChannel channel;
    private final Outbox outbox = new Outbox(CHECK);
    private final List<Lane> lanes = new ArrayList<>();
    private final Map<String, Lane> byName = new HashMap<>();
    private final EngineStream stream;
    private boolean ended;

    /** One host of it. */
    private record Lane(HostId id, SimulatedState state) {}

    /**
     * A relay that does nothing yet.
     *
     * @param channel to the engine; closed with the relay
     * @param random chooses epochs and pauses
     */
    SimulatedRelay(
            String name,
            List<WatchedHost> hosts,
            RelayPlan plan,
            ManagedChannel channel,
            Loop loop,
            RandomGenerator random) {
        this.name = name;
        this.loop = loop;
        this.interval = plan.interval();
        this.channel = channel;
        VmListText reports = new VmListText();
        List<EngineStream.Offered> offers = new ArrayList<>();
        for (WatchedHost host : hosts) {
            Lane lane =
                    new Lane(
                            new HostId(host.uuid()),
                            new SimulatedState(host, random.nextLong(), plan.moving(), reports));
            lanes.add(lane);
            byName.put(host.name(), lane);
            outbox.add(lane.id(), lane.state());
            offers.add(new EngineStream.Offered(lane.id(), host.name(), lane.state().epoch()));
        }
        this.stream = new EngineStream(channel, name, interval, offers, outbox, loop, random);
    }

    String name() {
        return name;
    }

    /** Opens the stream, and polls each host at a phase of its own; from any thread. */
    void start() {
        loop.execute(() -> {
            stream.open();
            long now = loop.nanoTime();
            for (int i = 0; i < lanes.size(); i++) {
                Lane lane = lanes.get(i);
                tick(lane, now + interval.toNanos() / lanes.size() * i);
            }
        });
    }

    private void tick(Lane lane, long at) {
        loop.after(
                Duration.ofNanos(Math.max(0, at - loop.nanoTime())),
                () -> {
                    if (!ended) {
                        poll(lane);
                        // One that comes late does not move those after it; missed ones are left
                        // out.
                        long late = Math.max(0, loop.nanoTime() - at);
                        tick(lane, at + (late / interval.toNanos() + 1) * interval.toNanos());
                    }
                });
    }

    private void poll(Lane lane) {
        if (stream.session() == 0 && lane.state().version() == 0) {
            return; // the first state is made for its receiver
        }
        lane.state().poll(stream.session(), stream.mark());
        outbox.changed(lane.id());
        stream.pump();
    }

    /** Something happened on a host; from any thread. */
    void happened(String host) {
        Lane lane = byName.get(host);
        if (lane != null) {
            loop.execute(() -> {
                if (!ended && lane.state().version() > 0) {
                    lane.state().look();
                    outbox.changed(lane.id());
                    stream.pump();
                }
            });
        }
    }

    /** Its status; on the loop. */
    SimulatedRelays.Status status() {
        return new SimulatedRelays.Status(
                name, lanes.size(), ended ? "it has ended" : stream.trouble());
    }

    /** Ends the stream; from any thread, before {@link #close}. */
    void stop() {
        loop.execute(() -> {
            ended = true;
            stream.close();
        });
    }

    /** Closes the connection. */
    void close() {
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
