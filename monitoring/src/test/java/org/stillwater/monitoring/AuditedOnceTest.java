package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.audit.AuditSettings;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.testkit.ScriptedReports;

/** One change makes one event: in memory and on the feed at once, in the log after its cause. */
class AuditedOnceTest {

    private final Lab lab = new Lab();

    private void upOnAlpha() throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answer(BETA, _ -> {});
        lab.settle();
    }

    private static void paused(ScriptedReports reports, long stamp) {
        reports.running(
                VM,
                stamp,
                draft ->
                        draft.set(RuntimeField.STATUS, VmStatus.PAUSED)
                                .set(RuntimeField.PAUSE_STATUS, PauseStatus.EIO));
    }

    private List<AuditEvent> durable() {
        return lab.audit.all().stream().map(AuditEntry::event).toList();
    }

    private List<AuditEvent> told() throws StoreUnavailable {
        return lab.engine.events().newest(AuditFilter.ANY, null, 100).reversed().stream()
                .map(AuditEntry::event)
                .toList();
    }

    @Test
    void anEventAndThePollThatRepeatsItAreOneEntry() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> paused(event, 200));
        assertThat(told()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
        lab.settle();
        lab.event(ALPHA, event -> paused(event, 201));
        lab.cycle(ALPHA, poll -> paused(poll, 300));
        lab.cycle(ALPHA, poll -> paused(poll, 400));

        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
        assertThat(told()).isEqualTo(durable());
        assertThat(lab.audit.all().getLast().text())
                .isEqualTo("VM vm1 was paused by a storage input/output error");
        assertThat(lab.audit.all().getLast().hostName()).isEqualTo("host1");
    }

    @Test
    void aParkedReportIsAuditedOnceItIsAnalysed() throws Exception {
        upOnAlpha();
        VmManager vm = lab.engine.manager(VM);
        var held = new java.util.concurrent.CountDownLatch(1);
        var letGo = new java.util.concurrent.CountDownLatch(1);
        Thread command =
                Thread.ofPlatform()
                        .start(() -> {
                            vm.lock();
                            try {
                                held.countDown();
                                letGo.await();
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            } finally {
                                vm.unlock();
                            }
                        });
        held.await();
        lab.event(ALPHA, event -> paused(event, 200));
        lab.event(ALPHA, event -> paused(event, 201));
        lab.settle();
        assertThat(told()).isEmpty();

        letGo.countDown();
        command.join();
        lab.settle();
        lab.cycle(ALPHA, poll -> paused(poll, 300));

        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
    }

    @Test
    void anEntryIsNotDurableBeforeTheChangeThatCausedIt() throws Exception {
        upOnAlpha();
        lab.vms.unavailable("gone");
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        assertThat(told()).as("in memory at once").hasSize(2);
        assertThat(durable()).isEmpty();
        assertThat(lab.engine.health().audit().waiting()).isEqualTo(2);

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
        assertThat(lab.engine.health().audit().waiting()).isZero();
    }

    @Test
    void anOutageOfTheDatabaseDelaysEntriesAndDoublesNone() throws Exception {
        upOnAlpha();
        lab.audit.unavailable("gone");
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        assertThat(lab.engine.health().audit().notDurableReason()).isEqualTo("gone");
        lab.audit.unavailable(null);
        lab.audit.loseNextAnswer();
        for (int i = 0; i < 5; i++) {
            lab.clock.advance(Duration.ofSeconds(10));
            lab.settle();
        }
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
        assertThat(lab.engine.health().audit().notDurableSince()).isNull();
    }

    @Test
    void anEntryThatCannotBeWrittenIsDroppedOnceOthersAre() throws Exception {
        upOnAlpha();
        lab.audit.throwWith("storage input/output error");
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED);
        assertThat(lab.engine.health().audit().notDurableSince()).isNull();
        assertThat(lab.engine.health().audit().waiting()).isZero();
        assertThat(lab.counter("stillwater.audit.rejected")).isOne();
    }

    @Test
    void aStoreThatThrowsWithEveryEntryLosesNone() throws Exception {
        upOnAlpha();
        lab.audit.throwWith("");
        lab.event(ALPHA, event -> paused(event, 200));
        for (int i = 0; i < 20; i++) {
            lab.clock.advance(Duration.ofSeconds(10));
            lab.settle();
        }
        assertThat(lab.engine.health().audit().notDurableReason()).contains("a bug");
        assertThat(lab.engine.health().audit().waiting()).isEqualTo(2);

        lab.audit.throwWith(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
    }

    @Test
    void anErrorOfTheStoreLosesNoEntryAndIsShown() throws Exception {
        upOnAlpha();
        lab.audit.failWith(new OutOfMemoryError("full"));
        lab.event(ALPHA, event -> paused(event, 200));
        for (int i = 0; i < 20; i++) {
            lab.clock.advance(Duration.ofSeconds(10));
            lab.settle();
        }
        assertThat(lab.engine.health().audit().notDurableSince()).as("since when").isNotNull();
        assertThat(lab.engine.health().audit().waiting()).isEqualTo(2);
        assertThat(durable()).isEmpty();

        lab.audit.failWith(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
        assertThat(lab.engine.health().audit().notDurableSince()).isNull();
    }

    @Test
    void maintenanceThatThrowsKeepsNoEntryFromBeingWritten() throws Exception {
        upOnAlpha();
        int done = lab.audit.maintenances();
        lab.audit.throwInMaintenance(true);
        lab.clock.advance(Duration.ofDays(1));
        lab.pump();
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        assertThat(durable()).contains(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
        assertThat(lab.engine.health().audit().notDurableSince()).isNull();
        assertThat(lab.audit.maintenances()).isEqualTo(done);

        lab.audit.throwInMaintenance(false);
        lab.clock.advance(Duration.ofMinutes(5));
        lab.event(ALPHA, event -> event.running(VM, 300, status(VmStatus.UP)));
        lab.settle();
        assertThat(lab.audit.maintenances()).as("it is tried again").isEqualTo(done + 1);
    }

    @Test
    void aRestartRepeatsNoEntriesAndRemembersEarlierOnes() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        lab.restarted();
        assertThat(told()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);

        lab.answer(ALPHA, poll -> paused(poll, 300));
        lab.settle();
        assertThat(durable()).hasSize(2);
        lab.event(ALPHA, event -> event.running(VM, 400, status(VmStatus.UP)));
        lab.settle();
        assertThat(durable()).last().isEqualTo(AuditEvent.VM_RECOVERED_FROM_PAUSE_ERROR);
        assertThat(lab.audit.all()).extracting(AuditEntry::id).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aCrashBeforeTheCommitAuditsEventsOnceInTheNextLife() throws Exception {
        upOnAlpha();
        lab.vms.unavailable("gone");
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        lab.engine.close();
        assertThat(durable()).isEmpty();

        lab.vms.unavailable(null);
        lab.restarted();
        lab.answer(ALPHA, poll -> paused(poll, 300));
        lab.settle();
        lab.cycle(ALPHA, poll -> paused(poll, 400));
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
    }

    @Test
    void aRowThatTheDatabaseRefusesDoesNotSilenceItsEntries() throws Exception {
        upOnAlpha();
        lab.vms.refuse(VM, "bad row");
        lab.event(ALPHA, event -> paused(event, 200));
        lab.settle();
        assertThat(durable()).containsExactly(AuditEvent.VM_PAUSED, AuditEvent.VM_PAUSED_EIO);
    }

    @Test
    @DisplayName("S51 a console is opened and closed: one entry each")
    void consolesAreAudited() throws Exception {
        upOnAlpha();
        lab.event(ALPHA, event -> client(event, 200, ""));
        lab.settle();
        assertThat(told()).isEmpty();
        lab.event(ALPHA, event -> client(event, 201, "10.0.0.1"));
        lab.event(ALPHA, event -> client(event, 202, "10.0.0.1"));
        lab.event(ALPHA, event -> client(event, 203, ""));
        lab.settle();
        assertThat(durable())
                .containsExactly(
                        AuditEvent.VM_CONSOLE_CONNECTED, AuditEvent.VM_CONSOLE_DISCONNECTED);
    }

    @Test
    @DisplayName("S52 T47 a console that was never reported is written at most once, never audited")
    void anEmptyConsoleIsNoNews() throws Exception {
        upOnAlpha();
        int rows = lab.vms.rows();
        lab.event(ALPHA, event -> client(event, 200, ""));
        lab.settle();
        lab.event(ALPHA, event -> client(event, 201, ""));
        lab.settle();
        assertThat(lab.vms.rows() - rows).isLessThanOrEqualTo(1);
        assertThat(told()).isEmpty();
        assertThat(durable()).isEmpty();
    }

    private static void client(ScriptedReports reports, long stamp, String address) {
        reports.running(
                VM,
                stamp,
                draft ->
                        draft.set(RuntimeField.STATUS, VmStatus.UP)
                                .set(RuntimeField.CLIENT_IP, address));
    }

    @Test
    void everyVmOfALostHostIsAuditedOnce() throws Exception {
        lab.storedHosts(ALPHA, BETA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 100, status(VmStatus.UP))
                                .running(OTHER, 100, status(VmStatus.UP)));
        lab.settle();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("gone"));
        for (int i = 0; i < 60; i++) {
            lab.clock.advance(Duration.ofSeconds(5));
            lab.pump();
        }
        lab.settle();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(lab.audit.all())
                .filteredOn(entry -> entry.event() == AuditEvent.VM_SET_TO_UNKNOWN_STATUS)
                .extracting(AuditEntry::text)
                .containsExactlyInAnyOrder(
                        "The state of VM vm1 on host host1 is unknown",
                        "The state of VM vm2 on host host1 is unknown");
    }

    @Test
    void anAdoptedVmIsAuditedOnce() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answerDomains(ALPHA, "");
        lab.settle();
        assertThat(lab.audit.all())
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.event()).isEqualTo(AuditEvent.EXTERNAL_VM_ADDED);
                    assertThat(entry.vmId()).isEqualTo(VM);
                    assertThat(entry.text()).contains("found-1").contains("host1");
                });
    }

    @Test
    void entriesComeOnTheFeedInOneOrderWithTheChangesThatCausedThem() throws Exception {
        upOnAlpha();
        try (Subscription subscription = lab.engine.fleet().changes().subscribe(null, false)) {
            lab.event(
                    ALPHA,
                    event ->
                            event.exited(
                                    VM, 200, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "bye"));
            List<Delta> deltas = subscription.next(Duration.ZERO).deltas();
            assertThat(deltas.getFirst()).isInstanceOf(Delta.VmChanged.class);
            assertThat(deltas)
                    .element(1)
                    .isInstanceOfSatisfying(
                            Delta.Audited.class,
                            audited ->
                                    assertThat(audited.entry().text())
                                            .isEqualTo("VM vm1 is down. bye"));
            assertThat(deltas).extracting(Delta::revision).isSorted();
            try (Subscription resumed =
                    lab.engine.fleet().changes().subscribe(deltas.getFirst().revision(), false)) {
                assertThat(resumed.resumed()).isTrue();
                assertThat(resumed.next(Duration.ZERO).deltas().getFirst())
                        .isEqualTo(deltas.get(1));
            }
        }
    }

    @Test
    void repeatsWithinTheFloodIntervalAreLeftOutAlsoAfterARestart() throws Exception {
        upOnAlpha();
        guaranteeBroken();
        guaranteeBroken();
        lab.settle();
        assertThat(durable())
                .filteredOn(AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE::equals)
                .hasSize(1);
        assertThat(lab.counter("stillwater.audit.flooded")).isOne();
        lab.restarted();
        guaranteeBroken();
        lab.settle();
        assertThat(durable())
                .filteredOn(AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE::equals)
                .hasSize(1);
        lab.clock.advance(Duration.ofMinutes(15));
        guaranteeBroken();
        lab.settle();
        assertThat(durable())
                .filteredOn(AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE::equals)
                .hasSize(2);
    }

    private void guaranteeBroken() {
        lab.engine
                .audit()
                .record(
                        AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE,
                        VM,
                        ALPHA,
                        Map.of("currentMebibytes", "1", "guaranteedMebibytes", "2"));
    }

    @Test
    void tooManyThatWaitCostTheOldestAndAreCounted() throws Exception {
        lab.with(
                withAudit(
                        new AuditSettings(
                                100,
                                10,
                                4,
                                Duration.ZERO,
                                10,
                                Duration.ofDays(90),
                                Duration.ofDays(28))));
        upOnAlpha();
        lab.audit.unavailable("gone");
        for (int i = 0; i < 25; i++) {
            lab.engine.audit().record(AuditEvent.VM_PAUSED, VM, ALPHA, Map.of("n", "" + i));
            lab.pump();
        }
        assertThat(lab.engine.health().audit().waiting()).isEqualTo(10);
        assertThat(lab.engine.health().audit().givenUp()).isEqualTo(15);
        assertThat(lab.counter("stillwater.audit.given.up")).isEqualTo(15);
        lab.audit.unavailable(null);
        for (int i = 0; i < 5; i++) {
            lab.clock.advance(Duration.ofSeconds(10));
            lab.settle();
        }
        assertThat(lab.audit.all())
                .extracting(entry -> entry.details().get("n"))
                .containsExactly("15", "16", "17", "18", "19", "20", "21", "22", "23", "24");
        assertThat(lab.engine.health().audit().givenUp()).isZero();
        assertThat(told()).hasSize(25);
    }

    private static MonitoringSettings withAudit(AuditSettings audit) {
        MonitoringSettings defaults = MonitoringSettings.DEFAULT;
        return new MonitoringSettings(
                defaults.hosts(),
                defaults.writer(),
                defaults.feed(),
                audit,
                defaults.usageHistory(),
                defaults.warehouse(),
                defaults.clusters(),
                defaults.history());
    }

    @Test
    void olderEntriesAreReadFromTheDatabaseAndNewOnesFromMemory() throws Exception {
        lab.with(
                withAudit(
                        new AuditSettings(
                                5,
                                1_000,
                                100,
                                Duration.ZERO,
                                10,
                                Duration.ofDays(90),
                                Duration.ofDays(28))));
        upOnAlpha();
        for (int i = 0; i < 12; i++) {
            lab.clock.advance(Duration.ofSeconds(1));
            lab.engine
                    .audit()
                    .record(
                            i % 3 == 0 ? AuditEvent.VM_DOWN_ERROR : AuditEvent.VM_PAUSED,
                            VM,
                            ALPHA,
                            Map.of());
        }
        lab.settle();
        int calls = lab.audit.calls();
        List<AuditEntry> newest = lab.engine.events().newest(AuditFilter.ANY, null, 5);
        assertThat(lab.audit.calls()).as("memory suffices").isEqualTo(calls);
        assertThat(newest).isEqualTo(lab.audit.all().reversed().subList(0, 5));
        assertThat(lab.engine.events().newest(AuditFilter.ANY, null, 9))
                .isEqualTo(lab.audit.all().reversed().subList(0, 9));
        assertThat(lab.engine.events().newest(AuditFilter.ANY, newest.get(2).position(), 4))
                .isEqualTo(lab.audit.all().reversed().subList(3, 7));
        AuditFilter errors = new AuditFilter(null, null, AuditSeverity.ERROR, null, null, null);
        assertThat(lab.engine.events().newest(errors, null, 10)).hasSize(4);

        lab.audit.unavailable("gone");
        assertThat(lab.engine.events().newest(AuditFilter.ANY, null, 5)).isEqualTo(newest);
        AuditFilter recent =
                new AuditFilter(
                        null, null, AuditSeverity.NORMAL, null, newest.getLast().at(), null);
        assertThat(lab.engine.events().newest(recent, null, 100)).isEqualTo(newest);
        org.assertj.core.api.Assertions.assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() -> lab.engine.events().newest(AuditFilter.ANY, null, 6));
    }

    @Test
    void nothingIsDoneForTheLogWhileNothingIsAudited() throws Exception {
        upOnAlpha();
        int calls = lab.audit.calls();
        for (int i = 0; i < 20; i++) {
            lab.cycle(ALPHA, poll -> poll.running(VM, VmReport.NO_STAMP, status(VmStatus.UP)));
            lab.host(BETA).answerStatistics();
            lab.answer(BETA, poll -> {});
        }
        assertThat(lab.audit.all()).as("told").isEmpty();
        assertThat(lab.audit.calls()).isEqualTo(calls);

        Lab withoutHosts = new Lab().started();
        int before = withoutHosts.audit.calls();
        withoutHosts.clock.advance(Duration.ofHours(2));
        withoutHosts.pump();
        assertThat(withoutHosts.audit.calls()).isEqualTo(before);
    }

    @Test
    void entriesOfAQuietEngineAreKeptNoLongerThanTheirRetention() throws Exception {
        Lab withoutHosts = new Lab().started();
        withoutHosts.engine.audit().record(AuditEvent.VM_PAUSED, VM, ALPHA, Map.of());
        withoutHosts.settle();
        assertThat(withoutHosts.audit.all()).isNotEmpty();
        int calls = withoutHosts.audit.calls();

        withoutHosts.clock.advance(withoutHosts.settings.audit().retention().plusDays(1));
        withoutHosts.pump();
        withoutHosts.pump();

        assertThat(withoutHosts.audit.all()).as("nothing was audited meanwhile").isEmpty();
        assertThat(withoutHosts.audit.calls()).as("once a day").isEqualTo(calls + 1);
    }

    @Test
    void partitionsAreLookedAfterOnceADayBeforeABatch() throws Exception {
        upOnAlpha();
        int maintenances = lab.audit.maintenances();
        lab.engine.audit().record(AuditEvent.VM_PAUSED, VM, ALPHA, Map.of());
        lab.settle();
        assertThat(lab.audit.maintenances()).isEqualTo(maintenances);
        lab.clock.advance(Duration.ofDays(1));
        for (int i = 0; i < 3; i++) {
            lab.engine.audit().record(AuditEvent.VM_PAUSED, VM, ALPHA, Map.of());
            lab.settle();
        }
        assertThat(lab.audit.maintenances()).isEqualTo(maintenances + 1);
    }

    @Test
    void aClockThatJumpsToAnotherDayGetsItsPartitionsAtOnce() throws Exception {
        upOnAlpha();
        int maintenances = lab.audit.maintenances();
        lab.clock.jump(Duration.ofDays(40));
        for (int i = 0; i < 3; i++) {
            lab.engine.audit().record(AuditEvent.VM_PAUSED, VM, ALPHA, Map.of());
            lab.settle();
        }
        assertThat(lab.audit.maintenances()).isEqualTo(maintenances + 1);
    }
}
