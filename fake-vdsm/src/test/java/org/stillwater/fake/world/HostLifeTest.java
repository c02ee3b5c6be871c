package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Proxy;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.net.HostTransport;
import tools.jackson.databind.JsonNode;

/** A host restarts, reboots, and reports about itself. */
class HostLifeTest {

    private static final List<String> GAP =
            List.of(
                    "bootTime",
                    "cpuStatistics",
                    "diskStats",
                    "hugepages",
                    "network",
                    "numaNodeMemFree",
                    "rxDropped",
                    "txDropped",
                    "thpState",
                    "v2vJobs");

    private final Lab lab = Lab.of(2, 6);

    /** Whether no data flows to and from the first host. */
    private boolean frozen;

    @Test
    @DisplayName("8b.28 during recovery every verb answers 99 and there are no events")
    void recoveryAnswers99() {
        SimulatedVm vm = lab.world.vms().getFirst();
        lab.host(0).restartVdsm(Duration.ofSeconds(20));
        for (String verb : VerbTable.names()) {
            Lab.Answer answer = lab.ask(0, verb, "{}");
            assertThat(answer.code()).as(verb).isEqualTo(99);
            assertThat(answer.message()).isEqualTo("Recovering from crash or Initializing");
        }
        vm.crash();
        lab.pass(19);
        assertThat(lab.heard()).isEmpty();
        assertThat(lab.ask(1, "Host.ping", "{}").code()).as("others go on").isZero();
        lab.pass(1);
        assertThat(lab.ask(0, "Host.ping", "{}").text()).isEqualTo("true");
    }

    @Test
    void aHostClaimsAVmOfAnotherHost() {
        String id = lab.world.vms().getFirst().id().toString();
        lab.heard();

        lab.host(1).claim(UUID.fromString(id), "Up");
        assertThat(lab.heard())
                .singleElement()
                .satisfies(told -> assertThat(told.toString()).contains(id, "Up"));
        assertThat(lab.ask(1, "Host.getAllVmStats", "{}").text()).contains(id);
        assertThat(lab.ask(1, "VM.getStats", "{\"vmID\": \"" + id + "\"}").code()).isNotZero();

        lab.host(1).claim(UUID.fromString(id), null);
        assertThat(lab.ask(1, "Host.getAllVmStats", "{}").text()).doesNotContain(id);
        assertThat(lab.ask(0, "Host.getAllVmStats", "{}").text()).contains(id);
    }

    @Test
    @DisplayName("8b.55 a restart of VDSM: new hashes, its own elapsedTime, the same stamps")
    void vdsmRestarts() {
        SimulatedVm vm = lab.world.vms().getFirst();
        vm.pause(PauseCause.USER);
        vm.resume();
        lab.heard();
        JsonNode before = lab.stats(0, vm);
        JsonNode hostBefore = lab.result(0, "Host.getStats");
        JsonNode capabilities = lab.result(0, "Host.getCapabilities");
        lab.host(0).restartVdsm(Duration.ofSeconds(10));
        lab.pass(10);

        assertThat(lab.heard())
                .as("each VM is announced as started")
                .hasSize(6)
                .allSatisfy(told -> {
                    assertThat(told.content().get("status").asString()).isEqualTo("Up");
                    assertThat(told.content().has("displayInfo")).isTrue();
                    assertThat(told.content().has("username")).isFalse();
                });
        JsonNode after = lab.stats(0, vm);
        assertThat(after.get("hash")).isNotEqualTo(before.get("hash"));
        assertThat(after.get("pauseCode").asString()).isEqualTo("NOERR");
        assertThat(after.get("vmId")).isEqualTo(before.get("vmId"));
        assertThat(CountersTest.number(after, "statusTime"))
                .isEqualTo(CountersTest.number(before, "statusTime") + 10_000);
        assertThat(CountersTest.number(after, "elapsedTime"))
                .isGreaterThanOrEqualTo(CountersTest.number(before, "elapsedTime"));
        assertThat(after.has("network")).isFalse();
        JsonNode hostAfter = lab.result(0, "Host.getStats");
        assertThat(Double.parseDouble(hostAfter.get("elapsedTime").asString())).isEqualTo(10.0);
        lab.pass(30);
        assertThat(lab.result(0, "Host.getStats").get("bootTime"))
                .isEqualTo(hostBefore.get("bootTime"));
        assertThat(lab.result(0, "Host.getCapabilities").get("boot_uuid"))
                .isEqualTo(capabilities.get("boot_uuid"));
        JsonNode sampled = lab.stats(0, vm);
        String tap = Shape.keys(sampled.get("network")).getFirst();
        assertThat(CountersTest.number(sampled.get("network").get(tap), "rx"))
                .as("the domain did not restart")
                .isGreaterThan(CountersTest.number(before.get("network").get(tap), "rx"));
    }

