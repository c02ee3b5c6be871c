package org.stillwater.testkit.hypervisor;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;

/**
 * The storage of a model data centre: one pool with one domain, which all hosts see and one of them
 * manages. Volumes exist when their task is finished. Used on the test's thread.
 */
public final class ModelStorage {

    /** The pool that hosts know. */
    public static final UUID POOL = new UUID(0x6000, 1);

    /** Its domain. */
    public static final UUID DOMAIN = new UUID(0x6000, 2);

    private static final int NO_SUCH_TASK = 401;
    private static final int NO_SUCH_POOL = 309;
    private static final int NO_SUCH_DOMAIN = 358;
    private static final int TASK_RUNS = 410;
    private static final int EXISTS = 212;

    /** For errors without a code of their own, such as those about existing leases. */
    private static final int GENERAL = 100;

    private static final long SLOT_BYTES = 1L << 20;

    private final ModelDataCentre centre;
    private final Map<UUID, UUID> volumes = new TreeMap<>();
    private final Map<UUID, Long> sizes = new HashMap<>();
    private final Map<UUID, VmId> memories = new HashMap<>();
    private final Map<String, StorageTask> tasks = new HashMap<>();
    private final Set<UUID> created = new HashSet<>();
    private long taskNumber;
    private boolean managed = true;
    private boolean full;
    private final Map<VmId, VmLease.Place> leases = new TreeMap<>();
    private long leaseNumber;
    private boolean leasesFail;

    ModelStorage(ModelDataCentre centre) {
        this.centre = centre;
    }

    /** Existing images, by the volume in each. */
    public Map<UUID, UUID> volumes() {
        return Map.copyOf(volumes);
    }

    /** Size of a volume in bytes; null if it was never there. */
    public @Nullable Long size(UUID volume) {
        return sizes.get(volume);
    }

    /** Tasks that hosts remember. */
    public int tasks() {
        return tasks.size();
    }

    /** How many volumes were created so far. */
    public int created() {
        return created.size();
    }

    /** Whether any host manages the pool. */
    public void managed(boolean whether) {
        managed = whether;
    }

    /** Whether volumes cannot be created for lack of space. */
    public void full(boolean whether) {
        full = whether;
    }

    /** The first host that is on manages the pool. */
    boolean isManagedBy(ModelHost host) {
        return managed
                && centre.hosts().stream().filter(ModelHost::isAlive).findFirst().orElse(null)
                        == host;
    }

    HostAnswer<Boolean> managing(ModelHost host, UUID pool) {
        return pool.equals(POOL)
                ? new HostAnswer.Success<>(isManagedBy(host))
                : refused(NO_SUCH_POOL, "Unknown pool id, pool not connected");
    }

    HostAnswer<String> create(ModelHost host, MemoryVolume volume, long bytes) {
        HostFailure refusal = refusal(host, volume);
        if (refusal != null) {
            return new HostAnswer.Failed<>(refusal);
        }
        return begun(() -> {
            if (full) {
                return new StorageTask(true, false, 550, "Not enough free space");
            }
            if (volumes.putIfAbsent(volume.image(), volume.volume()) != null) {
                return new StorageTask(true, false, EXISTS, "Volume already exists");
            }
            sizes.put(volume.volume(), bytes);
            created.add(volume.volume());
            return new StorageTask(true, true, 0, "1 jobs completed successfully");
        });
    }

    HostAnswer<String> delete(ModelHost host, MemoryVolume volume) {
        HostFailure refusal = refusal(host, volume);
        if (refusal != null) {
            return new HostAnswer.Failed<>(refusal);
        }
        if (!volumes.containsKey(volume.image())) {
            return refused(RefusalCode.NO_SUCH_IMAGE, "Image does not exist in domain");
        }
        return begun(() -> {
            UUID gone = volumes.remove(volume.image());
            if (gone != null) {
                memories.remove(gone);
            }
            return new StorageTask(true, true, 0, "1 jobs completed successfully");
        });
    }

    private @Nullable HostFailure refusal(ModelHost host, MemoryVolume volume) {
        if (!volume.pool().equals(POOL)) {
            return new HostFailure.Refused(NO_SUCH_POOL, "Unknown pool id, pool not connected");
        }
        if (!volume.domain().equals(DOMAIN)) {
            return new HostFailure.Refused(NO_SUCH_DOMAIN, "Storage domain does not exist");
        }
        return isManagedBy(host)
                ? null
                : new HostFailure.Refused(
                        RefusalCode.NOT_STORAGE_POOL_MANAGER,
                        "Operation not allowed while SPM is not active");
    }

