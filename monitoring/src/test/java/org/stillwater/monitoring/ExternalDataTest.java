package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedHost.ExternalDataCall;

class ExternalDataTest {

    private final Lab lab = new Lab();
    private int stamp = 100;

    @Test
    void dataWithAnotherHashIsFetchedAndSaved() throws Exception {
        up();

        ExternalDataCall call = next();
        assertThat(call.vm()).isEqualTo(VM);
        assertThat(call.kind()).isEqualTo(ExternalDataKind.TPM);
        assertThat(call.knownHash()).isNull();
        assertThat(call.refresh()).isFalse();
        answer(call, "t1", "c2VjcmV0");

        assertThat(stored()).isEqualTo(saved("t1", "c2VjcmV0"));
        int calls = lab.sqlCalls();
        cycle("t1");
        cycle("t1");
        assertThat(lab.host(ALPHA).nextExternalDataCall()).isNull();
        assertThat(lab.sqlCalls() - calls).isZero();
        cycle("t2");
        ExternalDataCall again = next();
        assertThat(again.knownHash()).isEqualTo("t1");
        answer(again, "t2", "b3RoZXI=");
        assertThat(stored()).isEqualTo(saved("t2", "b3RoZXI="));
    }

    @Test
    void failedOrEmptyReadsAreRepeatedAtTheNextCycle() throws Exception {
        up();
        fail(next());
        cycle("t1");
        answer(next(), "t1", null);
        cycle("t1");
        answer(next(), "t1", "");
        assertThat(stored()).isNull();
        cycle("t1");
        answer(next(), "t1", "c2VjcmV0");
        assertThat(stored()).isNotNull();
    }

    @Test
    void aRefusedRowIsTriedAgain() throws Exception {
        up();
        lab.vms.refuse(VM, "no");
        answer(next(), "t1", "c2VjcmV0");
        assertThat(stored()).isNull();
        lab.vms.refuse(VM, null);

        cycle("t1");
        answer(next(), "t1", "c2VjcmV0");

        assertThat(stored()).isNotNull();
    }

    @Test
    void dataOfManyHostsIsSavedByOneStatement() throws Exception {
        int hosts = 20;
        for (int n = 1; n <= hosts; n++) {
            lab.storedHosts(Lab.hostId(n));
            lab.storedVm(vmId(n), Lab.hostId(n), VmStatus.UP);
        }
        lab.started();
        List<ExternalDataCall> calls = new ArrayList<>();
        for (int n = 1; n <= hosts; n++) {
            VmId vm = vmId(n);
            lab.answer(Lab.hostId(n), poll -> poll.upWithTpm(vm, stamp, "t1"));
            calls.add(Objects.requireNonNull(lab.host(Lab.hostId(n)).nextExternalDataCall()));
        }
        int before = lab.externalData.calls();

        for (ExternalDataCall call : calls) {
            call.receiver().accept(new HostAnswer.Success<>(new ExternalDataAnswer("t1", "eA==")));
        }
        lab.settle();

        assertThat(lab.externalData.calls() - before).isOne();
        for (int n = 1; n <= hosts; n++) {
            assertThat(lab.externalData.of(vmId(n), ExternalDataKind.TPM)).isNotNull();
        }
    }

    @Test
    void callsOfOneHostAreBounded() throws Exception {
        lab.storedHosts(ALPHA);
        for (int i = 1; i <= 20; i++) {
            lab.storedVm(vmId(i), ALPHA, VmStatus.UP);
        }
        lab.started();
        lab.answer(
                ALPHA,
                poll -> {
                    for (int i = 1; i <= 20; i++) {
                        poll.upWithTpm(vmId(i), stamp++, "t" + i);
                    }
                });
        int most = 0;
        int all = 0;
        while (true) {
            int waiting = 0;
            ExternalDataCall call = lab.host(ALPHA).nextExternalDataCall();
            if (call == null) {
                break;
            }
            List<ExternalDataCall> round = new ArrayList<>();
            while (call != null) {
                round.add(call);
                waiting++;
                call = lab.host(ALPHA).nextExternalDataCall();
            }
            most = Math.max(most, waiting);
            all += waiting;
            round.forEach(one ->
                    one.receiver()
                            .accept(new HostAnswer.Success<>(new ExternalDataAnswer("t", "eA=="))));
            lab.settle();
        }
        assertThat(all).isEqualTo(20);
        assertThat(most).isEqualTo(lab.settings.hosts().externalDataCalls());
    }

