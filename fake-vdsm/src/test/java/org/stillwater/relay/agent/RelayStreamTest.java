package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
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
import org.stillwater.fake.net.Fault;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.net.HostServer;
import org.stillwater.fake.net.TransportSettings;
import org.stillwater.fake.pki.CertificateAuthority;
import org.stillwater.fake.pki.CertificateOrder;
import org.stillwater.fake.pki.Identity;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.relay.intake.CommandOutcome;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayServer;
import org.stillwater.relay.intake.RelayedConnector;
import org.stillwater.relay.vm.MirroredReports;
import org.stillwater.vdsm.client.SystemTimers;
import org.stillwater.vdsm.client.TlsSettings;
import org.stillwater.vdsm.client.VdsmClientSettings;
import org.stillwater.vdsm.client.VdsmHostConnector;
import org.stillwater.vdsm.client.WireMeter;

/** A relay, simulated hosts below it and an engine's intake above it, over real connections. */
class RelayStreamTest {

    private static final long PATIENCE_SECONDS = 120;
    private static final int VMS = 5;

    @TempDir private static Path folder;
    private static PkiDirectory pki;

    private final EngineClock clock = new MachineClock();
    private final SystemTimers timers = new SystemTimers();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private World world;
    private HostServer transport;
    private List<HostDefinition> hosts;
    private VdsmHostConnector connector;
    private RelayIntake intake;
    private RelayServer server;

    @BeforeAll
    static void certificates() throws Exception {
        pki = PkiDirectory.open(folder, InstantSource.system().instant(), "secret".toCharArray());
        pki.writeHost("rack-7", PkiDirectory.loopback());
    }

    @BeforeEach
    void start() throws Exception {
        world = World.create(WorldSettings.of(7, 2, VMS), SimulationClock.manual());
        transport = HostServer.create(TransportSettings.DEFAULT, null);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        world.start(transport, _ -> new InetSocketAddress(loopback, 0));
        opened.add(transport);
        opened.add(world);
        hosts = new ArrayList<>();
        transport
                .hosts()
                .forEach(host ->
                        hosts.add(
                                new HostDefinition(
                                        new HostId(new UUID(0, hosts.size() + 1)),
                                        "host-" + hosts.size(),
                                        host.address().getHostString(),
                                        host.address().getPort())));
        connector = connector();
        intake =
                new RelayIntake(
                        Map.of("rack-7", hosts.stream().map(HostDefinition::id).toList()),
                        100_000,
                        clock);
        server =
                RelayServer.start(
                        new InetSocketAddress(loopback, 0),
                        new RelayServer.Files(
                                folder.resolve("host.key.pem").toFile(),
                                folder.resolve("host.pem").toFile(),
                                trusted(pki.authority().certificate()).toFile()),
                        new RelayServer.Pace(
                                Duration.ofSeconds(15),
                                64,
                                Duration.ofMillis(100),
                                16,
                                Duration.ofSeconds(30)),
                        intake,
                        clock);
        opened.add(server);
    }

    /** Writes the authorities that the engine checks relays against. */
    private static Path trusted(X509Certificate... authorities) throws Exception {
        StringBuilder all = new StringBuilder();
        for (X509Certificate each : List.of(authorities)) {
            all.append(pem("CERTIFICATE", each.getEncoded()));
        }
        return Files.writeString(folder.resolve("authorities-of-relays.pem"), all);
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(label, Base64.getMimeEncoder().encodeToString(der), label);
    }

    private VdsmHostConnector connector() {
        return new VdsmHostConnector(
                VdsmClientSettings.defaults(new TlsSettings.Plain()),
                clock,
                timers,
                WireMeter.NONE,
                42);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
        timers.close();
    }

    private Relay relay(String name, String certificate) throws IOException {
        return relay(name, certificate, "host.key.pem");
    }

    private Relay relay(String name, String certificate, String key) throws IOException {
        return relay(name, certificate, key, RelaySettings.Bounds.DEFAULT);
    }

