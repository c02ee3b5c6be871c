package org.stillwater.benchmarks.micro;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.stillwater.core.analysis.AnalysisContext;
import org.stillwater.core.analysis.KnownVm;
import org.stillwater.core.analysis.VmAnalysis;
import org.stillwater.core.analysis.VmOutcome;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** The steps after decoding, per VM: draft of a poll, comparison, decision. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class AnalysisBenchmark {

    private final VmId vm = VmId.of(new UUID(1, 1));
    private final HostId host = new HostId(new UUID(0, 1));
    private final AnalysisContext context =
            new AnalysisContext(
                    host,
                    Instant.EPOCH,
                    Set.<HostId>of()::contains,
                    Set.<HostId>of()::contains,
                    false);
    private final VmRuntime up =
            VmRuntime.INITIAL
                    .with(RuntimeField.STATUS, VmStatus.UP)
                    .with(RuntimeField.FQDN, "vm-0001.example.test")
                    .with(RuntimeField.GUEST_OS, "Linux");
    private final KnownVm known =
            new KnownVm(
                    vm,
                    new VmStatic("vm", VmOrigin.EXTERNAL, false, 1024, 1024, 1, 1, 1, List.of()),
                    up,
                    VmPlacement.on(host));
    private final VmReport same = new VmReport.Running(vm, 1, null, up, null);
    private final VmReport paused =
            new VmReport.Running(vm, 1, null, up.with(RuntimeField.STATUS, VmStatus.PAUSED), null);
    private final VmRuntime.Draft draft = new VmRuntime.Draft();

    /** A report without changes: the cost of a stable VM. */
    @Benchmark
    public VmOutcome decideUnchanged() {
        return VmAnalysis.decide(known, same, context);
    }

    /** A report of another status. */
    @Benchmark
    public VmOutcome decidePaused() {
        return VmAnalysis.decide(known, paused, context);
    }

    /** Drafts a poll from the known runtime, fills it in and finds that nothing differs. */
    @Benchmark
    public VmRuntime draftUnchanged() {
        draft.startPoll(up)
                .set(RuntimeField.STATUS, VmStatus.UP)
                .set(RuntimeField.FQDN, up.text(RuntimeField.FQDN))
                .set(RuntimeField.GUEST_OS, up.text(RuntimeField.GUEST_OS));
        return draft.build();
    }
}
