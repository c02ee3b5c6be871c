package org.stillwater.vdsm.client;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A message about VMs, still as the bytes that arrived. Used by one thread at a time. */
final class VmMessage implements VmReports {
    /** Receives the outcome of decoding, for the count of malformed messages. */
    interface Verdict {
        void understood();

        void malformed(String reason);

        /** Numbers of predicted and of decoded records of a poll. */
        default void records(int predicted, int decoded) {}
    }

    private final Kind kind;
    private final HostDefinition host;
    private final StompFrame frame;
    private @Nullable Envelope envelope;
    private final long fetchedNanos;
    private final long receivedNanos;
    private final VmDecoder.Pool decoders;
    private final PollMemory memory;
    private final Verdict verdict;
    private final int size;
    private boolean decoded;

    /**
     * Takes over the frame, and the envelope if there is one.
     *
     * @param envelope the message opened up to its payload, or null to open it when decoding
     * @param memory of the host's polls; its messages are decoded one after the other
     */
    VmMessage(
            Kind kind,
            HostDefinition host,
            StompFrame frame,
            @Nullable Envelope envelope,
            long fetchedNanos,
            long receivedNanos,
            VmDecoder.Pool decoders,
            PollMemory memory,
            Verdict verdict) {
        this.kind = kind;
        this.host = host;
        this.frame = frame;
        this.envelope = envelope;
        this.fetchedNanos = fetchedNanos;
        this.receivedNanos = receivedNanos;
        this.decoders = decoders;
        this.memory = memory;
        this.verdict = verdict;
        this.size = (int) Math.min(frame.body().length(), Integer.MAX_VALUE);
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
        return size;
    }

    @Override
    public int decode(VmReportSink sink) throws MalformedReport {
        if (decoded) {
            throw new IllegalStateException("a message is decoded once");
        }
        decoded = true;
        VmDecoder decoder = decoders.take();
        try {
            int count = kind == Kind.POLL ? decodePoll(decoder, sink) : decodeEvent(decoder, sink);
            verdict.understood();
            return count;
        } catch (JacksonException notJson) {
            throw malformed("not JSON: " + notJson.getOriginalMessage(), notJson);
        } catch (MalformedEnvelope malformed) {
            throw malformed(Refusals.words(malformed), malformed);
        } finally {
            decoders.give(decoder);
        }
    }

    private int decodePoll(VmDecoder decoder, VmReportSink sink) throws MalformedEnvelope {
        Envelope open = envelope == null ? keep(Envelope.open(frame.body())) : envelope;
        PollReader polls = decoder.polls;
        int count = polls.decode(open, frame.body(), memory, host.address(), sink);
        if (count < 0) {
            throw new MalformedEnvelope("the result of Host.getAllVmStats is not a list");
        }
        verdict.records(polls.predicted(), polls.decoded());
        return count;
    }

    /**
     * An event's stamp stands behind the VMs it is for, so the message, which is small, is skimmed
     * first; this also makes sure that nothing is taken from a broken one.
     */
    private int decodeEvent(VmDecoder decoder, VmReportSink sink) throws MalformedEnvelope {
        long notifyTime = VmReport.NO_STAMP;
        try (Envelope skimmed = Envelope.openWithIds(frame.body())) {
            if (!skimmed.hasPayload()
                    || skimmed.payload().currentToken() != JsonToken.START_OBJECT) {
                throw new MalformedEnvelope("the params of an event are not an object");
            }
            JsonParser p = skimmed.payload();
            while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean stamp = p.currentName().equals(VmField.NOTIFY_TIME);
                p.nextToken();
                if (stamp) {
                    notifyTime = Lenient.longOf(p, VmReport.NO_STAMP);
                } else {
                    p.skipChildren();
                }
            }
            skimmed.finish();
        }
        Envelope open = keep(Envelope.openWithIds(frame.body()));
        return decoder.decodeEvent(open.payload(), host.address(), notifyTime, sink);
    }

    private Envelope keep(Envelope open) {
        envelope = open;
        return open;
    }

    private MalformedReport malformed(String reason, Exception cause) {
        verdict.malformed(reason);
        return new MalformedReport(reason, cause);
    }

    @Override
    public void close() {
        Envelope open = envelope;
        if (open != null) {
            open.close();
            envelope = null;
        }
        decoded = true;
        frame.close();
    }
}
