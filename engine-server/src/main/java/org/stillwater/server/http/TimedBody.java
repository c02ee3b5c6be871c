package org.stillwater.server.http;

import java.io.IOException;
import java.net.SocketTimeoutException;
import org.apache.coyote.InputBuffer;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * The bodies of a processor's requests, each of which has to come in time: the time that is waited
 * for its bytes counts in total. Of one connection of HTTP/1.1, or of one stream of HTTP/2.
 */
final class TimedBody implements InputBuffer {

    private final InputBuffer body;
    private final Request request;
    private final ConnectionLimits limits;
    private final Runnable tooSlow;
    private long requestNanos;
    private long waitedNanos;
    private long bytes;

    /**
     * Around the input of a request.
     *
     * @param tooSlow run when a body comes too slowly, before its reader fails
     */
    TimedBody(Request request, ConnectionLimits limits, Runnable tooSlow) {
        this.body = request.getInputBuffer();
        this.request = request;
        this.limits = limits;
        this.tooSlow = tooSlow;
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
            tooSlow.run();
            throw new SocketTimeoutException("the body comes too slowly");
        }
        return read;
    }

    @Override
    public int available() {
        return body.available();
    }
}
