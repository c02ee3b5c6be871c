package org.stillwater.testkit.memory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;

/**
 * VMs and their work in memory, with the semantics of the database: only named columns, only where
 * they differ, work with the state it follows from. Counts calls and rows; can be made unavailable,
 * to lose an answer, and to refuse rows. Thread-safe.
 */
public final class InMemoryVmStore implements VmStore {

    private static final VmRun.Topology NO_TOPOLOGY = new VmRun.Topology(null, -1, 0, 0, null);

    private record Row(OpenWork work, @Nullable UUID owner) {}

    private final Map<VmId, StoredVm> vms = new TreeMap<>();
    private final InMemorySpecifications specifications = new InMemorySpecifications();
    private final Map<VmId, String> refusals = new HashMap<>();
    private final Map<PendingWork.Key, Row> work = new LinkedHashMap<>();
    private final List<VmChange> writes = new ArrayList<>();
    private boolean answerLost;
    private @Nullable String unavailable;
    private int calls;
    private int rows;

    /** From now on every call finds the database unavailable; null ends it. */
    public synchronized void unavailable(@Nullable String reason) {
        unavailable = reason;
    }

    /** Whether calls find the database. */
    public synchronized boolean isAvailable() {
        return unavailable == null;
    }

    /** From now on rows of this VM are refused; null ends it. */
    public synchronized void refuse(VmId vm, @Nullable String reason) {
        if (reason == null) {
            refusals.remove(vm);
        } else {
            refusals.put(vm, reason);
        }
    }

    /** Inserts a VM without counting it. */
    public synchronized void put(StoredVm vm) {
        vms.put(vm.id(), vm);
    }

    /** What more is defined of these VMs. */
    InMemorySpecifications specifications() {
        return specifications;
    }

    /** Removes a VM and its work; whether there was one. */
    public synchronized boolean remove(VmId vm) {
        specifications.remove(vm);
        work.keySet().removeIf(key -> key.vmId().equals(vm));
        return vms.remove(vm) != null;
    }

    /** The VM as stored, or null. */
    public synchronized @Nullable StoredVm vm(VmId id) {
        return vms.get(id);
    }

    /** Whether a VM runs on this host or migrates to it. */
    public synchronized boolean refersTo(HostId host) {
        return vms.values().stream()
                .map(StoredVm::placement)
                .anyMatch(
                        placement -> placement.isOn(host) || host.equals(placement.migratingTo()));
    }

    /** Whether a VM belongs to a cluster. */
    public synchronized boolean refersTo(ClusterId cluster) {
        return vms.values().stream().anyMatch(vm -> vm.definition().cluster().equals(cluster));
    }

    /** Number of VMs. */
    public synchronized int size() {
        return vms.size();
    }

    /** Calls made so far, reads included: the statements of a database. */
    public synchronized int calls() {
        return calls;
    }

    /** Rows touched so far. */
    public synchronized int rows() {
        return rows;
    }

    /** Every change of reported columns so far, refused ones included. */
    public synchronized List<VmChange> runtimeWrites() {
        return writes.stream().filter(change -> !change.fields().isEmpty()).toList();
    }

    /** Every change so far, refused ones included. */
    public synchronized List<VmChange> writes() {
        return List.copyOf(writes);
    }

    /** Work that is open, oldest first. */
    public synchronized List<OpenWork> openWork() {
        return work.values().stream()
                .filter(row -> row.owner() == null)
                .map(Row::work)
                .sorted(OpenWork.OLDEST_FIRST)
                .toList();
    }

    /**
     * The next write, or the next work that is taken over, is committed, but the connection breaks
     * before the answer: the caller learns that the database was unavailable.
     */
    public synchronized void loseNextAnswer() {
        answerLost = true;
    }