    @Test
    @DisplayName("8b.45 a fresh VDSM omits what two samples must fill")
    void theStartUpGap() {
        lab.host(0).restartVdsm(Duration.ofSeconds(1));
        lab.pass(2);
        JsonNode fresh = lab.result(0, "Host.getStats");
        GAP.forEach(field -> assertThat(fresh.has(field)).as(field).isFalse());
        assertThat(fresh.get("cpuUser").asString()).isEqualTo("0.00");
        assertThat(fresh.get("cpuIdle").asString()).isEqualTo("100.00");
        lab.pass(27);
        assertThat(lab.result(0, "Host.getStats").has("network")).isFalse();
        lab.pass(1);
        JsonNode full = lab.result(0, "Host.getStats");
        GAP.forEach(field -> assertThat(full.has(field)).as(field).isTrue());
    }

    @Test
    @DisplayName("§3.6 a crashed kernel announces its dump by fence_kdump, then boots")
    void aKernelCrashes() throws Exception {
        try (DatagramSocket listener =
                new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
            listener.setSoTimeout(60_000);
            InetSocketAddress to = (InetSocketAddress) listener.getLocalSocketAddress();
            lab.host(0).enableKdump(true);
            assertThat(lab.result(0, "Host.getCapabilities").get("kdumpStatus").asInt())
                    .isEqualTo(1);
            lab.host(0)
                    .crashKernel(
                            new KernelDump(to, Duration.ofSeconds(10), Duration.ofSeconds(25)));
            assertThat(lab.host(0).condition()).isEqualTo("dumping");
            assertThat(lab.host(0).isPowered()).isTrue();
            assertThat(lab.host(0).vmCount()).isZero();
            lab.pass(24);
            for (int message = 0; message < 3; message++) {
                DatagramPacket packet = new DatagramPacket(new byte[64], 64);
                listener.receive(packet);
                assertThat(HexFormat.of().formatHex(packet.getData(), 0, packet.getLength()))
                        .isEqualTo("402a301b01000000");
            }
            lab.pass(2);
            assertThat(lab.host(0).condition()).isEqualTo("off");
            lab.pass(70);
            assertThat(lab.host(0).condition()).isEqualTo("up");
            listener.setSoTimeout(1);
            assertThatExceptionOfType(SocketTimeoutException.class)
                    .as("three messages and no more")
                    .isThrownBy(() -> listener.receive(new DatagramPacket(new byte[64], 64)));
        }
    }

    @Test
    void switchingTheHostOffEndsItsDump() {
        lab.host(0)
                .crashKernel(new KernelDump(null, Duration.ofSeconds(10), Duration.ofMinutes(2)));
        lab.host(0).power(true);
        assertThat(lab.host(0).condition()).isEqualTo("dumping");
        lab.host(0).power(false);
        assertThat(lab.host(0).condition()).isEqualTo("off");
        lab.pass(300);
        assertThat(lab.host(0).isPowered()).isFalse();
        lab.host(0).power(true);
        lab.pass(10);
        assertThat(lab.host(0).condition()).isEqualTo("up");
    }

    /** Puts the hosts on a network that only notes whether the data of the first one flows. */
    private void connect() {
        String first = lab.host(0).name();
        lab.world.start(
                (HostTransport)
                        Proxy.newProxyInstance(
                                HostTransport.class.getClassLoader(),
                                new Class<?>[] {HostTransport.class},
                                (_, method, arguments) -> {
                                    switch (method.getName()) {
                                        case "open" -> {
                                            return arguments[1];
                                        }
                                        case "dropConnections" -> {
                                            return 0;
                                        }
                                        case "freeze", "unfreeze" -> {
                                            if (arguments[0].toString().equals(first)) {
                                                frozen = method.getName().equals("freeze");
                                            }
                                        }
                                        default -> {
                                            // Not looked at.
                                        }
                                    }
                                    return null;
                                }),
                number -> InetSocketAddress.createUnresolved("host", number + 1));
    }

    @Test
    void theEndOfALossOfTheNetworkBringsNoPowerBack() {
        connect();
        lab.host(0).loseNetwork(Duration.ofSeconds(30));
        lab.host(0).losePower();
        lab.pass(31);
        assertThat(frozen).as("the loss has ended").isTrue();
        lab.host(0).restoreNetwork();
        assertThat(frozen).as("the network is restored").isTrue();
        lab.host(0).powerOn(Duration.ofSeconds(10));
        assertThat(frozen).isFalse();
    }

