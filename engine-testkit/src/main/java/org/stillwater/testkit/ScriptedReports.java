package org.stillwater.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * A message about VMs that a test wrote. It behaves as a decoder does: absent fields follow the
 * rules of polls and events, and the known instance is handed back when nothing differs.
 */
public final class ScriptedReports implements VmReports {

    private final Kind kind;
    private final long fetchedNanos;
    private final long receivedNanos;
    private final List<Entry> entries = new ArrayList<>();
    private final VmSample sample = new VmSample();
    private @Nullable String malformed;
    private boolean closed;

    private interface Entry {
        void hand(VmReportSink sink);
    }

    private ScriptedReports(Kind kind, long fetchedNanos, long receivedNanos) {
        this.kind = kind;
        this.fetchedNanos = fetchedNanos;
        this.receivedNanos = receivedNanos;
    }

    /** A complete answer to a poll that was sent at this time, and answered at once. */
    public static ScriptedReports poll(long fetchedNanos) {
        return poll(fetchedNanos, fetchedNanos);
    }

    /** A complete answer, which arrived later than it was requested. */
    public static ScriptedReports poll(long fetchedNanos, long receivedNanos) {
        return new ScriptedReports(Kind.POLL, fetchedNanos, receivedNanos);
    }

    /** An event that arrived at this time. */
    public static ScriptedReports event(long receivedNanos) {
        return new ScriptedReports(Kind.EVENT, receivedNanos, receivedNanos);
    }

    /** One more VM that runs. */
    public ScriptedReports running(VmId vm, long stampMillis, Consumer<VmRuntime.Draft> fields) {
        return running(vm, stampMillis, null, fields, _ -> {});
    }

    /** One more VM that runs, with its device hash and numbers. */
    public ScriptedReports running(
            VmId vm,
            long stampMillis,
            @Nullable String deviceHash,
            Consumer<VmRuntime.Draft> fields,
            Consumer<VmSample> numbers) {
        return runningBeside(
                vm, stampMillis, new Beside(null, deviceHash, null, null), fields, numbers);
    }

    /**
     * Members of a running VM's report beside its fields and numbers; null for a missing one.
     *
     * @param name the VM's name as the host knows it
     * @param deviceHash token of the VM's devices
     * @param tpmHash hash of the VM's TPM data
     * @param nvramHash hash of the VM's NVRAM data
     */
    public record Beside(
            @Nullable String name,
            @Nullable String deviceHash,
            @Nullable String tpmHash,
            @Nullable String nvramHash) {}

    /** One more VM that runs, with its name and hashes, and its numbers. */
    public ScriptedReports runningBeside(
            VmId vm,
            long stampMillis,
            Beside beside,
            Consumer<VmRuntime.Draft> fields,
            Consumer<VmSample> numbers) {
        entries.add(sink -> {
            sample.clear();
            VmRuntime known = sink.known(vm, sample);
            VmRuntime base = known == null ? VmRuntime.INITIAL : known;
            VmRuntime.Draft draft = new VmRuntime.Draft();
            if (kind == Kind.POLL) {
                draft.startPoll(base);
            } else {
                draft.startFrom(base);
            }
            fields.accept(draft);
            numbers.accept(sample);
            sink.accept(
                    new VmReport.Running(
                            vm,
                            stampMillis,
                            beside.name(),
                            draft.build(),
                            beside.deviceHash(),
                            beside.tpmHash(),
                            beside.nvramHash()),
                    kind == Kind.POLL ? sample : null);
        });
        return this;
    }

    /** One more VM that is up and has a TPM with this hash. */
    public ScriptedReports upWithTpm(VmId vm, long stampMillis, String tpmHash) {
        entries.add(sink -> {
            sample.clear();
            VmRuntime known = sink.known(vm, sample);
            VmRuntime.Draft draft = new VmRuntime.Draft();
            draft.startFrom(known == null ? VmRuntime.INITIAL : known);
            draft.set(RuntimeField.STATUS, VmStatus.UP);
            sink.accept(
                    new VmReport.Running(vm, stampMillis, null, draft.build(), null, tpmHash, null),
                    kind == Kind.POLL ? sample : null);
        });
        return this;
    }

    /** One more VM with an ended process. */
    public ScriptedReports exited(
            VmId vm, long stampMillis, ExitStatus status, ExitReason reason, String message) {
        entries.add(sink -> {
            sample.clear();
            sink.known(vm, sample);
            sink.accept(
                    new VmReport.Exited(vm, stampMillis, status, reason, message),
                    kind == Kind.POLL ? sample : null);
        });
        return this;
    }

    /** One more VM with an unreadable report. */
    public ScriptedReports unreadable(@Nullable VmId vm, String reason) {
        entries.add(sink -> sink.malformed(vm, reason));
        return this;
    }

    /** One more VM with a report that the receiver could not process. */
    public ScriptedReports failing(VmId vm, RuntimeException bug) {
        entries.add(sink -> {
            sample.clear();
            sink.known(vm, sample);
            sink.failed(vm, bug);
        });
        return this;
    }

    /** Makes the message end in nonsense after the VMs so far. */
    public ScriptedReports thenNonsense(String reason) {
        malformed = reason;
        return this;
    }

    /** Whether its buffers were freed. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public long fetchedNanos() {
        return fetchedNanos;
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    @Override
    public int sizeBytes() {
        return 3_000 * entries.size();
    }

    @Override
    public int decode(VmReportSink sink) throws MalformedReport {
        for (Entry entry : entries) {
            entry.hand(sink);
        }
        if (malformed != null) {
            throw new MalformedReport(malformed);
        }
        return entries.size();
    }

    @Override
    public void close() {
        closed = true;
    }
}
