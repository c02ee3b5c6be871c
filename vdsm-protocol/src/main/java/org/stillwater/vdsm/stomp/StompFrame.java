package org.stillwater.vdsm.stomp;

import org.jspecify.annotations.Nullable;

/**
 * One frame. Command and headers are immutable; the body may be borrowed storage, so the receiver
 * of a frame closes it.
 *
 * @param command one of {@link StompCommand}, or another command that the peer sent
 * @param headers unescaped headers in order
 * @param body the octets between the blank line and the closing NUL
 */
public record StompFrame(String command, StompHeaders headers, FrameBody body)
        implements AutoCloseable {

    /** A frame without body. */
    public static StompFrame of(String command, StompHeaders headers) {
        return new StompFrame(command, headers, FrameBody.empty());
    }

    /** The first header of that name, or null. */
    public @Nullable String header(String name) {
        return headers.get(name);
    }

    /** Gives the body's storage back. */
    @Override
    public void close() {
        body.close();
    }
}
