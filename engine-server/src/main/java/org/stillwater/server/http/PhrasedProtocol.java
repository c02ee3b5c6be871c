package org.stillwater.server.http;

import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;

/** Tomcat's HTTP/1.1 with {@link PhrasedProcessor}s. Tomcat makes it by its name. */
public final class PhrasedProtocol extends Http11NioProtocol {

    private final LimitedEndpoint port;

    /** A protocol without limits of connections. */
    public PhrasedProtocol() {
        this(new LimitedEndpoint());
    }

    private PhrasedProtocol(LimitedEndpoint port) {
        super(port);
        this.port = port;
    }

    /** From now on these limits count. */
    void limit(ConnectionLimits limits) {
        port.limit(limits);
    }

    @Override
    protected Processor createProcessor() {
        return new PhrasedProcessor(this, getAdapter(), port.limits());
    }
}
