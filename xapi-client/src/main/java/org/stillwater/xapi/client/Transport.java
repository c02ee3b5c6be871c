package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Carries requests to hosts of a pool. Thread-safe; calls block until an answer begins. */
public interface Transport extends AutoCloseable {

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param contentType empty if there is none
     * @param body to be read and closed by the caller
     */
    record Answer(int status, String contentType, InputStream body) {}

    /** Sends a body and accepts an answer of the same type. */
    Answer post(String address, String path, String contentType, byte[] body, Duration timeout)
            throws IOException;

    /** Reads a URL. */
    Answer get(String address, String path, String accept, Duration timeout) throws IOException;

    /**
     * Ends the exchanges with a host that accepts no connection now: one that lost its power closes
     * none, and long waits for its answers would continue. Blocks for the time of a connection.
     */
    default void endIfUnreachable(String address) {
        // Without a network every host is reachable.
    }

    @Override
    void close();
}
