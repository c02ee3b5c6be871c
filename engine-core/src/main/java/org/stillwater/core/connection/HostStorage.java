package org.stillwater.core.connection;

import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;

/**
 * The storage of a data centre as one of its hosts works on it. Volumes and leases are created and
 * removed by the host that manages the storage pool (SPM) only; any other refuses with {@link
 * RefusalCode#NOT_STORAGE_POOL_MANAGER}. All of this begins a task, which is requested until it is
 * finished and cleared then. Calls return at once; each receiver is called exactly once, as those
 * of {@link HostConnection} are. Thread-safe.
 */
public interface HostStorage {

    /** Content of a volume. */
    enum Content {
        /** Memory of a VM. */
        MEMORY,
        /** Further state that a host keeps of a saved VM. */
        CONFIGURATION
    }

    /** Asks whether the host manages a storage pool ({@code StoragePool.getSpmStatus}). */
    void isManager(UUID pool, Consumer<HostAnswer<Boolean>> receiver);

    /**
     * Begins to create a raw, preallocated volume as the only one of a new image ({@code
     * Volume.create}).
     *
     * @param bytes its size, at least 1
     * @param receiver gets the task
     */
    void createVolume(
            MemoryVolume volume,
            long bytes,
            Content content,
            Consumer<HostAnswer<String>> receiver);

    /**
     * Begins to remove the image of a volume with everything in it ({@code Image.delete}).
     *
     * @param receiver gets the task; {@link RefusalCode#NO_SUCH_IMAGE} if there is none
     */
    void deleteImage(MemoryVolume volume, Consumer<HostAnswer<String>> receiver);

    /**
     * Begins to create the lease of a VM on a storage domain ({@code Lease.create}). If it is there
     * already, the task fails.
     *
     * @param receiver gets the task
     */
    void createLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver);

    /**
     * Begins to delete the lease of a VM ({@code Lease.delete}). If there is none, the task fails
     * with {@link RefusalCode#NO_SUCH_LEASE}.
     *
     * @param receiver gets the task
     */
    void deleteLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver);

    /**
     * Asks where the lease of a VM is ({@code Lease.info}). Every host that is connected to the
     * pool knows it, not only its manager.
     *
     * @param receiver gets the location; {@link RefusalCode#NO_SUCH_LEASE} if there is no such
     *     lease
     */
    void lease(UUID domain, VmId vm, Consumer<HostAnswer<VmLease.Place>> receiver);

    /** Reads the status of a task ({@code Task.getStatus}). */
    void task(String task, Consumer<HostAnswer<StorageTask>> receiver);

    /**
     * Has the host forget a task that is finished ({@code Task.clear}).
     *
     * @param receiver gets the task
     */
    void clearTask(String task, Consumer<HostAnswer<String>> receiver);
}