    @Test
    @DisplayName("S14 a VM with a TPM that stopped is destroyed once its last data is saved")
    void aStoppedVmIsDestroyedOnceItsLastDataIsSaved() throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");

        exit();
        assertThat(lab.host(ALPHA).destroyed()).isEmpty();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        ExternalDataCall last = next();
        assertThat(last.refresh()).isTrue();
        assertThat(last.knownHash()).isEqualTo("t1");
        answer(last, "t2", "bGFzdA==");
        exit();

        assertThat(stored()).isEqualTo(saved("t2", "bGFzdA=="));
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.host(ALPHA).nextExternalDataCall()).isNull();
    }

    @Test
    void theSaveRequestsThePollThatMovesTheVmOn() throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");
        exit();
        answer(next(), "t1", null);

        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();

        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        assertThat(Objects.requireNonNull(lab.engine.manager(VM)).externalDataUnsaved()).isFalse();
    }

    @Test
    void afterThreeFailedAttemptsAStoppedVmIsReleased() throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");
        for (int attempt = 1; attempt <= 3; attempt++) {
            exit();
            assertThat(lab.host(ALPHA).destroyed()).as("attempt %d", attempt).isEmpty();
            fail(next());
        }

        exit();

        assertThat(lab.host(ALPHA).nextExternalDataCall()).isNull();
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
    }

    /** As in oVirt's engine: no further attempt finds data that the host does not have. */
    @ParameterizedTest(name = "refused with code {0}")
    @ValueSource(ints = {RefusalCode.NO_SUCH_VM, RefusalCode.NO_SUCH_VERB})
    void aHostWithoutDataIsReadOnce(int code) throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");
        exit();
        next().receiver().accept(new HostAnswer.Failed<>(new HostFailure.Refused(code, "no such")));
        lab.settle();

        exit();

        assertThat(lab.host(ALPHA).nextExternalDataCall()).isNull();
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
    }

    @Test
    void aSilentFormerHostDelaysNothing() throws Exception {
        movedBeforeItsDataWasFetched();

        exit(BETA);
        ExternalDataCall last =
                Objects.requireNonNull(
                        lab.host(BETA).nextExternalDataCall(), "its host is not asked");
        answer(last, "t2", "bGFzdA==");
        exit(BETA);

        assertThat(stored()).isEqualTo(saved("t2", "bGFzdA=="));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
    }

    @Test
    void lateAnswersOfAFormerHostAreNotSaved() throws Exception {
        ExternalDataCall late = movedBeforeItsDataWasFetched();

        answer(late, "t1", "c3RhbGU=");

        assertThat(stored()).isNull();
    }

    /** The call that its former host has not answered. */
    private ExternalDataCall movedBeforeItsDataWasFetched() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.upWithTpm(VM, stamp++, "t1"));
        lab.answer(BETA, _ -> {});
        lab.settle();
        ExternalDataCall unanswered = next();
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM,
                                stamp++,
                                ExitStatus.NORMAL,
                                ExitReason.MIGRATION_SUCCEEDED,
                                ""));
        lab.settle();
        lab.event(
                BETA,
                event ->
                        event.running(
                                VM, stamp++, draft -> draft.set(RuntimeField.STATUS, VmStatus.UP)));
        lab.settle();
        assertThat(lab.owner(VM)).isEqualTo(BETA);
        return unanswered;
    }

    @Test
    void anAbsentDatabaseKeepsTheHostsRecordOfAStoppedVm() throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");
        lab.vms.unavailable("gone");
        exit();
        answer(next(), "t2", "bGFzdA==");
        exit();
        assertThat(lab.host(ALPHA).destroyed()).isEmpty();

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(30));
        lab.settle();
        exit();

        assertThat(stored()).isEqualTo(saved("t2", "bGFzdA=="));
        assertThat(lab.host(ALPHA).destroyed()).containsExactly(VM);
    }

    @Test
    void aVmThatMigratedAwayTakesItsDataWithIt() throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");

        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM,
                                stamp++,
                                ExitStatus.NORMAL,
                                ExitReason.MIGRATION_SUCCEEDED,
                                ""));
        lab.settle();

        assertThat(lab.host(ALPHA).nextExternalDataCall()).isNull();
    }

    @Test
    void afterARestartSavedDataIsNotFetchedAgain() throws Exception {
        up();
        answer(next(), "t1", "c2VjcmV0");
        lab.restarted();

        lab.answer(ALPHA, poll -> poll.upWithTpm(VM, stamp++, "t1"));

        assertThat(lab.host(ALPHA).nextExternalDataCall()).isNull();
        exit();
        assertThat(next().knownHash()).isEqualTo("t1");
    }

    @Test
    void theDataIsInNoTextForm() {
        assertThat(new ExternalDataAnswer("h", "c2VjcmV0").toString())
                .contains("h")
                .doesNotContain("c2VjcmV0");
        assertThat(saved("h", "c2VjcmV0").toString()).doesNotContain("c2VjcmV0");
    }

    private void up() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.upWithTpm(VM, stamp++, "t1"));
        lab.settle();
    }

    private void cycle(String hash) {
        lab.cycle(ALPHA, poll -> poll.upWithTpm(VM, stamp++, hash));
    }

    private void exit() {
        exit(ALPHA);
    }

    private void exit(HostId host) {
        lab.clock.advance(Duration.ofSeconds(1));
        lab.event(
                host,
                event ->
                        event.exited(
                                VM, stamp++, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "bye"));
        lab.settle();
    }

    private ExternalDataCall next() {
        return Objects.requireNonNull(
                lab.host(ALPHA).nextExternalDataCall(), "no call for external data");
    }

    private void answer(ExternalDataCall call, String hash, @Nullable String data) {
        call.receiver().accept(new HostAnswer.Success<>(new ExternalDataAnswer(hash, data)));
        lab.settle();
    }

    private void fail(ExternalDataCall call) {
        call.receiver()
                .accept(new HostAnswer.Failed<>(new HostFailure.Refused(89, "no data today")));
        lab.settle();
    }

    private @Nullable ExternalDataUpdate stored() {
        return lab.externalData.of(VM, ExternalDataKind.TPM);
    }

    private static ExternalDataUpdate saved(String hash, String data) {
        return new ExternalDataUpdate(VM, ExternalDataKind.TPM, hash, data);
    }

    @Test
    void unsavedExternalDataIsBounded() throws Exception {
        lab.storedHosts(ALPHA);
        int vms = 12;
        for (int n = 1; n <= vms; n++) {
            lab.storedVm(vmId(n), ALPHA, VmStatus.UP);
        }
        lab.started();
        lab.vms.unavailable("away");
        lab.answer(
                ALPHA,
                poll -> {
                    for (int n = 1; n <= vms; n++) {
                        poll.upWithTpm(vmId(n), stamp, "t1");
                    }
                });
        lab.settle();

        String largest = "A".repeat(ReportedText.EXTERNAL_DATA.mostCharacters());
        assertThat(answered(largest))
                .as("as much as the calls bring at once, and what was under way by then")
                .isBetween(4, 7);

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofMinutes(1));
        lab.settle();
        while (answered(largest) > 0) {
            lab.settle();
        }
        for (int n = 1; n <= vms; n++) {
            assertThat(lab.externalData.of(vmId(n), ExternalDataKind.TPM)).isNotNull();
        }
    }

    /** Answers every present and later call; returns their number. */
    private int answered(String data) {
        int count = 0;
        for (ExternalDataCall call = lab.host(ALPHA).nextExternalDataCall();
                call != null;
                call = lab.host(ALPHA).nextExternalDataCall()) {
            call.receiver().accept(new HostAnswer.Success<>(new ExternalDataAnswer("t1", data)));
            lab.pump();
            count++;
        }
        return count;
    }
}
