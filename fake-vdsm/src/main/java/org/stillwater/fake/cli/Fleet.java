package org.stillwater.fake.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.control.ControlServer;
import org.stillwater.fake.net.HostServer;
import org.stillwater.fake.net.HostTransport.Listening;
import org.stillwater.fake.net.TransportMetrics;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.relay.RelayPlan;
import org.stillwater.fake.relay.SimulatedRelays;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;

/** The running simulator: world, wire and control port, started and stopped together. */
final class Fleet implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Fleet.class);

    /** One below the usual first port of the hosts. */
    private static final int USUAL_CONTROL_PORT = 54_320;

    private final FleetSettings settings;
    private final World world;
    private final HostServer server;
    private final ControlServer control;
    private final @Nullable SimulatedRelays relays;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Fleet(
            FleetSettings settings,
            World world,
            HostServer server,
            ControlServer control,
            @Nullable SimulatedRelays relays) {
        this.relays = relays;
        this.settings = settings;
        this.world = world;
        this.server = server;
        this.control = control;
    }

    /**
     * Starts everything.
     *
     * @throws IOException if a port is taken or a file cannot be used
     * @throws GeneralSecurityException if the certificates cannot be used
     */
    static Fleet start(FleetSettings settings, InstantSource wallClock)
            throws IOException, GeneralSecurityException {
        Path folder = settings.pki();
        PkiDirectory pki =
                folder == null
                        ? null
                        : PkiDirectory.open(
                                folder.toAbsolutePath().normalize(),
                                wallClock.instant(),
                                settings.pkiPassword().toCharArray());
        SimulationClock clock =
                settings.speed() == 0
                        ? SimulationClock.manual(wallClock.instant())
                        : SimulationClock.running(settings.speed());
        World world = World.create(settings.world(), clock);
        HostServer server = HostServer.create(settings.transport(), pki);
        ControlServer control = null;
        try {
            control = control(settings.controlPort(), world, server, pki);
            world.start(server, settings.addresses()::of);
            listenAlso(world, server, settings.addresses());
            SimulatedRelays relays = relays(settings.relays(), world, pki);
            if (relays != null) {
                control.direct(relays);
            }
            SpontaneousEvents.begin(settings.life(), world);
            return new Fleet(settings, world, server, control, relays);
        } catch (UncheckedIOException e) {
            stop(control, world, server);
            throw e.getCause();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            stop(control, world, server);
            throw e;
        }
    }

    private static @Nullable SimulatedRelays relays(
            @Nullable RelayPlan plan, World world, @Nullable PkiDirectory pki)
            throws IOException, GeneralSecurityException {
        if (plan == null) {
            return null;
        }
        if (pki == null) {
            throw new IllegalArgumentException("relays need certificates");
        }
        return SimulatedRelays.start(world, plan, pki);
    }

    private static void stop(@Nullable ControlServer control, World world, HostServer server) {
        if (control != null) {
            control.close();
        }
        world.close();
        server.close();
    }

    private static ControlServer control(
            @Nullable Integer port, World world, HostServer server, @Nullable PkiDirectory pki)
            throws IOException {
        Path folder = pki == null ? null : pki.directory();
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        try {
            return ControlServer.start(
                    world,
                    server,
                    server.faults(),
                    folder,
                    new InetSocketAddress(loopback, port == null ? USUAL_CONTROL_PORT : port));
        } catch (BindException e) {
            if (port != null) {
                BindException named =
                        new BindException(
                                "the control port %d cannot be used: %s"
                                        .formatted(port, e.getMessage()));
                named.initCause(e);
                throw named;
            }
            return ControlServer.start(
                    world, server, server.faults(), folder, new InetSocketAddress(loopback, 0));
        }
    }

    private static void listenAlso(World world, HostServer server, Addresses addresses) {
        for (InetAddress address : addresses.also()) {
            for (int number = 0; number < addresses.count(); number++) {
                int port = addresses.of(number).getPort();
                try {
                    InetSocketAddress _ =
                            server.open(
                                    world.endpoints().get(number),
                                    new InetSocketAddress(address, port));
                } catch (UncheckedIOException e) {
                    log.info(
                            "not listening on {} as well: {}",
                            address.getHostAddress(),
                            e.getMessage());
                    return;
                }
            }
        }
    }

    /** One line: how many, where, how. */
    String describe() {
        List<Listening> listening = server.hosts();
        InetSocketAddress first = listening.getFirst().address();
        InetSocketAddress last =
                listening.stream()
                        .filter(one -> one.address().getAddress().equals(first.getAddress()))
                        .toList()
                        .getLast()
                        .address();
        String where;
        if (settings.addresses().addressPerHost()) {
            where =
                    "%s to %s, port %d"
                            .formatted(
                                    first.getAddress().getHostAddress(),
                                    listening.getLast().address().getAddress().getHostAddress(),
                                    first.getPort());
        } else if (settings.addresses().of(0).getPort() == 0) {
            where = first.getAddress().getHostAddress() + ", free ports (GET /hosts lists them)";
        } else {
            where =
                    "%s, ports %d to %d"
                            .formatted(
                                    first.getAddress().getHostAddress(),
                                    first.getPort(),
                                    last.getPort());
        }
        Path pki = settings.pki();
        String beside = relays == null ? "" : relays.count() + " relays; ";
        return "%d hosts with %d VMs each (seed %d) listen on %s, %s; %scontrol: http://127.0.0.1:%d"
                .formatted(
                        settings.world().hosts(),
                        settings.world().vmsPerHost(),
                        settings.world().seed(),
                        where,
                        pki == null
                                ? "in clear"
                                : "TLS with certificates in " + pki.toAbsolutePath().normalize(),
                        beside,
                        control.address().getPort());
    }

    /** Whether the world can change: waits for its lock. */
    boolean answers() {
        return world.plannedSteps() >= 0;
    }

    TransportMetrics metrics() {
        return server.metrics();
    }

    HostServer server() {
        return server;
    }

    InetSocketAddress controlAddress() {
        return control.address();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            if (relays != null) {
                relays.close();
            }
            stop(control, world, server);
        }
    }
}
