package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.history.SampleRing;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.history.HistorySettings;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.testkit.ScriptedHost;

class StableCycleCostTest {

    private static final int METRICS = HistoryMetric.of(Subject.VM).size();
    private static final int VMS = 500;
    private static final int CYCLES = 20;

    /** Allowance for the collections of one message, spread over its VMs. */
    private static final long BYTES_PER_VM_CYCLE = 16;

    private static final int HOST_CYCLES = 200;

    /**
     * What one answer with a host's numbers, and one poll without VMs, may cost; it takes 9 200.
     */
    private static final long BYTES_PER_HOST_CYCLE = 11_500;

    private Lab lab = new Lab();

    @ParameterizedTest(name = "with recent history: {0}")
    @ValueSource(booleans = {false, true})
    void aStableFleetWritesNoRowsAndAllocatesNothingPerVm(boolean history, TestReporter reporter)
            throws Exception {
        if (!history) {
            HistorySettings off = HistorySettings.DEFAULT.withoutMemory();
            lab = lab.with(lab.settings.withHistory(off));
        }
        List<VmReport.Running> reports = takeInVms();
        for (int i = 0; i < 50; i++) {
            stableCycle(reports);
        }
        int calls = lab.sqlCalls();
        long revision = lab.engine.fleet().revision();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long cpuBefore = threads.getCurrentThreadCpuTime();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CYCLES; i++) {
            stableCycle(reports);
        }
        long cpuNanos = threads.getCurrentThreadCpuTime() - cpuBefore;
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        reporter.publishEntry(
                "CPU nanoseconds per VM-cycle", String.valueOf(cpuNanos / (VMS * CYCLES)));
        reporter.publishEntry("bytes per VM-cycle", String.valueOf(allocated / (VMS * CYCLES)));

