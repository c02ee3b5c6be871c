package org.stillwater.server.api.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Messages over WebSocket, each of them whole, because a frame that cannot be completed cannot be
 * withdrawn.
 */
final class SocketOutlet implements StreamOutput {

    private static final int LARGEST_KEPT = 256 * 1024;

    private final Sending to;
    private final JsonMapper mapper;
    private ByteArrayOutputStream message = new ByteArrayOutputStream();

    /** Receiver of messages. */
    @FunctionalInterface
    private interface Sending {
        void send(byte[] bytes, int offset, int length) throws IOException;
    }

    private SocketOutlet(Sending to, JsonMapper mapper) {
        this.to = to;
        this.mapper = mapper;
    }

    SocketOutlet(WebSocketSession session, JsonMapper mapper) {
        this(
                (bytes, offset, length) ->
                        session.sendMessage(
                                new TextMessage(
                                        new String(bytes, offset, length, StandardCharsets.UTF_8))),
                mapper);
    }

    @Override
    public OutputStream begin(String type, @Nullable Long revision) {
        if (message.size() > LARGEST_KEPT) {
            message = new ByteArrayOutputStream();
        }
        message.reset();
        return message;
    }

    @Override
    public boolean isTyped() {
        return true;
    }

    @Override
    public void end() throws IOException {
        to.send(message.toByteArray(), 0, message.size());
    }

    @Override
    public void send(byte[] bytes, int[] ends, int begin, int from, int to) throws IOException {
        int at = begin;
        for (int i = from; i < to; i++) {
            if (ends[i] > at) {
                this.to.send(bytes, at, ends[i] - at);
            }
            at = ends[i];
        }
    }

    @Override
    public StreamOutput onto(ByteArrayOutputStream memory) {
        return new SocketOutlet(memory::write, mapper);
    }

    @Override
    public void flush() {
        // a message is sent when it ends
    }

    @Override
    public void heartBeat(long revision) throws IOException {
        begin("heartbeat", null);
        try (JsonGenerator json = mapper.createGenerator(message)) {
            json.writeStartObject();
            json.writeStringProperty("type", "heartbeat");
            json.writeNumberProperty("revision", revision);
            json.writeEndObject();
        }
        end();
    }
}
