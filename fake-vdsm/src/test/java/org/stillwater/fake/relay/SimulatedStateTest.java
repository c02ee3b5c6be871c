package org.stillwater.fake.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.fake.net.JsonBody;
import org.stillwater.fake.net.RpcCall;
import org.stillwater.fake.net.RpcReply;
import org.stillwater.fake.world.Exit;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.Profile;
import org.stillwater.fake.world.ReportSize;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.WatchedHost;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldException;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.HostMirror;
import org.stillwater.relay.state.Value;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.VmCells;
import org.stillwater.relay.wire.DeltaCodec;
import org.stillwater.vdsm.client.VmListText;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What a simulated relay tells, against the answers that the same hosts give to a poll, while all
 * kinds of things happen.
 */
class SimulatedStateTest {

    private static final long EPOCH = 7;

    private final VmListText reports = new VmListText();

    private static World world(long seed, Profile profile) {
        return World.create(
                WorldSettings.of(seed, 2, 12).withProfile(profile).withReportSize(ReportSize.FULL),
                SimulationClock.manual());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    @DisplayName("its state equals a poll after any event and any loss on the way")
    void equalsAPoll(long seed) {
        Profile[] profiles = Profile.values();
        World world = world(seed, profiles[(int) (seed % profiles.length)]);
        WatchedHost host = world.watched().get(0);
        Random random = new Random(seed);
        SimulatedState state = new SimulatedState(host, EPOCH, 1, reports);
        List<HostMirror> mirrors = List.of(mirror(), mirror(), mirror());
        for (int step = 0; step < 150; step++) {
            stir(world, random);
            world.advance(Duration.ofMillis(random.nextInt(20_000)));
            if (random.nextInt(3) == 0) {
                state.look();
            } else {
                state.poll(1, step + 1);
            }
            for (HostMirror mirror : mirrors) {
                if (random.nextInt(3) > 0) {
                    take(state, mirror, random.nextBoolean());
                }
            }
            state.acknowledged(
                    mirrors.stream().mapToLong(HostMirror::sequence).min().orElseThrow());
            if (random.nextInt(10) == 0) {
                mirrors.get(random.nextInt(3)).forget();
            }
        }
        state.poll(1, 1_000);
        for (HostMirror mirror : mirrors) {
            take(state, mirror, true);
            assertThat(HostCells.of(mirror.get(HostCells.id())).connected()).isTrue();
            assertSame(vmsOf(mirror), polled(world, host));
        }
        world.close();
    }

    @Test
    @DisplayName("VMs that do not move keep their numbers, and their times go on")
    void theRestStandsStill() {
        World world = world(1, Profile.V4_50);
        WatchedHost host = world.watched().get(0);
        SimulatedState state = new SimulatedState(host, EPOCH, 0.25, reports);
        HostMirror mirror = mirror();
        state.poll(1, 1);
        take(state, mirror, true);
        Map<UUID, Cells> before = vmsOf(mirror);
        world.advance(Duration.ofSeconds(15));
        state.poll(1, 2);
        take(state, mirror, true);
        Map<UUID, Cells> now = vmsOf(mirror);
        Map<UUID, Cells> polled = polled(world, host);
        int moved = 0;
        for (UUID vm : now.keySet()) {
            long elapsed = now.get(vm).whole(82, 0);
            assertThat(elapsed).isEqualTo(polled.get(vm).whole(82, 0));
            boolean hasMoved = !now.get(vm).get(81).equals(before.get(vm).get(81));
            moved += hasMoved ? 1 : 0;
            assertThat(now.get(vm).get(81))
                    .isEqualTo(hasMoved ? polled.get(vm).get(81) : before.get(vm).get(81));
        }
        assertThat(moved).isBetween(1, 8);
        world.close();
    }

    @Test
    @DisplayName("a host without power is reported as such, and its VMs are gone")
    void aHostWithoutPower() {
        World world = world(1, Profile.V4_50);
        SimulatedState state = new SimulatedState(world.watched().get(0), EPOCH, 1, reports);
        HostMirror mirror = mirror();
        state.poll(5, 1);
        take(state, mirror, true);
        world.hosts().get(0).losePower();
        state.poll(5, 2);
        take(state, mirror, true);
        HostCells told = HostCells.of(mirror.get(HostCells.id()));
        assertThat(told.connected()).isFalse();
        assertThat(told.reason()).isEqualTo("it has no power");
        assertThat(told.poll()).isEqualTo(1);
        world.hosts().get(0).powerOn(Duration.ofSeconds(1));
        world.advance(Duration.ofSeconds(2));
        state.poll(5, 3);
        take(state, mirror, true);
        assertThat(HostCells.of(mirror.get(HostCells.id())).connected()).isTrue();
        assertThat(vmsOf(mirror)).isEmpty();
        world.close();
    }

    private static HostMirror mirror() {
        HostMirror mirror = new HostMirror(1_000_000);
        mirror.bind(EPOCH);
        return mirror;
    }

    /** Over the message, as a stream carries it. */
    private static void take(SimulatedState state, HostMirror mirror, boolean withSum) {
        long from = mirror.sequence();
        HostMirror.Outcome outcome =
                mirror.apply(
                        DeltaCodec.read(DeltaCodec.write(1, 0, state.since(from, withSum)), EPOCH));
        assertThat(outcome)
                .as("from " + from)
                .isIn(HostMirror.Outcome.APPLIED, HostMirror.Outcome.REPEATED);
        assertThat(mirror.sequence()).isEqualTo(state.version());
    }

    private static Map<UUID, Cells> vmsOf(HostMirror mirror) {
        Map<UUID, Cells> vms = new HashMap<>(mirror.records());
        vms.remove(HostCells.id());
        return vms;
    }

    private static void stir(World world, Random random) {
        List<SimulatedVm> vms = world.vms();
        SimulatedVm vm = vms.get(random.nextInt(vms.size()));
        try {
            switch (random.nextInt(20)) {
                case 0 -> vm.pause(PauseCause.USER);
                case 1 -> vm.resume();
                case 2 -> vm.reboot();
                case 3 -> vm.shutDownByUser();
                case 4 -> vm.crash();
                case 5 -> vm.start(world.hosts().get(random.nextInt(2)).name(), null);
                case 6 -> vm.start(world.hosts().get(0).name(), Exit.ERROR);
                case 7 -> vm.plugNic();
                case 8 -> vm.unplugNic();
                case 9 -> vm.plugDisk();
                case 10 -> vm.unplugDisk();
                case 11 -> vm.migrate(MigrationOrder.to("any"));
                case 12 -> vm.agentDown();
                case 13 -> vm.agentUp();
                case 14 -> vm.liveMerge(Duration.ofSeconds(random.nextInt(1, 90)));
                case 15 -> vm.fireWatchdog("reset");
                case 16 -> vm.connectConsole("192.0.2." + random.nextInt(256));
                case 17 -> vm.logIn("user" + random.nextInt(100));
                case 18 -> vm.changeTpm();
                default -> {
                    if (random.nextInt(10) == 0) {
                        world.hosts().get(0).restartVdsm(Duration.ofSeconds(1));
                        world.advance(Duration.ofSeconds(2));
                    } else {
                        vm.respond(random.nextBoolean());
                    }
                }
            }
        } catch (WorldException | IllegalArgumentException impossibleNow) {
            // Something else is tried next.
        }
    }

    private Map<UUID, Cells> polled(World world, WatchedHost host) {
        AtomicReference<byte[]> answer = new AtomicReference<>();
        world.endpoints()
                .get(0)
                .call(
                        new RpcCall(
                                "Host.getAllVmStats", JsonNodeFactory.instance.objectNode(), null),
                        new RpcReply() {
                            @Override
                            public void result(JsonBody body) {
                                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                                try {
                                    body.writeTo(bytes);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                                answer.set(bytes.toByteArray());
                            }

                            @Override
                            public void error(int code, String message) {
                                throw new AssertionError(message);
                            }
                        });
        Map<UUID, Cells> cells = new HashMap<>();
        int _ =
                reports.decode(
                        answer.get(),
                        host.displayAddress(),
                        new VmReportSink() {
                            @Override
                            public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
                                return null;
                            }

                            @Override
                            public void accept(VmReport report, @Nullable VmSample sample) {
                                cells.put(
                                        report.vmId().toUuid(),
                                        VmCells.of(report, sample, Cells.NONE));
                            }

                            @Override
                            public void malformed(@Nullable VmId vmId, String why) {
                                throw new AssertionError(why);
                            }
                        });
        return cells;
    }

    private static void assertSame(Map<UUID, Cells> told, Map<UUID, Cells> polled) {
        assertThat(told.keySet()).isEqualTo(polled.keySet());
        polled.forEach((vm, expected) -> {
            Cells cells = told.get(vm);
            assertThat(keys(cells)).as("keys of " + vm).isEqualTo(keys(expected));
            for (int i = 0; i < expected.size(); i++) {
                String what = vm + ", key " + expected.key(i);
                if (expected.value(i) instanceof Value.Decimal(double value)) {
                    // The text of a rate is cut after 17 digits.
                    assertThat(cells.decimal(expected.key(i), Double.NaN))
                            .as(what)
                            .isCloseTo(value, within(Math.abs(value) * 1e-14));
                } else {
                    assertThat(cells.value(i)).as(what).isEqualTo(expected.value(i));
                }
            }
        });
    }

    private static List<Integer> keys(Cells cells) {
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < cells.size(); i++) {
            keys.add(cells.key(i));
        }
        return keys;
    }
}