    private Relay relay(String name, String certificate, String key, RelaySettings.Bounds bounds)
            throws IOException {
        ManagedChannel channel =
                Grpc.newChannelBuilderForAddress(
                                "127.0.0.1",
                                server.port(),
                                TlsChannelCredentials.newBuilder()
                                        .keyManager(
                                                folder.resolve(certificate).toFile(),
                                                folder.resolve(key).toFile())
                                        .trustManager(folder.resolve("ca.pem").toFile())
                                        .build())
                        .build();
        RelaySettings settings =
                new RelaySettings(
                        name,
                        new RelaySettings.Address("127.0.0.1", server.port()),
                        null,
                        null,
                        Duration.ofSeconds(1),
                        RelaySettings.Deadbands.DEFAULT,
                        bounds,
                        0,
                        hosts.stream().map(host -> new RelaySettings.Host(host, null)).toList());
        Relay relay = new Relay(settings, clock, channel, new Random(3));
        relay.start(connector());
        return relay;
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end < 0).as(what).isTrue();
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The engine's monitor of one host, as far as statistics go. */
    private static final class Monitor implements HostListener, VmReportSink, AutoCloseable {
        final Map<VmId, VmReport> seen = new ConcurrentHashMap<>();
        final AtomicReference<Set<VmId>> lastPushed = new AtomicReference<>(Set.of());
        volatile boolean connected;
        final AtomicInteger polledDirectly = new AtomicInteger();
        volatile @Nullable HostConnection connection;
        private final Set<VmId> present = new TreeSet<>();

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return null;
        }

        @Override
        public void connected() {
            connected = true;
        }

        @Override
        public void disconnected(HostFailure failure) {
            connected = false;
        }

        @Override
        public void vmsChanged(VmReports reports) {
            reports.close();
        }

        @Override
        public void vmsPushed() {
            HostConnection open = connection;
            if (open != null) {
                poll(open);
            }
        }

        synchronized void poll(HostConnection open) {
            open.vmStatistics(this::answered);
        }

        private synchronized void answered(HostAnswer<VmReports> answer) {
            if (answer instanceof HostAnswer.Success<VmReports>(VmReports reports)) {
                try (reports) {
                    present.clear();
                    reports.decode(this);
                    if (reports instanceof MirroredReports) {
                        lastPushed.set(Set.copyOf(present));
                    } else {
                        polledDirectly.incrementAndGet();
                    }
                } catch (MalformedReport e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            return seen.get(vmId) instanceof VmReport.Running running ? running.runtime() : null;
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            seen.put(report.vmId(), report);
            present.add(report.vmId());
        }

        @Override
        public void malformed(@Nullable VmId vmId, String reason) {
            throw new IllegalStateException(reason);
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {}

        @Override
        public void networkChanged() {}

        @Override
        public void malformed(String reason) {}

        @Override
        public void close() {
            HostConnection open = connection;
            if (open != null) {
                open.close();
            }
        }
    }

    private Monitor monitor(HostDefinition host) {
        Monitor monitor = new Monitor();
        HostConnection connection =
                new RelayedConnector(connector, intake, clock).open(host, monitor);
        monitor.connection = connection;
        opened.add(monitor);
        return monitor;
    }

    private static boolean isPushed(Monitor monitor) {
        HostConnection connection = monitor.connection;
        return connection != null && connection.pushTrouble() == null;
    }

    @Test
    @DisplayName(
            "a relay stands for the polls of its hosts; when it dies the engine asks them itself")
    void standsForPolls() throws Exception {
        Monitor first = monitor(hosts.get(0));
        Monitor second = monitor(hosts.get(1));
        await("the engine's connections", () -> first.connected && second.connected);
        assertThat(isPushed(first)).isFalse();
        Relay relay = relay("rack-7", "hosts/rack-7.pem");
        try {
            await(
                    "pushed polls of both hosts",
                    () ->
                            first.lastPushed.get().size() == VMS
                                    && second.lastPushed.get().size() == VMS);
            await("both are pushed", () -> isPushed(first) && isPushed(second));
            assertThat(server.connected()).isEqualTo(1);
            await("it is well", () -> relay.status().join().isWell());

            VmId crashed = first.lastPushed.get().iterator().next();
            world.vm(crashed.toUuid()).crash();
            await("the crash", () -> first.seen.get(crashed) instanceof VmReport.Exited);
            try (HealthPage health = HealthPage.open(0, relay)) {
                await("the page says so", () -> page(health).statusCode() == 200);
                assertThat(page(health).body()).contains("\"hosts\":[{\"id\":", "\"vms\":5");
            }
        } finally {
            relay.close();
        }
        await("it is gone", () -> !isPushed(first) && server.connected() == 0);
        HostConnection connection = first.connection;
        assertThat(connection).isNotNull();
        int before = first.polledDirectly.get();
        first.poll(connection);
        await("a direct poll", () -> first.polledDirectly.get() > before);
    }

    private static HttpResponse<String> page(HealthPage health) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + health.port() + "/health"))
                            .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("half a request keeps no other one from the health page")
    void halfARequest() throws Exception {
        try (Relay relay = relay("rack-7", "hosts/rack-7.pem");
                HealthPage health = HealthPage.open(0, relay);
                Socket half = new Socket(InetAddress.getLoopbackAddress(), health.port())) {
            half.getOutputStream().write("GET /hea".getBytes(StandardCharsets.US_ASCII));
            half.getOutputStream().flush();
            for (int i = 0; i < 2; i++) { // the server may read the first one before the half
                assertThat(page(health).body()).startsWith("{\"status\":");
            }
        }
    }

