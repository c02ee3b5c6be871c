package org.stillwater.xapi.client;

import java.io.IOException;

/** An XML-RPC reply, read from the value of its one parameter on. */
interface XmlReply extends Source {

    /** Reads the end of the reply, behind its value. */
    void end() throws IOException;
}
