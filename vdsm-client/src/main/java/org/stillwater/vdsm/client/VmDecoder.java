package org.stillwater.vdsm.client;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.ReportRules;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.jsonrpc.Lenient;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.sym.PropertyNameMatcher;

/**
 * Decodes VM records, one after the other, from a parser to a {@link VmReportSink}: no tree, no
 * intermediate object. One thread at a time; reused, because its buffers make a stable VM almost
 * free.
 *
 * <p>How: the sink returns the known state as soon as the VM's id is read, and every value that
 * follows is compared with the known one <em>in place</em>, in the parser's buffer. Equal texts,
 * numbers and lists are taken from the known runtime, so nothing is created and {@link
 * VmRuntime.Draft} ends by handing back the very instance that was known. Which member fills which
 * field is the table {@link RuntimeField}, compiled by {@link VmMembers}.
 *
 * <p>VDSM writes {@code statusTime}, {@code status} and {@code vmId} first. For a host that writes
 * the id later, the record is copied once and read again.
 */
final class VmDecoder {

    /** Longest text in a record with a late id: longer than any text or list that is kept. */
    private static final int LONGEST_LATE_TEXT = 128 * 1_024;

    private static final int LONGEST_LATE_RECORD = 4 * 1_024 * 1_024;

    static final String NO_OBJECT = "a VM record is not an object";

    private static final PropertyNameMatcher MEMBERS = VmMembers.INSTANCE.matcher();
    private static final int STATUS_TIME = VmMembers.INSTANCE.indexOf(VmField.STATUS_TIME);
    private static final int STATUS = VmMembers.INSTANCE.indexOf(VmField.STATUS);
    private static final int VM_ID = VmMembers.INSTANCE.indexOf(VmField.VM_ID);

    /**
     * Decoders kept for reuse over all hosts: as many as decode at the same time, not one per host.
     * Thread-safe.
     */
    static final class Pool {
        private static final int MOST_IDLE = 32;

        private final BlockingQueue<VmDecoder> idle = new ArrayBlockingQueue<>(MOST_IDLE);

        VmDecoder take() {
            VmDecoder decoder = idle.poll();
            return decoder == null ? new VmDecoder() : decoder;
        }

        void give(VmDecoder decoder) {
            decoder.forget();
            idle.offer(decoder); // beyond the bound it is garbage
        }
    }

    final VmRuntime.Draft draft = new VmRuntime.Draft();
    final VmSample sample = new VmSample();
    final Scratch scratch = new Scratch();

    /** Reads the lists of polls, most records without this decoder. */
    final PollReader polls = new PollReader(this);

    private final CharView view = new CharView();

    /** Replaces a console address that is not usable. */
    String hostAddress = "";

    /** Members of the present record that are neither runtime nor sample. */
    long stampMillis;

    private @Nullable VmReportSink receiver;
    private @Nullable VmId current;

    @Nullable VmStatus status;
    @Nullable String name;
    @Nullable String deviceHash;
    @Nullable String tpmHash;
    @Nullable String nvramHash;
    boolean unresponsive;

