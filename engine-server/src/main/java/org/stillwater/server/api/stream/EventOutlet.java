package org.stillwater.server.api.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.StreamIds;

/**
 * Server-sent events (WHATWG HTML, section 9.2). JSON goes straight to the buffer of the response,
 * so that a message of any size needs no more memory than that.
 */
final class EventOutlet implements StreamOutput {

    /** Size of the response's buffer: the output of one turn goes to the socket at once. */
    static final int BUFFER_BYTES = 32 * 1024;

    private static final byte[] COMMENT = bytes(":\n\n");
    private static final byte[] END = bytes("\n\n");

    private final OutputStream out;
    private final StreamIds ids;

    /**
     * Events for a reader.
     *
     * @param out buffers the output until it is flushed
     */
    EventOutlet(OutputStream out, StreamIds ids) {
        this.out = out;
        this.ids = ids;
    }

    void retry(Duration pause) throws IOException {
        out.write(bytes("retry: " + pause.toMillis() + "\n\n"));
        out.flush();
    }

    @Override
    public OutputStream begin(String type, @Nullable Long revision) throws IOException {
        String id = revision == null ? "" : "\nid: " + ids.of(revision);
        out.write(bytes("event: " + type + id + "\ndata: "));
        return out;
    }

    @Override
    public boolean isTyped() {
        return false;
    }

    @Override
    public void end() throws IOException {
        out.write(END);
    }

    @Override
    public void send(byte[] bytes, int[] ends, int begin, int from, int to) throws IOException {
        out.write(bytes, begin, ends[to - 1] - begin);
    }

    @Override
    public StreamOutput onto(ByteArrayOutputStream memory) {
        return new EventOutlet(memory, ids);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void heartBeat(long revision) throws IOException {
        out.write(COMMENT);
        out.flush();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
