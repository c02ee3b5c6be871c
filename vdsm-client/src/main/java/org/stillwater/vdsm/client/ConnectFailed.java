package org.stillwater.vdsm.client;

import java.io.IOException;
import org.stillwater.core.connection.HostFailure;

/** An attempt to connect failed, for a reason fit for the operator. */
final class ConnectFailed extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient HostFailure failure;

    ConnectFailed(HostFailure failure, Throwable cause) {
        super(failure.describe(), cause);
        this.failure = failure;
    }

    ConnectFailed(HostFailure failure) {
        super(failure.describe());
        this.failure = failure;
    }

    HostFailure failure() {
        return failure;
    }
}
