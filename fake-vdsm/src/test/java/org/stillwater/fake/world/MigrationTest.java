package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.world.Lab.Told;
import tools.jackson.databind.JsonNode;

/** A VM moves between two hosts. */
class MigrationTest {

    private final Lab lab = Lab.of(2, 2);
    private final SimulatedVm vm = lab.settledVm(0);

    @Test
    @DisplayName("8b.56/8b.47 a migration between two hosts, from both sides")
    void aMigrationSucceeds() {
        JsonNode before = lab.stats(0, vm);
        vm.migrate(order("success"));
        Told started = lab.heard().getFirst();
        assertThat(started.host().value()).isEqualTo("host-0001");
        assertThat(started.content().toString()).isEqualTo("{\"status\":\"Migration Source\"}");
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Migration Source");
        JsonNode incoming = lab.stats(1, vm);
        assertThat(incoming.get("status").asString()).isEqualTo("Migration Destination");
        assertThat(incoming.has("hash")).isFalse();
        assertThat(incoming.has("network")).isFalse();

        lab.pass(15);
        assertThat(lab.stats(0, vm).get("migrationProgress").asInt()).isEqualTo(42);
        JsonNode status = lab.result(0, "VM.getMigrationStatus", id());
        assertThat(status.get("progress").asInt()).isEqualTo(42);
        assertThat(Shape.of(status))
                .isEqualTo(Shape.of(Lab.sample("vm_getMigrationStatus").get("result")));
        JsonNode hosts = lab.result(0, "Host.getStats");
        assertThat(hosts.get("vmMigrating").asInt()).isEqualTo(1);
        assertThat(hosts.get("outgoingVmMigrations").asInt()).isEqualTo(1);
        assertThat(lab.result(1, "Host.getStats").get("incomingVmMigrations").asInt()).isEqualTo(1);

        lab.heard();
        lab.pass(25);
        List<Told> end = lab.heard();
        assertThat(end)
                .extracting(told -> told.host() + " " + told.method().split("\\|")[2])
                .startsWith(
                        "host-0001 VM_migration_status",
                        "host-0001 VM_migration_status",
                        "host-0001 VM_migration_status",
                        "host-0002 VM_status",
                        "host-0001 VM_status");
        JsonNode arrived = end.get(3).content();
        assertThat(arrived.get("status").asString()).isEqualTo("Up");
        assertThat(arrived.has("pauseCode")).as("absent after a migration").isFalse();
        assertThat(arrived.has("displayInfo")).isTrue();
        assertThat(arrived.get("hash")).isNotEqualTo(before.get("hash"));
        JsonNode left = end.get(4).content();
        assertThat(left.get("exitReason").asInt()).isEqualTo(4);
        assertThat(left.get("exitCode").asInt()).isZero();

        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Down");
        lab.pass(60);
        JsonNode there = lab.stats(1, vm);
        assertThat(there.get("status").asString()).isEqualTo("Up");
        assertThat(there.get("hash")).isEqualTo(arrived.get("hash"));
        assertThat(CountersTest.number(there, "elapsedTime"))
                .as("the guest did not notice")
                .isGreaterThan(CountersTest.number(before, "elapsedTime"));
        assertThat(vm.host()).isEqualTo("host-0002");
        assertThat(there.get("netIfaces")).isEqualTo(before.get("netIfaces"));
    }

    @Test
    @DisplayName("8b.36 counters start anew on the destination")
    void countersStartAnewOnTheDestination() {
        JsonNode before = lab.stats(0, vm);
        vm.migrate(order("success"));
        lab.pass(36 + 31);
        JsonNode after = lab.stats(1, vm);
        String tap = Shape.keys(before.get("network")).getFirst();
        String newTap = Shape.keys(after.get("network")).getFirst();
        assertThat(CountersTest.number(after.get("network").get(newTap), "rx"))
                .isLessThan(CountersTest.number(before.get("network").get(tap), "rx"));
        assertThat(after.get("network").get(newTap).get("macAddr"))
                .isEqualTo(before.get("network").get(tap).get("macAddr"));
    }

