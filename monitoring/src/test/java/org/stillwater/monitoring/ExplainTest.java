package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.explain.ChangeTrace;
import org.stillwater.monitoring.explain.Delay;
import org.stillwater.monitoring.explain.Delay.Code;
import org.stillwater.monitoring.explain.Explainer.Explained;
import org.stillwater.monitoring.explain.GroupExplanation;
import org.stillwater.monitoring.explain.GroupExplanation.Group;
import org.stillwater.monitoring.explain.ReportTrace;
import org.stillwater.testkit.ScriptedReports;

/** Explanations of values: their report, its way through the engine, and reasons for delays. */
@DisplayName("Explanations of values")
class ExplainTest {

    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(31);

    private final Lab lab = new Lab();

    @Test
    @DisplayName("name the poll that reported a value, with every time on its way to the database")
    void aPoll() throws Exception {
        upWithOneVm();
        lab.cycle(ALPHA, poll -> poll.running(VM, 7_000, status(VmStatus.PAUSED)));
        lab.clock.advance(Duration.ofSeconds(2));

        GroupExplanation reported = vm(Group.REPORTED);

        ReportTrace report = Objects.requireNonNull(reported.report());
        assertThat(report.kind()).isEqualTo(ReportTrace.Kind.POLL);
        assertThat(report.hostName()).isEqualTo("host1");
        assertThat(report.hostStampMillis()).isEqualTo(7_000);
        assertThat(report.requestedAt()).isNotNull().isBeforeOrEqualTo(report.receivedAt());
        assertThat(report.receivedAt()).isNotNull().isBeforeOrEqualTo(report.decodedAt());
        ChangeTrace change = Objects.requireNonNull(reported.change());
        assertThat(change.cause()).isEqualTo(ChangeTrace.Cause.HOST);
        assertThat(change.appliedAt()).isNotNull().isEqualTo(change.publishedAt());
        assertThat(change.committedAt()).isNotNull().isAfter(change.publishedAt());
        assertThat(change.durable()).isTrue();
        assertThat(reported.delays()).isEmpty();
        assertThat(reported.stale()).isFalse();
        assertThat(reported.text())
                .startsWith("Host host1 reported these values by a complete poll that arrived 2.")
                .contains("A report of host host1 changed the state last");
    }

    @Test
    @DisplayName("show that an event carried some of the values only")
    void anEvent() throws Exception {
        upWithOneVm();
        lab.event(ALPHA, event -> event.running(VM, 9_000, status(VmStatus.PAUSED))).settle();

        GroupExplanation reported = vm(Group.REPORTED);

        ReportTrace report = Objects.requireNonNull(reported.report());
        assertThat(report.kind()).isEqualTo(ReportTrace.Kind.EVENT);
        assertThat(report.requestedAt()).isNull();
        assertThat(reported.allObservedAt()).isNotNull().isBefore(report.receivedAt());
        assertThat(reported.text()).contains("some of these values by an event");
    }

    @Test
    @DisplayName("a state of the database that no host has confirmed")
    void notReportedYet() throws Exception {
        lab.storedHosts(ALPHA);
        lab.storedVm(VM, ALPHA, VmStatus.UP);
        lab.started();

        GroupExplanation reported = vm(Group.REPORTED);

        assertThat(reported.report()).isNull();
        assertThat(Objects.requireNonNull(reported.change()).cause())
                .isEqualTo(ChangeTrace.Cause.DATABASE);
        assertThat(codes(reported)).contains(Code.NOT_REPORTED);
        assertThat(reported.stale()).isTrue();
    }

    @Test
    @DisplayName("a silent host makes values stale, with its failure and what would end it")
    void aSilentHost() throws Exception {
        upWithOneVm();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cable cut"));
        lab.settle();

        Delay delay = only(vm(Group.REPORTED));

        assertThat(delay.code()).isEqualTo(Code.HOST_SILENT);
        assertThat(delay.text()).startsWith("Host host1 does not answer since").contains("cable");
        assertThat(delay.remedy()).isEqualTo("Host host1 answers; the engine tries every 3.0 s.");
        assertThat(host(Group.VMS).stale()).isTrue();
        assertThat(vm(Group.DECIDED).stale()).isFalse();
        assertThat(
                        Objects.requireNonNull(lab.engine.fleet().explainer().vm(VM, _ -> false))
                                .groups()
                                .toString())
                .as("a reader who may not see the host")
                .contains("does not answer")
                .doesNotContain("cable");
    }

