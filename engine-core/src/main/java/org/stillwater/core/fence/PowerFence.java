package org.stillwater.core.fence;

import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;

/**
 * Ensures that a host that does not respond runs no VM, by switching its power off, and on again
 * afterwards (monitoring specification §3.6). The caller has taken the work over first: a second
 * switch-off could hit a host that has just come back. Thread-safe.
 */
public interface PowerFence {

    /**
     * Fences the host. Returns at once; the receiver is called exactly once, within a bounded time,
     * on any thread: it must not block.
     *
     * <p>The power stays off until {@link #powerOn}.
     *
     * @param work the work of kind {@code FENCE} that was taken over
     * @param owner the operation that took it over; for a second call with the same owner, the same
     *     attempt continues
     */
    void fence(HostWork work, UUID owner, Consumer<Answer> receiver);

    /**
     * Switches the power of a host on that was fenced. Returns at once; the receiver is called
     * exactly once, within a bounded time, on any thread: it must not block.
     *
     * @param receiver receives the reason why it is not on, one clause for people; null if it is
     */
    void powerOn(HostId host, Consumer<@Nullable String> receiver);

    /** How fencing ended. */
    sealed interface Answer {

        /** The host was off: its earlier VMs no longer run. */
        record Fenced() implements Answer {}

        /**
         * The result is unknown: VMs of the host must not be started elsewhere.
         *
         * @param reason one clause for people
         */
        record Failed(String reason) implements Answer {}
    }
}
