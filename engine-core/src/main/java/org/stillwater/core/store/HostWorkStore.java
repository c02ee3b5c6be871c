package org.stillwater.core.store;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.host.HostWork;

/**
 * Work about hosts that monitoring left to commands. It is queued together with the condition that
 * it follows from, by {@link HostStore#write}; here it is found again after a restart, and taken
 * over. Thread-safe.
 *
 * <p>One piece of work is done once, also after failures and restarts: host, kind, episode and
 * attempt are its key, and a key that was queued before is not queued again for as long as its
 * episode lasts, whether it was taken over or not. Work ends with its episode, done or not: no
 * worker may fence a host that has come back. A later attempt replaces earlier ones of its kind.
 */
public interface HostWorkStore {

    /**
     * Streams all work that is open, oldest first.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadHostWork(Consumer<OpenHostWork> receiver) throws StoreUnavailable;

    /**
     * Ends that work is open: only its new owner may do it. To be called once the owner is durable
     * itself, and before its first effect on the world that must not happen twice.
     *
     * @param owner the operation that takes it over; an owner that lost the answer calls again and
     *     gets the same answer
     * @param at when
     * @return false if the owner has no right to do it: another one has it, its episode is over, a
     *     later attempt replaced it, or the host is gone
     * @throws StoreUnavailable if the database does not answer; the call is to be repeated
     */
    boolean takeOverHost(HostWork work, UUID owner, Instant at) throws StoreUnavailable;
}
