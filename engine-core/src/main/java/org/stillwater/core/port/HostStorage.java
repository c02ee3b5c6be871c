package org.stillwater.core.port;

import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.model.MemoryVolume;

/**
 * The storage of a data centre as one of its hosts works on it. Volumes are created and removed by
 * the host that manages the storage pool (SPM) only; any other refuses with {@link
 * RefusalCode#NOT_STORAGE_POOL_MANAGER}. Both begin a task, which is asked for until it is finished
 * and cleared then. Calls return at once; each receiver is called exactly once, as those of {@link
 * HostConnection} are. Thread-safe.
 */
public interface HostStorage {

    /** What a volume is to hold. */
    enum Content {
        /** Memory of a VM. */
        MEMORY,
        /** What else a host keeps of a VM that is saved. */
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

    /** Asks how a task fares ({@code Task.getStatus}). */
    void task(String task, Consumer<HostAnswer<StorageTask>> receiver);

    /**
     * Has the host forget a task that is finished ({@code Task.clear}).
     *
     * @param receiver gets the task
     */
    void clearTask(String task, Consumer<HostAnswer<String>> receiver);
}
