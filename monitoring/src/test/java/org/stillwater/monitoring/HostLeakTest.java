package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.testkit.Tier;

/** Hosts that come and go leave nothing in the engine's memory. */
class HostLeakTest {

    private static final int WARM_UP = 600;
    private static final int ROUNDS = Tier.count(1_000, 10_000);
    private static final String COMPLAINTS = "ThrottledLog.bySubject";
    private static final int MOST_KINDS = 20;
    private static final String AUDITED = "AuditEntry.details";

    private final Lab lab = new Lab();

    @Test
    void connectionsThatComeAndGoLeaveNothing() throws Exception {
        lab.storedVm(VM, ALPHA, VmStatus.UP).storedHosts(ALPHA, BETA).started();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("reset"));
        lab.host(BETA).disconnect(new HostFailure.Unreachable("reset"));
        for (int i = 0; i < WARM_UP; i++) {
            round(i);
        }
        Map<String, Integer> before = entries();

        for (int i = 0; i < ROUNDS; i++) {
            round(i);
        }

        assertThat(before).as("what the walk must find").containsKey("WatchedHosts.monitors");
        assertThat(grown(before, entries())).isEmpty();
    }

    @Test
    void hostsThatAreAddedAndRemovedLeaveNothing() throws Exception {
        lab.storedHosts(BETA).started();
        for (int i = 0; i < WARM_UP; i++) {
            addAndRemove(i);
        }
        Map<String, Integer> before = entries();
        int meters = lab.meters.getMeters().size();
        Set<Thread> threads = threads();

        for (int i = 0; i < ROUNDS; i++) {
            addAndRemove(WARM_UP + i);
        }

        assertThat(grown(before, entries())).isEmpty();
        assertThat(lab.meters.getMeters()).hasSize(meters);
        assertThat(threads).as("threads, of which others may have ended").containsAll(threads());
        assertThat(lab.engine.fleet().hosts()).hasSize(1);
        assertThat(lab.hosts.loadAll()).hasSize(1);
    }

    /** Collections that are new or larger; one may be smaller, as quiet times of events end. */
    private static Map<String, Integer> grown(
            Map<String, Integer> before, Map<String, Integer> after) {
        Map<String, Integer> grown = new TreeMap<>(after);
        grown.entrySet()
                .removeIf(each -> each.getValue() <= before.getOrDefault(each.getKey(), -1));
        return grown;
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet();
    }

    /** A host comes, runs an unknown VM, falls silent with it gone, and is removed. */
    private void addAndRemove(int i) throws Exception {
        HostId id = Lab.hostId(1_000 + i);
        assertThat(lab.engine.administration().addHost(Lab.definition(id))).isTrue();
        lab.settle();
        lab.connect(id);
        lab.answer(id, poll -> poll.running(vmId(100), 10 + i, status(VmStatus.UP)));
        lab.event(id, event -> event.running(VM, 11 + i, status(VmStatus.UP)));
        if (i % 3 == 0) {
            lab.host(id).disconnect(new HostFailure.Unreachable("reset"));
        }
        assertThat(lab.engine.administration().order(id, new HostFact.Maintain("it is old")))
                .isNotNull();
        lab.settle();
        lab.clock.advance(Duration.ofSeconds(3));
        lab.pump();
        lab.host(id).answerStatistics(new HostValues().put(HostField.VM_COUNT, 0).statistics());
        lab.settle();
        assertThat(lab.engine.administration().removeHost(id, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Followed.class);
        assertThat(lab.host(id).isClosed()).isTrue();
        lab.settle();
    }

    private Map<String, Integer> entries() throws IllegalAccessException {
        Map<String, Integer> entries = Entries.reachableFrom(lab.engine);
        // One entry for each kind of complaint, however often it is made; a kind may come late.
        assertThat(entries.remove(COMPLAINTS)).isBetween(1, MOST_KINDS);
        // The newest entries of the audit log stay in memory, four values each at most.
        assertThat(entries.remove(AUDITED)).isBetween(0, 4 * lab.settings.audit().recent());
        return entries;
    }

    /** Both hosts connect, report, get calls, and leave without answering all of them. */
    private void round(int i) {
        lab.clock.advance(Duration.ofSeconds(3));
        lab.connect(ALPHA);
        lab.connect(BETA);
        int stamp = 10 + i;
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, stamp, status(VmStatus.UP))
                                .running(vmId(100), stamp, status(VmStatus.UP)));
        lab.answer(
                BETA,
                poll ->
                        poll.exited(OTHER, stamp, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "")
                                .running(vmId(100), stamp, status(VmStatus.UP)));
        lab.event(ALPHA, event -> event.running(VM, stamp + 1L, status(VmStatus.UP)));
        HostFailure failure =
                i % 2 == 0
                        ? new HostFailure.Unreachable("reset")
                        : new HostFailure.TimedOut("heart-beat", 30_000);
        lab.host(ALPHA).disconnect(failure);
        lab.host(BETA).disconnect(failure);
        lab.settle();
    }
}
