package org.stillwater.monitoring.work;

import java.util.List;
import java.util.UUID;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WorkListener;
import org.stillwater.core.vm.PendingWork;

/** The work that monitoring leaves to commands. Thread-safe. */
public interface PendingWorkQueue {

    /** All open work about VMs, oldest first. */
    List<OpenWork> open();

    /** All open work about hosts, oldest first. */
    List<OpenHostWork> openAboutHosts();

    /**
     * Adds a listener: it receives all open work at once, oldest first, and later work when it
     * opens. Every listener receives all work; without any, work waits.
     */
    void listen(WorkListener listener);

    /**
     * Gives work to the operation that will do it.
     *
     * @param owner the operation, which is durable itself
     * @return false if it must not be done: another operation has it, or the VM is gone
     * @throws StoreUnavailable if the database does not answer; the same owner may ask again
     */
    boolean takeOver(PendingWork work, UUID owner) throws StoreUnavailable;

    /**
     * Gives work about a host to the operation that will do it.
     *
     * @param owner the operation, which is durable itself
     * @return false if it must not be done: another operation has it, the host came back or a later
     *     attempt replaced it, or the host is gone
     * @throws StoreUnavailable if the database does not answer; the same owner may ask again
     */
    boolean takeOver(HostWork work, UUID owner) throws StoreUnavailable;
}