    @Test
    void overlappingLossesOfTheNetworkEndWithTheLast() {
        connect();
        lab.host(0).loseNetwork(Duration.ofSeconds(10));
        lab.host(0).loseNetwork(Duration.ofSeconds(30));
        lab.pass(11);
        assertThat(frozen).as("one of two has ended").isTrue();
        lab.pass(20);
        assertThat(frozen).isFalse();

        lab.host(0).loseNetwork(null);
        lab.host(0).loseNetwork(Duration.ofSeconds(10));
        lab.pass(11);
        assertThat(frozen).as("until it is restored").isTrue();
        lab.host(0).restoreNetwork();
        assertThat(frozen).isFalse();

        lab.host(0).loseNetwork(Duration.ofSeconds(10));
        lab.host(0).restoreNetwork();
        lab.host(0).loseNetwork(Duration.ofSeconds(30));
        lab.pass(11);
        assertThat(frozen).as("the first one was ended before").isTrue();
    }

    @Test
    void aHostThatBootsWithoutItsNetworkStaysSilentUntilItIsBack() {
        connect();
        lab.host(0).losePower();
        lab.host(0).loseNetwork(Duration.ofSeconds(60));
        lab.host(0).powerOn(Duration.ofSeconds(10));
        assertThat(frozen).isTrue();
        lab.pass(61);
        assertThat(frozen).isFalse();
    }

    @Test
    @DisplayName("8b.55 a reboot resets clock, bootTime and boot_uuid, and the VMs are gone")
    void aHostReboots() {
        JsonNode before = lab.result(0, "Host.getStats");
        String bootUuid = lab.result(0, "Host.getCapabilities").get("boot_uuid").asString();
        SimulatedVm vm = lab.world.vms().getFirst();
        String hash = lab.stats(0, vm).get("hash").asString();
        lab.host(0).reboot(Duration.ofSeconds(60), Duration.ofSeconds(10), false);
        assertThat(lab.heard()).isEmpty();
        assertThat(vm.host()).isNull();
        lab.pass(60);
        assertThat(lab.ask(0, "Host.getStats", "{}").code()).isEqualTo(99);
        lab.pass(40);
        JsonNode after = lab.result(0, "Host.getStats");
        assertThat(lab.result(0, "Host.getAllVmStats")).isEmpty();
        assertThat(CountersTest.number(after, "bootTime"))
                .isEqualTo(SimulationClock.FIXED_BEGINNING.getEpochSecond() + 60)
                .isGreaterThan(CountersTest.number(before, "bootTime"));
        assertThat(lab.result(0, "Host.getCapabilities").get("boot_uuid").asString())
                .isNotEqualTo(bootUuid);
        vm.start("host-0001", null);
        lab.pass(60);
        JsonNode back = lab.stats(0, vm);
        assertThat(CountersTest.number(back, "statusTime")).isEqualTo(Integer.MAX_VALUE + 100_000L);
        assertThat(back.get("hash").asString()).isNotEqualTo(hash);
    }

    @Test
    @DisplayName("an orderly reboot reports each VM as terminated, reason 11")
    void anOrderlyReboot() {
        lab.host(0).reboot(Duration.ofSeconds(60), Duration.ofSeconds(10), true);
        assertThat(lab.heard())
                .hasSize(6)
                .allSatisfy(
                        told -> assertThat(told.content().get("exitReason").asInt()).isEqualTo(11));
    }

    @Test
    @DisplayName("a second restart during recovery starts the recovery anew")
    void restartDuringRecovery() {
        lab.host(0).restartVdsm(Duration.ofSeconds(10));
        assertThatExceptionOfType(WorldException.class)
                .isThrownBy(() -> lab.host(0).restartVdsm(Duration.ofSeconds(10)));
        lab.host(0).powerOff(false);
        lab.host(0).powerOn(Duration.ofSeconds(30));
        lab.pass(15);
        assertThat(lab.host(0).condition()).isEqualTo("recovering");
        lab.pass(15);
        assertThat(lab.host(0).condition()).isEqualTo("up");
    }

    @Test
    @DisplayName("8b.46 memory and VM counts agree with the VMs")
    void hostNumbersAgreeWithTheVms() {
        JsonNode before = lab.result(0, "Host.getStats");
        assertThat(before.get("vmCount").asInt()).isEqualTo(6);
        assertThat(before.get("vmActive").asInt()).isEqualTo(6);
        SimulatedVm vm = lab.world.vms().getFirst();
        int memoryMib = vm.machine().memoryMib;
        vm.crash();
        JsonNode after = lab.result(0, "Host.getStats");
        assertThat(after.get("vmCount").asInt()).isEqualTo(6);
        assertThat(after.get("vmActive").asInt()).isEqualTo(5);
        assertThat(after.get("memFree").asInt() - before.get("memFree").asInt())
                .isBetween(memoryMib, memoryMib + 200);
        lab.result(0, "VM.destroy", "{\"vmID\": \"%s\"}".formatted(vm.id()));
        assertThat(lab.result(0, "Host.getStats").get("vmCount").asInt()).isEqualTo(5);
        assertThat(lab.result(0, "Host.getAllVmStats")).hasSize(5);

        int total =
                Integer.parseInt(lab.result(0, "Host.getCapabilities").get("memSize").asString());
        int used = Integer.parseInt(after.get("memUsed").asString());
        assertThat(100 - 100 * after.get("memFree").asInt() / total).isEqualTo(used);
    }