        assertThat(lab.sqlCalls() - calls).as("SQL in %d stable cycles", CYCLES).isZero();
        assertThat(lab.engine.fleet().revision()).isEqualTo(revision);
        assertThat(lab.counter("stillwater.reports", "outcome", "accepted"))
                .isGreaterThanOrEqualTo((double) VMS * CYCLES);
        assertThat(lab.engine.manager(vmId(0)).statistics().recent() != null).isEqualTo(history);
        assertThat(allocated / (VMS * CYCLES))
                .as("bytes allocated per VM and cycle")
                .isLessThanOrEqualTo(BYTES_PER_VM_CYCLE);
    }

    @Test
    void aStableHostWritesNoRowAndAllocatesLittle(TestReporter reporter) throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, _ -> {}).settle();
        for (int i = 0; i < 200; i++) {
            stableCycle(List.of(), busyHost(i));
        }
        List<HostStatistics> told = new ArrayList<>();
        for (int i = 0; i < HOST_CYCLES; i++) {
            told.add(busyHost(200 + i));
        }
        int calls = lab.sqlCalls();
        long revision = lab.engine.fleet().revision();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (HostStatistics statistics : told) {
            stableCycle(List.of(), statistics);
        }
        long perCycle = (threads.getCurrentThreadAllocatedBytes() - before) / HOST_CYCLES;
        reporter.publishEntry("bytes per host-cycle", String.valueOf(perCycle));

        assertThat(lab.sqlCalls() - calls).as("SQL in %d cycles", HOST_CYCLES).isZero();
        assertThat(lab.engine.fleet().revision()).isEqualTo(revision);
        assertThat(perCycle)
                .as("bytes allocated per host and cycle")
                .isLessThanOrEqualTo(BYTES_PER_HOST_CYCLE);
    }

    /** A host with eight interfaces, four local file systems and four storage domains. */
    private static HostStatistics busyHost(int i) {
        Map<String, HostStatistics.Nic> nics = new HashMap<>();
        for (int n = 0; n < 8; n++) {
            nics.put(
                    "ens" + n,
                    new HostStatistics.Nic(true, 10_000, i * 1_000L, i * 2_000L, 0L, 0L, i * 15.0));
        }
        Map<String, HostStatistics.StorageDomain> domains = new HashMap<>();
        for (int n = 0; n < 4; n++) {
            domains.put(
                    "domain-" + n,
                    new HostStatistics.StorageDomain(0, 2.0, 0.001, true, 5, true, true));
        }
        return new HostValues()
                .put(HostField.VM_COUNT, 0)
                .put(HostField.CPU_USER, 20.0 + i % 5)
                .put(HostField.CPU_SYSTEM, 3.0)
                .put(HostField.MEMORY_FREE, 100_000L)
                .put(HostField.INTERFACES, nics)
                .put(
                        HostField.LOCAL_DISKS,
                        Map.of(
                                "/var/run/vdsm",
                                1_000L,
                                "/tmp",
                                1_000L,
                                "/var/log",
                                900L,
                                "/",
                                1L << 20))
                .put(HostField.STORAGE_DOMAINS, domains)
                .statistics();
    }

    private List<VmReport.Running> takeInVms() throws Exception {
        lab.storedHosts(ALPHA);
        for (int i = 0; i < VMS; i++) {
            lab.storedVm(vmId(i), ALPHA, VmStatus.UP);
        }
        lab.started();
        lab.answer(
                ALPHA,
                poll -> {
                    for (int i = 0; i < VMS; i++) {
                        poll.running(vmId(i), 100, status(VmStatus.UP));
                    }
                });
        lab.settle();
        List<VmReport.Running> reports = new ArrayList<>();
        for (int i = 0; i < VMS; i++) {
            reports.add(
                    new VmReport.Running(
                            vmId(i), 100, null, lab.vm(vmId(i)).state().runtime(), null));
        }
        return reports;
    }

    private void stableCycle(List<VmReport.Running> reports) {
        stableCycle(reports, ScriptedHost.NO_STATISTICS);
    }

    private void stableCycle(List<VmReport.Running> reports, HostStatistics statistics) {
        lab.clock.advance(Duration.ofSeconds(15));
        lab.pump();
        lab.host(ALPHA).answerStatistics(statistics);
        lab.host(ALPHA).answerPoll(new Prepared(reports, lab.host(ALPHA).oldestPollNanos()));
        lab.pump();
    }

    /** A decoder that allocates nothing itself. */
    private record Prepared(List<VmReport.Running> reports, long fetchedNanos)
            implements VmReports {

        private static final VmSample SAMPLE = new VmSample();

        @Override
        public Kind kind() {
            return Kind.POLL;
        }

        @Override
        public long receivedNanos() {
            return fetchedNanos;
        }

        @Override
        public int sizeBytes() {
            return 3_300 * reports.size();
        }

        @Override
        public int decode(VmReportSink sink) {
            for (int i = 0; i < reports.size(); i++) {
                VmReport.Running report = reports.get(i);
                SAMPLE.clear();
                sink.known(report.vmId(), SAMPLE);
                SAMPLE.cpuUserPercent = i;
                SAMPLE.cpuSystemPercent = 1;
                SAMPLE.memoryUsagePercent = 50;
                SAMPLE.nicsReported = true;
                VmSample.Nic nic = SAMPLE.addNic();
                nic.mac = VmSample.Nic.macOf(Lab.MAC);
                nic.receivedBytes = fetchedNanos;
                nic.sampleTimeSeconds = fetchedNanos / 1e9;
                SAMPLE.disksReported = true;
                VmSample.Disk disk = SAMPLE.addDisk();
                disk.name = "vda";
                disk.imageId = report.vmId();
                sink.accept(report, SAMPLE);
            }
            return reports.size();
        }

        @Override
        public void close() {}
    }

    @Test
    void aFullVmTakesNoMoreMemoryThanItsShare(TestReporter reporter) {
        int count = 30_000;
        long budget = 2_700;
        FullVm.register(new VmRegistry(40), new VmId(1, 1)); // loads shared classes
        // What else the JVM keeps from these seconds (other tests' caches, the compiler's code) is
        // not the VMs', and comes once: the VMs' own share is in every round.
        long perVm = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            VmRegistry registry = new VmRegistry(40);
            long before = liveBytes();
            for (int i = 0; i < count; i++) {
                FullVm.register(registry, new VmId(i * 0x9E3779B97F4A7C15L, i));
            }
            perVm = Math.min(perVm, (liveBytes() - before) / count);
            assertThat(registry.size()).isEqualTo(count);
        }

        reporter.publishEntry("heap bytes per full VM", String.valueOf(perVm));
        assertThat(perVm).as("heap bytes of one full VM").isLessThanOrEqualTo(budget);
    }

    @Test
    void recentHistoryOfAStableVmTakesLessThan200Bytes(TestReporter reporter) {
        double[] values = new Random(1).doubles(METRICS, 0, 100).toArray();
        long perVm = bytesOfRecentHistory(reporter, "stable", (_, _) -> values);

        assertThat(perVm).as("heap bytes of a stable VM's hour").isLessThan(200);
    }

    @Test
    void recentHistoryOfTheWorstVmTakesNoMoreThan3KiB(TestReporter reporter) {
        Random random = new Random(1);
        long perVm =
                bytesOfRecentHistory(
                        reporter,
                        "worst",
                        (_, values) -> {
                            for (int i = 0; i < METRICS; i++) {
                                values[i] = Math.exp(25 * random.nextDouble());
                            }
                            return values;
                        });

        assertThat(perVm).as("heap bytes of the worst VM's history").isLessThanOrEqualTo(3 * 1024);
    }

    /** More than an hour of samples for every VM. */
    private long bytesOfRecentHistory(
            TestReporter reporter, String name, BiFunction<Integer, double[], double[]> numbers) {
        int count = 10_000;
        addAnHour(new SampleRing[10], numbers); // loads shared classes
        // As above: what the JVM keeps beside the rings is not in every round.
        long perVm = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            SampleRing[] rings = new SampleRing[count];
            long before = liveBytes();
            addAnHour(rings, numbers);
            perVm = Math.min(perVm, (liveBytes() - before) / count);
            assertThat(rings[count - 1].samples().oldest()).isNotNull();
        }
        reporter.publishEntry("heap bytes of recent history, " + name, String.valueOf(perVm));
        // The array that holds them is the reference that each VM has.
        return perVm + Integer.BYTES;
    }

    private static void addAnHour(
            SampleRing[] rings, BiFunction<Integer, double[], double[]> numbers) {
        RingFormat format = HistorySettings.DEFAULT.format(Subject.VM);
        double[] scratch = new double[METRICS];
        for (int vm = 0; vm < rings.length; vm++) {
            rings[vm] = new SampleRing(format);
            for (int i = 0; i < 250; i++) {
                rings[vm].add(1_767_225_600_000L + 15_000L * i, numbers.apply(i, scratch));
            }
        }
    }

    private static long liveBytes() {
        long smallest = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            smallest =
                    Math.min(
                            smallest,
                            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return smallest;
    }
}