    @Test
    @DisplayName("a relay is taken under the name that its certificate carries, and no other")
    void nameOfTheCertificate() throws Exception {
        try (Relay other = relay("rack-7", "host.pem");
                Relay unknown = relay("localhost", "host.pem")) {
            await("refusals", () -> contains(other, "PERMISSION_DENIED"));
            await(
                    "refusals",
                    () -> contains(unknown, "stillwater.relay.hosts names no relay localhost"));
            assertThat(other.status().join().isWell()).isFalse();
            assertThat(server.connected()).isZero();
        }
    }

    @Test
    @DisplayName("a host that is not listed with the relay is refused by the name of the setting")
    void hostThatIsNotListed() throws Exception {
        HostDefinition listed = hosts.getFirst();
        hosts.add(
                new HostDefinition(
                        new HostId(new UUID(0, 99)), "other", listed.address(), listed.port()));
        try (Relay relay = relay("rack-7", "hosts/rack-7.pem")) {
            await(
                    "a refusal",
                    () ->
                            contains(
                                    relay,
                                    "the engine refuses 1 host: stillwater.relay.hosts does not"
                                            + " list them with the relay rack-7"));
        }
    }

    @Test
    @DisplayName("the authority of relays is replaced in operation, with an overlap")
    void authorityIsReplaced() throws Exception {
        Instant now = InstantSource.system().instant();
        X509Certificate old = pki.authority().certificate();
        CertificateAuthority next = CertificateAuthority.create("Renewed", now);
        Identity renewed = next.issue(CertificateOrder.of("rack-7", List.of(), now));
        Files.writeString(
                folder.resolve("renewed.pem"),
                pem("CERTIFICATE", renewed.certificate().getEncoded()));
        Files.writeString(
                folder.resolve("renewed.key.pem"), pem("PRIVATE KEY", renewed.key().getEncoded()));
        try (Relay standing = relay("rack-7", "hosts/rack-7.pem")) {
            await("a stream", () -> server.connected() == 1);
            trusted(old, next.certificate());
            assertThat(server.rereadTlsFiles()).contains("O=Stillwater", "O=Renewed");
            trusted(next.certificate());
            assertThat(server.rereadTlsFiles())
                    .contains("trusted authorities: CN=Renewed CA,O=Renewed until");
            assertThat(server.refused()).isEmpty();
            assertThat(server.connected()).as("the stream stands").isEqualTo(1);
            await("it is well", () -> standing.status().join().isWell());
        }
        await("the end of the stream", () -> server.connected() == 0);
        try (Relay _ = relay("rack-7", "hosts/rack-7.pem")) {
            await("a refusal", () -> !server.refused().isEmpty());
            assertThat(server.refused().values())
                    .singleElement()
                    .asString()
                    .contains("not signed by the configured authority", "O=Renewed");
            assertThat(server.connected()).isZero();
        }
        try (Relay _ = relay("rack-7", "renewed.pem", "renewed.key.pem")) {
            await("a stream of the new authority", () -> server.connected() == 1);
            assertThat(server.refused()).isEmpty();
        }
    }

    /** Sends commands through the relay, and opens a connection to the first host. */
    private Monitor commanded(Map<CommandOutcome, AtomicInteger> counted) {
        intake.carryCommands(
                new RelayIntake.CommandLimits(8, 64, 100_000),
                outcome ->
                        counted.computeIfAbsent(outcome, _ -> new AtomicInteger())
                                .incrementAndGet());
        connector.passCommandsThrough(intake::passage);
        return monitor(hosts.getFirst());
    }

    private boolean isCommanded() {
        RelayIntake.HostStatus status = intake.status(hosts.getFirst().id());
        return status != null && status.detour() == null;
    }

    /** A VM of the first host that is up. */
    private SimulatedVm running() {
        String host = world.hosts().getFirst().name();
        return world.vms().stream()
                .filter(vm -> "Up".equals(vm.status()) && host.equals(vm.host()))
                .findFirst()
                .orElseThrow();
    }

    private static BlockingQueue<HostAnswer<VmId>> order(Monitor monitor, VmOrder order) {
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        HostConnection connection = monitor.connection;
        assertThat(connection).isNotNull();
        connection.order(order, answers::add);
        return answers;
    }

    private static HostAnswer<VmId> next(BlockingQueue<HostAnswer<VmId>> answers)
            throws InterruptedException {
        HostAnswer<VmId> answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(answer).as("an answer").isNotNull();
        return answer;
    }

