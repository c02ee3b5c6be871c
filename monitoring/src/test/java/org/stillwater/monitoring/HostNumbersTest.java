package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.vm.ExitReason.USER_SHUTDOWN;
import static org.stillwater.core.vm.ExitStatus.NORMAL;
import static org.stillwater.monitoring.Lab.*;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostNumbers;

/** A host's numbers on their way from its answers to readers, people and the data warehouse. */
class HostNumbersTest {

    private final Lab lab =
            new Lab().with(MonitoringSettings.DEFAULT.withDumpInterval(Duration.ofSeconds(60)));

    private void upWithACard() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.host(ALPHA).listener().networkChanged();
        lab.pump();
        lab.host(ALPHA)
                .answerCapabilities(
                        new HostValues()
                                .put(HostField.MEMORY, 1_000L)
                                .put(HostField.SELINUX_MODE, 1)
                                .put(
                                        HostField.NICS,
                                        Map.of(
                                                "ens1",
                                                new HostNetworks.Nic(
                                                        HostNetworks.Ip.NONE,
                                                        null,
                                                        null,
                                                        1_000,
                                                        null,
                                                        null)))
                                .capabilities());
        lab.pump();
        lab.answer(ALPHA, poll -> poll.running(VM, 99, status(VmStatus.UP)));
        cycle(numbers(0, 0, 10_000), 100);
        lab.settle();
    }

    private static HostValues numbers(double at, long received, long swapFree) {
        return new HostValues()
                .put(HostField.CPU_USER, 20.5)
                .put(HostField.CPU_SYSTEM, 3.0)
                .put(HostField.MEMORY_FREE, 1_500L)
                .put(HostField.SWAP_TOTAL, 200_000L)
                .put(HostField.SWAP_FREE, swapFree)
                .put(
                        HostField.INTERFACES,
                        Map.of(
                                "ens1",
                                new HostStatistics.Nic(true, 1_000, received, 0L, 0L, 0L, at)));
    }

    private void cycle(HostValues values, long stamp) {
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).answerStatistics(values.statistics());
        lab.answer(ALPHA, poll -> poll.running(VM, stamp, status(VmStatus.UP)));
        lab.settle();
    }

    private HostUsage usage() {
        return lab.engine.fleet().host(ALPHA).usage();
    }

    private List<String> told() throws Exception {
        return lab.engine.events().newest(AuditFilter.ANY, null, 100).reversed().stream()
                .map(entry -> entry.event().toString())
                .filter(event -> event.contains("SWAP"))
                .toList();
    }

    @Test
    void usageFollowsFromTwoAnswersAndCostsNoStatement() throws Exception {
        upWithACard();
        assertThat(usage().cpuPercent()).isEqualTo(23);
        assertThat(usage().networkPercent()).as("one sample").isNull();
        int statements = lab.sqlCalls();
        for (int i = 1; i <= 3; i++) {
            cycle(numbers(15 * i, 187_500_000L * i, 10_000), 100 + i);
            assertThat(usage().networkPercent()).isEqualTo(10);
        }
        assertThat(lab.sqlCalls()).isEqualTo(statements);
    }

    @Test
    @DisplayName("T43 a host with 99 % used swap space is audited once")
    void fullSwapIsAuditedOnce() throws Exception {
        upWithACard();
        assertThat(told()).isEmpty();
        cycle(numbers(15, 0, 2_000), 101);
        cycle(numbers(30, 0, 2_000), 102);
        assertThat(told()).containsExactly("VDS_HIGH_SWAP_USE");
    }

    @Test
    void aHostThatIsGivenUpHasNoUsageAndNoStorage() throws Exception {
        upWithACard();
        HostStatistics.StorageDomain domain =
                new HostStatistics.StorageDomain(0, 3.0, 0.1, true, 5, true, true);
        cycle(
                numbers(15, 187_500_000L, 10_000)
                        .put(HostField.STORAGE_DOMAINS, Map.of("data", domain)),
                101);
        assertThat(usage().networkPercent()).isEqualTo(10);
        assertThat(lab.engine.fleet().host(ALPHA).statistics().storageDomains()).hasSize(1);

        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
        assertThat(lab.engine.fleet().host(ALPHA).statistics().storageDomains()).isEmpty();
        assertThat(usage().cpuPercent()).as("it may be back at once").isEqualTo(23);
        for (int i = 0; i < 30; i++) {
            lab.clock.advance(Duration.ofSeconds(3));
            lab.settle();
        }
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertUnknown();
    }

    @Test
    void theUsageOfAHostInMaintenanceIsUnknown() throws Exception {
        upWithACard();
        lab.event(ALPHA, event -> event.exited(VM, 200, NORMAL, USER_SHUTDOWN, "")).settle();
        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)))
                .isNotNull();
        lab.settle();
        assertThat(usage().cpuPercent()).as("it is still there").isEqualTo(23);

        lab.clock.advance(Duration.ofSeconds(3));
        lab.pump();
        lab.host(ALPHA)
                .answerStatistics(numbers(15, 0, 10_000).put(HostField.VM_COUNT, 0).statistics());
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);
        assertUnknown();
    }

    private void assertUnknown() {
        assertThat(usage().cpuPercent()).isNull();
        assertThat(usage().memoryPercent()).isNull();
        assertThat(usage().networkPercent()).isNull();
    }

    @Test
    void historyFollowsTheNewestAnswer() throws Exception {
        upWithACard();
        cycle(numbers(15, 187_500_000L, 10_000), 101);

        HostNumbers numbers = lab.engine.monitor(ALPHA).numbers();
        double[] values = new double[HistoryMetric.of(HistoryMetric.Subject.HOST).size()];
        assertThat(numbers.history(values)).isEqualTo(numbers.seen().at().toEpochMilli());
        List<Long> recent = new ArrayList<>();
        numbers.recent().each((time, _) -> recent.add(time));
        assertThat(recent).hasSize(3).endsWith(numbers.seen().at().getEpochSecond());
        double none = Double.NaN;
        assertThat(values)
                .containsExactly(
                        23, 20.5, 3, none, 0, 1_500, 190_000, none, 10, 12_500_000, 0, none);
    }

    @Test
    void historyDoesNotRepeatInterfacesThatTheNewestAnswerLacks() throws Exception {
        upWithACard();
        cycle(numbers(15, 187_500_000L, 10_000), 101);
        cycle(numbers(30, 187_500_000L, 10_000).put(HostField.INTERFACES, Map.of()), 102);

        double[] values = new double[HistoryMetric.of(HistoryMetric.Subject.HOST).size()];
        assertThat(lab.engine.monitor(ALPHA).numbers().history(values)).isPositive();
        assertThat(values[HistoryMetric.HOST_NETWORK_USAGE.index()]).isNaN();
        assertThat(values[HistoryMetric.HOST_NETWORK_RECEIVE.index()]).isNaN();
        assertThat(values[HistoryMetric.HOST_CPU_USER.index()]).isEqualTo(20.5);
    }

    @Test
    void samplesOfAHostGoToTheDataWarehouseOnItsInterval() throws Exception {
        upWithACard();
        assertThat(lab.statistics.sample(ALPHA)).isNull();
        lab.statistics.read();
        lab.clock.advance(Duration.ofSeconds(60));
        lab.pump();
        assertThat(lab.statistics.sample(ALPHA).usage().cpuPercent()).isEqualTo(23);
        assertThat(lab.statistics.sample(ALPHA).statistics().memory().freeMebibytes())
                .isEqualTo(1_500);
    }
}
