package org.stillwater.relay.agent;

import java.util.Map;

/**
 * Properties by which gRPC's transport takes little memory: a relay has one stream, and a small
 * process is worth more to it than a fast transport. TLS is the JDK's, which the connections to
 * hosts use anyway.
 */
final class NettyProperties {

    private static final String PREFIX = "io.grpc.netty.shaded.io.netty.";

    /** Chunks of 256 KiB instead of 2 MiB; a longer message has its own. */
    private static final String CHUNK_ORDER = "5";

    private static final Map<String, String> VALUES =
            Map.of(
                    PREFIX + "handler.ssl.noOpenSsl", "true",
                    PREFIX + "transport.noNative", "true",
                    PREFIX + "jfr.enabled", "false",
                    PREFIX + "allocator.maxOrder", CHUNK_ORDER);

    private NettyProperties() {}

    /** Sets the properties that the process does not have yet. Before the first use of gRPC. */
    static void set() {
        VALUES.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
    }
}
