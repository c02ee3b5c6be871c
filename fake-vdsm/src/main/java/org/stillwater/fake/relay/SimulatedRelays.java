package org.stillwater.fake.relay;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.EventPublisher;
import org.stillwater.fake.net.HostEvent;
import org.stillwater.fake.net.HostName;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.world.WatchedHost;
import org.stillwater.fake.world.World;
import org.stillwater.relay.agent.MachineClock;
import org.stillwater.relay.agent.ThreadLoop;
import org.stillwater.relay.wire.StreamLimits;

/** All simulated relays of a world. Thread-safe. */
public final class SimulatedRelays implements EventPublisher, AutoCloseable {

    private static final long KEEP_ALIVE_SECONDS = 30;

    private final List<ThreadLoop> loops = new ArrayList<>();
    private final List<ThreadLoop> loopOf = new ArrayList<>();
    private final List<SimulatedRelay> relays = new ArrayList<>();
    private final Map<String, SimulatedRelay> byHost = new HashMap<>();

    private SimulatedRelays() {}

    /**
     * Starts the relays; each connects to the engine, repeatedly until it succeeds.
     *
     * @param pki folder with each relay's certificate; a missing one is created
     * @throws IOException if a file cannot be used
     * @throws GeneralSecurityException if a certificate cannot be made
     */
    public static SimulatedRelays start(World world, RelayPlan plan, PkiDirectory pki)
            throws IOException, GeneralSecurityException {
        SimulatedRelays all = new SimulatedRelays();
        boolean started = false;
        try {
            all.build(world, plan, pki);
            world.alsoTell(all);
            all.relays.forEach(SimulatedRelay::start);
            started = true;
            return all;
        } finally {
            if (!started) {
                all.close();
            }
        }
    }

    private void build(World world, RelayPlan plan, PkiDirectory pki)
            throws IOException, GeneralSecurityException {
        List<WatchedHost> hosts = world.watched();
        int threads = Math.min(plan.count(), Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < threads; i++) {
            loops.add(new ThreadLoop(new MachineClock()));
        }
        int from = 0;
        for (int number = 0; number < plan.count(); number++) {
            int to = from;
            while (to < hosts.size() && plan.relayOf(to, hosts.size()) == number) {
                to++;
            }
            if (to == from) {
                continue; // more relays than hosts
            }
            List<WatchedHost> its = hosts.subList(from, to);
            String name = RelayPlan.name(number);
            ThreadLoop loop = loops.get(number % threads);
            SimulatedRelay relay =
                    new SimulatedRelay(
                            name,
                            its,
                            plan,
                            Grpc.newChannelBuilderForAddress(
                                            plan.engineHost(),
                                            plan.enginePort(),
                                            credentials(pki, name))
                                    .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                                    .maxInboundMessageSize(StreamLimits.MESSAGE_BYTES)
                                    .build(),
                            loop,
                            new Random());
            relays.add(relay);
            loopOf.add(loop);
            its.forEach(host -> byHost.put(host.name(), relay));
            from = to;
        }
    }

    private static ChannelCredentials credentials(PkiDirectory pki, String name)
            throws IOException, GeneralSecurityException {
        Path certificate = pki.writeHost(name, PkiDirectory.loopback());
        return TlsChannelCredentials.newBuilder()
                .keyManager(certificate.toFile(), pki.directory().resolve("host.key.pem").toFile())
                .trustManager(pki.directory().resolve("ca.pem").toFile())
                .build();
    }

    @Override
    public void publish(HostName host, HostEvent event) {
        SimulatedRelay relay = byHost.get(host.value());
        if (relay != null) {
            relay.happened(host.value());
        }
    }

    /** The number of relays. */
    public int count() {
        return relays.size();
    }

    /**
     * The status of a relay.
     *
     * @param name the relay
     * @param hosts number of its hosts
     * @param trouble the reason why no stream exists, or hosts are refused; null if all is well
     */
    public record Status(String name, int hosts, @Nullable String trouble) {}

    /** The status of each relay; completed on their threads. */
    public CompletableFuture<List<Status>> statuses() {
        CompletableFuture<List<Status>> all = CompletableFuture.completedFuture(List.of());
        for (int i = 0; i < relays.size(); i++) {
            SimulatedRelay relay = relays.get(i);
            all =
                    all.thenCombine(
                            CompletableFuture.supplyAsync(relay::status, loopOf.get(i)),
                            (before, status) ->
                                    Stream.concat(before.stream(), Stream.of(status)).toList());
        }
        return all;
    }

    /**
     * Ends one relay as if its process had died.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public void end(String name) {
        SimulatedRelay relay =
                relays.stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow(
                                () -> new IllegalArgumentException("there is no relay " + name));
        relay.stop();
    }

    @Override
    public void close() {
        relays.forEach(SimulatedRelay::stop);
        loops.forEach(ThreadLoop::close);
        relays.forEach(SimulatedRelay::close);
    }
}
