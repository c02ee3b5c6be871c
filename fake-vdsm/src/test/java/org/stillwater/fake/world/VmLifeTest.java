package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.fake.world.Lab.Told;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The life of a VM on one host, as its events and polls report it. */
class VmLifeTest {

    private static final List<String> SAMPLED =
            List.of("network", "disks", "balloonInfo", "vcpuCount", "memoryStats");

    private final Lab lab = Lab.of(1, 2);

    @Test
    @DisplayName("8b.39/8b.47 from creation to Up: states and events")
    void aVmComesUp() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary());
        JsonNode waiting = lab.stats(0, vm);
        assertThat(waiting.get("status").asString()).isEqualTo("WaitForLaunch");
        assertThat(waiting.has("hash")).isFalse();
        assertThat(waiting.get("cpuUser").asString()).isEqualTo("0.00");
        assertThat(waiting.get("displayInfo")).isEmpty();
        assertThat(lab.heard()).as("creation is not announced").isEmpty();

        passUntilHeard();
        Told started = lab.heard().getFirst();
        assertThat(started.method()).isEqualTo("|virt|VM_status|" + vm.id());
        assertThat(Shape.keys(started.content()))
                .isEqualTo(Shape.keys(sampleContent("event_vm_status_powering_up")));
        assertThat(Shape.of(started.content()))
                .isEqualTo(Shape.of(sampleContent("event_vm_status_powering_up")));
        JsonNode poweringUp = lab.stats(0, vm);
        assertThat(poweringUp.get("status").asString()).isEqualTo("Powering up");
        assertThat(poweringUp.get("pauseCode").asString()).isEqualTo("NOERR");
        SAMPLED.forEach(field -> assertThat(poweringUp.has(field)).as(field).isFalse());

        passUntilHeard();
        Told up = lab.heard().getFirst();
        assertThat(Shape.keys(up.content()))
                .isEqualTo(Shape.keys(sampleContent("event_vm_status_up_guest_agent")));
        assertThat(up.content().get("status").asString()).isEqualTo("Up");

        lab.pass(40);
        JsonNode stats = lab.stats(0, vm);
        assertThat(stats.get("status").asString()).isEqualTo("Up");
        SAMPLED.forEach(field -> assertThat(stats.has(field)).as(field).isTrue());
        assertThat(stats.has("netIfaces")).isTrue();
        assertThat(lab.heard()).as("samples and guest data are not announced").isEmpty();
    }

    @Test
    void aVmWaitsForLaunchForAsLongAsItsHostHoldsLaunches() {
        lab.world.hosts().getFirst().holdLaunches(true);
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary());
        lab.pass(600);
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("WaitForLaunch");
        lab.world.hosts().getFirst().holdLaunches(false);
        passUntilHeard();
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Powering up");
    }

    @Test
    @DisplayName("8b.39 network, disks, balloonInfo and memoryStats wait for two samples")
    void statisticsWaitForTwoSamples() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary());
        passUntilHeard();
        FakeHost host = lab.world.fakeHost("host-0001");
        long started = lab.world.clock().millis();
        while (host.samplesBetween(started, lab.world.clock().millis()) < 2) {
            SAMPLED.forEach(field -> assertThat(lab.stats(0, vm).has(field)).as(field).isFalse());
            assertThat(lab.stats(0, vm).get("cpuActual").asBoolean()).isFalse();
            lab.pass(1);
        }
        SAMPLED.forEach(field -> assertThat(lab.stats(0, vm).has(field)).as(field).isTrue());
        assertThat(lab.stats(0, vm).get("cpuActual").asBoolean()).isTrue();
    }

    @Test
    @DisplayName("8b.44 without an agent a VM goes from Powering up to Up after 60 s, unannounced")
    void anAgentlessVmIsUpAfterAMinute() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary().withAgent(false));
        passUntilHeard();
        lab.heard();
        lab.pass(59);
        assertThat(vm.status()).isEqualTo("Powering up");
        lab.pass(1);
        assertThat(vm.status()).isEqualTo("Up");
        assertThat(lab.heard()).isEmpty();
        assertThat(lab.stats(0, vm).get("guestCPUCount").asInt()).isEqualTo(-1);
    }

    @Test
    @DisplayName("8b.47 a pause by a user and a resume are a status and nothing else")
    void pauseAndResumeAreAStatusOnly() {
        SimulatedVm vm = lab.settledVm(0);
        vm.pause(PauseCause.USER);
        assertThat(lab.heard().getFirst().content().toString())
                .isEqualTo("{\"status\":\"Paused\"}");
        assertThat(lab.stats(0, vm).get("pauseCode").asString()).isEqualTo("NOERR");
        vm.resume();
        assertThat(lab.heard().getFirst().content().toString()).isEqualTo("{\"status\":\"Up\"}");
        assertThat(lab.stats(0, vm).has("pauseCode")).as("absent after a resume").isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "EIO,EOTHER,EIO",
        "ENOSPC,ENOSPC,ENOSPC",
        "EPERM,EOTHER,EPERM",
        "EOTHER,EOTHER,EOTHER"
    })
    @DisplayName("8b.49 an I/O error: the event and the polls")
    void ioErrors(PauseCause cause, String inEvent, String inPolls) {
        SimulatedVm vm = lab.settledVm(0);
        vm.pause(cause);
        JsonNode event = lab.heard().getFirst().content();
        assertThat(Shape.of(event))
                .isEqualTo(Shape.of(sampleContent("event_vm_status_paused_eio")));
        assertThat(Shape.keys(event))
                .isEqualTo(Shape.keys(sampleContent("event_vm_status_paused_eio")));
        assertThat(event.get("pauseCode").asString()).isEqualTo(inEvent);
        JsonNode stats = lab.stats(0, vm);
        assertThat(stats.get("status").asString()).isEqualTo("Paused");
        assertThat(stats.get("pauseCode").asString()).isEqualTo(inPolls);
        assertThat(event.get("ioerror").get("path").asString())
                .contains(stats.get("disks").get("vda").get("imageID").asString());
    }

    @Test
    @DisplayName("8b.47 a reboot announces the guest part, and the guest's time starts anew")
    void aReboot() {
        SimulatedVm vm = lab.settledVm(0);
        JsonNode before = lab.stats(0, vm);
        vm.reboot();
        JsonNode event = lab.heard().getFirst().content();
        assertThat(Shape.keys(event))
                .isEqualTo(Shape.keys(sampleContent("event_vm_status_reboot")));
        assertThat(event.get("status").asString()).isEqualTo("RebootInProgress");
        assertThat(event.get("appsList")).isEqualTo(before.get("appsList"));
        JsonNode rebooting = lab.stats(0, vm);
        assertThat(rebooting.get("elapsedTime").asString()).isEqualTo("0");
        assertThat(rebooting.has("netIfaces")).isFalse();
        passUntilHeard();
        assertThat(lab.heard().getFirst().content().get("status").asString()).isEqualTo("Up");
        lab.pass(6);
        JsonNode after = lab.stats(0, vm);
        assertThat(after.get("netIfaces")).isEqualTo(before.get("netIfaces"));
        assertThat(after.get("hash")).isEqualTo(before.get("hash"));
    }

    @Test
    @DisplayName("a reboot of a VM without agent ends by itself after 60 s")
    void aRebootWithoutAgent() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary().withAgent(false));
        lab.pass(120);
        lab.heard();
        vm.reboot();
        assertThat(vm.status()).isEqualTo("RebootInProgress");
        lab.pass(60);
        assertThat(vm.status()).isEqualTo("Up");
        assertThat(lab.heard()).hasSize(1);
    }

    @Test
    @DisplayName("8b.47 a shutdown by the engine powers down unannounced, then is down")
    void aShutdownByTheEngine() {
        SimulatedVm vm = lab.settledVm(0);
        vm.shutDownByAdmin(true);
        assertThat(lab.heard()).as("Powering down is not announced").isEmpty();
        assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Powering down");
        lab.pass(10);
        assertDown(vm, Exit.ADMIN_SHUTDOWN, lab.heard().getFirst());
    }

    @Test
    @DisplayName("a guest that ignores the shutdown is Up again after 5 minutes")
    void anIgnoredShutdown() {
        SimulatedVm vm = lab.settledVm(0);
        vm.shutDownByAdmin(false);
        lab.pass(299);
        assertThat(vm.status()).isEqualTo("Powering down");
        lab.pass(1);
        assertThat(vm.status()).isEqualTo("Up");
        assertThat(lab.heard()).isEmpty();
    }

    @Test
    @DisplayName("8b.47 a shutdown from within the guest")
    void aShutdownFromWithin() {
        SimulatedVm vm = lab.settledVm(0);
        vm.shutDownByUser();
        lab.pass(10);
        assertDown(vm, Exit.USER_SHUTDOWN, lab.heard().getFirst());
    }

    @ParameterizedTest
    @EnumSource(Exit.class)
    @DisplayName("8b.40/8b.47 every way to go down has its code, reason and message")
    void everyExit(Exit exit) {
        SimulatedVm vm = lab.settledVm(0);
        vm.crash(exit, null);
        assertDown(vm, exit, lab.heard().getFirst());
    }

    @Test
    @DisplayName("a start can fail, with the emulator's own words")
    void aFailedStart() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary(), Exit.START_FAILED);
        passUntilHeard();
        assertDown(vm, Exit.START_FAILED, lab.heard().getFirst());
        lab.pass(300);
        assertThat(lab.heard()).as("nothing is left of it").isEmpty();
    }

    @Test
    @DisplayName("8b.40 the Down record stays until VM.destroy")
    void downStaysUntilDestroyed() {
        SimulatedVm vm = lab.settledVm(0);
        vm.crash();
        for (int i = 0; i < 10; i++) {
            lab.pass(600);
            assertThat(lab.stats(0, vm).get("status").asString()).isEqualTo("Down");
        }
        assertThat(destroy(vm).text()).isEqualTo("true");
        assertThat(lab.ask(0, "VM.getStats", id(vm)).code()).isEqualTo(1);
    }

    @Test
    @DisplayName("8b.50 VM.destroy of a Down VM is true, a second one code 1")
    void destroyTwice() {
        SimulatedVm vm = lab.settledVm(0);
        vm.crash();
        lab.heard();
        assertThat(destroy(vm).text()).isEqualTo("true");
        assertThat(destroy(vm).code()).isEqualTo(1);
        assertThat(lab.heard()).as("it was down already").isEmpty();
    }

    @Test
    @DisplayName("VM.destroy of a VM that runs is announced: it goes down before it is gone")
    void destroyOfARunningVm() {
        SimulatedVm vm = lab.settledVm(0);
        assertThat(destroy(vm).text()).isEqualTo("true");
        JsonNode told = lab.heard().getFirst().content();
        assertThat(told.get("status").asString()).isEqualTo("Down");
        assertThat(told.get("exitCode").asInt()).isZero();
        assertThat(told.get("exitReason").asInt()).isEqualTo(Exit.ADMIN_SHUTDOWN.reason());
        assertThat(lab.ask(0, "VM.getStats", id(vm)).code()).isEqualTo(1);
        assertThat(destroy(vm).code()).as("a second time").isEqualTo(1);
    }

    @Test
    @DisplayName("VM.destroy of a starting VM sends an event as well, with its own reason")
    void destroyOfAStartingVm() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary());
        assertThat(destroy(vm).text()).isEqualTo("true");
        assertThat(lab.heard().getFirst().content().get("exitReason").asInt())
                .isEqualTo(Exit.DESTROYED_ON_STARTUP.reason());
    }

    @Test
    @DisplayName("a guest that set its clock leaves the offset in its Down record")
    void theOffsetOfAClockStays() {
        SimulatedVm vm = lab.host(0).create(new MachineSpec(null, null, true, true, 1, 1, 4096, 2));
        lab.pass(120);
        vm.crash();
        assertThat(lab.stats(0, vm).get("timeOffset").asString()).isEqualTo("7200");
    }

    @Test
    @DisplayName("a guest of Windows is what VDSM makes of it")
    void windowsAsVdsmReportsIt() {
        SimulatedVm vm = lab.host(0).create(new MachineSpec(null, null, true, true, 1, 1, 4096, 2));
        lab.pass(120);
        JsonNode stats = lab.stats(0, vm);
        JsonNode os = stats.get("guestOsInfo");
        assertThat(os.get("type").asString()).isEqualTo("windows");
        assertThat(os.get("kernel").asString()).isEmpty();
        assertThat(os.get("distribution").asString()).isEmpty();
        assertThat(os.get("version").asString()).isEqualTo("10.0");
        assertThat(os.get("codename").asString()).isEqualTo("Windows Server 2022 Standard");
        assertThat(stats.get("guestOs")).isEqualTo(os.get("codename"));
    }

    @Test
    @DisplayName("a destroyed VM can be started again, as itself")
    void startedAgain() {
        SimulatedVm vm = lab.settledVm(0);
        JsonNode before = lab.stats(0, vm);
        vm.destroy();
        assertThat(vm.status()).isNull();
        vm.start("host-0001", null);
        lab.pass(120);
        JsonNode after = lab.stats(0, vm);
        assertThat(after.get("status").asString()).isEqualTo("Up");
        assertThat(after.get("disks").get("vda").get("imageID"))
                .isEqualTo(before.get("disks").get("vda").get("imageID"));
        assertThatExceptionOfType(WorldException.class)
                .isThrownBy(() -> vm.start("host-0001", null));
    }

    @Test
    @DisplayName("8b.41 the hash is equal in event and poll and changes with the devices")
    void theHashFollowsTheDevices() {
        SimulatedVm vm = lab.host(0).create(MachineSpec.ordinary());
        passUntilHeard();
        JsonNode event = lab.heard().getFirst().content();
        String hash = lab.stats(0, vm).get("hash").asString();
        assertThat(event.get("hash").asString()).isEqualTo(hash);
        assertThat(Long.parseLong(hash)).as("64 bits, signed").isNotZero();
        lab.pass(120);
        lab.heard();
        assertThat(lab.stats(0, vm).get("hash").asString()).isEqualTo(hash);

        vm.plugNic();
        assertThat(lab.heard()).as("hot-plug is not announced").isEmpty();
        JsonNode plugged = lab.stats(0, vm);
        assertThat(plugged.get("hash").asString()).isNotEqualTo(hash);
        assertThat(plugged.get("network")).as("until two samples of it exist").hasSize(1);
        lab.pass(30);
        assertThat(lab.stats(0, vm).get("network")).hasSize(2);

        String withNic = lab.stats(0, vm).get("hash").asString();
        vm.plugDisk();
        lab.pass(30);
        assertThat(lab.stats(0, vm).get("hash").asString()).isNotEqualTo(withNic);
        assertThat(lab.stats(0, vm).get("disks")).hasSize(3);
        vm.unplugDisk();
        vm.unplugNic();
        assertThat(lab.stats(0, vm).get("network")).hasSize(1);
        assertThat(lab.stats(0, vm).get("disks")).hasSize(2);
    }

    @Test
    @DisplayName("the TPM's data follows its hash, changes on demand, and outlives the guest")
    void theTpmFollowsItsHash() {
        SimulatedVm vm = lab.host(0).create(new MachineSpec(null, null, true, true, 1, 1, 4096, 2));
        lab.pass(120);
        String hash = lab.stats(0, vm).get("tpmHash").asString();
        JsonNode data = tpm(vm, "");
        assertThat(data.get("hash").asString()).isEqualTo(hash);
        assertThat(tpm(vm, "")).as("the same each time").isEqualTo(data);
        assertThat(tpm(vm, hash).has("_X_data")).as("known already").isFalse();

        vm.changeTpm();

        String changed = lab.stats(0, vm).get("tpmHash").asString();
        assertThat(changed).hasSize(64).isNotEqualTo(hash);
        assertThat(tpm(vm, hash).get("hash").asString()).isEqualTo(changed);
        assertThat(tpm(vm, hash).get("_X_data")).isNotEqualTo(data.get("_X_data"));
        vm.crash(Exit.LOST_QEMU, null);
        assertThat(tpm(vm, hash).get("hash").asString()).isEqualTo(changed);
    }

    @Test
    @DisplayName("external data of a device that is not there, or that is none, are code 89")
    void noExternalData() {
        SimulatedVm vm = lab.settledVm(0);
        for (String kind : List.of("tpm", "nvram", "floppy")) {
            Lab.Answer answer =
                    lab.ask(
                            0,
                            "VM.getExternalData",
                            "{\"vmID\": \"%s\", \"kind\": \"%s\"}".formatted(vm.id(), kind));
            assertThat(answer.code()).as(kind).isEqualTo(89);
            assertThat(answer.message()).startsWith("Failed to handle external VM data: {");
        }
    }

    private JsonNode tpm(SimulatedVm vm, String lastHash) {
        return lab.result(
                0,
                "VM.getExternalData",
                "{\"vmID\": \"%s\", \"kind\": \"tpm\", \"lastHash\": \"%s\", \"forceUpdate\": true}"
                        .formatted(vm.id(), lastHash));
    }

    @Test
    @DisplayName("a direct LUN is a disk without image, with a GUID and the array's size")
    void aDirectLun() {
        SimulatedVm vm = lab.settledVm(0);
        int disks = lab.stats(0, vm).get("disks").size();
        vm.plugLun(64);
        lab.pass(30);
        JsonNode lun = lastDisk(vm);
        assertThat(lab.stats(0, vm).get("disks")).hasSize(disks + 1);
        assertThat(lun.has("imageID")).isFalse();
        assertThat(lun.get("lunGUID").asString()).matches("36001405[0-9a-f]{24}");
        assertThat(lun.get("truesize").asString()).isEqualTo(Long.toString(64L << 30));

        String hash = lab.stats(0, vm).get("hash").asString();
        vm.resizeLun(65);
        assertThat(lastDisk(vm).get("truesize").asString()).isEqualTo(Long.toString(65L << 30));
        assertThat(lab.stats(0, vm).get("hash").asString()).as("no device changed").isEqualTo(hash);
        assertThatThrownBy(() -> vm.plugLun(0)).isInstanceOf(IllegalArgumentException.class);
        vm.unplugDisk();
        assertThatThrownBy(() -> vm.resizeLun(1)).isInstanceOf(WorldException.class);
    }

    private JsonNode lastDisk(SimulatedVm vm) {
        return lab.stats(0, vm).get("disks").values().stream().reduce((_, last) -> last).get();
    }

    @Test
    @DisplayName("a live merge is a job in the polls for as long as it takes")
    void aLiveMerge() {
        SimulatedVm vm = lab.settledVm(0);
        assertThat(lab.stats(0, vm).get("vmJobs")).isEmpty();
        vm.liveMerge(java.time.Duration.ofSeconds(60));
        lab.pass(30);
        JsonNode job = lab.stats(0, vm).get("vmJobs").iterator().next();
        JsonNode sample =
                Lab.sample("vm_getStats_livemerge_job")
                        .get("result")
                        .get(0)
                        .get("vmJobs")
                        .iterator()
                        .next();
        assertThat(Shape.keys(job)).isEqualTo(Shape.keys(sample));
        assertThat(Shape.of(job)).isEqualTo(Shape.of(sample));
        assertThat(CountersTest.number(job, "cur") * 2)
                .isBetween(
                        CountersTest.number(job, "end") - 10, CountersTest.number(job, "end") + 10);
        lab.pass(30);
        assertThat(lab.stats(0, vm).get("vmJobs")).isEmpty();
        assertThat(lab.heard()).isEmpty();
    }

    @Test
    @DisplayName("console, login, watchdog and addresses show in polls and are not announced")
    void quietChanges() {
        SimulatedVm vm = lab.settledVm(0);
        vm.connectConsole("10.50.3.7");
        vm.logIn("alice");
        vm.fireWatchdog("reset");
        vm.changeAddress(0, "192.0.2.7");
        JsonNode stats = lab.stats(0, vm);
        assertThat(stats.get("clientIp").asString()).isEqualTo("10.50.3.7");
        assertThat(stats.get("username").asString()).isEqualTo("alice");
        assertThat(stats.get("session").asString()).isEqualTo("UserLoggedOn");
        assertThat(stats.get("watchdogEvent").get("action").asString()).isEqualTo("reset");
        assertThat(stats.get("watchdogEvent").get("time").isFloatingPointNumber()).isTrue();
        assertThat(stats.get("netIfaces").get(1).get("inet").get(0).asString())
                .isEqualTo("192.0.2.7");
        vm.connectConsole("");
        vm.logIn("");
        assertThat(lab.stats(0, vm).get("clientIp").asString()).isEmpty();
        assertThat(lab.stats(0, vm).get("username").asString()).isEqualTo("Unknown");
        assertThat(lab.heard()).isEmpty();
    }

    @Test
    @DisplayName("an agent that stops leaves its last data, without a logged-in user")
    void anAgentStops() {
        SimulatedVm vm = lab.settledVm(0);
        vm.agentDown();
        JsonNode stats = lab.stats(0, vm);
        assertThat(stats.get("status").asString()).isEqualTo("Up");
        assertThat(stats.get("guestCPUCount").asInt()).isEqualTo(-1);
        assertThat(stats.has("netIfaces")).isFalse();
        assertThat(stats.get("guestFQDN").asString()).isNotEmpty();
        vm.agentUp();
        assertThat(lab.heard().getFirst().content().get("status").asString()).isEqualTo("Up");
    }

    @Test
    @DisplayName("a VM with a silent emulator has monitorResponse -1")
    void anEmulatorDoesNotAnswer() {
        SimulatedVm vm = lab.settledVm(0);
        vm.respond(false);
        assertThat(lab.stats(0, vm).get("monitorResponse").asString()).isEqualTo("-1");
        vm.respond(true);
        assertThat(lab.stats(0, vm).get("monitorResponse").asString()).isEqualTo("0");
    }

    @Test
    @DisplayName("a VM that is down has no taps in the host's statistics")
    void aDownVmHasNoTaps() {
        SimulatedVm vm = lab.settledVm(0);
        String tap = Shape.keys(lab.stats(0, vm).get("network")).getFirst();
        assertThat(lab.result(0, "Host.getStats").get("network").has(tap)).isTrue();
        vm.crash();
        assertThat(lab.result(0, "Host.getStats").get("network").has(tap)).isFalse();
    }

    @Test
    @DisplayName("hibernation saves, then is down with reason 5")
    void hibernation() {
        SimulatedVm vm = lab.settledVm(0);
        vm.hibernate();
        assertThat(vm.status()).isEqualTo("Saving State");
        lab.pass(10);
        assertDown(vm, Exit.SAVED, lab.heard().getLast());
    }

    @Test
    @DisplayName("what does not fit the state is refused")
    void nonsenseIsRefused() {
        SimulatedVm vm = lab.settledVm(0);
        assertThatExceptionOfType(WorldException.class).isThrownBy(vm::resume);
        vm.crash();
        assertThatExceptionOfType(WorldException.class).isThrownBy(vm::crash);
        assertThatExceptionOfType(WorldException.class).isThrownBy(vm::reboot);
        assertThatExceptionOfType(WorldException.class).isThrownBy(vm::plugNic);
        assertThatExceptionOfType(WorldException.class)
                .isThrownBy(() -> lab.world.vm("nobody"))
                .matches(e -> e.reason() == WorldException.Reason.UNKNOWN);
    }

    private void assertDown(SimulatedVm vm, Exit exit, Told event) {
        JsonNode told = event.content();
        assertThat(Shape.keys(told))
                .as("no offset of a clock that the guest never set")
                .containsExactly("status", "vmId", "exitCode", "exitMessage", "exitReason");
        assertThat(told.get("exitCode").asInt()).isEqualTo(exit.exitCode());
        assertThat(told.get("exitReason").asInt()).isEqualTo(exit.reason());
        assertThat(told.get("exitMessage").asString()).isEqualTo(exit.message());
        JsonNode polled = lab.stats(0, vm);
        JsonNode sample = Lab.sample("vm_getStats_down").get("result").get(0).deepCopy();
        ((ObjectNode) sample).remove("timeOffset");
        assertThat(Shape.keys(polled)).isEqualTo(Shape.keys(sample));
        assertThat(Shape.of(polled)).isEqualTo(Shape.of(sample));
        assertThat(polled.get("exitMessage")).isEqualTo(told.get("exitMessage"));
    }

    private void passUntilHeard() {
        for (int i = 0; i < 600 && lab.events.isEmpty(); i++) {
            lab.pass(1);
        }
        assertThat(lab.events).isNotEmpty();
    }

    private Lab.Answer destroy(SimulatedVm vm) {
        return lab.ask(0, "VM.destroy", id(vm));
    }

    private static String id(SimulatedVm vm) {
        return "{\"vmID\": \"%s\"}".formatted(vm.id());
    }

    private static JsonNode sampleContent(String name) {
        return Lab.sample(name).get("params").iterator().next();
    }
}