    @Test
    @DisplayName("host_conn is announced as in the sample")
    void aNetworkChangeIsAnnounced() {
        lab.host(0).announceNetworkChange();
        Lab.Told told = lab.heard().getFirst();
        assertThat(told.method()).isEqualTo("|net|host_conn|no_id");
        assertThat(Shape.of(told.json())).isEqualTo(Shape.of(Lab.sample("event_host_conn")));
        assertThat(told.text().length()).as("§5.3").isBetween(85, 97);
    }

    @Test
    @DisplayName("a skewed wall clock moves dateTime and leaves the stamps alone")
    void aSkewedClock() {
        SimulatedVm vm = lab.world.vms().getFirst();
        long stamp = CountersTest.number(lab.stats(0, vm), "statusTime");
        assertThat(lab.result(0, "Host.getStats").get("dateTime").asString())
                .isEqualTo("2026-01-01T00:00:00 GMT");
        lab.host(0).skewWallClock(Duration.ofMinutes(10));
        assertThat(lab.result(0, "Host.getStats").get("dateTime").asString())
                .isEqualTo("2026-01-01T00:10:00 GMT");
        assertThat(CountersTest.number(lab.stats(0, vm), "statusTime")).isEqualTo(stamp);
    }

    @Test
    @DisplayName("a card without a link takes the bond down only together with the other")
    void linksOfABond() {
        lab.host(0).setLink("ens1f0", false);
        JsonNode network = lab.result(0, "Host.getStats").get("network");
        assertThat(network.get("ens1f0").get("state").asString()).isEqualTo("down");
        assertThat(network.get("ens1f0").get("speed").asString()).isEqualTo("1000");
        assertThat(network.get("bond0").get("state").asString()).isEqualTo("up");
        JsonNode nics = lab.result(0, "Host.getCapabilities").get("nics");
        assertThat(nics.get("ens1f0").get("speed").asInt()).as("§3.4.2").isZero();
        assertThat(nics.get("ens1f1").get("speed").asInt()).isEqualTo(10_000);
        lab.host(0).setLink("ens1f1", false);
        network = lab.result(0, "Host.getStats").get("network");
        assertThat(network.get("bond0").get("state").asString()).isEqualTo("down");
        lab.host(0).setLink("ens1f0", true);
        network = lab.result(0, "Host.getStats").get("network");
        assertThat(network.get("bond0").get("state").asString()).isEqualTo("up");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lab.host(0).setLink("eth0", false))
                .withMessageContaining("ens1f0");
    }

    @Test
    @DisplayName("swap space and local disks can be filled")
    void fullSwapAndDisks() {
        lab.host(0).fillSwap(99);
        lab.host(0).leaveOnDisk("/var/log", 50);
        JsonNode stats = lab.result(0, "Host.getStats");
        assertThat(stats.get("swapFree").asInt()).isEqualTo(16_383 - 16_383 * 99 / 100);
        assertThat(stats.get("diskStats").get("/var/log").get("free").asString()).isEqualTo("50");
        assertThat(stats.get("diskStats").get("/tmp").get("free").asString()).isEqualTo("18811");
        assertThatIllegalArgumentException().isThrownBy(() -> lab.host(0).fillSwap(101));
        assertThatIllegalArgumentException().isThrownBy(() -> lab.host(0).leaveOnDisk("/home", 1));
    }

    @Test
    @DisplayName("one host is the SPM; tasks are its alone, others answer 654")
    void theStoragePoolManager() {
        String pool = "{\"storagepoolID\": \"5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01\"}";
        assertThat(lab.result(0, "StoragePool.getSpmStatus", pool).get("spmStatus").asString())
                .isEqualTo("SPM");
        assertThat(lab.ask(1, "Host.getAllTasksStatuses", "{}").code()).isEqualTo(654);
        lab.host(1).becomeSpm();
        assertThat(lab.result(0, "StoragePool.getSpmStatus", pool).get("spmStatus").asString())
                .isEqualTo("Free");
        assertThat(lab.ask(1, "Host.getAllTasksStatuses", "{}").text()).isEqualTo("{}");
    }
}
