package org.stillwater.core.store;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.vm.PendingWork;

/**
 * Work that monitoring left to commands. It is queued together with the state that it follows from,
 * by {@link VmStore#write}; here it is found again after a restart, and taken over. Thread-safe.
 *
 * <p>One piece of work is done once, also after failures and restarts. The VM, the kind and the run
 * are its key. Open work of a key keeps the same key from being queued again; so does, for kinds
 * that come {@link org.stillwater.core.vm.WorkKind#isOncePerRun() once per run}, work that was
 * taken over, for as long as that run is the VM's newest. And {@link #takeOver} succeeds for one
 * owner only.
 */
public interface WorkStore {

    /**
     * Streams all work that is open, oldest first.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadWork(Consumer<OpenWork> receiver) throws StoreUnavailable;

    /**
     * Ends that work is open: only its new owner may do it. To be called once the owner is durable
     * itself, and before its first effect on the world.
     *
     * @param owner the operation that takes it over; an owner that lost the answer calls again and
     *     gets the same answer
     * @param at when
     * @return false if the owner has no right to do it: another one has it, or the VM is gone
     * @throws StoreUnavailable if the database does not answer; the call is to be repeated
     */
    boolean takeOver(PendingWork work, UUID owner, Instant at) throws StoreUnavailable;
}
