package org.stillwater.vdsm.stomp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.stomp.MalformedFrame.Reason;

/**
 * Turns the bytes of one connection into frames, however they were cut: any number of frames in one
 * slice, one frame over any number of slices. Linear in the number of bytes. One thread at a time.
 *
 * <p>Use: after each read from the socket, call {@link #decode} until it answers null.
 *
 * <p>The decoder is four states. Between frames it skips heart-beats (LF or CR LF) without keeping
 * anything. In the command line and in the header lines it collects octets until the blank line.
 * The body is copied once, into a small array or into pooled storage; with {@code content-length}
 * by count, else up to the first NUL. After a counted body exactly one NUL must follow.
 *
 * <p>A counted body stands in one array, unless the pool would not keep so long an array for the
 * next one. A reader that can place octets saves the copy: {@link #room} returns the buffer for the
 * next octets, {@link #filled} takes them over.
 */
public final class StompDecoder implements AutoCloseable {
    /** Longer than any command of STOMP 1.2 ({@code UNSUBSCRIBE}, 11). */
    private static final int LONGEST_COMMAND_BYTES = 64;

    /** Bodies up to this size get an array of their own; a pooled segment would mostly be air. */
    private static final int SMALL_BODY_BYTES = 8 * 1024;

    private static final ByteBuffer NO_ROOM = ByteBuffer.allocate(0);

    private static final int USUAL_HEADER_BYTES = 512;

    private enum State {
        BETWEEN,
        COMMAND,
        HEADERS,
        COUNTED_BODY,
        NUL,
        OPEN_BODY
    }

    private final StompLimits limits;
    private final SegmentPool pool;

    private State state = State.BETWEEN;
    private byte[] line = new byte[USUAL_HEADER_BYTES];
    private int lineLength;
    private int headerBytes;
    private String command = "";
    private final List<String> entries = new ArrayList<>();
    private long expected;
    private byte @Nullable [] small;
    private int smallLength;
    private @Nullable LentBody whole;
    private @Nullable SegmentedBody large;
    private long heartBeats;

    /** The longest body in one array that this peer has sent to its end. */
    private int longest;

    /** A decoder for one connection, borrowing body storage from that pool. */
    public StompDecoder(StompLimits limits, SegmentPool pool) {
        this.limits = limits;
        this.pool = pool;
    }

    /** Newlines seen between frames so far. */
    public long heartBeats() {
        return heartBeats;
    }

    /** True when the bytes so far end inside a frame. */
    public boolean insideFrame() {
        return state != State.BETWEEN;
    }

    /**
     * Consumes bytes up to the end of the next frame.
     *
     * @return the frame, to be closed by the caller, with any further bytes left in {@code input};
     *     or null when all bytes are consumed and the frame continues
     * @throws MalformedFrame when the bytes are not STOMP; the decoder must not be used afterwards
     */
    public @Nullable StompFrame decode(ByteBuffer input) throws MalformedFrame {
        while (input.hasRemaining()) {
            switch (state) {
                case BETWEEN -> skipHeartBeats(input);
                case COMMAND -> {
                    if (readLine(input, LONGEST_COMMAND_BYTES, Reason.BAD_COMMAND)) {
                        command = takeCommand();
                        state = State.HEADERS;
                    }
                }
                case HEADERS -> {
                    if (readLine(
                            input, limits.headerBytes() - headerBytes, Reason.HEADERS_TOO_LARGE)) {
                        if (endsHeaders()) {
                            startBody();
                        } else {
                            takeHeader();
                        }
                    }
                }
                case COUNTED_BODY -> {
                    int part = (int) Math.min(input.remaining(), expected - bodyLength());
                    append(input, part);
                    endBody();
                }
                case NUL -> {
                    if (input.get() != StompEncoder.NUL) {
                        throw new MalformedFrame(
                                Reason.MISSING_NUL,
                                "no NUL after the " + expected + " octets of content-length");
                    }
                    return takeFrame();
                }
                case OPEN_BODY -> {
                    int end = indexOfNul(input);
                    if (end < 0) {
                        append(input, input.remaining());
                    } else {
                        append(input, end - input.position());
                        input.get();
                        return takeFrame();
                    }
                }
            }
        }
        return null;
    }

