package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.MigrationOrder.Outcome;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldException;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.databind.JsonNode;

/**
 * An hour of life of 5 hosts with 100 VMs each over TLS, on a fast clock: starts, stops, crashes,
 * migrations, pauses, reboots and events of guests. Afterwards the engine's memory, its REST
 * answers and PostgreSQL equal the simulator's own account, field by field.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class EndToEndIT {

    /** Another hour: {@code -Dtest.jvm.args=-Dstillwater.seed=7}. */
    private static final long SEED = Long.getLong("stillwater.seed", 20_261);

    private static final int HOSTS = 5;
    private static final int VMS_PER_HOST = 100;
    private static final int STEPS = 240;
    private static final Duration STEP = Duration.ofSeconds(15);
    private static final int ACTIONS_PER_STEP = 4;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Map<String, Integer> done = new TreeMap<>();

    @TempDir Path folder;

    @Test
    void everyFieldIsComparedWithTheTruth() {
        assertThat(Truth.missing()).isEmpty();
    }

    @Test
    void afterAnHourOfLifeMemoryAndRestAndDatabaseEqualTheTruth() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet =
                        SimulatedFleet.start(folder, WorldSettings.of(SEED, HOSTS, VMS_PER_HOST));
                RunningEngine engine =
                        RunningEngine.start(
                                database,
                                fleet.engineArguments(),
                                "--stillwater.cycle.interval=250ms",
                                "--stillwater.cycle.hand-over-patience=2s",
                                "--stillwater.cycle.repoll-pause=0s")) {
            engine.awaitHostsUp(HOSTS);
            RunningEngine.await(
                    () -> engine.monitoring().fleet().vmCount() == HOSTS * VMS_PER_HOST,
                    () -> engine.monitoring().fleet().vmCount() + " VMs");
            for (int step = 0; step < STEPS; step++) {
                for (int i = 0; i < ACTIONS_PER_STEP; i++) {
                    act(fleet);
                }
                fleet.world().advance(STEP);
                if (step % 20 == 19) {
                    engine.pollAll();
                }
            }
            settle(fleet);
            assertThat(done.keySet()).as("kinds of things that happened").hasSizeGreaterThan(12);

            List<String> wrong = new ArrayList<>();
            RunningEngine.await(
                    () -> {
                        engine.pollAll();
                        engine.awaitWritten();
                        wrong.clear();
                        wrong.addAll(restAgainstTruth(engine, fleet));
                        wrong.addAll(hostsAndNumbersAgainstTruth(engine, fleet));
                        return wrong.isEmpty();
                    },
                    () -> wrong.size() + " differences:\n" + String.join("\n", first(wrong)));
            assertThat(databaseAgainstMemory(engine, database)).isEmpty();
            assertThat(engine.monitoring().fleet().hosts())
                    .allSatisfy(host -> assertThat(host.state().status()).isEqualTo(HostStatus.UP));
        }
    }

    /** One random event; an event that is impossible for its VM now is left out. */
    private void act(SimulatedFleet fleet) {
        List<SimulatedVm> vms = fleet.world().vms();
        List<SimulatedHost> hosts = fleet.world().hosts();
        SimulatedVm vm = vms.get(random.nextInt(vms.size()));
        String target = hosts.get(random.nextInt(hosts.size())).name();
        try {
            String what;
            if (vm.host() == null) {
                vm.start(target, null);
                what = "start";
            } else {
                what = happen(vm, target, random.nextInt(17));
            }
            done.merge(what, 1, Integer::sum);
        } catch (WorldException | IllegalArgumentException | IllegalStateException _) {
            // cannot happen to this VM now; another step brings something else
        }
    }

    private String happen(SimulatedVm vm, String target, int kind) {
        switch (kind) {
            case 0 -> vm.shutDownByUser();
            case 1 -> vm.shutDownByAdmin(true);
            case 2 -> vm.crash();
            case 3 -> vm.destroy();
            case 4 -> vm.reboot();
            case 5 -> vm.pause(anyOf(PauseCause.values()));
            case 6, 7 -> vm.resume();
            case 8, 9, 10 -> vm.migrate(MigrationOrder.to(target));
            case 11 -> vm.migrate(new MigrationOrder(target, Outcome.FAILURE, null));
            case 12 -> vm.migrate(new MigrationOrder(target, Outcome.POSTCOPY, null));
            case 13 -> vm.connectConsole("192.0.2." + random.nextInt(1, 250));
            case 14 -> vm.logIn("user" + random.nextInt(100));
            case 15 -> vm.changeAddress(0, "10.9.8." + random.nextInt(1, 250));
            default -> vm.fireWatchdog("reset");
        }
        return "kind " + kind;
    }

    private PauseCause anyOf(PauseCause... causes) {
        return causes[random.nextInt(causes.length)];
    }

    /** Waits for open operations: migrations, shut-downs, starts, agents. */
    private static void settle(SimulatedFleet fleet) {
        for (int i = 0; i < 20; i++) {
            fleet.world().advance(STEP);
        }
    }

    private static List<String> first(List<String> lines) {
        return lines.subList(0, Math.min(25, lines.size()));
    }

    private static List<String> restAgainstTruth(RunningEngine engine, SimulatedFleet fleet) {
        Map<String, JsonNode> truth =
                Truth.running(RunningEngine.JSON.readTree(fleet.world().state()));
        Map<String, String> hostNames = new HashMap<>();
        for (JsonNode host : engine.json("/api/v1/hosts").path("items")) {
            hostNames.put(host.path("id").asString(), host.path("name").asString());
        }
        List<String> wrong = new ArrayList<>();
        Map<String, JsonNode> answers = allVms(engine);
        truth.keySet().stream()
                .filter(id -> !answers.containsKey(id))
                .forEach(id -> wrong.add(id + ": the engine does not know it"));
        answers.forEach((id, answer) -> {
            JsonNode vm = truth.get(id);
            if (vm != null) {
                Truth.differences(vm, answer, hostNames)
                        .forEach((name, what) -> wrong.add(id + " " + name + ": " + what));
            } else if (!List.of("down", "suspended").contains(answer.path("status").asString())
                    || !answer.path("hostId").isNull()) {
                wrong.add(
                        id
                                + ": runs nowhere but engine says "
                                + answer.path("status").asString()
                                + " on "
                                + answer.path("hostId")
                                + records(fleet.world().state(), id));
            }
        });
        return wrong;
    }

    /** Remains of a VM on hosts, for the failure's message. */
    private static String records(String state, String id) {
        StringBuilder all = new StringBuilder();
        RunningEngine.JSON
                .readTree(state)
                .path("hosts")
                .forEach(host ->
                        host.path("vms")
                                .forEach(vm -> {
                                    if (vm.path("id").asString().equals(id)) {
                                        all.append("; ")
                                                .append(host.path("name").asString())
                                                .append(": ")
                                                .append(vm);
                                    }
                                }));
        return all.toString();
    }

    private static List<String> hostsAndNumbersAgainstTruth(
            RunningEngine engine, SimulatedFleet fleet) {
        JsonNode state = RunningEngine.JSON.readTree(fleet.world().state());
        List<String> wrong = new ArrayList<>();
        Map<String, String> ids = new HashMap<>();
        for (JsonNode host : engine.json("/api/v1/hosts").path("items")) {
            ids.put(host.path("name").asString(), host.path("id").asString());
        }
        for (JsonNode host : state.path("hosts")) {
            String name = host.path("name").asString();
            Truth.hostDifferences(host, engine.json("/api/v1/hosts/" + ids.get(name)))
                    .forEach((member, what) -> wrong.add(name + " " + member + ": " + what));
        }
        Truth.running(state)
                .forEach((id, vm) -> {
                    JsonNode answer = engine.json("/api/v1/vms/" + id + "/statistics");
                    Truth.statisticsDifferences(vm, answer)
                            .forEach((member, what) -> wrong.add(id + " " + member + ": " + what));
                });
        return wrong;
    }

    private static Map<String, JsonNode> allVms(RunningEngine engine) {
        Map<String, JsonNode> all = new TreeMap<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page = engine.json("/api/v1/vms?sort=id&limit=170&cursor=" + cursor);
            page.path("items").forEach(vm -> all.put(vm.path("id").asString(), vm));
            cursor = page.path("next").isNull() ? null : page.path("next").asString();
        }
        return all;
    }

    private static List<String> databaseAgainstMemory(RunningEngine engine, TestDatabase database)
            throws Exception {
        Map<VmId, StoredVm> stored = new HashMap<>();
        try (Database other = database.open()) {
            other.vms().loadAll(vm -> stored.put(vm.id(), vm));
        }
        List<String> wrong = new ArrayList<>();
        for (VmView vm : engine.monitoring().fleet().vms().toList()) {
            StoredVm row = stored.remove(vm.id());
            if (row == null) {
                wrong.add(vm.id() + " is not in the database");
            } else {
                if (!row.runtime().equals(vm.state().runtime())) {
                    wrong.add(
                            vm.id()
                                    + " differs in "
                                    + row.runtime().differencesFrom(vm.state().runtime()));
                }
                if (!Objects.equals(row.placement().runOn(), vm.state().placement().runOn())
                        || !Objects.equals(
                                row.placement().migratingTo(),
                                vm.state().placement().migratingTo())) {
                    wrong.add(vm.id() + ": " + row.placement() + " but " + vm.state().placement());
                }
            }
        }
        stored.keySet().forEach(id -> wrong.add(id + " is in the database only"));
        return wrong;
    }
}