    private static int count(Map<CommandOutcome, AtomicInteger> counted, CommandOutcome outcome) {
        AtomicInteger count = counted.get(outcome);
        return count == null ? 0 : count.get();
    }

    @Test
    @DisplayName(
            "commands reach the host through its relay; the host's results and errors come back")
    void commandsThroughTheRelay() throws Exception {
        Map<CommandOutcome, AtomicInteger> counted = new ConcurrentHashMap<>();
        Monitor monitor = commanded(counted);
        await("the engine's connection", () -> monitor.connected);
        SimulatedVm vm = running();
        VmId id = VmId.of(vm.id());
        assertThat(next(order(monitor, new VmOrder.Pause(id))))
                .as("over the engine's connection, as there is no relay yet")
                .isEqualTo(new HostAnswer.Success<>(id));
        try (Relay _ = relay("rack-7", "hosts/rack-7.pem")) {
            await("the relay stands in", this::isCommanded);
            assertThat(next(order(monitor, new VmOrder.Resume(id))))
                    .isEqualTo(new HostAnswer.Success<>(id));
            await("it runs", () -> "Up".equals(vm.status()));
            VmId missing = VmId.of(new UUID(9, 9));
            assertThat(next(order(monitor, new VmOrder.Reset(missing))))
                    .isInstanceOfSatisfying(
                            HostAnswer.Failed.class,
                            failed ->
                                    assertThat(failed.failure())
                                            .isInstanceOfSatisfying(
                                                    HostFailure.Refused.class,
                                                    refused ->
                                                            assertThat(refused.code())
                                                                    .isEqualTo(
                                                                            RefusalCode
                                                                                    .NO_SUCH_VM)));
            assertThat(next(order(monitor, new VmOrder.Destroy(missing, 0))))
                    .isEqualTo(new HostAnswer.Success<>(missing));
        }
        assertThat(count(counted, CommandOutcome.UNAVAILABLE)).isEqualTo(1);
        assertThat(count(counted, CommandOutcome.ANSWERED)).isEqualTo(3);
        assertThat(counted).hasSize(2);
    }

    @Test
    @DisplayName(
            "a relay that dies during a command leaves its outcome unknown; it is applied once at"
                    + " most")
    void relayDiesDuringACommand() throws Exception {
        Map<CommandOutcome, AtomicInteger> counted = new ConcurrentHashMap<>();
        Monitor monitor = commanded(counted);
        SimulatedVm vm = running();
        VmId id = VmId.of(vm.id());
        transport.faults().add(FaultSpec.of(FaultKind.NO_ANSWER).withVerb("VM.pause"));
        BlockingQueue<HostAnswer<VmId>> answers;
        try (Relay _ = relay("rack-7", "hosts/rack-7.pem")) {
            await("the relay stands in", this::isCommanded);
            answers = order(monitor, new VmOrder.Pause(id));
            await("the host has done it", () -> "Paused".equals(vm.status()));
            assertThat(answers).isEmpty();
        }
        assertThat(next(answers))
                .isInstanceOfSatisfying(
                        HostAnswer.Failed.class,
                        failed ->
                                assertThat(failed.failure())
                                        .isInstanceOf(HostFailure.Unreachable.class));
        assertThat(answers).isEmpty();
        assertThat(count(counted, CommandOutcome.LOST)).isEqualTo(1);
        assertThat(transport.faults().list())
                .as("pauses that the host got")
                .singleElement()
                .extracting(Fault::struck)
                .isEqualTo(1L);
    }

    @Test
    @DisplayName("a relay without calls, as an old one, is left aside")
    void relayWithoutCalls() throws Exception {
        Map<CommandOutcome, AtomicInteger> counted = new ConcurrentHashMap<>();
        Monitor monitor = commanded(counted);
        SimulatedVm vm = running();
        VmId id = VmId.of(vm.id());
        try (Relay _ =
                relay(
                        "rack-7",
                        "hosts/rack-7.pem",
                        "host.key.pem",
                        new RelaySettings.Bounds(1_000, 4_096, 0, 512))) {
            await("it stands in for polls", () -> isPushed(monitor));
            RelayIntake.HostStatus status = intake.status(hosts.getFirst().id());
            assertThat(status).isNotNull();
            assertThat(status.detour()).isEqualTo("relay rack-7 takes no calls");
            assertThat(next(order(monitor, new VmOrder.Pause(id))))
                    .isEqualTo(new HostAnswer.Success<>(id));
        }
        assertThat(count(counted, CommandOutcome.UNAVAILABLE)).isEqualTo(1);
        assertThat(counted).hasSize(1);
    }

    private static boolean contains(Relay relay, String text) {
        String trouble = relay.status().join().trouble();
        return trouble != null && trouble.contains(text);
    }
}