    @Test
    @DisplayName("a paused VM stays paused, on either host")
    void aPausedVmMigrates() {
        vm.pause(PauseCause.USER);
        lab.heard();
        assertThat(lab.ask(0, "VM.migrate", migrateParams("host-0002")).text()).isEqualTo("true");
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Migration Source");
        lab.pass(12);
        assertThat(lab.ask(0, "VM.migrateCancel", id()).text()).isEqualTo("true");
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Paused");
        assertThat(lab.ask(1, "VM.destroy", id()).code()).as("the source did it").isEqualTo(1);
        vm.migrate(order("success"));
        lab.pass(60);
        assertThat(vm.host()).isEqualTo("host-0002");
        assertThat(lab.stats(1, vm).get("status").asString()).isEqualTo("Paused");
        vm.resume();
        lab.pass(10);
        assertThat(lab.stats(1, vm).get("status").asString()).isEqualTo("Up");
    }

    @Test
    @DisplayName("8b.48 progress each 10 s, at the end 100 and the downtime")
    void progressIsAnnounced() {
        vm.migrate(new MigrationOrder("host-0002", outcome("success"), Duration.ofSeconds(45)));
        lab.pass(60);
        List<JsonNode> progress =
                lab.heard().stream()
                        .filter(told -> told.method().contains("VM_migration_status"))
                        .map(Told::content)
                        .toList();
        assertThat(progress)
                .extracting(told -> told.get("progress").asInt())
                .containsExactly(22, 44, 66, 88, 100);
        assertThat(Shape.keys(progress.getFirst())).containsExactly("progress", "postcopy");
        assertThat(Shape.keys(progress.getLast()))
                .containsExactly("progress", "postcopy", "downtime");
        assertThat(progress.getLast().get("downtime").isInt()).isTrue();
    }

    @Test
    @DisplayName(
            "8b.47 a failed migration: Down with reason 8 on the destination, which the source then"
                    + " cleans up, and Up on the source")
    void aMigrationFails() {
        vm.migrate(order("failure"));
        lab.heard();
        lab.pass(60);
        List<Told> end =
                lab.heard().stream().filter(told -> told.method().contains("VM_status")).toList();
        assertThat(end.get(0).content().get("exitReason").asInt()).isEqualTo(8);
        assertThat(end.get(0).host().value()).isEqualTo("host-0002");
        assertThat(end.get(1).content().toString()).isEqualTo("{\"status\":\"Up\"}");
        assertThat(end.get(1).host().value()).isEqualTo("host-0001");
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Up");
        assertThat(lab.stats(0, vm).has("migrationProgress")).isFalse();
        assertThat(lab.ask(1, "VM.getStats", id()).code()).isEqualTo(1);
        assertThat(vm.host()).isEqualTo("host-0001");
        assertThat(migrationStatus()).isEqualTo("12 Fatal error during migration 85");
    }

    @Test
    @DisplayName("a cancelled migration leaves the VM where it was")
    void aMigrationIsCancelled() {
        vm.migrate(order("success"));
        lab.pass(12);
        lab.heard();
        assertThat(lab.ask(0, "VM.migrateCancel", id()).text()).isEqualTo("true");
        assertThat(lab.heard().getLast().content().toString()).isEqualTo("{\"status\":\"Up\"}");
        lab.pass(120);
        assertThat(lab.heard()).isEmpty();
        assertThat(migrationStatus()).isEqualTo("47 Migration canceled 28");
        Lab.Answer again = lab.ask(0, "VM.migrateCancel", id());
        assertThat(again.code()).isEqualTo(47);
        assertThat(again.message()).isEqualTo("Migration not in progress");
    }

    /** Code, message and progress. */
    private String migrationStatus() {
        JsonNode answer = lab.result(0, "VM.getMigrationStatus", id());
        JsonNode status = answer.get("status");
        return "%d %s %d"
                .formatted(
                        status.get("code").asInt(),
                        status.get("message").asString(),
                        answer.get("progress").asInt());
    }

    @Test
    @DisplayName("the status of a VM that never moved is no error, nor is it to stop it")
    void theStatusOfAVmThatNeverMoved() {
        assertThat(migrationStatus()).isEqualTo("0 Migration in progress 0");
        assertThat(lab.ask(0, "VM.migrateCancel", id()).text()).isEqualTo("true");
        assertThat(vm.status()).isEqualTo("Up");
        vm.crash();
        assertThat(lab.ask(0, "VM.migrateCancel", id()).code()).as("down").isEqualTo(47);
    }

