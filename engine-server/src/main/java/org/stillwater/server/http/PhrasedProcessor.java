package org.stillwater.server.http;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.coyote.Adapter;
import org.apache.coyote.Constants;
import org.apache.coyote.ErrorState;
import org.apache.coyote.InputBuffer;
import org.apache.coyote.RequestInfo;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11InputBuffer;
import org.apache.coyote.http11.Http11OutputBuffer;
import org.apache.coyote.http11.Http11Processor;
import org.apache.coyote.http11.OutputFilter;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;

/**
 * Tomcat's processor of HTTP/1.1 requests with three differences: its status lines have reason
 * phrases (ADR 26); the handler decides about a client's expectation, to which Tomcat would answer
 * 417 with a page of its own and then close without notice; and the path of an address that is too
 * long is known to its sender. Of one connection, as Tomcat's is.
 *
 * <p>Tomcat has no way to give it another output, so that is put into its field. If that is
 * impossible, one warning is logged, and answers have no phrases.
 */
final class PhrasedProcessor extends Http11Processor {

    /** Attribute of a request with a first line that was not read to its end: the line's path. */
    static final String PATH = "stillwater.unread.path";

    private static final Logger LOG = LoggerFactory.getLogger(PhrasedProcessor.class);
    private static final @Nullable Field OUTPUT = field();
    private static final AtomicBoolean COMPLAINED = new AtomicBoolean();

    private final @Nullable ConnectionLimits limits;
    private final InputBuffer plainBody;

    PhrasedProcessor(
            AbstractHttp11Protocol<?> protocol,
            Adapter adapter,
            @Nullable ConnectionLimits limits) {
        super(protocol, adapter);
        this.limits = limits;
        this.plainBody = request.getInputBuffer();
        if (limits != null) {
            request.setInputBuffer(new TimedBody(request, limits, () -> endInput(limits)));
        }
        Field output = OUTPUT;
        if (output != null) {
            phrase(output, protocol.getMaxHttpResponseHeaderSize());
        }
    }

    private void endInput(ConnectionLimits by) {
        SocketChannel channel = LimitedEndpoint.channel(getSocketWrapper());
        if (channel != null) {
            by.endInput(channel);
        }
    }

    private void phrase(Field output, int headerBytes) {
        try {
            Http11OutputBuffer plain = (Http11OutputBuffer) output.get(this);
            PhrasedOutput phrased = new PhrasedOutput(response, headerBytes);
            for (OutputFilter filter : plain.getFilters()) {
                phrased.addFilter(filter);
            }
            output.set(this, phrased);
            response.setOutputBuffer(phrased);
        } catch (ReflectiveOperationException | RuntimeException e) {
            complain(e);
        }
    }

    private static @Nullable Field field() {
        try {
            Field field = Http11Processor.class.getDeclaredField("outputBuffer");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            complain(e);
            return null;
        }
    }

    private static void complain(Exception e) {
        if (COMPLAINED.compareAndSet(false, true)) {
            LOG.warn(
                    "Status lines of HTTP/1.1 have no reason phrases, because this Tomcat cannot be"
                            + " given them: {}",
                    e.toString());
        }
    }

    /** Answers the complete requests, and reports a head that has come in part. */
    @Override
    public SocketState service(SocketWrapperBase<?> connection) throws IOException {
        ConnectionLimits by = limits;
        SocketChannel channel = by == null ? null : LimitedEndpoint.channel(connection);
        if (by == null || channel == null) {
            return super.service(connection);
        }
        int before = request.getRequestProcessor().getRequestCount();
        by.reading(channel, request.getRequestProcessor());
        boolean partly = false;
        boolean answered = false;
        try {
            SocketState state = super.service(connection);
            answered = request.getRequestProcessor().getRequestCount() != before;
            // Empty lines before a request leave the connection open like one that waits for it.
            partly =
                    !isAsync()
                            && (state == SocketState.LONG
                                    || (state == SocketState.OPEN && !answered));
            return state;
        } finally {
            by.read(channel, partly, answered);
        }
    }

    /** After an asynchronous request, too, the rest of its body is read with a time limit. */
    @Override
    protected SocketState dispatchEndRequest() {
        ConnectionLimits by = limits;
        SocketChannel channel = by == null ? null : LimitedEndpoint.channel(getSocketWrapper());
        if (by == null || channel == null) {
            return super.dispatchEndRequest();
        }
        RequestInfo info = request.getRequestProcessor();
        info.setStage(Constants.STAGE_ENDINPUT); // as Tomcat does for other requests
        by.ending(channel, info);
        try {
            return super.dispatchEndRequest();
        } finally {
            by.ending(channel, null);
            info.setStage(Constants.STAGE_ENDED);
        }
    }

    @Override
    protected void setErrorState(ErrorState state, @Nullable Throwable cause) {
        if (request.requestURI().isNull() && plainBody instanceof Http11InputBuffer input) {
            // Too long to be read to its end: which interface it is for is known nevertheless.
            request.setAttribute(PATH, UnreadPath.of(input.getByteBuffer()));
        }
        if (cause == null && response.getStatus() == HttpStatus.EXPECTATION_FAILED.value()) {
            response.setStatus(HttpStatus.OK.value());
        } else {
            super.setErrorState(state, cause);
        }
    }
}