    private HostAnswer<String> begun(java.util.function.Supplier<StorageTask> work) {
        String task = "task-" + ++taskNumber;
        tasks.put(task, new StorageTask(false, false, 0, "running"));
        centre.after(
                centre.times().launch(), () -> tasks.computeIfPresent(task, (_, _) -> work.get()));
        return new HostAnswer.Success<>(task);
    }

    // ---- leases

    /** Existing leases: VMs, and the location of each lease. */
    public Map<VmId, VmLease.Place> leases() {
        return Map.copyOf(leases);
    }

    /** Creates a lease of a VM, as a finished task does. */
    public VmLease.Place putLease(VmId vm) {
        return leases.computeIfAbsent(
                vm,
                _ -> new VmLease.Place("/rhev/" + DOMAIN + "/xleases", ++leaseNumber * SLOT_BYTES));
    }

    /** A lease disappears from storage, however that comes. */
    public void loseLease(VmId vm) {
        leases.remove(vm);
    }

    /** Whether leases cannot be created or deleted, since the task fails. */
    public void leasesFail(boolean whether) {
        leasesFail = whether;
    }

    HostAnswer<String> createLease(ModelHost host, UUID domain, VmId vm) {
        HostFailure refusal = leaseRefusal(host, domain);
        if (refusal != null) {
            return new HostAnswer.Failed<>(refusal);
        }
        return begun(() -> {
            if (leasesFail) {
                return new StorageTask(true, false, GENERAL, "No space to add lease " + vm);
            }
            if (leases.containsKey(vm)) {
                return new StorageTask(true, false, GENERAL, "Lease " + vm + " exists");
            }
            VmLease.Place _ = putLease(vm);
            return new StorageTask(true, true, 0, "1 jobs completed successfully");
        });
    }

    HostAnswer<String> deleteLease(ModelHost host, UUID domain, VmId vm) {
        HostFailure refusal = leaseRefusal(host, domain);
        if (refusal != null) {
            return new HostAnswer.Failed<>(refusal);
        }
        return begun(() -> {
            if (leasesFail) {
                return new StorageTask(true, false, GENERAL, "Index is updating");
            }
            return leases.remove(vm) == null
                    ? new StorageTask(true, false, RefusalCode.NO_SUCH_LEASE, "No such lease")
                    : new StorageTask(true, true, 0, "1 jobs completed successfully");
        });
    }

    private @Nullable HostFailure leaseRefusal(ModelHost host, UUID domain) {
        return refusal(host, new MemoryVolume(POOL, domain, DOMAIN, DOMAIN));
    }

    /** Every host gives this answer. */
    HostAnswer<VmLease.Place> lease(UUID domain, VmId vm) {
        if (!domain.equals(DOMAIN)) {
            return refused(NO_SUCH_DOMAIN, "Storage domain does not exist");
        }
        VmLease.Place place = leases.get(vm);
        return place == null
                ? refused(RefusalCode.NO_SUCH_LEASE, "No such lease")
                : new HostAnswer.Success<>(place);
    }

    /**
     * Whether a process that a host is to start gets the lease that its definition names: that
     * lease exists, and no process elsewhere holds it.
     */
    boolean givesLease(ModelHost host, VmId vm, String xml) {
        VmLease.Place place = leases.get(vm);
        return place != null
                && xml.contains("<lockspace>" + DOMAIN + "</lockspace>")
                && xml.contains("<key>" + vm + "</key>")
                && xml.contains(
                        "<target path=\"%s\" offset=\"%d\"/>"
                                .formatted(place.path(), place.offsetBytes()))
                && centre.hosts().stream().noneMatch(other -> other != host && other.holds(vm));
    }

    HostAnswer<StorageTask> status(String task) {
        StorageTask status = tasks.get(task);
        return status == null
                ? refused(NO_SUCH_TASK, "Task id unknown")
                : new HostAnswer.Success<>(status);
    }

    HostAnswer<String> clear(String task) {
        StorageTask status = tasks.get(task);
        if (status == null) {
            return refused(NO_SUCH_TASK, "Task id unknown");
        }
        if (!status.finished()) {
            return refused(TASK_RUNS, "Operation is not allowed in this task state");
        }
        tasks.remove(task);
        return new HostAnswer.Success<>(task);
    }

    private static <T> HostAnswer<T> refused(int code, String message) {
        return new HostAnswer.Failed<>(new HostFailure.Refused(code, message));
    }

    /** Whether a volume can be written and read. */
    boolean holds(MemoryVolume volume) {
        return volume.volume().equals(volumes.get(volume.image()));
    }

    /** A host saves a VM's memory. */
    void write(MemoryVolume volume, VmId vm) {
        memories.put(volume.volume(), vm);
    }

    /** Whether a volume holds a VM's memory. */
    boolean holdsMemory(MemoryVolume volume, VmId vm) {
        return holds(volume) && vm.equals(memories.get(volume.volume()));
    }
}
