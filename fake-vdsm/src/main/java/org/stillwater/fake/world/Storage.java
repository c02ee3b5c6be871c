package org.stillwater.fake.world;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The storage of a world: one pool with two domains, seen alike by all hosts. It knows the volumes
 * that {@code Volume.create} made; the disks of VMs are taken to be there. Guarded by the world's
 * lock.
 */
final class Storage {

    /** The one pool that hosts are connected to. */
    static final String POOL = "5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01";

    /** Its domain on block storage, where a raw volume has all its space from the start. */
    static final String BLOCK_DOMAIN = HostReport.STORAGE_DOMAINS.getFirst();

    /** So many volumes fill a domain. */
    private static final int MOST_VOLUMES = 10_000;

    /** So many leases fill a domain, each in a slot ({@code vdsm/storage/xlease.py}). */
    private static final int MOST_LEASES = 4_000;

    /** The slots before are for the lockspace, the index and sanlock itself. */
    private static final int FIRST_LEASE_SLOT = 3;

    private static final long LEASE_SLOT_BYTES = 1L << 20;

    /** So many tasks are remembered ({@code max_tasks} of VDSM's {@code irs} settings). */
    private static final int MOST_TASKS = 500;

    /** Duration of a task. */
    private static final long TASK_MILLIS = 1_000;

    private final SimulationClock clock;
    private final EventSchedule agenda;
    private final long seed;
    private final Map<VolumeAddress, Volume> volumes = new LinkedHashMap<>();
    private final Map<LeaseAddress, Integer> leases = new LinkedHashMap<>();
    private final Map<String, StorageTask> tasks = new LinkedHashMap<>();
    private long taskNumber;

    Storage(SimulationClock clock, EventSchedule agenda, long worldSeed) {
        this.clock = clock;
        this.agenda = agenda;
        this.seed = Seeds.of(worldSeed, "storage");
    }

    /** A created volume. */
    private static final class Volume {
        /** The VM of the memory in it; {@code null} before the first write. */
        @Nullable String memoryOf;
    }

    /** The fitness of a volume for restoring a VM. */
    enum Memory {
        /** The VM's memory is written. */
        THERE,
        /** There is such a volume, and something else or nothing in it. */
        FOREIGN,
        /** There is no such volume. */
        MISSING
    }

    boolean has(VolumeAddress address) {
        return volumes.containsKey(address);
    }

    List<String> volumesOf(String domain, String image) {
        return volumes.keySet().stream()
                .filter(address -> address.domain().equals(domain) && address.image().equals(image))
                .map(VolumeAddress::volume)
                .toList();
    }

    /** Writes the memory of a VM into an existing volume. */
    void saveMemory(VolumeAddress address, String vmId) {
        Volume volume = volumes.get(address);
        if (volume != null) {
            volume.memoryOf = vmId;
        }
    }

    Memory memory(VolumeAddress address, String vmId) {
        Volume volume = volumes.get(address);
        if (volume == null) {
            return Memory.MISSING;
        }
        return vmId.equals(volume.memoryOf) ? Memory.THERE : Memory.FOREIGN;
    }

    // ---- tasks

    /** Begins to make a volume; the answer is the task. */
    StorageTask create(VolumeAddress address) {
        return schedule(
                "createVolume",
                new StorageTask.Job() {
                    @Override
                    public void run() {
                        if (volumes.containsKey(address)) {
                            throw VdsmError.VOLUME_EXISTS.of(address.volume());
                        }
                        if (volumes.size() >= MOST_VOLUMES) {
                            throw VdsmError.NO_SPACE.saying(
                                    "No space left on domain %s: %s"
                                            .formatted(
                                                    address.domain(),
                                                    PythonText.string(address.domain())));
                        }
                        volumes.put(address, new Volume());
                    }

                    @Override
                    public void undo() {
                        volumes.remove(address);
                    }
                });
    }

    /** Takes volumes away at once; the task does the rest, unseen. */
    StorageTask delete(String verb, Collection<VolumeAddress> addresses) {
        addresses.forEach(volumes::remove);
        return schedule(
                verb,
                new StorageTask.Job() {
                    @Override
                    public void run() {
                        // They are gone already.
                    }

                    @Override
                    public void undo() {
                        // A deletion cannot be undone.
                    }
                });
    }