    @Override
    public synchronized WriteOutcome write(List<VmChange> changes) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        writes.addAll(changes);
        requireSorted(changes.stream().map(VmChange::vmId).toList());
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        List<OpenWork> open = new ArrayList<>();
        for (VmChange change : changes) {
            String refusal = refusals.get(change.vmId());
            StoredVm stored = vms.get(change.vmId());
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(change.vmId().toString(), refusal));
            } else if (stored != null) {
                touched += write(change, stored) + queue(change.work(), open);
            }
        }
        rows += touched;
        if (answerLost) {
            answerLost = false;
            return new WriteOutcome.Unavailable("the answer was lost");
        }
        return new WriteOutcome.Written(touched, rejected, open);
    }

    private int write(VmChange change, StoredVm stored) {
        VmRuntime.Draft draft = stored.runtime().edit();
        change.fields().forEach(field -> draft.set(field, change.runtime().value(field)));
        VmRuntime runtime = draft.build();
        VmPlacement placement =
                merged(stored.placement(), change.placed(), storable(change.placement()));
        vms.put(stored.id(), new StoredVm(stored.id(), stored.definition(), runtime, placement));
        if (change.placed().contains(PlacementField.RUN_GENERATION)) {
            long newest = placement.run().generation();
            work.values()
                    .removeIf(row ->
                            row.owner() != null
                                    && row.work().work().vmId().equals(change.vmId())
                                    && row.work().work().generation() < newest);
        }
        return (runtime.equals(stored.runtime()) ? 0 : 1)
                + (placement.equals(stored.placement()) ? 0 : 1);
    }

    /** The stored placement with these columns of another one. */
    private static VmPlacement merged(
            VmPlacement stored, PlacementFields fields, VmPlacement given) {
        VmRun run = given.run();
        VmRun before = stored.run();
        return new VmPlacement(
                fields.contains(PlacementField.RUN_ON) ? given.runOn() : stored.runOn(),
                fields.contains(PlacementField.MIGRATING_TO)
                        ? given.migratingTo()
                        : stored.migratingTo(),
                fields.contains(PlacementField.LAST_START) ? given.lastStart() : stored.lastStart(),
                fields.contains(PlacementField.LAST_STOP) ? given.lastStop() : stored.lastStop(),
                new VmRun(
                        fields.contains(PlacementField.RUN_GENERATION)
                                ? run.generation()
                                : before.generation(),
                        fields.contains(PlacementField.BOOT_TIME)
                                ? run.bootTime()
                                : before.bootTime(),
                        fields.contains(PlacementField.DOWNTIME)
                                ? run.downtimeMillis()
                                : before.downtimeMillis(),
                        fields.contains(PlacementField.RUNTIME_NAME)
                                ? run.runtimeName()
                                : before.runtimeName(),
                        fields.contains(PlacementField.CONSOLE_USER)
                                ? run.consoleUser()
                                : before.consoleUser(),
                        fields.contains(PlacementField.CONSOLE_USER_ID)
                                ? run.consoleUserId()
                                : before.consoleUserId(),
                        fields.contains(PlacementField.CPU_NAME) ? run.cpuName() : before.cpuName(),
                        fields.contains(PlacementField.EMULATED_MACHINE)
                                ? run.emulatedMachine()
                                : before.emulatedMachine(),
                        fields.contains(PlacementField.VOLATILE_RUN)
                                ? run.volatileRun()
                                : before.volatileRun(),
                        topology(before.topology(), fields, run.topology()),
                        fields.contains(PlacementField.STOP_REASON)
                                ? run.stopReason()
                                : before.stopReason()));
    }

    private static VmRun.@Nullable Topology topology(
            VmRun.@Nullable Topology stored,
            PlacementFields fields,
            VmRun.@Nullable Topology given) {
        VmRun.Topology old = stored == null ? NO_TOPOLOGY : stored;
        VmRun.Topology next = given == null ? NO_TOPOLOGY : given;
        int sockets = fields.contains(PlacementField.SOCKETS) ? next.sockets() : old.sockets();
        if (sockets == NO_TOPOLOGY.sockets()) {
            return null;
        }
        return new VmRun.Topology(
                fields.contains(PlacementField.CPU_PINNING) ? next.cpuPinning() : old.cpuPinning(),
                sockets,
                fields.contains(PlacementField.CORES_PER_SOCKET)
                        ? next.coresPerSocket()
                        : old.coresPerSocket(),
                fields.contains(PlacementField.THREADS_PER_CORE)
                        ? next.threadsPerCore()
                        : old.threadsPerCore(),
                fields.contains(PlacementField.NUMA_PINNING)
                        ? next.numaPinning()
                        : old.numaPinning());
    }

    private int queue(List<OpenWork> queued, List<OpenWork> open) {
        int fresh = 0;
        for (OpenWork next : queued) {
            PendingWork.Key key = next.work().key();
            Row row = work.get(key);
            Instant since = next.since().truncatedTo(ChronoUnit.MICROS);
            boolean blocked =
                    row != null
                            && (row.owner() == null
                                    || row.work().since().equals(since)
                                    || next.work().kind().isOncePerRun());
            if (!blocked) {
                fresh++;
                work.put(key, new Row(new OpenWork(next.work(), since), null));
            }
        }
        if (!queued.isEmpty()) {
            VmId vm = queued.getFirst().work().vmId();
            openWork().stream().filter(next -> next.work().vmId().equals(vm)).forEach(open::add);
        }
        return fresh;
    }

    @Override
    public synchronized void loadWork(Consumer<OpenWork> receiver) throws StoreUnavailable {
        read();
        openWork().forEach(receiver);
    }

    @Override
    public synchronized boolean takeOver(PendingWork taken, UUID owner, Instant at)
            throws StoreUnavailable {
        read();
        Row row = work.get(taken.key());
        if (row == null || (row.owner() != null && !row.owner().equals(owner))) {
            return false;
        }
        work.put(taken.key(), new Row(row.work(), owner));
        if (answerLost) {
            answerLost = false;
            throw new StoreUnavailable(
                    "the answer was lost", new IllegalStateException("connection broken"));
        }
        return true;
    }

    /** A database column keeps microseconds. */
    private static VmPlacement storable(VmPlacement placement) {
        VmRun run = placement.run();
        return new VmPlacement(
                placement.runOn(),
                placement.migratingTo(),
                micros(placement.lastStart()),
                micros(placement.lastStop()),
                new VmRun(
                        run.generation(),
                        micros(run.bootTime()),
                        run.downtimeMillis(),
                        run.runtimeName(),
                        run.consoleUser(),
                        run.consoleUserId(),
                        run.cpuName(),
                        run.emulatedMachine(),
                        run.volatileRun(),
                        run.topology(),
                        run.stopReason()));
    }

    private static @Nullable Instant micros(@Nullable Instant time) {
        return time == null ? null : time.truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public synchronized WriteOutcome add(List<StoredVm> added) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        requireSorted(added.stream().map(StoredVm::id).toList());
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        for (StoredVm vm : added) {
            String refusal = refusals.get(vm.id());
            if (refusal == null && !vms.containsKey(vm.id())) {
                refusal = takenInterface(vm);
            }
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(vm.id().toString(), refusal));
            } else if (vms.putIfAbsent(vm.id(), vm) == null) {
                touched++;
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, rejected);
    }

    /** An interface has one VM: why another one with it is refused, or null. */
    private @Nullable String takenInterface(StoredVm vm) {
        for (VmNic nic : vm.definition().nics()) {
            if (owner(nic.id()) != null) {
                return "duplicate key value violates unique constraint: interface " + nic.id();
            }
        }
        return null;
    }

    /** The VM that has an interface, or null. */
    synchronized @Nullable VmId owner(UUID nicId) {
        for (StoredVm vm : vms.values()) {
            for (VmNic nic : vm.definition().nics()) {
                if (nic.id().equals(nicId)) {
                    return vm.id();
                }
            }
        }
        return null;
    }

    @Override
    public synchronized Map<UUID, VmId> interfaceOwners(Collection<UUID> interfaces)
            throws StoreUnavailable {
        read();
        Map<UUID, VmId> owners = new HashMap<>();
        for (UUID id : interfaces) {
            VmId owner = owner(id);
            if (owner != null) {
                owners.put(id, owner);
            }
        }
        return owners;
    }

    @Override
    public synchronized void loadAll(Consumer<StoredVm> receiver) throws StoreUnavailable {
        read();
        vms.values().forEach(receiver);
    }

    /** Why the database is unavailable, or null. */
    synchronized @Nullable String unavailable() {
        return unavailable;
    }

    /** Why rows of this VM are refused, or null. */
    synchronized @Nullable String refusal(VmId vm) {
        return refusals.get(vm);
    }

    /** Replaces the interfaces in a VM's definition. */
    synchronized void redefine(VmId id, List<VmNic> nics) {
        StoredVm vm = vms.get(id);
        if (vm != null) {
            VmStatic next = vm.definition().withNics(nics);
            vms.put(id, new StoredVm(id, next, vm.runtime(), vm.placement()));
        }
    }

    private void read() throws StoreUnavailable {
        calls++;
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
    }

    private static void requireSorted(List<VmId> ids) {
        for (int i = 1; i < ids.size(); i++) {
            if (ids.get(i - 1).compareTo(ids.get(i)) >= 0) {
                throw new IllegalArgumentException("rows are not sorted by VM, or named twice");
            }
        }
    }
}
