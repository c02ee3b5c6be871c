package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.testkit.ScriptedReports;

/**
 * Reports that count, and differences that are no change (monitoring specification §1.2, §4.1,
 * §4.2).
 */
class OrderAndStillnessScenariosTest {

    private static final GuestNics NICS =
            new GuestNics(
                    42, List.of(new GuestNic("eth0", Lab.MAC, List.of("10.0.0.5"), List.of())));

    private final Lab lab = new Lab();

    private void upOnAlpha() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP))).settle();
    }

    private double reports(String outcome) {
        return lab.counter("stillwater.reports", "outcome", outcome);
    }

    private static Consumer<VmRuntime.Draft> up(RuntimeField field, Object value) {
        return draft -> draft.set(RuntimeField.STATUS, VmStatus.UP).set(field, value);
    }

    @Test
    @DisplayName("S1 a report equal to the known state of a VM causes no work")
    void equalReport() throws Exception {
        upOnAlpha();
        int calls = lab.sqlCalls();
        long revision = lab.engine.fleet().revision();

        lab.cycle(ALPHA, poll -> poll.running(VM, 15_100, status(VmStatus.UP)));

        assertThat(lab.sqlCalls()).isEqualTo(calls);
        assertThat(lab.engine.fleet().revision()).isEqualTo(revision);
        assertThat(lab.host(ALPHA).destroyed()).isEmpty();
    }

    @Test
    @DisplayName("S2 ten polls of 6000 stable VMs read and write nothing")
    void stableFleet() throws Exception {
        int vms = 6_000;
        lab.storedHosts(ALPHA);
        for (int i = 1; i <= vms; i++) {
            lab.storedVm(vmId(i), ALPHA, VmStatus.UP);
        }
        lab.started();
        lab.answer(ALPHA, poll -> all(poll, vms, 100)).settle();
        int calls = lab.sqlCalls();

        for (int cycle = 1; cycle <= 10; cycle++) {
            int stamp = 100 + cycle * 15_000;
            lab.cycle(ALPHA, poll -> all(poll, vms, stamp));
        }

        assertThat(lab.sqlCalls()).isEqualTo(calls);
        assertThat(reports("accepted")).isEqualTo(11.0 * vms);
    }

    private static void all(ScriptedReports poll, int vms, int stamp) {
        for (int i = 1; i <= vms; i++) {
            poll.running(vmId(i), stamp, status(VmStatus.UP));
        }
    }

    @Test
    @DisplayName("T16 known but unreported values, and odd but equal values, are no change")
    void oddButEqual() throws Exception {
        upOnAlpha();
        Consumer<VmRuntime.Draft> odd =
                draft ->
                        draft.set(RuntimeField.STATUS, VmStatus.UP)
                                .set(RuntimeField.VNC_PORT, 5_900)
                                .set(RuntimeField.VNC_TLS_PORT, -1)
                                .set(RuntimeField.GUEST_CONTAINERS, "[{\"id\":\"a\"}]");
        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                15_100,
                                draft -> {
                                    odd.accept(draft);
                                    draft.set(RuntimeField.CURRENT_CD, "install.iso")
                                            .set(RuntimeField.LAST_WATCHDOG_EVENT, 1_000L)
                                            .set(RuntimeField.LAST_WATCHDOG_ACTION, "reset");
                                }));
        int calls = lab.sqlCalls();

        for (int cycle = 2; cycle <= 241; cycle++) {
            int stamp = 100 + cycle * 15_000;
            lab.cycle(ALPHA, poll -> poll.running(VM, stamp, odd));
        }

        assertThat(lab.sqlCalls()).isEqualTo(calls);
        assertThat(lab.vm(VM).state().runtime().text(RuntimeField.CURRENT_CD))
                .isEqualTo("install.iso");
    }

    @Test
    @DisplayName("T17 a changed guest user alone, or ACPI alone, is written exactly once")
    void oneFieldOnly() throws Exception {
        upOnAlpha();
        int writes = lab.vms.writes().size();

        lab.cycle(ALPHA, poll -> poll.running(VM, 15_100, up(RuntimeField.GUEST_USER, "root")));
        lab.cycle(ALPHA, poll -> poll.running(VM, 30_100, up(RuntimeField.GUEST_USER, "root")));
        assertThat(lab.vms.writes()).hasSize(writes + 1);

        Consumer<VmRuntime.Draft> noAcpi =
                draft ->
                        draft.set(RuntimeField.STATUS, VmStatus.UP)
                                .set(RuntimeField.GUEST_USER, "root")
                                .set(RuntimeField.ACPI_ENABLED, false);
        lab.cycle(ALPHA, poll -> poll.running(VM, 45_100, noAcpi));
        lab.cycle(ALPHA, poll -> poll.running(VM, 60_100, noAcpi));
        assertThat(lab.vms.writes()).hasSize(writes + 2);
        assertThat(lab.vms.writes().getLast().fields().toList())
                .containsExactly(RuntimeField.ACPI_ENABLED);
    }

    @Test
    @DisplayName("T18 equal guest interfaces have an equal digest and are not written again")
    void equalGuestNics() throws Exception {
        upOnAlpha();
        lab.cycle(ALPHA, poll -> poll.running(VM, 15_100, up(RuntimeField.GUEST_NICS, NICS)));
        int calls = lab.sqlCalls();

        GuestNics again = new GuestNics(NICS.digest(), List.copyOf(NICS.nics()));
        lab.cycle(ALPHA, poll -> poll.running(VM, 30_100, up(RuntimeField.GUEST_NICS, again)));

        assertThat(lab.sqlCalls()).isEqualTo(calls);
    }

    @Test
    @DisplayName("T21 an event, which carries no interfaces, does not take them away")
    void eventsKeepGuestNics() throws Exception {
        upOnAlpha();
        lab.cycle(ALPHA, poll -> poll.running(VM, 15_100, up(RuntimeField.GUEST_NICS, NICS)));

        lab.event(ALPHA, event -> event.running(VM, 16_000, status(VmStatus.UP)));
        lab.event(ALPHA, event -> event.running(VM, 17_000, status(VmStatus.REBOOT_IN_PROGRESS)));

        assertThat(lab.vm(VM).state().runtime().guestNics()).isEqualTo(NICS);
    }

    @Test
    @DisplayName(
            "S77 T1 reports about a locked VM wait; on unlock the newest counts, nothing older")
    void lockedVm() throws Exception {
        upOnAlpha();
        VmManager vm = lab.engine.manager(VM);
        CountDownLatch done = new CountDownLatch(1);
        Thread command = holding(vm, done);

        lab.event(ALPHA, event -> event.running(VM, 500, status(VmStatus.POWERING_DOWN)));
        lab.event(
                ALPHA,
                event -> event.exited(VM, 501, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "bye"));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);

        done.countDown();
        command.join();
        lab.pump();

        assertThat(lab.status(VM)).as("no new report is needed").isEqualTo(VmStatus.DOWN);
        lab.settle();
        assertThat(lab.vms.openWork())
                .extracting(open -> open.work().kind())
                .containsExactly(WorkKind.PROCESS_DOWN);
    }

    private static Thread holding(VmManager vm, CountDownLatch until) throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        Thread command =
                Thread.ofPlatform()
                        .start(() -> {
                            vm.lock();
                            held.countDown();
                            try {
                                until.await();
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            } finally {
                                vm.unlock();
                            }
                        });
        held.await();
        return command;
    }

    @Test
    @DisplayName("S78 T3 a report older than the last one of its host is dropped and counted")
    void lateReport() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> event.running(VM, 200, status(VmStatus.PAUSED)));

        lab.event(ALPHA, event -> event.running(VM, 150, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.PAUSED);
        assertThat(reports("stale_report")).isOne();
    }

    @Test
    @DisplayName("T4 a host that rebooted starts its clock again, and is believed")
    void rebootedHost() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> event.running(VM, 1_000_000, status(VmStatus.PAUSED)));
        lab.clock.advance(Duration.ofSeconds(2));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("it reboots"));
        lab.pump();
        lab.clock.advance(Duration.ofSeconds(60));
        lab.host(ALPHA).connect();
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-2");
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.pump();

        lab.answer(ALPHA, poll -> poll.running(VM, 5, status(VmStatus.UP)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("T5 a report without a stamp, or with a small one, is taken like any other")
    void noStamp() throws Exception {
        upOnAlpha();

        lab.event(ALPHA, event -> event.running(VM, VmReport.NO_STAMP, status(VmStatus.PAUSED)));

        assertThat(lab.status(VM)).isEqualTo(VmStatus.PAUSED);
    }

    @Test
    @DisplayName(
            "S79 T2 a poll asked for before a command changed the VM does not undo the command")
    void commandDuringPoll() throws Exception {
        upOnAlpha();
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.clock.advance(Duration.ofSeconds(1));
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        lab.engine
                .commandAccess()
                .change(
                        vm,
                        vm.state().runtime().with(RuntimeField.STATUS, VmStatus.POWERING_DOWN),
                        vm.state().placement(),
                        vm.commands(lab.clock.nanoTime()));
        vm.unlock();

        lab.answer(ALPHA, poll -> poll.running(VM, 15_100, status(VmStatus.UP))).settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.vms.vm(VM).runtime().status()).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(reports("stale_change")).isOne();
    }

    @Test
    @DisplayName(
            "S100 what users make of a VM counts from the next report on, in memory sums at once")
    void redefined() throws Exception {
        upOnAlpha();
        VmStatic before = lab.vm(VM).definition();
        long committed = lab.engine.fleet().host(ALPHA).committedMemoryMebibytes();
        VmStatic after =
                new VmStatic(
                        before.name(),
                        before.origin(),
                        true,
                        before.memoryMebibytes() + 1_024,
                        before.guaranteedMemoryMebibytes(),
                        before.sockets(),
                        before.coresPerSocket(),
                        before.threadsPerCore(),
                        before.nics());

        assertThat(lab.engine.commandAccess().redefine(VM, after)).isTrue();
        assertThat(lab.engine.fleet().host(ALPHA).committedMemoryMebibytes())
                .isEqualTo(
                        committed
                                - before.memoryWithOverheadMebibytes()
                                + after.memoryWithOverheadMebibytes());
        lab.event(
                        ALPHA,
                        event ->
                                event.exited(
                                        VM, 900, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, ""))
                .settle();

        assertThat(lab.vms.openWork())
                .extracting(open -> open.work().kind())
                .containsExactlyInAnyOrder(WorkKind.PROCESS_DOWN, WorkKind.HA_RESTART);
    }

    @Test
    @DisplayName("S3 memory of a VM that powers up counts on its host at once")
    void committedMemory() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.WAIT_FOR_LAUNCH).started();
        long before = lab.engine.fleet().host(ALPHA).committedMemoryMebibytes();

        lab.event(ALPHA, event -> event.running(VM, 100, status(VmStatus.POWERING_UP)));

        assertThat(lab.engine.fleet().host(ALPHA).committedMemoryMebibytes() - before)
                .isEqualTo(lab.vm(VM).definition().memoryWithOverheadMebibytes());
    }

    @Test
    @DisplayName("S102 T29 the tail of a poll that mentions a deleted VM makes nothing of it")
    void deleted() throws Exception {
        upOnAlpha();
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.clock.advance(Duration.ofSeconds(1));
        int size = lab.vms.size();

        assertThat(lab.engine.commandAccess().forget(VM)).isTrue();
        lab.answer(ALPHA, poll -> poll.running(VM, 15_100, status(VmStatus.UP))).settle();

        assertThat(lab.engine.fleet().vm(VM)).isNull();
        assertThat(lab.engine.fleet().statistics(VM)).isNull();
        assertThat(lab.host(ALPHA).domainCallsWaiting()).isZero();
        assertThat(lab.vms.size()).isEqualTo(size);
        assertThat(lab.engine.fleet().hostHealth())
                .allSatisfy(health -> assertThat(health.warnings()).isEmpty());
    }

    @Test
    @DisplayName("S74 T30 an unknown VM is adopted under a name that marks it, without overhead")
    void external() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answerDomains(ALPHA, "");

        VmStatic found = lab.vm(VM).definition();
        assertThat(found.name()).startsWith("external-");
        assertThat(found.origin()).isEqualTo(VmOrigin.EXTERNAL);
        assertThat(found.memoryWithOverheadMebibytes()).isEqualTo(found.memoryMebibytes());
        assertThat(lab.owner(VM)).isEqualTo(ALPHA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.vms.vm(VM).definition()).isEqualTo(found);
    }

    @Test
    @DisplayName(
            "S76 the VM that runs the engine keeps its name, and taking it in leaves no work"
                    + " behind")
    void hostedEngine() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answerDomainsNamed(ALPHA, "HostedEngine");

        assertThat(lab.vm(VM).definition().name()).isEqualTo("HostedEngine");
        assertThat(lab.vm(VM).definition().origin()).isEqualTo(VmOrigin.HOSTED_ENGINE);
        assertThat(lab.vms.openWork()).isEmpty();
        while (lab.host(ALPHA).pollsWaiting() > 0) {
            lab.answer(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.UP)));
        }
        int calls = lab.sqlCalls();
        lab.cycle(ALPHA, poll -> poll.running(VM, 30_000, status(VmStatus.UP)));
        assertThat(lab.sqlCalls()).isEqualTo(calls);
    }

    @Test
    @DisplayName("T48 a destroy that takes long holds up neither its host's VMs nor others")
    void slowDestroy() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                        ALPHA,
                        poll ->
                                poll.running(VM, 100, status(VmStatus.UP))
                                        .running(OTHER, 100, status(VmStatus.UP)))
                .settle();
        lab.event(
                        ALPHA,
                        event ->
                                event.exited(
                                        VM,
                                        500,
                                        ExitStatus.NORMAL,
                                        ExitReason.USER_SHUTDOWN,
                                        "bye"))
                .settle();
        assertThat(lab.host(ALPHA).destroyed()).as("and not answered yet").containsExactly(VM);

        lab.event(ALPHA, event -> event.running(OTHER, 600, status(VmStatus.PAUSED)));

        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.PAUSED);
        VmManager ended = lab.engine.manager(VM);
        assertThat(ended.tryLock()).as("no lock is held meanwhile").isTrue();
        ended.unlock();
    }

    @Test
    @DisplayName("T50 a host with an empty first complete answer counts as read")
    void emptyHost() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, BETA, VmStatus.UP).started();

        lab.answer(ALPHA, _ -> {}).settle();
        lab.answer(BETA, _ -> {}).settle();

        assertThat(lab.engine.fleet().host(ALPHA).lastPollAt()).isNotNull();
        assertThat(lab.engine.health().unwell()).isEmpty();
        assertThat(lab.status(VM))
                .as("remembered as running, and not there")
                .isEqualTo(VmStatus.DOWN);
    }
}
