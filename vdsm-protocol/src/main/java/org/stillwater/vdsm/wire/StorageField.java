package org.stillwater.vdsm.wire;

/** Verbs about volumes, leases and tasks, their parameters and the members of their answers. */
public final class StorageField {
    public static final String VOLUME_CREATE = "Volume.create";
    public static final String IMAGE_DELETE = "Image.delete";
    public static final String TASK_GET_STATUS = "Task.getStatus";
    public static final String TASK_CLEAR = "Task.clear";

    public static final String LEASE_CREATE = "Lease.create";
    public static final String LEASE_DELETE = "Lease.delete";
    public static final String LEASE_INFO = "Lease.info";

    public static final String POOL_ID = "storagepoolID";
    public static final String DOMAIN_ID = "storagedomainID";
    public static final String IMAGE_ID = "imageID";
    public static final String VOLUME_ID = "volumeID";

    /** Bytes, as text. */
    public static final String SIZE = "size";

    public static final String FORMAT = "volFormat";
    public static final String PREALLOCATE = "preallocate";
    public static final String DISK_TYPE = "diskType";
    public static final String DESCRIPTION = "desc";
    public static final String SOURCE_IMAGE_ID = "srcImgUUID";
    public static final String SOURCE_VOLUME_ID = "srcVolUUID";
    public static final String POST_ZERO = "postZero";
    public static final String FORCE = "force";
    public static final String TASK_ID = "taskID";

    /** {@code volFormat} of a volume without a format of its own. */
    public static final int RAW = 5;

    /** {@code preallocate} of a volume with all of its space allocated at once. */
    public static final int PREALLOCATED = 1;

    /** {@code diskType} of a volume that holds the memory of a VM. */
    public static final String MEMORY = "MEMD";

    /** {@code diskType} of a volume that holds the VM's configuration beside its saved memory. */
    public static final String MEMORY_CONFIGURATION = "MEMM";

    /** The parameter that names a lease, an object. */
    public static final String LEASE = "lease";

    /** The storage domain of a lease. */
    public static final String LEASE_DOMAIN_ID = "sd_id";

    public static final String LEASE_ID = "lease_id";
    public static final String LEASE_PATH = "path";

    /** Bytes, a number. */
    public static final String LEASE_OFFSET = "offset";

    public static final String SPM_STATUS = "spmStatus";

    /** {@code spmStatus} of the host that manages the pool. */
    public static final String SPM = "SPM";

    public static final String CODE = "code";
    public static final String MESSAGE = "message";
    public static final String TASK_STATE = "taskState";
    public static final String TASK_RESULT = "taskResult";

    /** {@code taskState} of a task without further work. */
    public static final String FINISHED = "finished";

    /** {@code taskResult} of a task that succeeded. */
    public static final String SUCCESS = "success";

    private StorageField() {}
}
