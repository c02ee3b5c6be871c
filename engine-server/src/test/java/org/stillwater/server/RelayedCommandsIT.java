package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.relay.agent.RelayProgram;
import org.stillwater.relay.intake.RelayServer;
import tools.jackson.databind.JsonNode;

/** An engine that sends commands through a relay, which is a process of its own. */
class RelayedCommandsIT {

    @TempDir Path folder;

    @Test
    @DisplayName("an operation's commands go through the relay, and around it once it has died")
    void commandsThroughTheRelay() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(37, 1, 2));
                RunningEngine engine = engine(database, fleet)) {
            engine.awaitHostsUp(1);
            SimulatedHost host = fleet.world().hosts().getFirst();
            SimulatedVm vm =
                    fleet.world().vms().stream()
                            .filter(each -> "Up".equals(each.status()))
                            .findFirst()
                            .orElseThrow();
            assertThat(way(engine, host)).isEqualTo("direct, no relay is connected");
            Process relay = relay(fleet, host, engine.bean(RelayServer.class).port());
            try {
                awaitWay(engine, host, "relay, null");
                assertThat(engine.json("/actuator/health").toString())
                        .contains("\"commandedByRelay\":1");
                order(engine, vm, "pause", "Paused");
                RunningEngine.await(
                        () -> count(engine, "answered") == 1, () -> "the answer comes back");
            } finally {
                relay.destroyForcibly().waitFor();
            }
            awaitWay(engine, host, "direct, no relay is connected");
            order(engine, vm, "resume", "Up");
            assertThat(count(engine, "answered")).isEqualTo(1);
            assertThat(count(engine, "unavailable")).isEqualTo(1);
        }
    }

    private static void order(RunningEngine engine, SimulatedVm vm, String action, String status) {
        assertThat(engine.post("/api/v1/vms/" + vm.id() + "/" + action).statusCode())
                .isEqualTo(202);
        RunningEngine.await(() -> status.equals(vm.status()), () -> action + ": " + vm.status());
    }

    private static double count(RunningEngine engine, String outcome) {
        return engine.bean(MeterRegistry.class)
                .get("stillwater.relay.calls")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private static String way(RunningEngine engine, SimulatedHost host) {
        JsonNode relay = engine.json("/api/v1/hosts/" + host.uuid()).path("relay");
        return relay.path("commands").asString()
                + ", "
                + relay.path("commandsReason").asString("null");
    }

    private void awaitWay(RunningEngine engine, SimulatedHost host, String way) {
        RunningEngine.await(
                () -> way(engine, host).equals(way),
                () -> {
                    try {
                        return way(engine, host) + "\n" + Files.readString(log());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private Path log() {
        return folder.resolve("relay.log");
    }

    private static String address(SimulatedHost host) {
        InetSocketAddress address = host.address();
        assertThat(address).isNotNull();
        return address.getHostString() + ":" + address.getPort();
    }

    private RunningEngine engine(TestDatabase database, SimulatedFleet fleet) throws Exception {
        SimulatedHost host = fleet.world().hosts().getFirst();
        Path pki = fleet.pki().directory();
        Path hosts =
                Files.writeString(
                        folder.resolve("hosts"),
                        host.name() + "," + address(host).replace(':', ',') + "," + host.uuid());
        List<String> arguments = new ArrayList<>(fleet.wireArguments());
        arguments.add("--stillwater.hosts-file=" + hosts);
        arguments.add("--stillwater.relay.enabled=true");
        arguments.add("--stillwater.relay.port=0");
        arguments.add("--stillwater.relay.commands=relay");
        arguments.add("--stillwater.relay.hosts[0]=rack-7=" + host.uuid());
        arguments.add("--stillwater.relay.key=" + pki.resolve("engine.key.pem"));
        arguments.add("--stillwater.relay.certificate=" + pki.resolve("engine.pem"));
        arguments.add("--stillwater.relay.authorities=" + pki.resolve("ca.pem"));
        return RunningEngine.start(database, arguments, "--stillwater.cycle.interval=1s");
    }

    private Process relay(SimulatedFleet fleet, SimulatedHost host, int port) throws Exception {
        Path certificate = fleet.pki().writeHost("rack-7", PkiDirectory.loopback());
        Path pki = fleet.pki().directory();
        Path file =
                Files.writeString(
                        pki.resolve("relay.properties"),
                        """
                        relay.name = rack-7
                        relay.engine = 127.0.0.1:%d
                        relay.interval = 1s
                        engine.tls.key = host.key.pem
                        engine.tls.certificate = %s
                        engine.tls.authorities = ca.pem
                        hosts.tls.key = engine.key.pem
                        hosts.tls.certificate = engine.pem
                        hosts.tls.authorities = ca.pem
                        host.%s = %s
                        """
                                .formatted(port, certificate, host.uuid(), address(host)));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RelayProgram.class.getName(),
                        "--config=" + file)
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
    }
}
