package org.stillwater.fake.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** One simulated host in clear on a free port, and clients that are closed afterwards. */
abstract class WireTest {

    final TestHost host = new TestHost("host-1");
    final ManualTicker time = new ManualTicker();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable thing : opened.reversed()) {
            thing.close();
        }
    }

    HostServer server(TransportSettings settings) {
        return keep(HostServer.create(settings, null));
    }

    HostServer server() {
        return server(TransportSettings.DEFAULT);
    }

    HostServer timedServer(TransportSettings settings) {
        return keep(HostServer.create(settings, null, time));
    }

    InetSocketAddress open(HostServer server) {
        return server.open(host, anyPort());
    }

    RawClient client(InetSocketAddress address) throws IOException {
        return keep(RawClient.plain(address));
    }

    <C extends AutoCloseable> C keep(C thing) {
        opened.add(thing);
        return thing;
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    static String answer(String id, String value) {
        return "{\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}".formatted(id, value);
    }

    static String error(String id, int code, String message) {
        return "{\"jsonrpc\": \"2.0\", \"id\": %s, \"error\": {\"code\": %d, \"message\": \"%s\"}}"
                .formatted(id, code, message);
    }
}