    /**
     * The buffer for the next octets of the stream: a part of the present body's storage, until the
     * body is complete. Empty when the decoder has to examine the next octets.
     */
    public ByteBuffer room() {
        if (state == State.COUNTED_BODY && whole != null) {
            return whole.room();
        }
        if (state == State.COUNTED_BODY && large != null) {
            return large.room(expected - large.length());
        }
        return NO_ROOM;
    }

    /** So many octets of the stream were put where {@link #room} has begun. */
    public void filled(int count) {
        if (count == 0) {
            return;
        }
        if (whole != null) {
            whole.filled(count);
        } else {
            Objects.requireNonNull(large).filled(count);
        }
        endBody();
    }

    /** Gives back the storage of an unfinished body. */
    @Override
    public void close() {
        if (whole != null) {
            whole.close();
            whole = null;
        }
        if (large != null) {
            large.close();
            large = null;
        }
        small = null;
    }

    private void skipHeartBeats(ByteBuffer input) {
        while (input.hasRemaining()) {
            byte octet = input.get(input.position());
            if (octet == '\n') {
                heartBeats++;
            } else if (octet != '\r') {
                lineLength = 0;
                headerBytes = 0;
                entries.clear();
                state = State.COMMAND;
                return;
            }
            input.get();
        }
    }

    /** Collects one line without its line end; true when it is complete. */
    private boolean readLine(ByteBuffer input, int limit, Reason tooLong) throws MalformedFrame {
        while (input.hasRemaining()) {
            byte octet = input.get();
            if (octet == '\n') {
                headerBytes += lineLength + 1;
                if (lineLength > 0 && line[lineLength - 1] == '\r') {
                    lineLength--;
                }
                return true;
            }
            if (lineLength >= limit) {
                throw new MalformedFrame(tooLong, "a line goes on beyond the limit");
            }
            if (lineLength == line.length) {
                line = Arrays.copyOf(line, line.length * 2);
            }
            line[lineLength++] = octet;
        }
        return false;
    }

    private String takeCommand() throws MalformedFrame {
        for (int i = 0; i < lineLength; i++) {
            if (line[i] <= ' ' || line[i] > '~') {
                throw new MalformedFrame(Reason.BAD_COMMAND, "the command line is not a command");
            }
        }
        if (lineLength == 0) {
            throw new MalformedFrame(Reason.BAD_COMMAND, "the command line is empty");
        }
        String text = knownCommand();
        lineLength = 0;
        headerBytes = 0;
        return text;
    }

    private String knownCommand() {
        // Nearly every frame a client receives is a MESSAGE; do not make a new text for each.
        if (lineLength == 7 && line[0] == 'M' && line[6] == 'E') {
            String text = ascii(0, lineLength);
            return text.equals(StompCommand.MESSAGE) ? StompCommand.MESSAGE : text;
        }
        return ascii(0, lineLength);
    }

    private String ascii(int from, int to) {
        return new String(line, from, to - from, StandardCharsets.US_ASCII);
    }

    private boolean endsHeaders() {
        return lineLength == 0;
    }

    private void takeHeader() throws MalformedFrame {
        int colon = 0;
        while (colon < lineLength && line[colon] != ':') {
            colon++;
        }
        if (colon == lineLength) {
            throw new MalformedFrame(Reason.BAD_HEADER, "a header line without a colon");
        }
        if (!limits.rawColons()) {
            for (int i = colon + 1; i < lineLength; i++) {
                if (line[i] == ':') {
                    throw new MalformedFrame(
                            Reason.BAD_HEADER, "an unescaped colon in a header value");
                }
            }
        }
        entries.add(unescape(0, colon));
        entries.add(unescape(colon + 1, lineLength));
        lineLength = 0;
    }

    /** Undoes the escapes of STOMP 1.2 in place; every escape is shorter once undone. */
    private String unescape(int from, int to) throws MalformedFrame {
        int end = from;
        for (int i = from; i < to; i++) {
            byte octet = line[i];
            if (octet == '\\') {
                i++;
                octet =
                        switch (i < to ? line[i] : 0) {
                            case '\\' -> '\\';
                            case 'r' -> '\r';
                            case 'n' -> '\n';
                            case 'c' -> ':';
                            default ->
                                    throw new MalformedFrame(
                                            Reason.BAD_ESCAPE, "an undefined escape in a header");
                        };
            }
            line[end++] = octet;
        }
        return new String(line, from, end - from, StandardCharsets.UTF_8);
    }

