package org.stillwater.server.http;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Limits the time of bodies over HTTP/2: each stream has an input of its own, so that {@link
 * PhrasedProcessor}, which does the same for connections of HTTP/1.1, never sees them. A body that
 * comes too slowly ends its stream and leaves the connection to the other ones. Thread-safe.
 */
final class BodyLimits extends ValveBase {

    private final ConnectionLimits limits;

    BodyLimits(ConnectionLimits limits) {
        super(true);
        this.limits = limits;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        org.apache.coyote.Request coyote = request.getCoyoteRequest();
        if (!(coyote.getInputBuffer() instanceof TimedBody)) {
            coyote.setInputBuffer(
                    new TimedBody(
                            coyote,
                            limits,
                            () -> limits.refusedSlowBody(ClientAddress.network(request))));
        }
        getNext().invoke(request, response);
    }
}
