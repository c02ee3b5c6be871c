package org.stillwater.vdsm.client;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.wire.VmField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * Finds the {@link ReportPattern} of a record that the decoder has read: the numbers of the table
 * {@link SampleNumber}, the stamp, and numbers that the engine does not use become slots, wherever
 * they have their usual form. Used by one thread at a time; reused.
 */
final class PatternFinder {

    /** More bytes or numbers than a record of a VM with many disks has. */
    private static final int LONGEST_RECORD = 0xffff;

    private static final int MOST_SLOTS = 4_096;

    private static final byte[] NOTHING = {};

    private static final Map<SampleNumber.Part, Map<String, SampleNumber>> BY_PART =
            new EnumMap<>(SampleNumber.Part.class);

    static {
        for (SampleNumber number : SampleNumber.values()) {
            BY_PART.computeIfAbsent(number.part, _ -> new HashMap<>()).put(number.wire, number);
        }
    }

    private final char[] stretches = new char[MOST_SLOTS + 1];
    private final char[] slots = new char[MOST_SLOTS];
    private final ReportPattern.Staged staged = new ReportPattern.Staged();
    private final VmSample filled = new VmSample();

    private byte[] body = NOTHING;
    private int begin;
    private int end;
    private int count;
    private int at;
    private long hash;
    private int nics;
    private int disks;

    /**
     * The pattern of the record between two positions of a body, or null when it has none.
     *
     * @param report the decoder's result for the record
     * @param sample the numbers that the decoder read
     */
    @Nullable ReportPattern find(
            byte[] octets, int from, int to, VmReport.Running report, VmSample sample) {
        boolean quiet =
                sample.disksUsage == null
                        && sample.numaNodes == null
                        && (sample.jobs == null || sample.jobs.isEmpty());
        if (!quiet
                || to - from > LONGEST_RECORD
                || sample.nicCount() > ReportPattern.MOST_ROWS
                || sample.diskCount() > ReportPattern.MOST_ROWS) {
            return null;
        }
        body = octets;
        begin = from;
        end = to;
        count = 0;
        at = from;
        hash = ReportPattern.seed();
        nics = 0;
        disks = 0;
        try (JsonParser parser =
                Json.FACTORY.createParser(ObjectReadContext.empty(), octets, from, to - from)) {
            parser.nextToken();
            readVm(parser);
        }
        if (count == MOST_SLOTS || nics != sample.nicCount() || disks != sample.diskCount()) {
            return null; // too many, or rows were dropped
        }
        stretches[count] = (char) (to - at);
        ReportPattern pattern =
                new ReportPattern(
                        report,
                        sample,
                        SharedShapes.of(Arrays.copyOf(stretches, count + 1)),
                        SharedShapes.of(Arrays.copyOf(slots, count)),
                        ReportPattern.hash(octets, at, to, hash));
        boolean right = isRight(pattern, report, sample);
        body = NOTHING;
        return right ? pattern : null;
    }

    /** Whether the pattern, applied to its own record, gives the decoder's result. */
    private boolean isRight(ReportPattern pattern, VmReport.Running report, VmSample sample) {
        if (pattern.match(body, end, begin, staged) != end) {
            return false;
        }
        filled.clear();
        pattern.fill(filled, staged);
        return ReportPattern.isSame(filled, sample)
                && pattern.reportAt(staged.stampMillis).equals(report);
    }

    private void readVm(JsonParser parser) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            SampleNumber number = number(SampleNumber.Part.VM, name);
            boolean object = value == JsonToken.START_OBJECT;
            if (number != null) {
                slot(parser, ReportPattern.slot(number, 0));
            } else if (name.equals(VmField.STATUS_TIME)) {
                slot(parser, ReportPattern.STAMP);
            } else if (object && name.equals(VmField.MEMORY_STATS)) {
                readPart(parser, SampleNumber.Part.MEMORY, 0);
            } else if (object && name.equals(VmField.BALLOON_INFO)) {
                readPart(parser, SampleNumber.Part.BALLOON, 0);
            } else if (object && name.equals(VmField.NETWORK)) {
                readRows(parser, SampleNumber.Part.NIC);
            } else if (object && name.equals(VmField.DISKS)) {
                readRows(parser, SampleNumber.Part.DISK);
            } else if (VmMembers.INSTANCE.reads(SampleNumber.Part.VM, name)) {
                parser.skipChildren();
            } else {
                ignore(parser);
            }
        }
    }

    private void readRows(JsonParser parser, SampleNumber.Part part) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            int row = part == SampleNumber.Part.NIC ? nics++ : disks++;
            if (parser.nextToken() == JsonToken.START_OBJECT && row < ReportPattern.MOST_ROWS) {
                readPart(parser, part, row);
            } else {
                parser.skipChildren();
            }
        }
    }

    private void readPart(JsonParser parser, SampleNumber.Part part, int row) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            SampleNumber number = number(part, name);
            if (number != null) {
                slot(parser, ReportPattern.slot(number, row));
            } else if (VmMembers.INSTANCE.reads(part, name)) {
                parser.skipChildren();
            } else {
                ignore(parser);
            }
        }
    }

    /** Makes slots of all numbers in a value that the engine does not use. */
    private void ignore(JsonParser parser) {
        if (!parser.currentToken().isStructStart()) {
            slot(parser, ReportPattern.IGNORED);
            return;
        }
        int depth = 1;
        while (depth > 0) {
            JsonToken token = parser.nextToken();
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if (token != JsonToken.PROPERTY_NAME) {
                slot(parser, ReportPattern.IGNORED);
            }
        }
    }

    /** Makes the value at the parser a slot, if it is a number in its usual form. */
    private void slot(JsonParser parser, char slot) {
        JsonToken token = parser.currentToken();
        if (token.isStructStart()) {
            parser.skipChildren();
            return;
        }
        boolean quoted = token == JsonToken.VALUE_STRING;
        if ((!quoted && !token.isNumeric()) || count == MOST_SLOTS) {
            return;
        }
        int from = begin + (int) parser.currentTokenLocation().getByteOffset() + (quoted ? 1 : 0);
        int to = ReportPattern.number(body, end, from, slot, staged.room(count + 1), count);
        if (to == ReportPattern.SURPRISE || quoted != (body[to] == '"')) {
            return;
        }
        stretches[count] = (char) (from - at);
        slots[count] = slot;
        hash = ReportPattern.hash(body, at, from, hash);
        at = to;
        count++;
    }

    private static @Nullable SampleNumber number(SampleNumber.Part part, String name) {
        return Objects.requireNonNull(BY_PART.get(part)).get(name);
    }
}
