package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.world.Lab.Told;
import tools.jackson.databind.JsonNode;

/** Departures of VMs at an engine's order: at once, later, or refused. */
class DepartureTest {

    private final Lab lab = Lab.of(3, 0);

    private List<SimulatedVm> settled(int count) {
        List<SimulatedVm> vms = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            vms.add(lab.host(0).create(MachineSpec.ordinary()));
        }
        lab.pass(120);
        lab.heard();
        return vms;
    }

    private Lab.Answer migrate(SimulatedVm vm, String destination, String more) {
        return lab.ask(
                0,
                "VM.migrate",
                "{\"vmID\": \"%s\", \"params\": {\"dst\": \"%s\"%s}}"
                        .formatted(vm.id(), destination, more));
    }

    private static String id(SimulatedVm vm) {
        return "{\"vmID\": \"%s\"}".formatted(vm.id());
    }

    private String migrationStatus(SimulatedVm vm) {
        JsonNode answer = lab.result(0, "VM.getMigrationStatus", id(vm));
        return answer.get("status").get("code").asInt()
                + " "
                + answer.get("status").get("message").asString();
    }

    private long underWay(int host) {
        return lab.result(host, "Host.getStats").get("incomingVmMigrations").asInt();
    }

    @Test
    @DisplayName("five VMs are ordered away at once: they leave two by two, and none is refused")
    void theOutgoingLimitMakesThemWait() {
        List<SimulatedVm> vms = settled(5);
        for (SimulatedVm vm : vms) {
            assertThat(migrate(vm, "host-0002", ", \"outgoingLimit\": 2, \"incomingLimit\": 9"))
                    .extracting(Lab.Answer::text)
                    .isEqualTo("true");
        }
        assertThat(lab.heard())
                .hasSize(5)
                .allSatisfy(told ->
                        assertThat(told.content().toString())
                                .isEqualTo("{\"status\":\"Migration Source\"}"));
        assertThat(underWay(1)).isEqualTo(2);
        JsonNode waiting = lab.stats(0, vms.getLast());
        assertThat(waiting.get("status").asString()).isEqualTo("Migration Source");
        assertThat(waiting.get("migrationProgress").asInt()).isZero();
        assertThat(migrationStatus(vms.getLast())).isEqualTo("0 Migration in progress");
        lab.pass(40);
        assertThat(underWay(1)).isEqualTo(2);
        lab.pass(120);
        assertThat(vms).allMatch(vm -> "host-0002".equals(vm.host()));
        assertThat(vms).allMatch(vm -> "Up".equals(vm.status()));
    }

    @Test
    @DisplayName("without a limit in the order a host lets two VMs go at a time")
    void theUsualLimit() {
        List<SimulatedVm> vms = settled(3);
        vms.forEach(vm -> migrate(vm, "host-0002", ""));
        assertThat(underWay(1)).isEqualTo(2);
    }

    @Test
    @DisplayName("a destination that is full is asked again each 10 s, and its code is kept: 82")
    void theIncomingLimitIsMetLater() {
        List<SimulatedVm> vms = settled(2);
        String limits = ", \"outgoingLimit\": 5, \"incomingLimit\": 1";
        vms.forEach(vm -> assertThat(migrate(vm, "host-0002", limits).text()).isEqualTo("true"));
        assertThat(underWay(1)).isEqualTo(1);
        assertThat(migrationStatus(vms.getLast()))
                .isEqualTo("82 Incoming migration limit exceeded");
        assertThat(vms.getLast().status()).isEqualTo("Migration Source");
        lab.pass(90);
        assertThat(vms).allMatch(vm -> "host-0002".equals(vm.host()));
    }

    @Test
    @DisplayName("no host at the destination: accepted, and Up again a moment later with code 12")
    void aMissingDestination() {
        SimulatedVm vm = settled(1).getFirst();
        lab.host(2).powerOff(false);
        for (String destination : List.of("nowhere:1", "host-0003")) {
            assertThat(migrate(vm, destination, "").text()).isEqualTo("true");
            assertThat(vm.status()).isEqualTo("Migration Source");
            lab.pass(5);
            assertThat(vm.status()).isEqualTo("Up");
            assertThat(lab.heard())
                    .extracting(told -> told.content().toString())
                    .containsExactly("{\"status\":\"Migration Source\"}", "{\"status\":\"Up\"}");
            assertThat(migrationStatus(vm)).isEqualTo("12 Fatal error during migration");
            Lab.Answer cancelled = lab.ask(0, "VM.migrateCancel", id(vm));
            assertThat(cancelled.code()).as("what went wrong before").isEqualTo(12);
            assertThat(cancelled.message()).isEqualTo("Migration process cancelled");
        }
    }

    @Test
    @DisplayName("a destination that knows the VM refuses it, and the source cleans up there")
    void theDestinationKnowsTheVm() {
        SimulatedVm vm = settled(1).getFirst();
        migrate(vm, "host-0002", "");
        lab.pass(60);
        assertThat(vm.host()).isEqualTo("host-0002");
        Lab.Answer back =
                lab.ask(
                        1,
                        "VM.migrate",
                        "{\"vmID\": \"%s\", \"params\": {\"dst\": \"host-0001\"}}"
                                .formatted(vm.id()));
        assertThat(back.text()).isEqualTo("true");
        JsonNode status = lab.result(1, "VM.getMigrationStatus", id(vm)).get("status");
        assertThat(status.get("code").asInt()).isEqualTo(4);
        assertThat(vm.status()).isEqualTo("Up");
        assertThat(lab.ask(0, "VM.getStats", id(vm)).code()).as("its old record").isEqualTo(1);
    }

    @Test
    @DisplayName("what waits for its turn can be stopped; it goes when its turn comes")
    void aWaitingVmIsStopped() {
        List<SimulatedVm> vms = settled(2);
        String limit = ", \"outgoingLimit\": 1";
        vms.forEach(vm -> migrate(vm, "host-0002", limit));
        SimulatedVm waiting = vms.getLast();
        assertThat(lab.ask(0, "VM.migrateCancel", id(waiting)).text()).isEqualTo("true");
        assertThat(waiting.status()).as("until its turn").isEqualTo("Migration Source");
        lab.pass(60);
        assertThat(waiting.status()).isEqualTo("Up");
        assertThat(waiting.host()).isEqualTo("host-0001");
        assertThat(migrationStatus(waiting)).isEqualTo("47 Migration canceled");
    }

    @Test
    @DisplayName("a VM that starts, or is down, is none to VDSM when it is to leave")
    void aStoppedVmCannotLeave() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary());
        Lab.Answer starting = migrate(vm, "host-0002", "");
        assertThat(starting.code()).isEqualTo(1);
        assertThat(starting.message()).isEqualTo("Virtual machine does not exist");
        lab.pass(120);
        vm.crash();
        assertThat(migrate(vm, "host-0002", "").code()).isEqualTo(1);
        assertThat(
                        lab.ask(
                                        0,
                                        "VM.hibernate",
                                        "{\"vmID\": \"%s\", \"hibernationVolHandle\": \"a,b,c,d,e,f\"}"
                                                .formatted(vm.id()))
                                .code())
                .isEqualTo(1);
    }

    @Test
    @DisplayName("a VM that is destroyed while others wait gives its turn to the next one")
    void theNextOneTakesTheTurn() {
        List<SimulatedVm> vms = settled(2);
        vms.forEach(vm -> migrate(vm, "host-0002", ", \"outgoingLimit\": 1"));
        assertThat(lab.ask(0, "VM.destroy", id(vms.getFirst())).text()).isEqualTo("true");
        assertThat(underWay(1)).isEqualTo(1);
        lab.pass(60);
        assertThat(vms.getLast().host()).isEqualTo("host-0002");
    }

    @Test
    @DisplayName("a restart of VDSM forgets those that wait: they run on")
    void aRestartForgetsThoseThatWait() {
        List<SimulatedVm> vms = settled(2);
        vms.forEach(vm -> migrate(vm, "host-0002", ", \"outgoingLimit\": 1"));
        lab.host(0).restartVdsm(Duration.ofSeconds(10));
        lab.pass(60);
        assertThat(vms.getLast().status()).isEqualTo("Up");
        assertThat(vms.getLast().host()).isEqualTo("host-0001");
        assertThat(migrationStatus(vms.getLast())).isEqualTo("0 Migration in progress");
        assertThat(migrate(vms.getLast(), "host-0002", "").text()).isEqualTo("true");
        lab.pass(60);
        assertThat(vms.getLast().host()).isEqualTo("host-0002");
    }

    @Test
    @DisplayName("a VM that is refused memory at the destination comes back")
    void noMemoryAtTheDestination() {
        Lab small = new Lab(WorldSettings.of(7, 2, 0).withHostMemory(8_192));
        SimulatedVm vm = small.host(0).create(MachineSpec.ordinary());
        small.host(1).create(MachineSpec.ordinary());
        small.pass(120);
        small.heard();
        assertThat(
                        small.ask(
                                        0,
                                        "VM.migrate",
                                        "{\"vmID\": \"%s\", \"params\": {\"dst\": \"host-0002\"}}"
                                                .formatted(vm.id()))
                                .code())
                .isZero();
        small.pass(60);
        assertThat(vm.host()).isEqualTo("host-0001");
        assertThat(small.heard())
                .filteredOn(told -> told.host().value().equals("host-0001"))
                .filteredOn(told -> told.method().contains("VM_status"))
                .last()
                .extracting(Told::content)
                .hasToString("{\"status\":\"Up\"}");
    }
}
