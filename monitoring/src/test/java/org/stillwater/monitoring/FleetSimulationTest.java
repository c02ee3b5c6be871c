package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.hostId;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.StoredVm;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;

/**
 * Some hosts live through a random history while their reports are lost, late, doubled and
 * reordered, connections break and the database goes away; one thread, virtual time.
 */
class FleetSimulationTest {

    private static final int HOSTS = 4;
    private static final int VMS = 24;
    private static final int STEPS = 600;
    private static final List<VmStatus> MOODS =
            List.of(
                    VmStatus.UP,
                    VmStatus.POWERING_UP,
                    VmStatus.REBOOT_IN_PROGRESS,
                    VmStatus.POWERING_DOWN,
                    VmStatus.PAUSED);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 25);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theEngineEndsUpWithTheTruthAndThenWritesNothing(long seed) throws Exception {
        World world = new World(seed);
        for (int step = 0; step < STEPS; step++) {
            world.step();
            world.checkInvariants();
        }
        world.heal();
        world.checkAgreement();
        world.checkStillness();
    }

    /** What a host has of a VM: a process, or the record of one that ended. */
    private record Seen(VmStatus status, ExitReason exit, String os) {
        boolean ended() {
            return exit != null;
        }
    }

    private static final class World {
        private final Lab lab = new Lab();
        private final Random random;
        private final String seed;
        private final Map<HostId, Map<VmId, Seen>> processes = new TreeMap<>();
        private final Map<HostId, List<ScriptedReports>> inFlight = new HashMap<>();
        private final Map<HostId, ScriptedReports> latePolls = new HashMap<>();
        private final Map<HostId, Integer> destroysSeen = new HashMap<>();
        private final Map<HostId, Boolean> up = new HashMap<>();
        private final Map<VmId, HostId> migrations = new HashMap<>();

        World(long seed) throws Exception {
            this.random = new Random(seed);
            this.seed = "seed " + seed;
            for (int i = 1; i <= HOSTS; i++) {
                processes.put(hostId(i), new TreeMap<>());
                inFlight.put(hostId(i), new ArrayList<>());
                up.put(hostId(i), true);
                lab.storedHosts(hostId(i));
            }
            for (int i = 1; i <= VMS / 2; i++) {
                HostId host = hostId(1 + random.nextInt(HOSTS));
                processes.get(host).put(vmId(i), new Seen(VmStatus.UP, null, "Linux"));
            }
            lab.started();
        }

        void step() {
            lab.clock.advance(Duration.ofMillis(random.nextInt(2_000)));
            lab.pump();
            HostId host = hostId(1 + random.nextInt(HOSTS));
            VmId vm = vmId(1 + random.nextInt(VMS));
            switch (random.nextInt(14)) {
                case 0, 1 -> changeMood(vm);
                case 2 -> start(vm, host);
                case 3 -> stop(vm);
                case 4 -> vanish(vm);
                case 5 -> beginMigration(vm, host);
                case 6 -> endMigration(vm);
                case 7, 8, 9 -> deliverEvent(host);
                case 10, 11 -> answerCalls(host);
                case 12 -> toggleConnection(host);
                case 13 -> lab.vms.unavailable(random.nextInt(3) == 0 ? "away" : null);
                default -> throw new AssertionError();
            }
            lab.pump();
            takeDestroys();
        }

        private long stamp() {
            return lab.clock.nanoTime() / 1_000_000 + 100_000;
        }

        private HostId whereRuns(VmId vm) {
            for (Map.Entry<HostId, Map<VmId, Seen>> entry : processes.entrySet()) {
                Seen process = entry.getValue().get(vm);
                if (process != null
                        && !process.ended()
                        && process.status() != VmStatus.MIGRATING_TO) {
                    return entry.getKey();
                }
            }
            return null;
        }

        private long records(VmId vm) {
            return processes.values().stream().filter(host -> host.containsKey(vm)).count();
        }

        private void put(HostId host, VmId vm, Seen process) {
            processes.get(host).put(vm, process);
            if (up.get(host)) {
                ScriptedReports event = ScriptedReports.event(lab.clock.nanoTime());
                report(event, vm, process);
                inFlight.get(host).add(event);
            }
        }

        private void report(ScriptedReports reports, VmId vm, Seen process) {
            if (process.ended()) {
                reports.exited(vm, stamp(), ExitStatus.NORMAL, process.exit(), "");
            } else {
                reports.running(
                        vm,
                        stamp(),
                        draft ->
                                draft.set(RuntimeField.STATUS, process.status())
                                        .set(RuntimeField.GUEST_OS, process.os()));
            }
        }

        private void changeMood(VmId vm) {
            HostId host = whereRuns(vm);
            if (host != null && records(vm) == 1) {
                VmStatus mood = MOODS.get(random.nextInt(MOODS.size()));
                put(host, vm, new Seen(mood, null, "os" + random.nextInt(3)));
            }
        }

        private void start(VmId vm, HostId host) {
            if (records(vm) == 0) {
                put(host, vm, new Seen(VmStatus.POWERING_UP, null, "Linux"));
            }
        }

        private void stop(VmId vm) {
            HostId host = whereRuns(vm);
            if (host != null && records(vm) == 1) {
                put(host, vm, new Seen(VmStatus.DOWN, ExitReason.USER_SHUTDOWN, ""));
            }
        }

        private void vanish(VmId vm) {
            HostId host = whereRuns(vm);
            if (host != null && records(vm) == 1) {
                processes.get(host).remove(vm);
            }
        }

        private void beginMigration(VmId vm, HostId target) {
            HostId host = whereRuns(vm);
            if (host != null && !host.equals(target) && records(vm) == 1) {
                migrations.put(vm, target);
                put(host, vm, new Seen(VmStatus.MIGRATING_FROM, null, "Linux"));
                put(target, vm, new Seen(VmStatus.MIGRATING_TO, null, "Linux"));
            }
        }

        private void endMigration(VmId vm) {
            HostId target = migrations.remove(vm);
            if (target == null) {
                return;
            }
            HostId host = whereRuns(vm);
            put(target, vm, new Seen(VmStatus.UP, null, "Linux"));
            put(host, vm, new Seen(VmStatus.DOWN, ExitReason.MIGRATION_SUCCEEDED, ""));
        }

        private void deliverEvent(HostId host) {
            List<ScriptedReports> events = inFlight.get(host);
            if (events.isEmpty()) {
                return;
            }
            ScriptedReports event = events.remove(random.nextInt(events.size()));
            int fate = random.nextInt(10);
            if (fate > 0) {
                lab.host(host).listener().vmsChanged(event);
            }
            if (fate > 8) {
                lab.host(host).listener().vmsChanged(event);
            }
        }

        private void answerCalls(HostId host) {
            ScriptedHost scripted = lab.host(host);
            if (!up.get(host)) {
                return;
            }
            scripted.answerCapabilities("boot");
            scripted.answerStatistics();
            scripted.answerDestroys();
            while (lab.answerDomainsIfAsked(host)) {
                // every chunk
            }
            if (scripted.pollsWaiting() == 0) {
                return;
            }
            ScriptedReports late = latePolls.remove(host);
            if (late != null) {
                scripted.answerPoll(late);
                return;
            }
            ScriptedReports answer = ScriptedReports.poll(scripted.oldestPollNanos());
            processes.get(host).forEach((vm, process) -> report(answer, vm, process));
            switch (random.nextInt(6)) {
                case 0 -> latePolls.put(host, answer);
                case 1 -> scripted.failPoll(new HostFailure.TimedOut("poll", 1));
                case 2 -> scripted.answerPoll(answer.thenNonsense("cut off"));
                default -> scripted.answerPoll(answer);
            }
        }

        private void toggleConnection(HostId host) {
            if (up.get(host)) {
                disconnect(host);
            } else {
                reconnect(host);
            }
        }

        private void disconnect(HostId host) {
            up.put(host, false);
            inFlight.get(host).clear();
            latePolls.remove(host);
            lab.host(host).disconnect(new HostFailure.Unreachable("reset"));
        }

        private void reconnect(HostId host) {
            up.put(host, true);
            lab.connect(host);
        }

        private void takeDestroys() {
            for (HostId host : processes.keySet()) {
                List<VmId> destroyed = lab.host(host).destroyed();
                for (int i = destroysSeen.getOrDefault(host, 0); i < destroyed.size(); i++) {
                    Seen process = processes.get(host).get(destroyed.get(i));
                    if (process != null) {
                        assertThat(process.ended())
                                .as("%s: only what ended is destroyed", seed)
                                .isTrue();
                    }
                    processes.get(host).remove(destroyed.get(i));
                }
                destroysSeen.put(host, destroyed.size());
            }
        }

        void checkInvariants() {
            long placed =
                    lab.engine.vms().filter(vm -> vm.state().placement().runOn() != null).count();
            long indexed = lab.engine.hosts().stream().mapToLong(host -> host.vms()).sum();
            assertThat(indexed).as("%s: no VM has two owners", seed).isEqualTo(placed);
            assertThat(lab.engine.vms())
                    .as("%s: a VM without a host does not run", seed)
                    .filteredOn(vm -> vm.state().placement().runOn() == null)
                    .allMatch(vm -> vm.state().runtime().status().isNotRunning());
        }

        /** Everything works again, and every host answers a few times. */
        void heal() {
            lab.vms.unavailable(null);
            List.copyOf(migrations.keySet()).forEach(this::endMigration);
            for (HostId host : processes.keySet()) {
                if (up.get(host)) {
                    disconnect(host);
                    lab.pump();
                }
                lab.clock.advance(Duration.ofSeconds(1));
                reconnect(host);
            }
            for (int i = 0; i < 8; i++) {
                answerEverything();
                takeDestroys();
            }
        }

        private void answerEverything() {
            lab.clock.advance(Duration.ofSeconds(16));
            lab.settle();
            for (HostId host : processes.keySet()) {
                ScriptedHost scripted = lab.host(host);
                scripted.answerCapabilities("boot");
                scripted.answerStatistics();
                lab.pump();
                while (scripted.pollsWaiting() > 0) {
                    ScriptedReports answer = ScriptedReports.poll(scripted.oldestPollNanos());
                    processes.get(host).forEach((vm, process) -> report(answer, vm, process));
                    scripted.answerPoll(answer);
                    lab.settle();
                }
                while (lab.answerDomainsIfAsked(host)) {
                    // every chunk
                }
                scripted.answerDestroys();
                lab.settle();
            }
        }

        void checkAgreement() {
            for (int i = 1; i <= VMS; i++) {
                VmId vm = vmId(i);
                HostId host = whereRuns(vm);
                VmView known = lab.engine.vm(vm);
                if (host == null) {
                    if (known != null) {
                        assertThat(known.state().placement().runOn())
                                .as("%s: %s runs nowhere", seed, known)
                                .isNull();
                        assertThat(known.state().runtime().status()).isEqualTo(VmStatus.DOWN);
                    }
                    continue;
                }
                Seen truth = processes.get(host).get(vm);
                assertThat(known).as("%s: vm %s on %s", seed, vm, host).isNotNull();
                assertThat(known.state().runtime().status())
                        .as("%s: status of %s", seed, known)
                        .isEqualTo(truth.status());
                assertThat(known.state().runtime().text(RuntimeField.GUEST_OS))
                        .isEqualTo(truth.os());
                assertThat(known.state().placement().runOn()).isEqualTo(host);
            }
            assertThat(lab.engine.vms())
                    .allSatisfy(vm -> {
                        StoredVm stored = lab.vms.vm(vm.id());
                        assertThat(stored.runtime())
                                .as("%s: %s in the database", seed, vm.id())
                                .isEqualTo(vm.state().runtime());
                        assertThat(stored.placement()).isEqualTo(vm.state().placement());
                    });
        }

        void checkStillness() {
            int calls = lab.sqlCalls();
            long revision = lab.engine.revision();
            for (int i = 0; i < 3; i++) {
                answerEverything();
            }
            assertThat(lab.sqlCalls() - calls)
                    .as("%s: a stable fleet writes nothing", seed)
                    .isZero();
            assertThat(lab.engine.revision()).as(seed).isEqualTo(revision);
        }
    }
}
