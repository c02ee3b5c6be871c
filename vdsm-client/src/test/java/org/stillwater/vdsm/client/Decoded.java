package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;

/** Decodes messages and keeps the result; stands for an engine that knows some VMs. */
final class Decoded implements VmReportSink {
    static final HostDefinition HOST =
            new HostDefinition(new HostId(new UUID(0, 1)), "host1", "host1.example.test", 54321);

    final Map<VmId, VmRuntime> known = new HashMap<>();
    final Map<VmId, Long> knownDisksUsage = new HashMap<>();
    final List<VmReport> reports = new ArrayList<>();
    final List<String> numbers = new ArrayList<>();

    /** Reported jobs, null for "not known". */
    final Map<VmId, @Nullable List<VmJobReport>> jobs = new HashMap<>();

    final Map<VmId, Long> knownNuma = new HashMap<>();
    final Map<VmId, @Nullable List<VmNumaNode>> numa = new HashMap<>();
    final List<String> malformed = new ArrayList<>();

    /** Exceptions of this receiver that the decoder handed back, by VM. */
    final List<Map.Entry<VmId, RuntimeException>> failed = new ArrayList<>();

    final List<String> altered = new ArrayList<>();
    final List<String> verdicts = new ArrayList<>();
    @Nullable RuntimeException bug;

    /** One decoder for all messages, so that nothing may leak from one record into the next. */
    private final VmDecoder.Pool decoders = new VmDecoder.Pool();

    private PollMemory memory = new PollMemory();

    int poll(String json) throws MalformedReport {
        return decode(VmReports.Kind.POLL, json);
    }

    int event(String json) throws MalformedReport {
        return decode(VmReports.Kind.EVENT, json);
    }

    /** A poll of these records. */
    int records(String... records) throws MalformedReport {
        return poll("{\"id\": \"a\", \"result\": [" + String.join(", ", records) + "]}");
    }

    private int decode(VmReports.Kind kind, String json) throws MalformedReport {
        reports.clear();
        numbers.clear();
        malformed.clear();
        failed.clear();
        altered.clear();
        jobs.clear();
        numa.clear();
        return decode(kind, FrameBody.utf8(json), decoders);
    }

    /** Decodes a poll once more. */
    void again(FrameBody body, VmDecoder.Pool pool) throws MalformedReport {
        reports.clear();
        numbers.clear();
        decode(VmReports.Kind.POLL, body, pool);
    }

    private int decode(VmReports.Kind kind, FrameBody body, VmDecoder.Pool pool)
            throws MalformedReport {
        StompFrame frame = new StompFrame("MESSAGE", StompHeaders.none(), body);
        try (VmReports message =
                new VmMessage(kind, HOST, frame, null, 5, 7, pool, memory, new Verdicts())) {
            return message.decode(this);
        }
    }

    VmReport.Running running() {
        return (VmReport.Running) reports.getFirst();
    }

    VmReport.Running running(String vmId) {
        return (VmReport.Running)
                reports.stream()
                        .filter(r -> r.vmId().equals(VmId.parse(vmId)))
                        .findFirst()
                        .orElseThrow();
    }

    VmReport.Exited exited() {
        return (VmReport.Exited) reports.getFirst();
    }

    /** Makes the reported state the known one. */
    void learn() {
        for (VmReport report : reports) {
            if (report instanceof VmReport.Running running) {
                known.put(running.vmId(), running.runtime());
            }
        }
    }

    @Override
    public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
        sample.knownDisksUsageDigest = knownDisksUsage.getOrDefault(vmId, 0L);
        sample.knownNumaDigest = knownNuma.getOrDefault(vmId, 0L);
        return known.get(vmId);
    }

    @Override
    public void accept(VmReport report, @Nullable VmSample sample) {
        if (bug != null) {
            RuntimeException thrown = bug;
            bug = null;
            throw thrown;
        }
        reports.add(report);
        numbers.add(sample == null ? "none" : text(sample));
        if (sample != null) {
            knownDisksUsage.put(report.vmId(), sample.disksUsageDigest);
            jobs.put(report.vmId(), sample.jobs);
            numa.put(report.vmId(), sample.numaNodes);
            knownNuma.put(report.vmId(), sample.numaDigest);
        }
    }

    @Override
    public void malformed(@Nullable VmId vmId, String reason) {
        malformed.add((vmId == null ? "?" : vmId) + ": " + reason);
    }

    @Override
    public void failed(VmId vmId, RuntimeException thrown) {
        failed.add(Map.entry(vmId, thrown));
    }

    @Override
    public void altered(VmId vmId, String wire) {
        altered.add(wire);
    }

    private static String n(long value) {
        return value == VmSample.NOT_REPORTED ? "-" : Long.toString(value);
    }

    private static String n(double value) {
        return Double.isNaN(value) ? "-" : Double.toString(value);
    }

    /** Every number of a sample in a fixed order, {@code -} for an unreported one. */
    static String text(VmSample s) {
        StringBuilder text = new StringBuilder();
        text.append("cpu ").append(n(s.cpuUserPercent)).append('/').append(n(s.cpuSystemPercent));
        text.append(" up ").append(n(s.elapsedSeconds)).append(" mem ");
        text.append(n(s.memoryUsagePercent)).append(' ').append(n(s.memoryFreeKibibytes));
        text.append('/').append(n(s.memoryUnusedKibibytes));
        text.append('/').append(n(s.memoryBufferedKibibytes));
        text.append('/').append(n(s.memoryCachedKibibytes));
        text.append(" balloon ").append(n(s.balloonCurrentKibibytes));
        text.append('/').append(n(s.balloonMaximumKibibytes));
        text.append('/').append(n(s.balloonTargetKibibytes));
        text.append('/').append(n(s.balloonMinimumKibibytes));
        text.append(" migration ").append(n(s.migrationProgressPercent));
        text.append(" nics ").append(s.nicsReported ? "" : "-");
        for (int i = 0; i < s.nicCount(); i++) {
            VmSample.Nic nic = s.nic(i);
            text.append('[').append(VmSample.Nic.macText(nic.mac));
            text.append(' ').append(n(nic.receivedBytes)).append('/').append(n(nic.sentBytes));
            text.append(' ').append(n(nic.receiveDropped)).append('/').append(n(nic.sendDropped));
            text.append(' ').append(n(nic.sampleTimeSeconds)).append(']');
        }
        text.append(" disks ").append(s.disksReported ? "" : "-");
        for (int i = 0; i < s.diskCount(); i++) {
            VmSample.Disk disk = s.disk(i);
            text.append('[').append(disk.name).append(' ').append(disk.imageId);
            text.append(' ').append(disk.lunId);
            text.append(' ').append(n(disk.readRate)).append('/').append(n(disk.writeRate));
            text.append(' ').append(n(disk.readOperations));
            text.append('/').append(n(disk.writeOperations));
            text.append(' ').append(n(disk.actualSizeBytes));
            text.append(' ').append(n(disk.readLatencyNanos));
            text.append('/').append(n(disk.writeLatencyNanos));
            text.append('/').append(n(disk.flushLatencyNanos)).append(']');
        }
        text.append(" usage ").append(s.disksUsage);
        return text.toString();
    }

    static String sample(String file) {
        try (InputStream in = Decoded.class.getResourceAsStream("/vdsm/" + file + ".json")) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private final class Verdicts implements VmMessage.Verdict {
        @Override
        public void understood() {
            verdicts.add("understood");
        }

        @Override
        public void malformed(String reason) {
            verdicts.add(reason);
        }
    }
}
