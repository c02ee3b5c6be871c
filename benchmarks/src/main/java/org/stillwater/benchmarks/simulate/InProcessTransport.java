package org.stillwater.benchmarks.simulate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import org.stillwater.fake.xapi.net.InProcess;
import org.stillwater.xapi.client.Transport;

/** Carries requests to simulated servers in this process; their bytes are the real ones. */
final class InProcessTransport implements Transport {

    private static final byte[] NOTHING = {};

    private final InProcess servers;

    InProcessTransport(InProcess servers) {
        this.servers = servers;
    }

    @Override
    public Answer post(
            String address, String path, String contentType, byte[] body, Duration timeout)
            throws IOException {
        return answer(servers.ask(address, "POST", path, contentType, body));
    }

    @Override
    public Answer get(String address, String path, String accept, Duration timeout)
            throws IOException {
        return answer(servers.ask(address, "GET", path, accept, NOTHING));
    }

    private static Answer answer(InProcess.Answer from) {
        return new Answer(from.status(), from.contentType(), new ByteArrayInputStream(from.body()));
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
