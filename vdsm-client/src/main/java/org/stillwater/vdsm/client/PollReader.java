package org.stillwater.vdsm.client;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * Reads the list of a poll: records that are as they were by their {@link ReportPattern}, all
 * others by the {@link VmDecoder}. The result equals the decoder's own for every body: a test
 * compares the two over mutated messages. Used by one thread at a time; reused.
 */
final class PollReader {

    private static final byte[] NOTHING = {};

    private final VmDecoder decoder;
    private final ReportPattern.Staged staged = new ReportPattern.Staged();
    private final PatternFinder finder = new PatternFinder();
    private final Watched watched = new Watched();
    private byte[] body = NOTHING;
    private int length;
    private int predicted;

    /** A comma was not followed by an element. */
    private boolean missing;

    private int decoded;

    PollReader(VmDecoder decoder) {
        this.decoder = decoder;
    }

    /** Records of the last message that were as they were. */
    int predicted() {
        return predicted;
    }

    /** Records of the last message that the decoder had to read. */
    int decoded() {
        return decoded;
    }

    /**
     * Decodes the list on which an envelope stands, to its end.
     *
     * @return how many VMs were handed over, or −1 when there is no list
     * @throws MalformedEnvelope when the message is not JSON to its end
     */
    int decode(Envelope open, FrameBody frame, PollMemory memory, String host, VmReportSink sink)
            throws MalformedEnvelope {
        predicted = 0;
        decoded = 0;
        if (!open.hasPayload()) {
            return -1;
        }
        long start = open.payloadOffset();
        byte[] octets = frame.array();
        // Very long answers do not stand in one piece and are decoded as a stream.
        if (start < 0
                || octets == null
                || open.payload().currentToken() != JsonToken.START_ARRAY
                || !memory.begin()) {
            return decodeAll(open, host, sink);
        }
        decoder.hostAddress = host;
        watched.sink = sink;
        boolean whole = false;
        try {
            body = octets;
            length = (int) frame.length();
            if (body[(int) start] != '[') {
                return decodeAll(open, host, sink); // a mark of the encoding precedes the message
            }
            int count = readList((int) start, frame, memory, sink);
            whole = true;
            return count;
        } finally {
            memory.end(whole);
            watched.forget();
            body = NOTHING;
        }
    }

    private int decodeAll(Envelope open, String host, VmReportSink sink) throws MalformedEnvelope {
        int count = decoder.decodePoll(open.payload(), host, sink);
        if (count >= 0) {
            open.finish();
        }
        decoded = Math.max(count, 0);
        return count;
    }

    private int readList(int start, FrameBody frame, PollMemory memory, VmReportSink sink)
            throws MalformedEnvelope {
        int count = 0;
        missing = false;
        int at = blanks(start + 1);
        boolean more = at >= length || body[at] != ']';
        while (more) {
            int end = at < length && body[at] == '{' ? predict(at, memory, sink) : -1;
            if (end >= 0) {
                predicted++;
            } else {
                end = decode(at, memory);
                decoded++;
            }
            count += watched.handed ? 1 : 0;
            at = blanks(end);
            more = at < length && body[at] == ',';
            if (more) {
                at = blanks(at + 1);
            }
        }
        boolean ends = !missing && at < length && body[at] == ']';
        int last = ends ? blanks(at + 1) : at;
        if (!ends || last >= length || body[last] != '}' || blanks(last + 1) != length) {
            readEnd(frame);
        }
        return count;
    }

    /** The message does not end here: the parser finds the defect, if there is one. */
    private static void readEnd(FrameBody frame) throws MalformedEnvelope {
        try (Envelope again = Envelope.open(frame)) {
            again.payload().skipChildren();
            again.finish();
        }
    }