    /**
     * Decodes a poll's list.
     *
     * @param parser on the list's first token
     * @return how many VMs were handed over, or −1 when there is no list
     */
    int decodePoll(JsonParser parser, String host, VmReportSink sink) {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            return -1;
        }
        hostAddress = host;
        int count = 0;
        for (JsonToken at = parser.nextToken();
                at != JsonToken.END_ARRAY;
                at = parser.nextToken()) {
            if (at != JsonToken.START_OBJECT) {
                parser.skipChildren();
                parser.finishToken(); // a text that is not JSON is no element
                sink.malformed(null, NO_OBJECT);
            } else if (decodePolled(parser, sink)) {
                count++;
            }
        }
        return count;
    }

    /**
     * Decodes the {@code params} of an event.
     *
     * @param parser on their first token
     * @return how many VMs were handed over, or −1 when they are no object
     */
    int decodeEvent(JsonParser parser, String host, long notifyTime, VmReportSink sink) {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            return -1;
        }
        hostAddress = host;
        int count = 0;
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                parser.skipChildren();
                continue;
            }
            VmId vmId;
            try {
                vmId = VmId.parse(key);
            } catch (IllegalArgumentException notAUuid) {
                parser.skipChildren();
                sink.malformed(null, Refusals.words(notAUuid));
                continue;
            }
            start();
            stampMillis = notifyTime;
            receiver = sink;
            current = vmId;
            VmRuntime known = sink.known(vmId, sample);
            draft.startFrom(known == null ? VmRuntime.INITIAL : known);
            readMembers(parser);
            if (known == null && status == null) {
                continue; // some numbers of an unknown VM are useless
            }
            if (hand(vmId, null, sink)) {
                count++;
            }
        }
        return count;
    }

    /** Decodes one record; whether it was handed over. The parser is on its first token. */
    boolean decodePolled(JsonParser parser, VmReportSink sink) {
        start();
        while (true) {
            int member = parser.nextNameMatch(MEMBERS);
            if (member == STATUS_TIME) {
                parser.nextToken();
                stampMillis = Lenient.longOf(parser, VmReport.NO_STAMP);
            } else if (member == STATUS) {
                parser.nextToken();
                status = Texts.statusOf(parser);
            } else if (member == VM_ID) {
                parser.nextToken();
                VmId vmId = vmIdAt(parser);
                if (vmId == null) {
                    skipRest(parser);
                    sink.malformed(null, "a VM record whose vmId is not a UUID");
                    return false;
                }
                return decodeKnown(parser, vmId, sink);
            } else if (member == PropertyNameMatcher.MATCH_END_OBJECT) {
                sink.malformed(null, "a VM record without vmId");
                return false;
            } else {
                return decodeLateId(parser, sink);
            }
        }
    }

    /** On a member's name: copies the rest of the record, finds the id, reads the copy. */
    private boolean decodeLateId(JsonParser parser, VmReportSink sink) {
        scratch.clear();
        scratch.append('{');
        VmId vmId = null;
        boolean fits = true;
        boolean more = true;
        while (more) {
            String member = parser.currentName();
            parser.nextToken();
            if (member.equals(VmField.VM_ID)) {
                vmId = vmIdAt(parser);
                parser.skipChildren();
            } else if (fits) {
                scratch.appendString(member);
                scratch.append(':');
                fits = scratch.appendValue(parser, LONGEST_LATE_TEXT, LONGEST_LATE_RECORD);
                scratch.append(',');
            } else {
                parser.skipChildren();
            }
            more = parser.nextToken() == JsonToken.PROPERTY_NAME;
        }
        scratch.appendString("");
        scratch.append(':');
        scratch.append('0');
        scratch.append('}');
        if (vmId == null) {
            sink.malformed(null, "a VM record without a vmId that is a UUID");
            return false;
        }
        if (!fits) {
            sink.malformed(vmId, "a VM record that is too long and does not begin with the vmId");
            return false;
        }
        char[] copy = scratch.copy();
        try (JsonParser again =
                Json.FACTORY.createParser(ObjectReadContext.empty(), copy, 0, copy.length)) {
            again.nextToken();
            return decodeKnown(again, vmId, sink);
        }
    }

    private boolean decodeKnown(JsonParser parser, VmId vmId, VmReportSink sink) {
        receiver = sink;
        current = vmId;
        VmRuntime known = sink.known(vmId, sample);
        draft.startPoll(known == null ? VmRuntime.INITIAL : known);
        if (status != null) {
            draft.set(RuntimeField.STATUS, status);
        }
        readMembers(parser);
        if (status == null) {
            sink.malformed(vmId, "a VM record without status");
            return false;
        }
        return hand(vmId, sample, sink);
    }

    /** Lets go of everything that belongs to the last message. */
    void forget() {
        start();
        draft.startFrom(VmRuntime.INITIAL);
    }

    private void start() {
        sample.clear();
        receiver = null;
        current = null;
        stampMillis = VmReport.NO_STAMP;
        status = null;
        name = null;
        deviceHash = null;
        tpmHash = null;
        nvramHash = null;
        unresponsive = false;
    }

    private void readMembers(JsonParser parser) {
        while (true) {
            int member = parser.nextNameMatch(MEMBERS);
            if (member >= 0) {
                if (parser.nextToken() != JsonToken.VALUE_NULL) {
                    VmMembers.INSTANCE.reader(member).read(this, parser);
                }
            } else if (member == PropertyNameMatcher.MATCH_UNKNOWN_NAME) {
                parser.nextToken();
                parser.skipChildren();
            } else {
                return;
            }
        }
    }

    private boolean hand(VmId vmId, @Nullable VmSample numbers, VmReportSink sink) {
        VmReport report;
        if (status == VmStatus.DOWN) {
            String message = (String) draft.value(RuntimeField.EXIT_MESSAGE);
            report =
                    new VmReport.Exited(
                            vmId,
                            stampMillis,
                            (ExitStatus) known(RuntimeField.EXIT_STATUS),
                            (ExitReason) known(RuntimeField.EXIT_REASON),
                            message == null ? "" : message);
        } else {
            if (unresponsive && draft.value(RuntimeField.STATUS) instanceof VmStatus seen) {
                draft.set(RuntimeField.STATUS, ReportRules.effectiveStatus(seen, false));
            }
            report =
                    new VmReport.Running(
                            vmId, stampMillis, name, draft.build(), deviceHash, tpmHash, nvramHash);
        }
        return sink.deliver(report, numbers);
    }

    private Object known(RuntimeField field) {
        Object value = draft.value(field);
        if (value == null) {
            throw new IllegalStateException(field + " has no value");
        }
        return value;
    }

    /** The UUID at the parser, without a text in between; null when it is none. */
    @Nullable VmId vmIdAt(JsonParser parser) {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            parser.skipChildren();
            return null;
        }
        try {
            return VmId.parse(view.over(parser));
        } catch (IllegalArgumentException notAUuid) {
            return null;
        }
    }

    /**
     * The text at the parser as it may be kept: the known one when it is equal. Null for no scalar.
     *
     * @param wire path of the text, for the report that it was altered
     */
    @Nullable String text(JsonParser parser, @Nullable String known, int limit, String wire) {
        String text = Texts.textOr(parser, known, limit);
        if (text != null && !text.equals(known) && Texts.isAltered(parser, limit)) {
            altered(wire);
        }
        return text;
    }

    /** The text in the scratch buffer: the known one when it is equal. */
    String scratched(@Nullable String known, String wire) {
        String text = scratch.textOr(known);
        if (scratch.isAltered() && !text.equals(known)) {
            altered(wire);
        }
        return text;
    }

    /** A value that is not known yet was cut or cleaned. */
    void altered(String wire) {
        VmReportSink sink = receiver;
        VmId vmId = current;
        if (sink != null && vmId != null) {
            sink.altered(vmId, wire);
        }
    }

    /** The text at the parser, as a view that is valid until the parser moves. */
    CharSequence textAt(JsonParser parser) {
        return view.over(parser);
    }

    private static void skipRest(JsonParser parser) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            parser.nextToken();
            parser.skipChildren();
        }
    }

    /** The characters of a parser's present value. */
    private static final class CharView implements CharSequence {
        private char[] text = new char[0];
        private int from;
        private int length;

        CharView over(JsonParser parser) {
            text = parser.getStringCharacters();
            from = parser.getStringOffset();
            length = parser.getStringLength();
            return this;
        }

        @Override
        public int length() {
            return length;
        }

        @Override
        public char charAt(int index) {
            return text[from + index];
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new String(text, from + start, end - start);
        }

        @Override
        public String toString() {
            return new String(text, from, length);
        }
    }
}