    @Test
    @DisplayName("a VM that has moved keeps the statistics of its migration at the source")
    void theStatusOfAVmThatMoved() {
        vm.migrate(order("success"));
        lab.pass(60);
        JsonNode answer = lab.result(0, "VM.getMigrationStatus", id());
        assertThat(answer.get("status").get("code").asInt()).isZero();
        assertThat(answer.get("status").get("message").asString()).isEqualTo("Migration done");
        assertThat(answer.get("progress").asInt()).isEqualTo(100);
        assertThat(answer.get("downtime").asInt()).isPositive();
        assertThat(lab.ask(0, "VM.migrateCancel", id()).code()).isEqualTo(47);
        assertThat(lab.result(1, "VM.getMigrationStatus", id()).get("progress").asInt())
                .as("at its new host it never moved")
                .isZero();
    }

    @Test
    @DisplayName("post-copy cannot be stopped any more")
    void postCopyIsNotCancelled() {
        vm.migrate(order("postcopy"));
        lab.pass(20);
        assertThat(lab.ask(0, "VM.migrateCancel", id()).code()).isEqualTo(47);
        lab.pass(30);
        assertThat(vm.host()).isEqualTo("host-0002");
    }

    @Test
    @DisplayName("8b.47 post-copy: paused on the source, running on the destination")
    void postCopySucceeds() {
        vm.migrate(order("postcopy"));
        lab.heard();
        lab.pass(18);
        List<Told> switched =
                lab.heard().stream().filter(told -> told.method().contains("VM_status")).toList();
        assertThat(switched.get(0).content().toString())
                .isEqualTo("{\"status\":\"Paused\",\"pauseCode\":\"POSTCOPY\"}");
        assertThat(switched.get(1).host().value()).isEqualTo("host-0002");
        JsonNode source = lab.stats(0, vm);
        assertThat(Shape.keys(source))
                .containsExactly(
                        "statusTime",
                        "status",
                        "vmId",
                        "vmName",
                        "vmType",
                        "kvmEnable",
                        "acpiEnable",
                        "migrationProgress",
                        "pauseCode");
        assertThat(source.get("status").asString()).isEqualTo("Paused");
        assertThat(source.get("pauseCode").asString()).isEqualTo("POSTCOPY");
        assertThat(lab.stats(1, vm).get("status").asString()).isEqualTo("Up");
        lab.pass(30);
        assertThat(lab.ask(0, "VM.getStats", id()).code())
                .as("the source removes itself")
                .isEqualTo(1);
        assertThat(lab.heard())
                .filteredOn(told -> told.method().contains("VM_migration_status"))
                .last()
                .satisfies(told -> assertThat(told.content().get("postcopy").asBoolean()).isTrue());
    }

    @Test
    @DisplayName("post-copy that fails loses the VM on both sides, reason 12")
    void postCopyFails() {
        vm.migrate(order("postcopy-failure"));
        lab.pass(60);
        assertThat(lab.stats(0, vm).get("exitReason").asInt()).isEqualTo(12);
        assertThat(lab.stats(1, vm).get("exitReason").asInt()).isEqualTo(12);
    }

    @Test
    @DisplayName("a crash of the source ends the migration on both sides")
    void theSourceCrashes() {
        vm.migrate(order("success"));
        lab.pass(5);
        vm.crash();
        assertThat(lab.stats(0, vm).get("exitReason").asInt()).isEqualTo(2);
        assertThat(lab.heard())
                .filteredOn(told -> told.host().value().equals("host-0002"))
                .last()
                .satisfies(
                        told -> assertThat(told.content().get("exitReason").asInt()).isEqualTo(8));
        assertThat(lab.ask(1, "VM.getStats", id()).code()).as("cleaned up").isEqualTo(1);
        lab.pass(120);
        assertThat(lab.heard()).isEmpty();
    }

    @Test
    @DisplayName("the destination reboots: the VM stays on the source")
    void theDestinationIsLost() {
        vm.migrate(order("success"));
        lab.heard();
        lab.host(1).powerOff(false);
        assertThat(lab.heard().getFirst().content().toString()).isEqualTo("{\"status\":\"Up\"}");
        lab.pass(120);
        assertThat(vm.host()).isEqualTo("host-0001");
    }

    @Test
    @DisplayName("VM.destroy on the source just after arrival does not touch the destination")
    void theSourceIsDestroyedInTheLastMoment() {
        vm.migrate(new MigrationOrder("host-0002", outcome("success"), Duration.ofSeconds(10)));
        lab.pass(10);
        assertThat(lab.ask(0, "VM.destroy", id()).text()).isEqualTo("true");
        lab.pass(120);
        assertThat(vm.status()).isEqualTo("Up");
        assertThat(vm.host()).isEqualTo("host-0002");
    }

