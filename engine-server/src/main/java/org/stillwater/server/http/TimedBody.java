package org.stillwater.server.http;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.function.Supplier;
import org.apache.coyote.InputBuffer;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of a connection's requests, each of which has to come in time: the time that is waited
 * for its bytes counts in total. Of one connection.
 */
final class TimedBody implements InputBuffer {

    private final InputBuffer body;
    private final Request request;
    private final ConnectionLimits limits;
    private final Supplier<@Nullable SocketChannel> channel;
    private long requestNanos;
    private long waitedNanos;
    private long bytes;

    TimedBody(Request request, ConnectionLimits limits, Supplier<@Nullable SocketChannel> channel) {
        this.body = request.getInputBuffer();
        this.request = request;
        this.limits = limits;
        this.channel = channel;
    }

    @Override
    public int doRead(ApplicationBufferHandler handler) throws IOException {
        if (requestNanos != request.getStartTimeNanos()) {
            requestNanos = request.getStartTimeNanos(); // another request
            waitedNanos = 0;
            bytes = 0;
        }
        long before = limits.nanoTime();
        int read = body.doRead(handler);
        waitedNanos += limits.nanoTime() - before;
        bytes += Math.max(0, read);
        if (read >= 0 && limits.isTooSlow(waitedNanos, bytes)) {
            SocketChannel from = channel.get();
            if (from != null) {
                limits.endInput(from);
            }
            throw new SocketTimeoutException("the body comes too slowly");
        }
        return read;
    }

    @Override
    public int available() {
        return body.available();
    }
}
