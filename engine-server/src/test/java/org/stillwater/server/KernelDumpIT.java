package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.net.KdumpSender;
import org.stillwater.fake.world.KernelDump;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.monitoring.host.HostView;
import tools.jackson.databind.JsonNode;

/**
 * The kernel of a host crashes while it runs highly available VMs: messages of fence_kdump come by
 * UDP from the host's own address, power is switched by a program, and everything is seen from
 * outside, over REST.
 */
@Timeout(600)
class KernelDumpIT extends ActingOnVms {

    private static final int VMS = 3;

    /** How long a dump must be silent until it is over. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    /** Far longer than a machine under load lets a message wait. */
    private static final Duration PATIENT = Duration.ofMinutes(4);

    private InetSocketAddress listener;
    private SimulatedHost crashing;
    private String host;

    /** The orders to the fence agent. */
    private Path calls;

    @BeforeEach
    void files() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.startApart(folder, twoHosts(16));
        crashing = fleet.world().hosts().getFirst();
        crashing.enableKdump(true);
        InetAddress here = InetAddress.ofLiteral("127.0.0.1");
        try (DatagramSocket free = new DatagramSocket(new InetSocketAddress(here, 0))) {
            listener = new InetSocketAddress(here, free.getLocalPort());
        }
        calls = folder.resolve("calls");
        Path agent = folder.resolve("fence_test");
        Files.writeString(
                agent,
                """
                #!/bin/sh
                while IFS= read -r line; do
                  case "$line" in action=*) action="${line#action=}" ;; esac
                done
                echo "$action" >> '%1$s'
                case "$action" in
                  on|off) echo "$action" > '%1$s.state' ;;
                  status) case "$(cat '%1$s.state')" in on) exit 0 ;; off) exit 2 ;; esac ;;
                esac
                """
                        .formatted(calls));
        assertThat(agent.toFile().setExecutable(true)).isTrue();
    }

    /** An engine that listens to hosts for so long before it fences them; VMs run on the first. */
    private void begin(Duration first) {
        startEngine(
                "--stillwater.host-policy.refresh=100ms",
                "--stillwater.host-policy.forgiven-silence=8s",
                "--stillwater.host-policy.forgiven-silence-per-vm=0ms",
                "--stillwater.host-policy.forgiven-silence-spm=0ms",
                "--stillwater.host-policy.fencing-delay=0ms",
                "--stillwater.wire.connect-timeout=2s",
                "--stillwater.wire.handshake-timeout=2s",
                "--stillwater.wire.call-timeout=2s",
                "--stillwater.wire.heart-beat-in=1s",
                "--stillwater.commands.hosts.look=200ms",
                "--stillwater.fencing.power.dry-run=false",
                "--stillwater.fencing.power.status-every=50ms",
                "--stillwater.fencing.power.directory=" + folder,
                "--stillwater.fencing.kdump.address=" + listener.getAddress().getHostAddress(),
                "--stillwater.fencing.kdump.port=" + listener.getPort(),
                "--stillwater.fencing.kdump.first=" + first.toMillis() + "ms",
                "--stillwater.fencing.kdump.quiet=" + QUIET.toMillis() + "ms");
        RunningEngine.await(
                () -> dumps().state() instanceof KdumpListener.State.Listening,
                () -> dumps().state().toString());
        host =
                "/api/v1/hosts/"
                        + engine.monitoring().fleet().hosts().stream()
                                .map(view -> view.state().definition())
                                .filter(known -> known.name().equals(crashing.name()))
                                .findAny()
                                .orElseThrow()
                                .id();
        ok(engine.put(host, "{\"kdumpIntegration\": true}"));
        ok(
                engine.put(
                        host + "/fence-agents",
                        "{\"items\": [{\"type\": \"test\", \"address\": \"192.0.2.9\"}]}"));
        for (int n = 0; n < VMS; n++) {
            HttpResponse<String> added =
                    engine.post(
                            "/api/v1/vms",
                            "{\"name\": \"ha%d\", \"memoryMebibytes\": 256, \"highlyAvailable\": true}"
                                    .formatted(n));
            String vm = "/api/v1/vms/" + done(added, "add_vm").path("vmId").asString();
            done(
                    engine.post(vm + "/start", "{\"host\": \"%s\"}".formatted(crashing.name())),
                    "run");
        }
        awaitAdvancing(() -> vmsOn(crashing.name(), VmStatus.UP) == VMS);
    }

    @Test
    @DisplayName(
            "§3.6 a host writing a kernel dump keeps its power, and its VMs run elsewhere "
                    + "afterwards")
    void aDumpIsWaitedFor() throws Exception {
        begin(PATIENT);
        crash(listener);
        awaitAdvancing(() -> hostStatus() == HostStatus.KDUMPING);
        long first = heardNanos();
        awaitAdvancing(() -> heardNanos() - first > Duration.ofSeconds(2).toNanos());

        assertThat(hostStatus()).isEqualTo(HostStatus.KDUMPING);
        assertThat(status(host)).isEqualTo("kdumping");
        JsonNode fence = fence();
        assertThat(fence.path("state").asString()).isEqualTo("running");
        assertThat(fence.path("step").asString())
                .isEqualTo("it writes a kernel dump; its power stays on meanwhile");
        assertThat(vmsOn(crashing.name(), VmStatus.UNKNOWN)).isEqualTo(VMS);
        assertThat(calls).doesNotExist();

        crashing.powerOn(SimulatedHost.USUAL_RECOVERY); // its dump is written, and it boots
        awaitAdvancing(() -> hostStatus() == HostStatus.REBOOT);
        awaitAdvancing(() -> vmsOn(other(), VmStatus.UP) == VMS);
        JsonNode end = ended(fence.path("id").asString());
        assertThat(end.path("state").asString()).as(end.toString()).isEqualTo("succeeded");
        assertThat(end.path("step").asString())
                .isEqualTo(
                        "wrote a kernel dump and boots; VMs set down: "
                                + (VMS + 1)); // one is the host's own
        assertThat(calls).as("nobody touched its power").doesNotExist();
        assertThat(events(614)).hasSize(1);
        assertThat(events(616)).hasSize(1).first().asString().contains("sent no message for 10 s");
        assertThat(events(615)).isEmpty();
        assertEachRunsOnce();
    }

    @Test
    @DisplayName("§3.6 a host without dump messages is fenced, despite messages of strangers")
    void silenceIsFenced() throws Exception {
        begin(Duration.ofSeconds(3));
        InetAddress stranger = InetAddress.ofLiteral("127.0.0.77");
        crash(null);
        awaitAdvancing(() -> {
            KdumpSender.send(stranger, listener);
            return Files.exists(calls) && vmsOn(other(), VmStatus.UP) == VMS;
        });
        JsonNode end = ended(fence().path("id").asString());
        assertThat(Files.readAllLines(calls)).startsWith("off", "status").contains("on");
        assertThat(end.path("step").asString())
                .isEqualTo(
                        "was switched off and on; VMs set down: "
                                + (VMS + 1)); // one is the host's own
        assertThat(events(615)).hasSize(1).first().asString().contains("for 3 s");
        assertThat(events(614)).isEmpty();
        assertEachRunsOnce();
    }

    /** Its kernel crashes; as long as nothing ends its dump, it says so to this address. */
    private void crash(InetSocketAddress to) {
        crashing.crashKernel(new KernelDump(to, KernelDump.USUAL_INTERVAL, Duration.ofDays(1_000)));
    }

    private KdumpListener dumps() {
        return engine.bean(KdumpListener.class);
    }

    private long heardNanos() {
        return Objects.requireNonNull(dumps().lastHeardNanos(view().state().definition().id()));
    }

    private HostView view() {
        return Objects.requireNonNull(
                engine.monitoring()
                        .fleet()
                        .host(HostId.parse(host.substring(host.lastIndexOf('/') + 1))));
    }

    private HostStatus hostStatus() {
        return view().state().status();
    }

    private String other() {
        return fleet.world().hosts().getLast().name();
    }

    /** Those of the VMs that are so there, as the engine sees it. */
    private long vmsOn(String name, VmStatus status) {
        return engine.monitoring()
                .fleet()
                .vms()
                .filter(vm -> vm.definition().name().startsWith("ha"))
                .filter(vm -> vm.state().runtime().status() == status)
                .filter(vm -> {
                    HostId on = vm.state().placement().runOn();
                    HostView where = on == null ? null : engine.monitoring().fleet().host(on);
                    return where != null && where.state().definition().name().equals(name);
                })
                .count();
    }

    private JsonNode fence() {
        String id = host.substring(host.lastIndexOf('/') + 1);
        List<JsonNode> all =
                engine.json("/api/v1/operations?kind=fence")
                        .path("items")
                        .valueStream()
                        .filter(operation -> operation.path("hostId").asString().equals(id))
                        .toList();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private List<String> events(int number) {
        engine.awaitWritten();
        JsonNode items = engine.json("/api/v1/events?event=" + number).path("items");
        return items.valueStream().map(JsonNode::toString).toList();
    }

    private void assertEachRunsOnce() {
        assertThat(
                        fleet.world().vms().stream()
                                .filter(vm -> vm.name().startsWith("ha"))
                                .filter(vm -> vm.host() != null))
                .hasSize(VMS);
    }

    private static void ok(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
}
