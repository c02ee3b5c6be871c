package org.stillwater.fake.world;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A host's dump of its crashed kernel.
 *
 * @param to receiver of the messages, as in fence_kdump_nodes; null for none
 * @param every time between two messages, virtual
 * @param takes duration of the dump, virtual; then the host boots as after a reboot
 */
public record KernelDump(@Nullable InetSocketAddress to, Duration every, Duration takes) {

    /** Usual interval between two messages of fence_kdump_send. */
    public static final Duration USUAL_INTERVAL = Duration.ofSeconds(10);

    /** Usual duration of a dump. */
    public static final Duration USUAL_TIME = Duration.ofMinutes(2);

    /**
     * Checks ranges.
     *
     * @throws IllegalArgumentException if messages were to come without a pause, or their receiver
     *     has no address
     */
    public KernelDump {
        if (every.toMillis() < 1) {
            throw new IllegalArgumentException("'every' must be a millisecond or more");
        }
        if (to != null && to.isUnresolved()) {
            throw new IllegalArgumentException("'to' must be an IP address and a port");
        }
    }
}
