package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;

/** The state of an engine that believes every report, and all that came of its last poll. */
final class PollEngine implements VmReportSink, VmMessage.Verdict {

    final Map<VmId, VmRuntime> runtimes = new HashMap<>();
    final Map<VmId, long[]> digests = new HashMap<>();
    private final VmDecoder.Pool decoders = new VmDecoder.Pool();
    private PollMemory memory;
    private List<Object> told = new ArrayList<>();
    private int predicted;
    private int decoded;
    private boolean refused;

    private PollEngine(PollMemory memory) {
        this.memory = memory;
    }

    /** An engine that uses patterns. */
    static PollEngine predicting() {
        return new PollEngine(new PollMemory());
    }

    /** An engine whose decoder reads every list as a whole. */
    static PollEngine decoding() {
        PollMemory busy = new PollMemory();
        busy.begin(); // it lends itself to no poll from now on
        return new PollEngine(busy);
    }

    /** Reads one message; the result is equal for equal outcomes. */
    List<Object> read(byte[] octets) {
        told = new ArrayList<>();
        predicted = 0;
        decoded = 0;
        refused = false;
        StompFrame frame =
                new StompFrame("MESSAGE", StompHeaders.none(), FrameBody.of(octets.clone()));
        try (VmMessage message =
                new VmMessage(
                        VmReports.Kind.POLL,
                        Decoded.HOST,
                        frame,
                        null,
                        5,
                        7,
                        decoders,
                        memory,
                        this)) {
            told.add("count " + message.decode(this));
        } catch (MalformedReport malformed) {
            told.add("malformed");
            refused = true;
        }
        return told;
    }

    /** Records of the last message that a pattern read. */
    int predicted() {
        return predicted;
    }

    /** Records of the last message that the decoder read. */
    int decoded() {
        return decoded;
    }

    /** Whether the last message was not JSON to its end. */
    boolean refused() {
        return refused;
    }

    /** Its knowledge of VMs, and the patterns of the last poll in their order. */
    record Snapshot(
            Map<VmId, VmRuntime> runtimes,
            Map<VmId, long[]> digests,
            List<ReportPattern> patterns) {}

    /** The present knowledge without patterns. */
    Snapshot known() {
        return new Snapshot(Map.copyOf(runtimes), Map.copyOf(digests), List.of());
    }

    /** Whether each pattern of the last poll has the very id by which it is found. */
    @SuppressWarnings("ReferenceEquality") // the question is whether it is one instance
    boolean patternsShareIds() {
        boolean shared = memory.begin();
        PollMemory.Known known;
        while ((known = memory.expected()) != null) {
            ReportPattern pattern = known.pattern();
            shared &= pattern != null && pattern.vmId() == known.vmId();
            memory.confirmed(known);
        }
        memory.end(true);
        return shared;
    }

    /** The present state; every VM of the last poll needs a pattern. */
    Snapshot snapshot() {
        List<ReportPattern> patterns = new ArrayList<>();
        PollMemory.Known known;
        memory.begin();
        while ((known = memory.expected()) != null) {
            ReportPattern pattern = known.pattern();
            if (pattern == null) {
                throw new IllegalStateException("no pattern of " + known.vmId());
            }
            patterns.add(pattern);
            memory.confirmed(known);
        }
        memory.end(true);
        return new Snapshot(Map.copyOf(runtimes), Map.copyOf(digests), List.copyOf(patterns));
    }

    /** Returns to a state, as if it had read nothing since. */
    void restore(Snapshot to, boolean withPatterns) {
        runtimes.clear();
        runtimes.putAll(to.runtimes());
        digests.clear();
        digests.putAll(to.digests());
        if (withPatterns) {
            memory = new PollMemory();
            memory.begin();
            for (ReportPattern pattern : to.patterns()) {
                memory.learn(memory.decoded(pattern.vmId()), pattern);
            }
            memory.end(true);
        }
    }

    @Override
    public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
        long[] known = digests.get(vmId);
        sample.knownDisksUsageDigest = known == null ? 0 : known[0];
        sample.knownNumaDigest = known == null ? 0 : known[1];
        return runtimes.get(vmId);
    }

    @Override
    public void accept(VmReport report, @Nullable VmSample sample) {
        told.add(report);
        told.add(sample == null ? "none" : text(sample));
        if (report instanceof VmReport.Running running) {
            runtimes.put(running.vmId(), running.runtime());
        }
        if (sample != null) {
            digests.put(report.vmId(), new long[] {sample.disksUsageDigest, sample.numaDigest});
        }
    }

    private static String text(VmSample sample) {
        return Decoded.text(sample)
                + " "
                + sample.jobs
                + " "
                + sample.numaNodes
                + " "
                + sample.disksUsageDigest
                + " "
                + sample.numaDigest;
    }

    @Override
    public void malformed(@Nullable VmId vmId, String reason) {
        told.add("malformed " + vmId + " " + reason);
    }

    @Override
    public void altered(VmId vmId, String wire) {
        told.add("altered " + vmId + " " + wire);
    }

    @Override
    public void understood() {}

    @Override
    public void malformed(String reason) {}

    @Override
    public void records(int predicted, int decoded) {
        this.predicted = predicted;
        this.decoded = decoded;
    }
}
