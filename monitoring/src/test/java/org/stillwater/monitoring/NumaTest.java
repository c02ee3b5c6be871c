package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.NumaNodeStatistics;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;

class NumaTest {

    private static final List<HostNumaNode> NODES =
            List.of(node(0, List.of(10, 21)), node(1, List.of(21, 10)));

    private final Lab lab = new Lab();
    private int vmDataBuilt;

    private static HostNumaNode node(int index, List<Integer> distances) {
        return new HostNumaNode(index, 65_536L, List.of(index), distances, Map.of(4, 16_777_216L));
    }

    private static HostStatistics numbers(double user) {
        return new HostValues()
                .put(
                        HostField.NUMA_STATISTICS,
                        List.of(new NumaNodeStatistics(0, 5L, 40, user, 1.0, 90.0, 2, Map.of())))
                .statistics();
    }

    @Test
    @DisplayName("Host NUMA is read once per host cycle, and written only when the host differs")
    void hostNumaIsReadOncePerCycleAndWrittenWhenItDiffers() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP);
        lab.engine.startWithoutThreads();
        lab.clock.advance(lab.settings.hosts().connectSpread());
        lab.pump();
        lab.host(ALPHA).connect();
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-1", NODES);
        lab.host(ALPHA).answerStatistics(numbers(0));
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.settle();
        assertThat(lab.numa.nodes(ALPHA)).hasSize(2);
        int calls = lab.sqlCalls();

        for (int cycle = 1; cycle <= 20; cycle++) {
            long stamp = 100L + cycle;
            lab.clock.advance(lab.settings.hosts().interval());
            lab.pump();
            assertThat(lab.host(ALPHA).answerStatistics(numbers(cycle)))
                    .as("calls for a host's numbers in cycle %d", cycle)
                    .isEqualTo(1);
            lab.answer(ALPHA, poll -> poll.running(VM, stamp, status(VmStatus.UP)));
            lab.settle();
            assertThat(
                            lab.engine
                                    .fleet()
                                    .host(ALPHA)
                                    .statistics()
                                    .numaNodes()
                                    .getFirst()
                                    .cpuUserPercent())
                    .isEqualTo(cycle);
        }
        assertThat(lab.sqlCalls()).as("SQL in 20 cycles").isEqualTo(calls);
        assertThat(lab.engine.fleet().host(ALPHA).state().capabilities().numaNodes())
                .isEqualTo(NODES);

        lab.host(ALPHA).listener().networkChanged();
        lab.pump();
        lab.host(ALPHA).answerCapabilities("boot-1", NODES.subList(0, 1));
        lab.settle();
        assertThat(lab.numa.nodes(ALPHA)).hasSize(1);
        assertThat(lab.numa.calls()).isEqualTo(2);
    }

    @Test
    @DisplayName("VM NUMA data is processed only when reported, and built only when it differs")
    void vmNumaDataIsProcessedOnlyWhenReported() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        assertThat(lab.engine.fleet().numa(VM)).as("not reported").isNull();

        for (int i = 0; i < 5; i++) {
            report(200 + i, 77, 0);
        }
        assertThat(lab.engine.fleet().numa(VM)).containsExactly(new VmNumaNode(0, List.of(0)));
        assertThat(vmDataBuilt).as("built once in five reports").isEqualTo(1);

        report(300, 78, 1);
        assertThat(lab.engine.fleet().numa(VM)).containsExactly(new VmNumaNode(0, List.of(1)));

        lab.cycle(ALPHA, poll -> poll.running(VM, 400, status(VmStatus.UP)));
        assertThat(lab.engine.fleet().numa(VM)).as("not reported any more").isNull();
    }

    /** As in a decoder: builds the data only when its digest is not the known one. */
    private void report(long stamp, long digest, int hostNode) {
        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                stamp,
                                null,
                                status(VmStatus.UP),
                                sample -> {
                                    sample.numaDigest = digest;
                                    if (digest != sample.knownNumaDigest) {
                                        vmDataBuilt++;
                                        sample.numaNodes =
                                                List.of(new VmNumaNode(0, List.of(hostNode)));
                                    }
                                }));
    }

    @Test
    void aStoppedVmIsNowhere() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        report(200, 77, 0);
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 300, ExitStatus.NORMAL, ExitReason.ADMIN_SHUTDOWN, "stopped"));
        assertThat(lab.engine.fleet().numa(VM)).isNull();
    }
}
