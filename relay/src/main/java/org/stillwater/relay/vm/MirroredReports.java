package org.stillwater.relay.vm;

import java.util.Map;
import java.util.UUID;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.relay.state.Cells;

/**
 * Records of VMs in the form of the message that their host would send. The records are immutable,
 * so the message can be decoded later and on any thread.
 */
public final class MirroredReports implements VmReports {

    private final Kind kind;
    private final Map<UUID, Cells> records;
    private final long fetchedNanos;
    private final long receivedNanos;
    private final int sizeBytes;
    private boolean decoded;

    /**
     * A message.
     *
     * @param kind a complete list or an event
     * @param records the VMs; the host's own record is left out
     * @param fetchedNanos a time of the engine's clock before the request to the host
     * @param receivedNanos arrival of the last part
     * @param sizeBytes size of the messages that carried it
     */
    public MirroredReports(
            Kind kind,
            Map<UUID, Cells> records,
            long fetchedNanos,
            long receivedNanos,
            int sizeBytes) {
        this.kind = kind;
        this.records = Map.copyOf(records);
        this.fetchedNanos = fetchedNanos;
        this.receivedNanos = receivedNanos;
        this.sizeBytes = sizeBytes;
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
        return sizeBytes;
    }

    @Override
    public int decode(VmReportSink sink) throws MalformedReport {
        if (decoded) {
            throw new IllegalStateException("a message is decoded once");
        }
        decoded = true;
        VmRuntime.Draft draft = new VmRuntime.Draft();
        VmSample sample = new VmSample();
        int count = 0;
        for (Map.Entry<UUID, Cells> each : records.entrySet()) {
            if (!each.getKey().equals(HostCells.id())) {
                count += decode(VmId.of(each.getKey()), each.getValue(), draft, sample, sink);
            }
        }
        return count;
    }

    private int decode(
            VmId id, Cells cells, VmRuntime.Draft draft, VmSample sample, VmReportSink sink) {
        sample.clear();
        VmRuntime known = sink.known(id, sample);
        VmRuntime base = known == null ? VmRuntime.INITIAL : known;
        if (VmCells.isPolled(cells)) {
            draft.startPoll(base);
        } else {
            draft.startFrom(base);
        }
        VmReport report;
        try {
            report = VmCells.report(id, cells, draft, known);
            if (kind == Kind.POLL) {
                SampleCells.read(cells, sample);
            }
        } catch (IllegalArgumentException malformed) {
            sink.malformed(id, String.valueOf(malformed.getMessage()));
            return 0;
        }
        return sink.deliver(report, kind == Kind.POLL ? sample : null) ? 1 : 0;
    }

    @Override
    public void close() {
        decoded = true;
    }
}