    private void startBody() throws MalformedFrame {
        if (line.length > 8 * USUAL_HEADER_BYTES) {
            line = new byte[USUAL_HEADER_BYTES];
        }
        lineLength = 0;
        expected = contentLength();
        if (expected > limits.bodyBytes()) {
            throw tooLarge();
        }
        smallLength = 0;
        if (expected < 0) {
            state = State.OPEN_BODY;
        } else if (expected <= SMALL_BODY_BYTES) {
            small = expected == 0 ? null : new byte[(int) expected];
            state = expected == 0 ? State.NUL : State.COUNTED_BODY;
        } else {
            if (pool.keeps(expected)) {
                whole = new LentBody(pool, (int) expected, Math.max(longest, pool.segmentBytes()));
            } else {
                large = new SegmentedBody(pool);
            }
            state = State.COUNTED_BODY;
        }
    }

    private void endBody() {
        if (bodyLength() == expected) {
            state = State.NUL;
        }
    }

    /** The value of the first {@code content-length}, or −1 without one. */
    private long contentLength() throws MalformedFrame {
        for (int i = 0; i < entries.size(); i += 2) {
            if (entries.get(i).equals(StompHeader.CONTENT_LENGTH)) {
                return decimal(entries.get(i + 1));
            }
        }
        return -1;
    }

    private static long decimal(String text) throws MalformedFrame {
        long value = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9' || value > Long.MAX_VALUE / 10 - 1) {
                throw new MalformedFrame(
                        Reason.BAD_CONTENT_LENGTH, "content-length is not a number of octets");
            }
            value = value * 10 + (c - '0');
        }
        if (text.isEmpty()) {
            throw new MalformedFrame(Reason.BAD_CONTENT_LENGTH, "content-length is empty");
        }
        return value;
    }

    private long bodyLength() {
        if (whole != null) {
            return whole.length();
        }
        return large != null ? large.length() : smallLength;
    }

    private void append(ByteBuffer input, int count) throws MalformedFrame {
        if (count == 0) {
            return;
        }
        if (bodyLength() + count > limits.bodyBytes()) {
            throw tooLarge();
        }
        if (whole != null) {
            whole.append(input, count);
            return;
        }
        if (large == null && !fitsSmall(count)) {
            large = new SegmentedBody(pool);
            if (small != null) {
                large.append(small, 0, smallLength);
                small = null;
            }
        }
        if (large == null) {
            input.get(Objects.requireNonNull(small), smallLength, count);
            smallLength += count;
        } else if (input.hasArray()) {
            large.append(input.array(), input.arrayOffset() + input.position(), count);
            input.position(input.position() + count);
        } else {
            byte[] copy = new byte[count];
            input.get(copy);
            large.append(copy, 0, count);
        }
    }

    /** Makes room in the small array, as long as the body is a small one. */
    private boolean fitsSmall(int count) {
        int needed = smallLength + count;
        if (needed > SMALL_BODY_BYTES) {
            return false;
        }
        if (small == null) {
            small = new byte[Math.max(needed, 256)];
        } else if (small.length < needed) {
            small = Arrays.copyOf(small, Math.max(needed, small.length * 2));
        }
        return true;
    }

    private static int indexOfNul(ByteBuffer input) {
        for (int i = input.position(); i < input.limit(); i++) {
            if (input.get(i) == StompEncoder.NUL) {
                return i;
            }
        }
        return -1;
    }

    private MalformedFrame tooLarge() {
        return new MalformedFrame(
                Reason.BODY_TOO_LARGE, "a body of more than " + limits.bodyBytes() + " octets");
    }

    private StompFrame takeFrame() {
        FrameBody body;
        if (whole != null) {
            body = whole;
            longest = Math.max(longest, (int) whole.length());
        } else if (large != null) {
            body = large;
        } else if (small != null && smallLength > 0) {
            body = new ArrayBody(small, smallLength);
        } else {
            body = FrameBody.empty();
        }
        whole = null;
        large = null;
        small = null;
        state = State.BETWEEN;
        return new StompFrame(command, StompHeaders.ofOwned(entries), body);
    }
}
