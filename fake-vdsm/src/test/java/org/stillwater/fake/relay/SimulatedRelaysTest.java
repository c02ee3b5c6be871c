package org.stillwater.fake.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.fake.net.HostServer;
import org.stillwater.fake.net.TransportSettings;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.relay.agent.MachineClock;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayServer;
import org.stillwater.relay.intake.RelayedConnector;
import org.stillwater.relay.vm.MirroredReports;
import org.stillwater.vdsm.client.SystemTimers;
import org.stillwater.vdsm.client.TlsSettings;
import org.stillwater.vdsm.client.VdsmClientSettings;
import org.stillwater.vdsm.client.VdsmHostConnector;
import org.stillwater.vdsm.client.WireMeter;

/** Simulated relays against an engine's own intake, over mutual TLS. */
class SimulatedRelaysTest {

    private static final int HOSTS = 4;
    private static final int VMS = 5;
    private static final long PATIENCE_SECONDS = 60;

    @TempDir private Path folder;

    private final EngineClock clock = new MachineClock();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private World world;
    private PkiDirectory pki;
    private VdsmHostConnector connector;
    private RelayIntake intake;
    private RelayServer server;
    private SimulatedRelays relays;
    private final List<Watch> watches = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        pki = PkiDirectory.open(folder, InstantSource.system().instant(), "secret".toCharArray());
        world = World.create(WorldSettings.of(7, HOSTS, VMS), SimulationClock.running(1));
        HostServer transport = HostServer.create(TransportSettings.DEFAULT, null);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        world.start(transport, _ -> new InetSocketAddress(loopback, 0));
        opened.add(transport);
        opened.add(world);
        SystemTimers timers = new SystemTimers();
        opened.add(timers);
        connector =
                new VdsmHostConnector(
                        VdsmClientSettings.defaults(new TlsSettings.Plain()),
                        clock,
                        timers,
                        WireMeter.NONE,
                        42);
        RelayPlan plan = plan(1);
        Map<String, List<HostId>> believed = new TreeMap<>();
        List<SimulatedHost> hosts = world.hosts();
        for (int i = 0; i < HOSTS; i++) {
            believed.computeIfAbsent(RelayPlan.name(plan.relayOf(i, HOSTS)), _ -> new ArrayList<>())
                    .add(HostId.parse(hosts.get(i).uuid()));
        }
        intake = new RelayIntake(believed, 100_000, clock);
        server =
                RelayServer.start(
                        new InetSocketAddress(loopback, 0),
                        new RelayServer.Files(
                                folder.resolve("engine.key.pem").toFile(),
                                folder.resolve("engine.pem").toFile(),
                                folder.resolve("ca.pem").toFile()),
                        new RelayServer.Pace(
                                Duration.ofSeconds(15),
                                2,
                                Duration.ofMillis(50),
                                16,
                                Duration.ofSeconds(30)),
                        intake,
                        clock);
        opened.add(server);
        relays = SimulatedRelays.start(world, plan(server.port()), pki);
        opened.add(relays);
        for (SimulatedHost host : hosts) {
            InetSocketAddress address = host.address();
            assertThat(address).isNotNull();
            watches.add(
                    new Watch(
                            new HostDefinition(
                                    HostId.parse(host.uuid()),
                                    host.name(),
                                    address.getHostString(),
                                    address.getPort())));
        }
    }

    private static RelayPlan plan(int port) {
        return new RelayPlan(2, "127.0.0.1", port, Duration.ofMillis(400), 0.5);
    }

    @AfterEach
    void stop() throws Exception {
        for (Watch watch : watches) {
            watch.connection.close();
        }
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    @Test
    @DisplayName("they replace the polls of their hosts, report changes, and their loss is noticed")
    void standForPolls() {
        await("pushed polls of every host", () -> watches.stream().allMatch(Watch::isPushed));
        assertThat(relays.count()).isEqualTo(2);
        assertThat(relays.statuses().join())
                .containsExactly(
                        new SimulatedRelays.Status("relay-001", 2, null),
                        new SimulatedRelays.Status("relay-002", 2, null));
        assertThat(server.connected()).isEqualTo(2);
        assertThat(intake.summary(1).polled()).isEmpty();
        for (int i = 0; i < HOSTS; i++) {
            assertThat(watches.get(i).seen.keySet()).isEqualTo(idsOf(i));
        }

        SimulatedVm paused = vmOf(0);
        paused.pause(PauseCause.USER);
        VmId id = VmId.of(paused.id());
        await(
                "the pause",
                () ->
                        watches.get(0).seen.get(id) instanceof VmReport.Running running
                                && running.runtime().status() == VmStatus.PAUSED);

        relays.end(RelayPlan.name(0));
        await(
                "two hosts are polled again",
                () -> !watches.get(0).isPushed() && !watches.get(1).isPushed());
        assertThat(watches.get(0).connection.pushTrouble()).isEqualTo("no relay is connected");
        assertThat(watches.get(1).connection.pushTrouble()).isNotNull();
        await("one relay is left", () -> server.connected() == 1);
        assertThat(watches.get(3).connection.pushTrouble()).isNull();
        Watch polled = watches.get(1);
        Map<VmId, VmReport> pushed = Map.copyOf(polled.seen);
        polled.direct = 0;
        polled.poll();
        await("an answer of the host itself", () -> polled.direct > 0);
        assertThat(polled.seen.keySet()).isEqualTo(idsOf(1));
        pushed.forEach((vm, report) -> assertAgree(report, polled.seen.get(vm)));
        assertThat(relays.statuses().join())
                .extracting(SimulatedRelays.Status::trouble)
                .containsExactly("it has ended", null);
        assertThatThrownBy(() -> relays.end("relay-9"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Whether a relay and the host itself agree about a VM. */
    private static void assertAgree(VmReport pushed, @Nullable VmReport polled) {
        if (pushed instanceof VmReport.Running relayed) {
            assertThat(polled)
                    .isInstanceOfSatisfying(
                            VmReport.Running.class,
                            direct -> {
                                assertThat(relayed.runtime()).isEqualTo(direct.runtime());
                                assertThat(relayed.name()).isEqualTo(direct.name());
                                assertThat(relayed.deviceHash()).isEqualTo(direct.deviceHash());
                                assertThat(relayed.tpmHash()).isEqualTo(direct.tpmHash());
                                assertThat(relayed.hostStampMillis())
                                        .isLessThanOrEqualTo(direct.hostStampMillis());
                            });
        } else {
            assertThat(pushed.getClass()).isEqualTo(VmReport.Exited.class);
            assertThat(polled).isInstanceOf(VmReport.Exited.class);
        }
    }

    private Set<VmId> idsOf(int host) {
        String name = world.hosts().get(host).name();
        Set<VmId> ids = ConcurrentHashMap.newKeySet();
        world.vms().stream()
                .filter(vm -> name.equals(vm.host()))
                .forEach(vm -> ids.add(VmId.of(vm.id())));
        return ids;
    }

    private SimulatedVm vmOf(int host) {
        String name = world.hosts().get(host).name();
        return world.vms().stream()
                .filter(vm -> name.equals(vm.host()) && "Up".equals(vm.status()))
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end < 0).as(what).isTrue();
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The engine's monitor of one host, as far as statistics go. */
    private final class Watch implements HostListener, VmReportSink {
        final Map<VmId, VmReport> seen = new ConcurrentHashMap<>();
        final HostConnection connection;
        volatile int direct;
        private volatile int pushed;
        private volatile boolean opened;

        Watch(HostDefinition host) {
            connection = new RelayedConnector(connector, intake, clock).open(host, this);
            opened = true;
        }

        boolean isPushed() {
            return pushed > 0 && connection.pushTrouble() == null;
        }

        void poll() {
            connection.vmStatistics(this::answered);
        }

        private synchronized void answered(HostAnswer<VmReports> answer) {
            if (answer instanceof HostAnswer.Success<VmReports>(VmReports reports)) {
                try (reports) {
                    int _ = reports.decode(this);
                    if (reports instanceof MirroredReports) {
                        pushed++;
                    } else {
                        direct++;
                    }
                } catch (MalformedReport e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public void vmsPushed() {
            if (opened) {
                poll();
            }
        }

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            return null;
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            seen.put(report.vmId(), report);
        }

        @Override
        public void malformed(@Nullable VmId vmId, String why) {
            throw new IllegalStateException(why);
        }

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return null;
        }

        @Override
        public void connected() {}

        @Override
        public void disconnected(HostFailure failure) {}

        @Override
        public void vmsChanged(VmReports reports) {
            reports.close();
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {}

        @Override
        public void networkChanged() {}

        @Override
        public void malformed(String reason) {}
    }
}