    // ---- leases

    /** The location of a lease; {@code null} if it does not exist. */
    LeaseAddress.@Nullable Place lease(LeaseAddress address) {
        Integer slot = leases.get(address);
        if (slot == null) {
            return null;
        }
        String path =
                address.domain().equals(BLOCK_DOMAIN)
                        ? "/dev/%s/xleases".formatted(address.domain())
                        : "/rhev/data-center/mnt/192.0.2.200:_data/%s/dom_md/xleases"
                                .formatted(address.domain());
        return new LeaseAddress.Place(path, (FIRST_LEASE_SLOT + slot) * LEASE_SLOT_BYTES);
    }

    /** Begins to create a lease in the first slot that is free; the answer is the task. */
    StorageTask createLease(LeaseAddress address) {
        return schedule(
                "create_lease",
                new StorageTask.Job() {
                    @Override
                    public void run() {
                        requireDomain(address);
                        if (leases.containsKey(address)) {
                            throw VdsmError.GENERAL.saying(
                                    "Lease %s exists".formatted(address.id()));
                        }
                        int slot = 0;
                        while (isTaken(address.domain(), slot)) {
                            slot++;
                        }
                        if (slot >= MOST_LEASES) {
                            throw VdsmError.GENERAL.saying("No space to add lease " + address.id());
                        }
                        leases.put(address, slot);
                    }

                    @Override
                    public void undo() {
                        leases.remove(address);
                    }
                });
    }

    private boolean isTaken(String domain, int slot) {
        return leases.entrySet().stream()
                .anyMatch(lease ->
                        lease.getValue() == slot && lease.getKey().domain().equals(domain));
    }

    /** Begins to delete a lease; the answer is the task. */
    StorageTask deleteLease(LeaseAddress address) {
        return schedule(
                "delete_lease",
                new StorageTask.Job() {
                    @Override
                    public void run() {
                        requireDomain(address);
                        if (leases.remove(address) == null) {
                            throw VdsmError.NO_SUCH_LEASE.saying(noSuch(address));
                        }
                    }

                    @Override
                    public void undo() {
                        // A deletion cannot be undone.
                    }
                });
    }

    /** Only the manager's task and requests for a lease read the domain. */
    private static void requireDomain(LeaseAddress address) {
        if (!HostReport.STORAGE_DOMAINS.contains(address.domain())) {
            throw VdsmError.UNKNOWN_DOMAIN.of(address.domain());
        }
    }

    /**
     * The location of a requested lease.
     *
     * @throws VerbError if there is no such lease or domain
     */
    LeaseAddress.Place leaseInfo(LeaseAddress address) {
        requireDomain(address);
        LeaseAddress.Place place = lease(address);
        if (place == null) {
            throw VdsmError.NO_SUCH_LEASE.saying(noSuch(address));
        }
        return place;
    }

    private static String noSuch(LeaseAddress address) {
        return "%s: %s"
                .formatted(
                        VdsmError.NO_SUCH_LEASE.text(), PythonText.string("lease=" + address.id()));
    }

    private StorageTask schedule(String verb, StorageTask.Job job) {
        if (tasks.size() >= MOST_TASKS) {
            throw VdsmError.ADD_TASK.saying(VdsmError.ADD_TASK.text() + ": ()");
        }
        String id = Seeds.uuid(Seeds.of(Seeds.of(seed, "task"), taskNumber++)).toString();
        StorageTask task = new StorageTask(id, verb, job);
        tasks.put(id, task);
        agenda.at(clock.millis() + TASK_MILLIS, task::run);
        return task;
    }

    /**
     * A task.
     *
     * @throws VerbError if there is none
     */
    StorageTask task(String id) {
        StorageTask task = tasks.get(id);
        if (task == null) {
            throw VdsmError.UNKNOWN_TASK.of(id);
        }
        return task;
    }

    Collection<StorageTask> tasks() {
        return tasks.values();
    }

    /** Forgets a task that is done. */
    void clear(String id) {
        if (!task(id).isDone()) {
            throw VdsmError.TASK_STATE.of("can't clean in state running");
        }
        tasks.remove(id);
    }
}
