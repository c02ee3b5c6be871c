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
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.StoredVm;

class ExternalVmsTest {

    private static final String DISK =
            "<disk type='file' device='disk'><target dev='vdb' bus='virtio'/>"
                    + "<address type='pci' domain='0x0000' bus='0x02' slot='0x00'"
                    + " function='0x0'/></disk>";

    private final Lab lab = new Lab();

    @Test
    void anUnknownRunningVmIsTakenInWithItsDevicesReadOnce() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, "h1", status(VmStatus.UP), _ -> {}));
        assertThat(lab.engine.vm(VM)).as("not before it is durable").isNull();

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
    @DisplayName("a row that an attempt left behind whose answer was lost is brought up to date")
    void aRowThatIsThereAlreadyGetsWhatIsTrueNow() throws Exception {
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
    void unknownVmsAreAskedForInChunksAndEachOnce() throws Exception {
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
        assertThat(lab.engine.vmCount()).isEqualTo(120);
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
    void aVmThatWentElsewhereWhileItWasTakenInIsAskedForThere() throws Exception {
        lab.storedHosts(ALPHA, BETA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.vms.unavailable("away");
        lab.answerDomains(ALPHA, "");
        lab.answer(BETA, poll -> poll.running(VM, 100, status(VmStatus.POWERING_UP)));
        assertThat(lab.engine.vm(VM)).as("not before it is durable").isNull();

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
    void whatFailsIsTriedAgainAtTheNextCycle() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.host(ALPHA).failCalls(new HostFailure.TimedOut("Host.dumpxmls", 180_000));
        lab.pump();
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();

        lab.cycle(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.UP)));

        assertThat(lab.answerDomains(ALPHA, "")).containsExactly(VM);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    void anEventAboutAVmThatIsBeingTakenInAddsToWhatWasSaid() throws Exception {
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
        assertThat(lab.engine.vm(VM)).isNull();
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
