package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.FloodLimits;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostTrouble;
import org.stillwater.testkit.ScriptedReports;

/** Two hosts, one of which floods the engine: it is limited by itself, and named. */
class HostFloodTest {

    private static final int BURST = 50;

    private final Lab lab = new Lab();

    private void limited(FloodLimits limits) throws Exception {
        lab.with(lab.settings.withHosts(lab.settings.hosts().withFlood(limits)));
        lab.storedHosts(ALPHA, BETA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, BETA, VmStatus.UP)
                .started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.answer(BETA, poll -> poll.running(OTHER, 100, status(VmStatus.UP)));
        lab.settle();
    }

    private void events(int count) {
        for (int i = 0; i < count; i++) {
            VmStatus seen = i % 2 == 0 ? VmStatus.PAUSED : VmStatus.UP;
            lab.host(ALPHA)
                    .listener()
                    .vmsChanged(
                            ScriptedReports.event(lab.clock.nanoTime())
                                    .running(VM, 1_000 + i, status(seen)));
        }
    }

    private List<AuditEntry> audited(AuditEvent event) {
        return lab.engine.audit().recent().stream()
                .filter(entry -> entry.event() == event)
                .toList();
    }

    private HostTrouble trouble(HostId host) {
        return health(host).trouble();
    }

