package org.stillwater.vdsm.jsonrpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A message body is not JSON, or not a JSON-RPC envelope. It costs that message only. */
public final class MalformedEnvelope extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedEnvelope(String message) {
        this(message, null);
    }

    public MalformedEnvelope(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
