package org.stillwater.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.stillwater.fake.net.HostServer;
import org.stillwater.fake.net.HostTransport.Listening;
import org.stillwater.fake.net.TransportSettings;
import org.stillwater.fake.net.TransportSettings.Certificates;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;

/** Simulated hosts on real sockets with TLS in this process; their time stands until advanced. */
final class SimulatedFleet implements AutoCloseable {

    private final PkiDirectory pki;
    private final HostServer network;
    private final World world;

    private SimulatedFleet(PkiDirectory pki, HostServer network, World world) {
        this.pki = pki;
        this.network = network;
        this.world = world;
    }

    /** Hosts that share the loopback address and have a port each. */
    static SimulatedFleet start(Path folder, WorldSettings settings) throws Exception {
        return start(
                folder,
                settings,
                TransportSettings.DEFAULT,
                _ -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Hosts of which each has a loopback address of its own, from 127.0.0.2 on. */
    static SimulatedFleet startApart(Path folder, WorldSettings settings) throws Exception {
        return start(
                folder,
                settings,
                TransportSettings.DEFAULT.withCertificates(Certificates.PER_HOST),
                number ->
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0." + (number + 2)), 0));
    }

    /** Hosts whose certificates are signed by an authority that no other fleet has. */
    static SimulatedFleet startOfOwnAuthority(Path folder, WorldSettings settings)
            throws Exception {
        return create(
                folder,
                settings,
                TransportSettings.DEFAULT,
                _ -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static SimulatedFleet start(
            Path folder,
            WorldSettings settings,
            TransportSettings transport,
            IntFunction<InetSocketAddress> bind)
            throws Exception {
        ReadyPki.copyTo(folder.resolve("pki"));
        return create(folder, settings, transport, bind);
    }

    private static SimulatedFleet create(
            Path folder,
            WorldSettings settings,
            TransportSettings transport,
            IntFunction<InetSocketAddress> bind)
            throws Exception {
        PkiDirectory pki =
                PkiDirectory.open(
                        folder.resolve("pki"),
                        Instant.now(),
                        PkiDirectory.DEFAULT_PASSWORD.toCharArray());
        HostServer network = HostServer.create(transport, pki);
        World world = World.create(settings, SimulationClock.manual(Instant.now()));
        world.start(network, bind);
        return new SimulatedFleet(pki, network, world);
    }

    World world() {
        return world;
    }

    PkiDirectory pki() {
        return pki;
    }

    HostServer network() {
        return network;
    }

    /** Settings of an engine to watch these hosts. */
    List<String> engineArguments() {
        List<String> arguments = new ArrayList<>();
        int number = 0;
        for (Listening host : network.hosts()) {
            String prefix = "--stillwater.hosts[" + number++ + "].";
            arguments.add(prefix + "name=" + host.host().value());
            arguments.add(prefix + "address=" + host.address().getHostString());
            arguments.add(prefix + "port=" + host.address().getPort());
        }
        arguments.addAll(wireArguments());
        return arguments;
    }

    /** The part of them that is about certificates. */
    List<String> wireArguments() {
        List<String> arguments = new ArrayList<>();
        Path files = pki.directory();
        arguments.add("--stillwater.wire.tls.certificate=" + files.resolve("engine.pem"));
        arguments.add("--stillwater.wire.tls.key=" + files.resolve("engine.key.pem"));
        arguments.add("--stillwater.wire.tls.trust=" + files.resolve("ca.pem"));
        arguments.add("--stillwater.wire.tls.check-host-name=true");
        return arguments;
    }

    @Override
    public void close() {
        world.close();
        network.close();
    }
}
