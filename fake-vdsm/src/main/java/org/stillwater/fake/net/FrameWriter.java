package org.stillwater.fake.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.HostTransport.Drop;
import org.stillwater.vdsm.stomp.StompCommand;
import org.stillwater.vdsm.stomp.StompEncoder;
import org.stillwater.vdsm.stomp.StompHeader;
import org.stillwater.vdsm.stomp.StompHeaders;

/**
 * Writes the frames of one connection, right or, where a fault wants it, wrong. One thread at a
 * time. A small frame leaves in one segment and one TLS record of its own, because real clients
 * mishandle two in one (§1.4.1).
 */
final class FrameWriter {

    private static final int JUNK_BYTES = 64;
    private static final int GIANT_BYTES = 100 << 20;
    private static final int LONG_HEADER_BYTES = 2048;
    private static final int PACES_PER_SECOND = 20;

    private final Connection connection;
    private final TransportResources wire;
    private final Paced out;
    private byte[] held = {};
    private boolean coalescing;

    FrameWriter(Connection connection, TransportResources wire, OutputStream out) {
        this.connection = connection;
        this.wire = wire;
        this.out = new Paced(out);
    }

    void write(OutFrame frame) throws IOException, InterruptedException {
        if (frame.equals(OutFrame.HEART_BEAT)) {
            out.write(StompEncoder.HEART_BEAT);
            wire.meters().heartBeatsOut.increment();
            return;
        }
        if (frame.equals(OutFrame.FLUSH)) {
            out.write(takeHeld());
            return;
        }
        if (wire.faults().any()) {
            writeFaulty(frame);
        } else {
            writeRight(frame);
        }
        wire.meters().framesOut.increment();
    }

    private void writeRight(OutFrame frame) throws IOException {
        emit(head(frame), frame.body(), true);
    }

    private void writeFaulty(OutFrame frame) throws IOException, InterruptedException {
        out.pace = strike(FaultKind.SLOW_PRODUCER, frame);
        Faults.Active halfOpen = strike(FaultKind.HALF_OPEN, frame);
        if (halfOpen != null) {
            connection.freezeFor(halfOpen.spec.delay());
        }
        Faults.Active cut = strike(FaultKind.DROP, frame);
        if (cut != null) {
            byte[] whole = encode(frame);
            switch (cut.spec.at()) {
                case BEFORE -> {}
                case WITHIN -> out.write(whole, 0, whole.length / 2);
                case AFTER -> out.write(whole);
            }
            connection.drop(cut.spec.close(), "fault");
            return;
        }
        if (strike(FaultKind.TRUNCATED_FRAME, frame) != null) {
            byte[] whole = encode(frame);
            out.write(whole, 0, whole.length / 2);
            connection.drop(Drop.FIN, "fault");
            return;
        }
        Faults.Active junk = strike(FaultKind.JUNK_BYTES, frame);
        if (junk != null) {
            out.write(junk(size(junk.spec, JUNK_BYTES)));
        }
        Faults.Active error = strike(FaultKind.ERROR_FRAME, frame);
        if (error != null) {
            writeRight(OutFrame.error(error.spec.message()));
        }
        Faults.Active giant = strike(FaultKind.GIANT_FRAME, frame);
        if (giant != null) {
            writeRight(
                    new OutFrame(
                            StompCommand.MESSAGE,
                            frame.headers(),
                            new Giant(size(giant.spec, GIANT_BYTES)),
                            frame.label()));
        }
        writeMutated(frame);
    }

    private void writeMutated(OutFrame frame) throws IOException {
        JsonBody body = frame.body();
        StompHeaders headers = frame.headers();
        boolean endsWithNul = strike(FaultKind.MISSING_NUL, frame) == null;
        if (body != null) {
            long length = body.length();
            Faults.Active tooShort = strike(FaultKind.SHORT_CONTENT_LENGTH, frame);
            if (tooShort != null) {
                length = Math.max(0, length - size(tooShort.spec, 1));
            }
            Faults.Active tooLong = strike(FaultKind.LONG_CONTENT_LENGTH, frame);
            if (tooLong != null) {
                length += size(tooLong.spec, 1);
            }
            if (strike(FaultKind.WRONG_SUBSCRIPTION, frame) != null) {
                headers = withoutSubscription(headers);
            }
            if (strike(FaultKind.MALFORMED_JSON, frame) != null) {
                body = new Malformed(body);
            }
            if (strike(FaultKind.MISSING_CONTENT_LENGTH, frame) == null) {
                headers = headers.with(StompHeader.CONTENT_LENGTH, Long.toString(length));
            }
        }
        Faults.Active longHeader = strike(FaultKind.LONG_HEADER, frame);
        if (longHeader != null) {
            headers = headers.with("x-long", "x".repeat(size(longHeader.spec, LONG_HEADER_BYTES)));
        }
        byte[] head = StompEncoder.encodeHead(frame.command(), headers, 0);
        if (strike(FaultKind.RAW_COLON, frame) != null) {
            byte[] line = "x-raw:a:b\n\n".getBytes(StandardCharsets.US_ASCII);
            byte[] longer = Arrays.copyOf(head, head.length - 1 + line.length);
            System.arraycopy(line, 0, longer, head.length - 1, line.length);
            head = longer;
        }
        Faults.Active coalesce = strike(FaultKind.COALESCE, frame);
        if (coalesce != null && !coalescing) {
            hold(head, body, endsWithNul, coalesce.spec);
        } else {
            emit(head, body, endsWithNul);
        }
    }

