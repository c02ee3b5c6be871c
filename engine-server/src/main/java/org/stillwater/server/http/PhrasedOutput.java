package org.stillwater.server.http;

import org.apache.coyote.Response;
import org.apache.coyote.http11.Http11OutputBuffer;

/**
 * Tomcat's output, with a reason phrase in the status line. Of one connection, as Tomcat's is, and
 * used by one thread at a time.
 */
final class PhrasedOutput extends Http11OutputBuffer {

    PhrasedOutput(Response response, int headerBytes) {
        super(response, headerBytes);
    }

    @Override
    public void sendStatus(int status) {
        byte[] line = StatusLines.of(status);
        if (line == null) {
            super.sendStatus(status);
        } else {
            write(line);
        }
    }
}
