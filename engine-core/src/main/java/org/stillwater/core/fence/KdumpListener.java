package org.stillwater.core.fence;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * Receives messages of hosts that write a dump of their crashed kernel: messages of fence_kdump,
 * repeated until the dump is written (monitoring specification §3.6). The listener keeps messages
 * only of hosts that are attended to. Thread-safe; no method blocks.
 */
public interface KdumpListener {

    /** A listener that receives no messages. */
    KdumpListener NONE =
            new KdumpListener() {
                @Override
                public State state() {
                    return new State.Deaf("the engine was started without a listener");
                }

                @Override
                public void attend(HostId host, String address) {}

                @Override
                public void leave(HostId host) {}

                @Override
                public @Nullable Long lastHeardNanos(HostId host) {
                    return null;
                }
            };

    /** Whether messages can be received at the moment. */
    State state();

    /**
     * From now on messages from this address are the host's. A repeated call has no effect.
     *
     * @param address the host's name or IP address, as configured
     */
    void attend(HostId host, String address);

    /** Its messages are ignored from now on. */
    void leave(HostId host);

    /**
     * When the newest message of a host came since it is attended to, in nanoseconds of the
     * engine's clock; null if none did.
     */
    @Nullable Long lastHeardNanos(HostId host);

    /** Whether a listener works. */
    sealed interface State {

        /**
         * The port is open.
         *
         * @param sinceNanos since when, in nanoseconds of the engine's clock
         */
        record Listening(long sinceNanos) implements State {}

        /**
         * No host does.
         *
         * @param why the reason, one clause for people
         */
        record Deaf(String why) implements State {}
    }
}
