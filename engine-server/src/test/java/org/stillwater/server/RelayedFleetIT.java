package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.relay.RelayPlan;
import org.stillwater.fake.relay.SimulatedRelays;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayServer;
import tools.jackson.databind.JsonNode;

/** An engine with relays for all hosts: its known state against the world. */
class RelayedFleetIT {

    private static final int HOSTS = 4;
    private static final int VMS = 10;
    private static final int RELAYS = 2;

    @TempDir Path folder;

    @Test
    @DisplayName("the engine knows the truth by relays, and polls the hosts of a dead relay")
    void theEngineKnowsTheTruth() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet =
                        SimulatedFleet.start(folder, WorldSettings.of(31, HOSTS, VMS));
                RunningEngine engine = engine(database, fleet)) {
            World world = fleet.world();
            RelayServer server = engine.bean(RelayServer.class);
            try (SimulatedRelays relays =
                    SimulatedRelays.start(world, plan(server.port()), fleet.pki())) {
                awaitRelays(engine, HOSTS);
                assertThat(engine.get("/actuator/prometheus").body())
                        .as("series of Dashboards.CONDITIONAL")
                        .contains(
                                "\nstillwater_relay_connected_relays",
                                "\nstillwater_relay_hosts",
                                "\nstillwater_relay_calls_total{");
                JsonNode relay =
                        engine.json("/api/v1/hosts/" + world.hosts().getFirst().uuid())
                                .path("relay");
                assertThat(relay.path("pushed").asBoolean()).isTrue();
                assertThat(relay.path("commands").asString()).isEqualTo("direct");
                assertThat(relay.path("commandsReason").asString())
                        .as("simulated relays pass no calls on")
                        .isEqualTo("relay " + RelayPlan.name(0) + " takes no calls");
                awaitAgreement(engine, world);
                List<SimulatedVm> up =
                        world.vms().stream().filter(vm -> "Up".equals(vm.status())).toList();
                up.get(0).pause(PauseCause.USER);
                up.get(1).crash();
                up.get(2).reboot();
                world.advance(Duration.ofSeconds(15));
                awaitAgreement(engine, world);
                assertThat(engine.monitoring().fleet().statistics(VmId.of(up.get(3).id())))
                        .isNotNull();

                relays.end(RelayPlan.name(0));
                awaitRelays(engine, HOSTS / RELAYS);
                assertThat(engine.bean(RelayIntake.class).summary(HOSTS).polled())
                        .hasSize(HOSTS / RELAYS)
                        .allSatisfy(status -> {
                            assertThat(status.relay()).isEqualTo(RelayPlan.name(0));
                            assertThat(status.trouble()).isEqualTo("no relay is connected");
                        });
                up.get(0).resume();
                up.get(4).pause(PauseCause.USER);
                world.advance(Duration.ofSeconds(15));
                awaitAgreement(engine, world);
            }
        }
    }

    private static RelayPlan plan(int port) {
        return new RelayPlan(RELAYS, "127.0.0.1", port, Duration.ofMillis(500), 1);
    }

    private RunningEngine engine(TestDatabase database, SimulatedFleet fleet) throws Exception {
        List<String> lines = new ArrayList<>();
        List<String> arguments = new ArrayList<>(fleet.wireArguments());
        RelayPlan plan = plan(1);
        for (SimulatedHost host : fleet.world().hosts()) {
            InetSocketAddress address = host.address();
            assertThat(address).isNotNull();
            lines.add(
                    String.join(
                            ",",
                            host.name(),
                            address.getHostString(),
                            Integer.toString(address.getPort()),
                            host.uuid()));
            arguments.add(
                    "--stillwater.relay.hosts[%d]=%s=%s"
                            .formatted(
                                    host.number(),
                                    RelayPlan.name(plan.relayOf(host.number(), HOSTS)),
                                    host.uuid()));
        }
        Path pki = fleet.pki().directory();
        arguments.add("--stillwater.hosts-file=" + Files.write(folder.resolve("hosts"), lines));
        arguments.add("--stillwater.relay.enabled=true");
        arguments.add("--stillwater.relay.port=0");
        arguments.add("--stillwater.relay.commands=relay");
        arguments.add("--stillwater.relay.key=" + pki.resolve("engine.key.pem"));
        arguments.add("--stillwater.relay.certificate=" + pki.resolve("engine.pem"));
        arguments.add("--stillwater.relay.authorities=" + pki.resolve("ca.pem"));
        RunningEngine engine =
                RunningEngine.start(database, arguments, "--stillwater.cycle.interval=1s");
        engine.awaitHostsUp(HOSTS);
        return engine;
    }

    private static void awaitRelays(RunningEngine engine, int hosts) {
        RunningEngine.await(
                () -> engine.gauge("stillwater.relay.hosts") == hosts,
                () -> engine.bean(RelayIntake.class).summary(HOSTS).toString());
    }

    /** Waits until the engine agrees with the world about every VM. */
    private static void awaitAgreement(RunningEngine engine, World world) {
        RunningEngine.await(
                () -> world.vms().stream().allMatch(vm -> agrees(engine, world, vm)),
                () ->
                        world.vms().stream()
                                .filter(vm -> !agrees(engine, world, vm))
                                .map(vm -> vm.name() + " " + vm.status())
                                .toList()
                                .toString());
    }

    private static boolean agrees(RunningEngine engine, World world, SimulatedVm vm) {
        VmView known = engine.monitoring().fleet().vm(VmId.of(vm.id()));
        String status = vm.status();
        if (known == null) {
            return false;
        }
        VmStatus wanted =
                switch (status == null ? "Down" : status) {
                    case "Up" -> VmStatus.UP;
                    case "Paused" -> VmStatus.PAUSED;
                    case "Powering up" -> VmStatus.POWERING_UP;
                    case "RebootInProgress" -> VmStatus.REBOOT_IN_PROGRESS;
                    default -> VmStatus.DOWN;
                };
        if (wanted == VmStatus.DOWN) {
            return known.state().runtime().status() == VmStatus.DOWN;
        }
        String host = vm.host();
        return host != null
                && known.state().runtime().status() == wanted
                && HostId.parse(world.host(host).uuid()).equals(known.state().placement().runOn());
    }
}