    private static byte[] head(OutFrame frame) {
        return StompEncoder.encodeHead(frame.command(), frame.headers(), frame.bodyBytes());
    }

    private static byte[] encode(OutFrame frame) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(frame.bodyBytes() + 256);
        bytes.write(head(frame));
        JsonBody body = frame.body();
        if (body != null) {
            body.writeTo(bytes);
        }
        bytes.write(StompEncoder.NUL);
        return bytes.toByteArray();
    }

    private void emit(byte[] head, @Nullable JsonBody body, boolean endsWithNul)
            throws IOException {
        byte[] buffer = wire.buffers().take();
        try {
            FrameSink sink = new FrameSink(out, buffer);
            sink.write(takeHeld());
            sink.write(head);
            if (body != null) {
                body.writeTo(sink);
            }
            if (endsWithNul) {
                sink.write(StompEncoder.NUL);
            }
            sink.flush();
        } finally {
            wire.buffers().give(buffer);
        }
    }

    private byte[] takeHeld() {
        byte[] taken = held;
        held = new byte[0];
        coalescing = false;
        return taken;
    }

    private void hold(byte[] head, @Nullable JsonBody body, boolean endsWithNul, FaultSpec spec)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(head);
        if (body != null) {
            body.writeTo(bytes);
        }
        if (endsWithNul) {
            bytes.write(StompEncoder.NUL);
        }
        held = bytes.toByteArray();
        coalescing = true;
        wire.ticker().schedule(spec.delay(), () -> connection.send(OutFrame.FLUSH));
    }

    private Faults.@Nullable Active strike(FaultKind kind, OutFrame frame) {
        return wire.strike(kind, connection, frame.label());
    }

    private static int size(FaultSpec spec, int usual) {
        Integer bytes = spec.bytes();
        return bytes == null ? usual : bytes;
    }

    private byte[] junk(int length) {
        byte[] junk = new byte[length];
        for (int i = 0; i < length; i++) {
            junk[i] = (byte) ('!' + wire.faults().pick('~' - '!'));
        }
        return junk;
    }

    private static StompHeaders withoutSubscription(StompHeaders headers) {
        StompHeaders[] changed = {StompHeaders.none()};
        headers.forEach((name, value) ->
                changed[0] =
                        changed[0].with(
                                name,
                                name.equals(StompHeader.SUBSCRIPTION)
                                        ? UUID.randomUUID().toString()
                                        : value));
        return changed[0];
    }

    /** The socket's stream, at the pace a fault allows. */
    private final class Paced extends OutputStream {
        private final OutputStream socket;
        private Faults.@Nullable Active pace;

        Paced(OutputStream socket) {
            this.socket = socket;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            try {
                int from = offset;
                int left = count;
                while (left > 0) {
                    Faults.Active slow = pace;
                    int part = left;
                    if (slow != null && !slow.isRemoved()) {
                        part =
                                Math.min(
                                        left,
                                        Math.max(1, slow.spec.perSecond() / PACES_PER_SECOND));
                        connection.sleep(
                                Duration.ofNanos(part * 1_000_000_000L / slow.spec.perSecond()));
                    }
                    connection.beforeWrite(part);
                    socket.write(bytes, from, part);
                    connection.afterWrite();
                    from += part;
                    left -= part;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("stopped while writing");
            }
        }

        @Override
        public void flush() throws IOException {
            socket.flush();
        }
    }

    /** A body with a wrong last byte. */
    private record Malformed(JsonBody right) implements JsonBody {
        @Override
        public int length() {
            return right.length();
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(right.length());
            right.writeTo(bytes);
            byte[] wrong = bytes.toByteArray();
            wrong[wrong.length - 1] = '!';
            out.write(wrong);
        }
    }

    /** An answer without a call, of any size, generated while it is written. */
    private record Giant(int length) implements JsonBody {
        private static final byte[] START =
                "{\"jsonrpc\": \"2.0\", \"id\": \"giant\", \"result\": \""
                        .getBytes(StandardCharsets.US_ASCII);
        private static final byte[] END = "\"}".getBytes(StandardCharsets.US_ASCII);

        private Giant {
            length = Math.max(length, START.length + END.length);
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(START);
            byte[] filling = new byte[BufferPool.BUFFER_BYTES];
            Arrays.fill(filling, (byte) 'x');
            for (int left = length - START.length - END.length; left > 0; ) {
                int part = Math.min(left, filling.length);
                out.write(filling, 0, part);
                left -= part;
            }
            out.write(END);
        }
    }
}
