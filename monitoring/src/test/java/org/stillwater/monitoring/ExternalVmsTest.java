package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostTrouble;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;

class ExternalVmsTest {

    private static final String DISK =
            "<disk type='file' device='disk'><target dev='vdb' bus='virtio'/>"
                    + "<address type='pci' domain='0x0000' bus='0x02' slot='0x00'"
                    + " function='0x0'/></disk>";

    private static final HostFailure REFUSED = new HostFailure.Refused(-32603, "internal error");

    /** A VM that the host does not run, so that it spoils nothing. */
    private static final VmId OTHER_HOSTS_VM = vmId(999);

    private final Lab lab = new Lab();

    @Test
    void vmsOfManyHostsAreSavedWithTheStatementsOfOne() throws Exception {
        int hosts = 40;
        for (int n = 1; n <= hosts; n++) {
            lab.storedHosts(Lab.hostId(n));
        }
        lab.started();
        List<ScriptedHost.DomainCall> calls = new ArrayList<>();
        for (int n = 1; n <= hosts; n++) {
            VmId vm = vmId(n);
            lab.answer(
                    Lab.hostId(n),
                    poll -> poll.running(vm, 100, "h1", status(VmStatus.UP), _ -> {}));
            calls.add(lab.host(Lab.hostId(n)).nextDomainCall());
        }
        int before = lab.vms.calls();
        int devicesBefore = lab.devices.calls();

        for (ScriptedHost.DomainCall call : calls) {
            VmId vm = call.vms().getFirst();
            call.receiver().accept(new HostAnswer.Success<>(Map.of(vm, Lab.domainXml(vm, ""))));
        }
        lab.settle();

        assertThat(lab.engine.fleet().vms()).hasSize(hosts);
        assertThat(lab.vms.calls() - before).as("interface owners, and VMs").isEqualTo(2);
        assertThat(lab.devices.calls() - devicesBefore).isEqualTo(1);
        for (int n = 1; n <= hosts; n++) {
            assertThat(lab.owner(vmId(n))).isEqualTo(Lab.hostId(n));
        }
    }