    private HostHealth health(HostId id) {
        return lab.engine.fleet().hostHealth().stream()
                .filter(health -> health.definition().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eventsBeyondTheLimitAreReplacedByOnePollAndOnlyOfThatHost() throws Exception {
        limited(new FloodLimits(BURST, 10, 5_000, 120, 100, 100, 100));
        double handled = lab.counter("stillwater.events");
        lab.clock.advance(Duration.ofSeconds(2));

        events(1_000);
        lab.host(BETA)
                .listener()
                .vmsChanged(
                        ScriptedReports.event(lab.clock.nanoTime())
                                .running(OTHER, 900, status(VmStatus.POWERING_DOWN)));
        lab.pump();

        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.POWERING_DOWN);
        assertThat(lab.counter("stillwater.events") - handled).isEqualTo(BURST + 1);
        assertThat(lab.counter("stillwater.events.limited")).isEqualTo(1_000 - BURST);
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        assertThat(lab.host(BETA).pollsWaiting()).isZero();
        lab.answer(ALPHA, poll -> poll.running(VM, 5_000, status(VmStatus.POWERING_DOWN)));
        assertThat(lab.status(VM)).as("the poll tells").isEqualTo(VmStatus.POWERING_DOWN);
    }

    @Test
    void aHostThatFloodsIsNamedOncePerEpisode() throws Exception {
        limited(new FloodLimits(BURST, 10, 5_000, 120, 100, 100, 100));
        events(300);
        lab.pump();
        lab.clock.advance(Duration.ofSeconds(1));
        events(300);
        lab.pump();

        assertThat(audited(AuditEvent.HOST_FLOODS))
                .singleElement()
                .satisfies(entry -> assertThat(entry.hostId()).isEqualTo(ALPHA));
        assertThat(trouble(ALPHA)).isEqualTo(HostTrouble.FLOODING);
        assertThat(trouble(BETA)).isNotEqualTo(HostTrouble.FLOODING);
        assertThat(health(ALPHA).warnings()).containsKey("too many events");

        lab.clock.advance(Duration.ofSeconds(6));
        lab.pump();
        lab.event(ALPHA, event -> event.running(VM, 9_000, status(VmStatus.UP)));
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        assertThat(health(ALPHA).floodsSince()).isNull();
        assertThat(audited(AuditEvent.HOST_FLOOD_ENDED)).hasSize(1);
    }

    @Test
    void entriesBeyondTheLimitAreCountedInOneEntryAMinute() throws Exception {
        limited(new FloodLimits(5_000, 5_000, 10, 1, 100, 100, 100));
        for (int i = 0; i < 200; i++) {
            VmStatus seen = i % 2 == 0 ? VmStatus.PAUSED : VmStatus.UP;
            int stamp = 1_000 + i;
            lab.event(ALPHA, event -> event.running(VM, stamp, status(seen)));
            assertThat(lab.status(VM)).as("the truth in memory").isEqualTo(seen);
        }
        lab.event(BETA, event -> event.running(OTHER, 900, status(VmStatus.PAUSED)));

        assertThat(audited(AuditEvent.VM_PAUSED))
                .filteredOn(entry -> VM.equals(entry.vmId()))
                .hasSizeLessThanOrEqualTo(10);
        assertThat(audited(AuditEvent.VM_PAUSED))
                .filteredOn(entry -> OTHER.equals(entry.vmId()))
                .hasSize(1);
        assertThat(audited(AuditEvent.HOST_ENTRIES_LEFT_OUT)).isEmpty();
        assertThat(trouble(ALPHA)).isEqualTo(HostTrouble.FLOODING);
        double leftOut = lab.counter("stillwater.audit.limited");
        assertThat(leftOut).isGreaterThan(80);

        lab.clock.advance(Duration.ofMinutes(1));
        lab.pump();
        assertThat(audited(AuditEvent.HOST_ENTRIES_LEFT_OUT))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.hostId()).isEqualTo(ALPHA);
                    assertThat(entry.details().get("count"))
                            .isEqualTo(Integer.toString((int) leftOut));
                    assertThat(entry.details().get("kinds")).contains("VM_PAUSED ");
                });
    }

    @Test
    void changesOfTheNetworkBeyondTheLimitAreReadWithTheNextCycle() throws Exception {
        limited(new FloodLimits(1, 1, 5_000, 120, 100, 100, 100));
        lab.host(ALPHA).listener().networkChanged();
        lab.host(ALPHA).listener().networkChanged();
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-1");
        lab.pump();
        assertThat(lab.counter("stillwater.events.limited")).isOne();
        assertThat(lab.host(ALPHA).capabilitiesWaiting()).isZero();
        lab.cycle(ALPHA, poll -> poll.running(VM, 2_000, status(VmStatus.UP)));
        assertThat(lab.host(ALPHA).capabilitiesWaiting()).isOne();
    }

    /**
     * A VM that was taken in stays until a user removes it: a host must not make the list grow for
     * ever.
     */
    @Test
    void inventedVmsAreBounded() throws Exception {
        limited(new FloodLimits(5_000, 200, 5_000, 120, 3, 1_000, 6));
        for (int poll = 0; poll < 4; poll++) {
            int first = 100 + 10 * poll;
            lab.clock.advance(Duration.ofMinutes(1));
            lab.cycle(
                    ALPHA,
                    report -> {
                        report.running(VM, 2_000, status(VmStatus.UP));
                        for (int n = first; n < first + 3; n++) {
                            report.running(Lab.vmId(n), 2_000, status(VmStatus.UP));
                        }
                    });
            if (poll < 2) {
                assertThat(lab.answerDomains(ALPHA, "")).hasSize(3);
            }
        }
        assertThat(lab.host(ALPHA).domainCallsWaiting()).isZero();
        assertThat(lab.counter("stillwater.intake.limited")).isEqualTo(6);
        assertThat(trouble(ALPHA)).isEqualTo(HostTrouble.FLOODING);
        assertThat(lab.vm(Lab.vmId(110)).state().runtime().value(RuntimeField.STATUS)).isNotNull();
    }

    @Test
    void unknownVmsBeyondTheLimitWaitAndOthersAreTakenIn() throws Exception {
        limited(new FloodLimits(5_000, 200, 5_000, 120, 3, 3, 100));
        lab.cycle(
                ALPHA,
                poll -> {
                    poll.running(VM, 2_000, status(VmStatus.UP));
                    for (int n = 100; n < 110; n++) {
                        poll.running(Lab.vmId(n), 2_000, status(VmStatus.UP));
                    }
                });
        assertThat(lab.counter("stillwater.intake.limited")).isEqualTo(7);
        assertThat(lab.answerDomains(ALPHA, "")).hasSize(3);
        assertThat(trouble(ALPHA)).isEqualTo(HostTrouble.FLOODING);
        assertThat(lab.vm(Lab.vmId(100)).state().runtime().value(RuntimeField.STATUS))
                .isEqualTo(VmStatus.UP);
    }

    @Test
    void unknownVmsThatHaveEndedAreRemovedAFewAtATime() throws Exception {
        limited(new FloodLimits(5_000, 200, 10, 1, 100, 100, 100));
        lab.cycle(
                ALPHA,
                poll -> {
                    poll.running(VM, 2_000, status(VmStatus.UP));
                    for (int n = 100; n < 1_100; n++) {
                        poll.exited(
                                Lab.vmId(n), 2_000, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, "");
                    }
                });
        assertThat(lab.host(ALPHA).destroyed()).as("calls at once").hasSize(64);
        assertThat(health(ALPHA).warnings())
                .as("lines of the log beyond the limit")
                .hasEntrySatisfying(
                        "too many lines of the log",
                        lines -> assertThat(lines).isBetween(54L, 64L));
        for (int turn = 0; turn < 1_000; turn++) {
            lab.host(ALPHA).answerDestroys();
            lab.pump();
        }
        assertThat(lab.host(ALPHA).destroyed()).as("each once").hasSize(1_000);
        assertThat(health(ALPHA).warnings()).doesNotContainKey("destroy failed");
    }

    @Test
    void aHostThatChangesItsVmsWithoutEndDoesNotFillTheLog() throws Exception {
        limited(new FloodLimits(5_000, 5_000, 10, 1, 100, 100, 100));
        events(200);
        lab.pump();
        assertThat(health(ALPHA).warnings().get("too many lines of the log")).isGreaterThan(150);
        assertThat(health(BETA).warnings()).doesNotContainKey("too many lines of the log");
    }

    @Test
    void claimsCountAsEntriesOfTheClaimant() throws Exception {
        limited(new FloodLimits(5_000, 5_000, 1, 1, 100, 100, 100));
        lab.event(ALPHA, event -> event.running(VM, 1_000, status(VmStatus.PAUSED)));
        lab.event(ALPHA, event -> event.running(OTHER, 1_000, status(VmStatus.UP)));
        assertThat(lab.engine.fleet().contested(OTHER)).hasSize(1);
        assertThat(audited(AuditEvent.VM_CONTESTED)).isEmpty();
        assertThat(health(ALPHA).floodsSince()).isNotNull();
    }

    @Test
    void aHostThatSendsMoreThanIsReadIsNamed() throws Exception {
        limited(FloodLimits.DEFAULT);
        lab.host(ALPHA).listener().slowed();
        lab.host(ALPHA).listener().unexplained("ERROR frame: boom");
        lab.pump();
        assertThat(trouble(ALPHA)).isEqualTo(HostTrouble.FLOODING);
        assertThat(trouble(BETA)).isNotEqualTo(HostTrouble.FLOODING);
        assertThat(health(ALPHA).warnings())
                .containsEntry("too much data", 1L)
                .containsEntry("message not understood", 1L);
        assertThat(audited(AuditEvent.HOST_FLOODS))
                .singleElement()
                .satisfies(entry -> assertThat(entry.details()).containsEntry("what", "data"));
        lab.clock.advance(Duration.ofSeconds(5));
        lab.pump();
        assertThat(health(ALPHA).floodsSince()).isNotNull();
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        assertThat(health(ALPHA).floodsSince()).isNull();
    }
}