    @Test
    @DisplayName("a host out of service is not asked")
    void aHostInMaintenance() throws Exception {
        upWithOneVm();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)))
                .isNotNull();
        lab.settle();

        assertThat(codes(vm(Group.REPORTED))).contains(Code.HOST_NOT_WATCHED);
    }

    @Test
    @DisplayName("a late poll")
    void aLatePoll() throws Exception {
        upWithOneVm();
        lab.clock.advance(HALF_A_MINUTE);

        Delay delay = only(vm(Group.REPORTED));

        assertThat(delay.code()).isEqualTo(Code.POLL_LATE);
        assertThat(delay.text()).contains("arrived 31 s ago; one is expected every 15 s");
        assertThat(delay.remedy()).contains("/api/v1/hosts/" + ALPHA + "/refresh");
    }

    @Test
    @DisplayName("polls that come in time without the VM's values")
    void notMentioned() throws Exception {
        upWithOneVm();
        for (int i = 0; i < 3; i++) {
            lab.cycle(ALPHA, poll -> poll.unreadable(VM, "unreadable"));
        }

        assertThat(only(vm(Group.REPORTED)).code()).isEqualTo(Code.NOT_MENTIONED);
    }

    @Test
    @DisplayName("reports that wait for the host's thread")
    void aFullMailbox() throws Exception {
        upWithOneVm();
        ScriptedReports event = ScriptedReports.event(lab.clock.nanoTime());
        event.running(VM, 9_000, status(VmStatus.PAUSED));
        lab.host(ALPHA).listener().vmsChanged(event);
        lab.clock.advance(Duration.ofSeconds(2));

        Delay delay = only(vm(Group.REPORTED));

        assertThat(delay.code()).isEqualTo(Code.MAILBOX_BEHIND);
        assertThat(delay.text()).contains("the oldest report arrived 2.0 s ago");
        lab.settle();
        assertThat(vm(Group.REPORTED).stale()).isFalse();
    }

    @Test
    @DisplayName("a report that waits for the end of a command")
    void aLockedVm() throws Exception {
        upWithOneVm();
        SteppedEngine commands = new SteppedEngine(lab.engine);
        commands.lock(VM);
        assertThat(vm(Group.REPORTED).stale()).as("nothing newer is known").isFalse();
        lab.event(ALPHA, event -> event.running(VM, 9_000, status(VmStatus.PAUSED)));

        Delay delay = only(vm(Group.REPORTED));

        assertThat(delay.code()).isEqualTo(Code.VM_LOCKED);
        assertThat(delay.text()).contains("a report of host host1 that arrived");
        commands.unlock(VM);
        commands.abandon();
        lab.settle();
        assertThat(vm(Group.REPORTED).delays()).isEmpty();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.PAUSED);
    }

    @Test
    @DisplayName("a database that is behind memory")
    void aDatabaseThatIsAway() throws Exception {
        upWithOneVm();
        lab.vms.unavailable("away");
        lab.event(ALPHA, event -> event.running(VM, 9_000, status(VmStatus.PAUSED))).settle();

        GroupExplanation reported = vm(Group.REPORTED);

        assertThat(codes(reported)).containsExactly(Code.WRITER_BEHIND);
        assertThat(reported.databaseBehind()).isTrue();
        assertThat(reported.stale()).as("memory is right").isFalse();
        assertThat(Objects.requireNonNull(reported.change()).committedAt()).isNull();
        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        assertThat(vm(Group.REPORTED).databaseBehind()).isFalse();
        assertThat(Objects.requireNonNull(vm(Group.REPORTED).change()).committedAt()).isNotNull();
    }

    @Test
    @DisplayName("a host: its capabilities, its statistics, the list of its VMs")
    void aHost() throws Exception {
        upWithOneVm();
        lab.cycle(ALPHA, poll -> poll.running(VM, 7_000, status(VmStatus.UP)));

        assertThat(host(Group.REPORTED).report())
                .extracting(ReportTrace::kind)
                .isEqualTo(ReportTrace.Kind.CAPABILITIES);
        assertThat(host(Group.COUNTED).report())
                .extracting(ReportTrace::kind)
                .isEqualTo(ReportTrace.Kind.STATISTICS);
        assertThat(host(Group.VMS).report())
                .extracting(ReportTrace::kind)
                .isEqualTo(ReportTrace.Kind.POLL);
        assertThat(Objects.requireNonNull(lab.engine.fleet().explainer().host(ALPHA)).stale())
                .isFalse();
        assertThat(Objects.requireNonNull(host(Group.DECIDED).change()).committedAt()).isNotNull();
    }

    @Test
    @DisplayName("a missing object has none")
    void nothing() throws Exception {
        lab.started();

        assertThat(lab.engine.fleet().explainer().vm(VM, _ -> true)).isNull();
        assertThat(lab.engine.fleet().explainer().host(ALPHA)).isNull();
    }

    private void upWithOneVm() throws Exception {
        lab.storedHosts(ALPHA);
        lab.storedVm(VM, ALPHA, VmStatus.UP);
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP))).settle();
    }

    private GroupExplanation vm(Group group) {
        return of(lab.engine.fleet().explainer().vm(VM, _ -> true), group);
    }

    private GroupExplanation host(Group group) {
        return of(lab.engine.fleet().explainer().host(ALPHA), group);
    }

    private static GroupExplanation of(Explained explained, Group group) {
        return Objects.requireNonNull(explained).groups().stream()
                .filter(each -> each.group() == group)
                .findFirst()
                .orElseThrow();
    }

    private static List<Code> codes(GroupExplanation group) {
        return group.delays().stream().map(Delay::code).toList();
    }

    private static Delay only(GroupExplanation group) {
        assertThat(group.delays()).hasSize(1);
        return group.delays().getFirst();
    }
}