    @Test
    void anUnknownRunningVmIsTakenInWithItsDevicesReadOnce() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, "h1", status(VmStatus.UP), _ -> {}));
        assertThat(lab.engine.fleet().vm(VM)).as("not before it is durable").isNull();

        assertThat(lab.answerDomains(ALPHA, "")).containsExactly(VM);

        StoredVm stored = lab.vms.vm(VM);
        assertThat(stored.definition().origin()).isEqualTo(VmOrigin.EXTERNAL);
        assertThat(stored.definition().name()).contains("found-1");
        assertThat(stored.placement().runOn()).isEqualTo(ALPHA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.vm(VM).state().runtime()).isEqualTo(stored.runtime());
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");
        assertThat(lab.devices.of(VM)).isNotEmpty();
        int calls = lab.sqlCalls();
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(ALPHA, poll -> poll.running(VM, 101, "h1", status(VmStatus.UP), _ -> {}));
        for (int i = 0; i < 5; i++) {
            int stamp = 200 + i;
            lab.cycle(ALPHA, poll -> poll.running(VM, stamp, "h1", status(VmStatus.UP), _ -> {}));
        }
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.sqlCalls() - calls).isZero();
    }

    @Test
    @DisplayName("a row from an attempt with a lost answer is updated")
    void anExistingRowIsUpdated() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.vms.put(
                new StoredVm(
                        VM,
                        Lab.defined(VM, VmOrigin.EXTERNAL),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(BETA)));

        lab.answer(
                ALPHA, poll -> poll.running(VM, 100, "h1", status(VmStatus.SAVING_STATE), _ -> {}));
        lab.answerDomains(ALPHA, "");
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.SAVING_STATE);
        assertThat(lab.vms.vm(VM).runtime()).isEqualTo(lab.vm(VM).state().runtime());
        assertThat(lab.vms.vm(VM).placement()).isEqualTo(lab.vm(VM).state().placement());
    }

    @Test
    void unknownVmsAreReadInChunksAndEachOnce() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(
                ALPHA,
                poll -> {
                    for (int i = 1; i <= 120; i++) {
                        poll.running(vmId(i), 100, status(VmStatus.UP));
                    }
                });
        List<VmId> asked = new ArrayList<>();
        while (asked.size() < 120) {
            List<VmId> chunk = lab.answerDomains(ALPHA, "");
            assertThat(chunk).hasSizeLessThanOrEqualTo(50);
            asked.addAll(chunk);
        }

        assertThat(asked).doesNotHaveDuplicates();
        assertThat(lab.engine.fleet().vmCount()).isEqualTo(120);
        assertThat(lab.vms.size()).isEqualTo(120);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        assertThat(lab.host(ALPHA).pollsWaiting()).as("a poll brings their numbers").isOne();
    }

    @Test
    void aVmThatTwoHostsReportIsTakenInByOneOfThem() throws Exception {
        lab.storedHosts(ALPHA, BETA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answer(BETA, poll -> poll.running(VM, 100, status(VmStatus.UP)));

        assertThat(lab.host(BETA).nextDomainCall()).isNull();
        lab.answerDomains(ALPHA, "");
        assertThat(lab.owner(VM)).isEqualTo(ALPHA);
        assertThat(lab.vms.rows()).isEqualTo(1);
        assertThat(lab.devices.of(VM)).hasSize(1);
    }

    @Test
    void aVmThatMovedDuringItsAdoptionIsReadOnItsNewHost() throws Exception {
        lab.storedHosts(ALPHA, BETA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.vms.unavailable("away");
        lab.answerDomains(ALPHA, "");
        lab.answer(BETA, poll -> poll.running(VM, 100, status(VmStatus.POWERING_UP)));
        assertThat(lab.engine.fleet().vm(VM)).as("not before it is durable").isNull();

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(1));
        lab.settle();
        assertThat(lab.owner(VM)).as("as it was when its definition was read").isEqualTo(ALPHA);
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();

        assertThat(lab.host(BETA).pollsWaiting()).as("its own word was left aside").isOne();
        lab.answer(BETA, poll -> poll.running(VM, 200, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(BETA, poll -> poll.running(VM, 300, status(VmStatus.UP)));
        assertThat(lab.owner(VM)).as("its host was not heard since").isEqualTo(ALPHA);
        lab.cycle(ALPHA, _ -> {});
        lab.cycle(ALPHA, _ -> {});
        assertThat(lab.owner(VM)).isEqualTo(BETA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    void anUnknownVmThatEndedOrIsPausedByAnIoErrorIsDestroyed() throws Exception {
        lab.storedHosts(ALPHA).started();

        lab.answer(
                ALPHA,
                poll ->
                        poll.exited(VM, 100, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "")
                                .running(
                                        OTHER,
                                        100,
                                        draft ->
                                                draft.set(RuntimeField.STATUS, VmStatus.PAUSED)
                                                        .set(
                                                                RuntimeField.PAUSE_STATUS,
                                                                PauseStatus.EIO)));
        lab.settle();

        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM, OTHER);
        assertThat(lab.vms.size()).isZero();
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
    }

    @Test
    void aFailedReadIsRepeatedAtTheNextCycle() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.host(ALPHA).failCalls(new HostFailure.TimedOut("Host.dumpxmls", 180_000));
        lab.pump();
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();

        lab.cycle(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.UP)));

        assertThat(lab.answerDomains(ALPHA, "")).containsExactly(VM);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    /** Answers every call for definitions that waits: one VM spoils it for the others. */
    private int answerAllBut(VmId spoiling) {
        int calls = 0;
        for (ScriptedHost.DomainCall call = lab.host(ALPHA).nextDomainCall();
                call != null;
                call = lab.host(ALPHA).nextDomainCall()) {
            calls++;
            if (call.vms().contains(spoiling)) {
                call.receiver().accept(new HostAnswer.Failed<>(REFUSED));
            } else {
                Map<VmId, String> xmls = new HashMap<>();
                call.vms().forEach(vm -> xmls.put(vm, Lab.domainXml(vm, "")));
                call.receiver().accept(new HostAnswer.Success<>(xmls));
            }
            lab.settle();
        }
        return calls;
    }

    private int failAll() {
        int calls = 0;
        for (ScriptedHost.DomainCall call = lab.host(ALPHA).nextDomainCall();
                call != null;
                call = lab.host(ALPHA).nextDomainCall()) {
            calls++;
            call.receiver().accept(new HostAnswer.Failed<>(REFUSED));
            lab.settle();
        }
        return calls;
    }

    private static void runs(ScriptedReports poll, int stamp, int vms) {
        for (int i = 1; i <= vms; i++) {
            poll.running(vmId(i), stamp, status(VmStatus.UP));
        }
    }

    private HostHealth health() {
        return lab.engine.fleet().hostHealth().getFirst();
    }

    private long events() {
        return lab.audit.all().stream()
                .filter(entry -> entry.event() == AuditEvent.EXTERNAL_VMS_NOT_ADDED)
                .count();
    }

    @Test
    void aHostWithRefusedVmsIsInTroubleAndReadMoreAndMoreRarely() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> runs(poll, 100, 5));
        assertThat(failAll()).as("five, two, one, and another one").isEqualTo(4);

        assertThat(health().trouble()).isEqualTo(HostTrouble.INTAKE_FAILED);
        assertThat(health().isWell()).isFalse();
        assertThat(health().reason())
                .isEqualTo(
                        "5 VMs that it runs cannot be taken in: the host answered code -32603:"
                                + " internal error");
        lab.settle();
        assertThat(events()).isOne();

        int calls = 0;
        for (int i = 0; i < 40; i++) { // ten minutes
            int stamp = 200 + i;
            lab.cycle(ALPHA, poll -> runs(poll, stamp, 5));
            calls += failAll();
        }
        assertThat(calls).as("after 7.5, 15, 30 … seconds").isBetween(4, 9);
        assertThat(events()).as("told once").isOne();
        assertThat(health().intake().vms()).isEqualTo(5);

        for (int i = 0; i < 45; i++) {
            int stamp = 300 + i;
            lab.cycle(ALPHA, poll -> runs(poll, stamp, 5));
            answerAllBut(OTHER_HOSTS_VM);
        }
        assertThat(lab.engine.fleet().vmCount()).isEqualTo(5);
        assertThat(health().trouble()).isEqualTo(HostTrouble.WELL);
        assertThat(health().intake()).isNull();
    }

    @Test
    void oneVmThatSpoilsTheCallCostsTheOthersNothing() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> runs(poll, 100, 120));
        assertThat(answerAllBut(vmId(33))).isLessThan(30);
        assertThat(lab.engine.fleet().vmCount()).isEqualTo(119);
        assertThat(lab.engine.fleet().vm(vmId(33))).isNull();
        assertThat(health().intake()).as("it may have ended just then").isNull();

        for (int stamp = 200; stamp < 203; stamp++) {
            int now = stamp;
            lab.cycle(ALPHA, poll -> runs(poll, now, 120));
            answerAllBut(vmId(33));
        }
        assertThat(health().intake().vms()).isOne();
        assertThat(health().reason()).startsWith("a VM that it runs cannot be taken in: ");

        lab.cycle(ALPHA, poll -> runs(poll, 300, 32));
        assertThat(health().intake()).as("it runs here no more").isNull();
    }

    @Test
    void aRefusedVmIsReported() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.vms.refuse(VM, "name too long");
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answerDomains(ALPHA, "");
        lab.settle();
        assertThat(health().intake().reason()).contains("name too long");
        assertThat(events()).isOne();
    }

    @Test
    void aHostIsReadAtOnceAfterItsReturn() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> runs(poll, 100, 5));
        for (int i = 0; i < 20; i++) {
            failAll();
            int stamp = 200 + i;
            lab.cycle(ALPHA, poll -> runs(poll, stamp, 5));
        }
        failAll();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("restarted"));
        lab.pump();
        lab.connect(ALPHA);
        lab.answer(ALPHA, poll -> runs(poll, 300, 5));
        answerAllBut(OTHER_HOSTS_VM);
        assertThat(lab.engine.fleet().vmCount()).isEqualTo(5);
    }

    /** Two VMs of one definition, as {@code virsh define} of a copied file makes them. */
    @Test
    void vmsWithEqualDeviceIdentitiesAreAllShown() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 100, "h1", status(VmStatus.UP), _ -> {})
                                .running(OTHER, 100, "h1", status(VmStatus.UP), _ -> {}));
        lab.answerDomains(ALPHA, "");

        VmNic first = lab.vm(VM).definition().nics().getFirst();
        VmNic second = lab.vm(OTHER).definition().nics().getFirst();
        assertThat(first.id()).isEqualTo(new UUID(0, 0xa1));
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.mac()).isEqualTo(first.mac());
        assertThat(lab.vms.vm(OTHER).definition().nics()).containsExactly(second);
        assertThat(lab.devices.of(OTHER)).extracting(VmDevice::id).contains(first.id());

        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(VM, 300, "h1", status(VmStatus.UP), _ -> {})
                                .running(OTHER, 300, "h2", status(VmStatus.UP), _ -> {}));
        lab.answerDomains(ALPHA, DISK);
        assertThat(lab.vm(OTHER).definition().nics())
                .as("the same identity again")
                .containsExactly(second);
        assertThat(lab.vms.vm(OTHER).definition().nics()).containsExactly(second);
    }

    /** An interface that comes later can have another VM's identity, too. */
    @Test
    void anInterfaceThatIsPluggedUnderAnothersIdentityGetsItsOwn() throws Exception {
        takenIn(VM, OTHER);
        String nic =
                "<interface type='bridge'><mac address='56:6f:00:00:00:02'/><alias"
                        + " name='ua-00000000-0000-0000-0000-0000000000b2'/><address type='pci'"
                        + " domain='0x0000' bus='0x07' slot='0x00' function='0x0'/></interface>";
        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(VM, 300, "h2", status(VmStatus.UP), _ -> {})
                                .running(OTHER, 300, "h1", status(VmStatus.UP), _ -> {}));
        lab.answerDomains(ALPHA, nic);
        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(VM, 400, "h2", status(VmStatus.UP), _ -> {})
                                .running(OTHER, 400, "h2", status(VmStatus.UP), _ -> {}));
        lab.answerDomains(ALPHA, nic);

        List<VmNic> first = lab.vm(VM).definition().nics();
        List<VmNic> second = lab.vm(OTHER).definition().nics();
        assertThat(first).hasSize(2);
        assertThat(second).hasSize(2);
        assertThat(first).extracting(VmNic::id).contains(new UUID(0, 0xb2));
        assertThat(second)
                .extracting(VmNic::id)
                .doesNotContainAnyElementsOf(first.stream().map(VmNic::id).toList());
    }

    @Test
    void anEventDuringAnAdoptionAddsToTheReport() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                100,
                                draft ->
                                        draft.set(RuntimeField.STATUS, VmStatus.UP)
                                                .set(RuntimeField.GUEST_OS, "Linux")));
        lab.event(ALPHA, event -> event.running(VM, 101, status(VmStatus.POWERING_DOWN)));

        lab.answerDomains(ALPHA, "");

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.vm(VM).state().runtime().text(RuntimeField.GUEST_OS)).isEqualTo("Linux");
    }

    @Test
    void aVmThatTheDatabaseRefusesIsLeftAloneForAWhile() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.vms.refuse(VM, "name too long");
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answerDomains(ALPHA, "");
        assertThat(lab.engine.fleet().vm(VM)).isNull();
        int calls = lab.sqlCalls();

        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(ALPHA, poll -> poll.running(VM, 101, status(VmStatus.UP)));
        lab.cycle(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.UP)));

        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.sqlCalls() - calls).isZero();
    }

    @Test
    @DisplayName("8a.58 a changed device hash leads to one call for those VMs only")
    void aChangedDeviceHashLeadsToOneCallForThoseVmsOnly() throws Exception {
        takenIn(VM, OTHER);

        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(VM, 300, "h2", status(VmStatus.UP), _ -> {})
                                .running(OTHER, 300, "h1", status(VmStatus.UP), _ -> {}));

        assertThat(lab.answerDomains(ALPHA, DISK)).containsExactly(VM);
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
        assertThat(lab.devices.of(VM)).hasSize(lab.devices.of(OTHER).size() + 1);
    }

    @Test
    @DisplayName("8a.58 the same XML under a new hash stores no device change")
    void theSameXmlUnderANewHashStoresNoDeviceChange() throws Exception {
        takenIn(VM);
        int rows = lab.devices.deviceRows();

        lab.cycle(ALPHA, poll -> poll.running(VM, 300, "h2", status(VmStatus.UP), _ -> {}));
        lab.answerDomains(ALPHA, "");
        lab.cycle(ALPHA, poll -> poll.running(VM, 400, "h2", status(VmStatus.UP), _ -> {}));

        assertThat(lab.devices.deviceRows() - rows).isZero();
        assertThat(lab.host(ALPHA).nextDomainCall()).as("the hash is remembered").isNull();
    }

    @Test
    void unreadableDevicesAreReadMoreAndMoreRarely() throws Exception {
        takenIn(VM, OTHER);
        int calls = 0;
        for (int i = 0; i < 40; i++) { // ten minutes
            int stamp = 300 + i;
            lab.cycle(
                    ALPHA,
                    poll ->
                            poll.running(VM, stamp, "h2", status(VmStatus.UP), _ -> {})
                                    .running(OTHER, stamp, "h2", status(VmStatus.UP), _ -> {}));
            calls += failAll();
        }
        assertThat(calls).isBetween(4, 12);
        assertThat(health().intake()).as("the VMs are shown").isNull();

        for (int i = 0; i < 45; i++) {
            int stamp = 400 + i;
            lab.cycle(
                    ALPHA,
                    poll ->
                            poll.running(VM, stamp, "h2", status(VmStatus.UP), _ -> {})
                                    .running(OTHER, stamp, "h2", status(VmStatus.UP), _ -> {}));
            answerAllBut(OTHER_HOSTS_VM);
        }
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
        assertThat(lab.devices.hash(OTHER)).isEqualTo("h2");
    }

    private void takenIn(VmId... ids) throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(
                ALPHA,
                poll -> {
                    for (VmId id : ids) {
                        poll.running(id, 100, "h1", status(VmStatus.UP), _ -> {});
                    }
                });
        lab.answerDomains(ALPHA, "");
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(
                ALPHA,
                poll -> {
                    for (VmId id : ids) {
                        poll.running(id, 150, "h1", status(VmStatus.UP), _ -> {});
                    }
                });
    }
}