    /** The position behind the record, or −1 when it is not as it was. */
    private int predict(int from, PollMemory memory, VmReportSink sink) {
        PollMemory.Known known = memory.expected();
        if (known == null) {
            return -1;
        }
        ReportPattern pattern = known.pattern();
        if (pattern == null) {
            return -1;
        }
        int end = pattern.match(body, length, from, staged);
        if (end < 0) {
            return -1;
        }
        VmSample sample = decoder.sample;
        sample.clear();
        if (!pattern.holdsFor(sink.known(pattern.vmId(), sample), sample)) {
            return -1;
        }
        pattern.fill(sample, staged);
        watched.handed = sink.deliver(pattern.reportAt(staged.stampMillis), sample);
        memory.confirmed(known);
        return end;
    }

    /** Reads one element of the list by the decoder; the position behind it. */
    private int decode(int from, PollMemory memory) {
        PollMemory.Known tried = memory.expected();
        watched.begin();
        // A list of its own for the parser, where a comma, a blank or the bracket stands.
        byte before = body[from - 1];
        body[from - 1] = '[';
        int end;
        try (JsonParser parser =
                Json.FACTORY.createParser(
                        ObjectReadContext.empty(), body, from - 1, length - from + 1)) {
            parser.nextToken();
            JsonToken element = parser.nextToken();
            if (element == JsonToken.START_OBJECT) {
                watched.handed = decoder.decodePolled(parser, watched);
            } else if (element == null || element == JsonToken.END_ARRAY) {
                missing = true;
                return from;
            } else {
                parser.skipChildren();
                parser.finishToken();
                watched.malformed(null, VmDecoder.NO_OBJECT);
            }
            end = from - 1 + (int) parser.currentLocation().getByteOffset();
        } finally {
            body[from - 1] = before;
        }
        VmReport.Running report = watched.stable;
        if (report != null) {
            PollMemory.Known known = memory.decoded(report.vmId());
            if ((known == tried || known.pattern() == null) && memory.wantsPattern(known)) {
                VmReport.Running kept = withId(known.vmId(), report);
                memory.learn(known, finder.find(body, from, end, kept, decoder.sample));
            }
        }
        return end;
    }

    /** The same report with the id that is kept anyway: a pattern needs no copy of its own. */
    private static VmReport.Running withId(VmId kept, VmReport.Running report) {
        return new VmReport.Running(
                kept,
                report.hostStampMillis(),
                report.name(),
                report.runtime(),
                report.deviceHash(),
                report.tpmHash(),
                report.nvramHash());
    }

    /** JSON allows blanks between tokens. */
    private int blanks(int from) {
        int at = from;
        while (at < length
                && (body[at] == ' ' || body[at] == '\n' || body[at] == '\t' || body[at] == '\r')) {
            at++;
        }
        return at;
    }

    /** Passes reports on, and records whether the engine already knew the very report. */
    private static final class Watched implements VmReportSink {
        private @Nullable VmReportSink sink;
        private @Nullable VmRuntime known;
        private boolean altered;
        private VmReport.@Nullable Running stable;
        private boolean handed;

        private void begin() {
            known = null;
            altered = false;
            stable = null;
            handed = false;
        }

        private void forget() {
            begin();
            sink = null;
        }

        private VmReportSink sink() {
            if (sink == null) {
                throw new IllegalStateException("no message is being read");
            }
            return sink;
        }

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            known = sink().known(vmId, sample);
            return known;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // a pattern holds for one instance
        public void accept(VmReport report, @Nullable VmSample sample) {
            if (!altered
                    && report instanceof VmReport.Running running
                    && running.runtime() == known) {
                stable = running;
            }
            sink().accept(report, sample);
        }

        @Override
        public void malformed(@Nullable VmId vmId, String reason) {
            stable = null;
            sink().malformed(vmId, reason);
        }

        @Override
        public void failed(VmId vmId, RuntimeException bug) {
            stable = null;
            sink().failed(vmId, bug);
        }

        @Override
        public void altered(VmId vmId, String wire) {
            altered = true;
            sink().altered(vmId, wire);
        }
    }
}
