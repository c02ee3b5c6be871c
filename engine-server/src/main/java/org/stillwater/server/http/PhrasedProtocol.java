package org.stillwater.server.http;

import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;

/** Tomcat's HTTP/1.1 with {@link PhrasedProcessor}s. Tomcat makes it by its name. */
public final class PhrasedProtocol extends Http11NioProtocol {

    @Override
    protected Processor createProcessor() {
        return new PhrasedProcessor(this, getAdapter());
    }
}