    @Test
    @DisplayName(
            "a VM that has just arrived may leave again: the end of its first migration is not that"
                    + " of its second")
    void twoMigrationsInARow() {
        Lab three = Lab.of(3, 2);
        SimulatedVm traveller = three.settledVm(0);
        traveller.migrate(
                new MigrationOrder("host-0002", outcome("success"), Duration.ofSeconds(10)));
        three.pass(10);
        assertThat(traveller.host()).isEqualTo("host-0002");
        traveller.migrate(
                new MigrationOrder("host-0003", outcome("success"), Duration.ofSeconds(10)));
        three.pass(60);
        assertThat(traveller.host()).isEqualTo("host-0003");
        assertThat(traveller.status()).isEqualTo("Up");
        assertThat(three.stats(1, traveller).get("status").asString()).isEqualTo("Down");
    }

    @Test
    @DisplayName("a VM that is still arriving by post-copy cannot leave, as with a real hypervisor")
    void noMigrationDuringPostCopy() {
        Lab three = Lab.of(3, 2);
        SimulatedVm traveller = three.settledVm(0);
        traveller.migrate(
                new MigrationOrder("host-0002", outcome("postcopy"), Duration.ofSeconds(40)));
        three.pass(25);
        assertThat(traveller.host()).isEqualTo("host-0002");
        assertThatExceptionOfType(WorldException.class)
                .isThrownBy(() -> traveller.migrate(MigrationOrder.to("host-0003")))
                .withMessageContaining("still arriving");
    }

    @Test
    @DisplayName("VM.migrate over the wire finds its target by name and by address")
    void theVerbFindsItsTarget() {
        for (String dst : List.of("host-0002", "host-0002:54321", "10.20.0.12:54321")) {
            assertThat(lab.ask(0, "VM.migrate", migrateParams(dst)).text()).isEqualTo("true");
            assertThat(lab.stats(1, vm).get("status").asString())
                    .isEqualTo("Migration Destination");
            Lab.Answer again = lab.ask(0, "VM.migrate", migrateParams(dst));
            assertThat(again.code()).isEqualTo(51);
            assertThat(again.message())
                    .isEqualTo(
                            "Command not supported during migration: {'vmId': '%s'}"
                                    .formatted(vm.id()));
            assertThat(lab.ask(0, "VM.migrateCancel", id()).code()).isZero();
        }
    }

    @Test
    @DisplayName("a VM cannot move to where it is, nor to where its old record still is")
    void impossibleMigrations() {
        assertThatExceptionOfType(WorldException.class)
                .isThrownBy(() -> vm.migrate(MigrationOrder.to("host-0001")));
        vm.migrate(order("success"));
        lab.pass(60);
        assertThatExceptionOfType(WorldException.class)
                .isThrownBy(() -> vm.migrate(MigrationOrder.to("host-0001")))
                .withMessageContaining("still knows");
    }

    @Test
    @DisplayName("devices do not change during a migration, as on a real host")
    void devicesDoNotChangeOnTheWay() {
        vm.migrate(order("success"));
        assertThatExceptionOfType(WorldException.class).isThrownBy(vm::plugNic);
        lab.pass(60);
        vm.plugNic();
        lab.pass(30);
        assertThat(lab.stats(1, vm).get("network")).hasSize(2);
    }

    @Test
    @DisplayName("any draws another host that is up, the same one every time")
    void anyHost() {
        vm.migrate(MigrationOrder.to("any"));
        lab.pass(120);
        assertThat(vm.host()).isEqualTo("host-0002");
        assertThatExceptionOfType(WorldException.class)
                .as("host-0001 still has the Down record")
                .isThrownBy(() -> vm.migrate(MigrationOrder.to("any")));
    }

    private String migrateParams(String dst) {
        return "{\"vmID\": \"%s\", \"params\": {\"vmId\": \"%s\", \"dst\": \"%s\"}}"
                .formatted(vm.id(), vm.id(), dst);
    }

    private String id() {
        return "{\"vmID\": \"%s\"}".formatted(vm.id());
    }

    private static MigrationOrder order(String outcome) {
        return new MigrationOrder("host-0002", outcome(outcome), Duration.ofSeconds(35));
    }

    private static MigrationOrder.Outcome outcome(String code) {
        return MigrationOrder.Outcome.ofCode(code);
    }
}
