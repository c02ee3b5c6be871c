package org.stillwater.server.api.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** The way to one reader of the stream: takes one message after the other. One thread. */
interface StreamOutput {

    /**
     * Begins a message.
     *
     * @param type type of the message
     * @param revision after which a reader that saw it may continue, null for none
     * @return where its JSON goes
     */
    OutputStream begin(String type, @Nullable Long revision) throws IOException;

    /** Whether the type stands in the JSON, because the output has no other field for it. */
    boolean isTyped();

    /** Ends the message. */
    void end() throws IOException;

    /** Takes whole messages that were written before, as {@link #onto} writes them. */
    void send(byte[] bytes, int[] ends, int begin, int from, int to) throws IOException;

    /** An outlet that writes messages as this one does, to memory. */
    StreamOutput onto(ByteArrayOutputStream memory);

    /** Sends the written bytes. */
    void flush() throws IOException;

    /** Signals only that the stream is alive. */
    void heartBeat(long revision) throws IOException;
}
