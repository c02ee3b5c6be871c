package org.stillwater.testkit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.port.PlacementChange;
import org.stillwater.core.port.RuntimeChange;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.StoredDevices;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.port.VmStore;
import org.stillwater.core.port.WriteOutcome;

/**
 * VMs in memory, with the semantics of the database: only named columns, only where they differ.
 * Counts calls and rows; can be made unavailable and made to refuse rows. Thread-safe.
 */
public final class InMemoryVmStore implements VmStore {

    private final Map<VmId, StoredVm> vms = new TreeMap<>();
    private final Map<VmId, StoredDevices> devices = new TreeMap<>();
    private final Map<VmId, String> refusals = new HashMap<>();
    private final List<RuntimeChange> runtimeWrites = new ArrayList<>();
    private @Nullable String unavailable;
    private int calls;
    private int rows;

    /** From now on every call finds the database unavailable; null ends it. */
    public synchronized void unavailable(@Nullable String reason) {
        unavailable = reason;
    }

    /** From now on rows of this VM are refused; null ends it. */
    public synchronized void refuse(VmId vm, @Nullable String reason) {
        if (reason == null) {
            refusals.remove(vm);
        } else {
            refusals.put(vm, reason);
        }
    }

    /** Puts a VM in place without counting it. */
    public synchronized void put(StoredVm vm) {
        vms.put(vm.id(), vm);
    }

    /** The VM as stored, or null. */
    public synchronized @Nullable StoredVm vm(VmId id) {
        return vms.get(id);
    }

    /** The devices as stored, or null. */
    public synchronized @Nullable StoredDevices devices(VmId id) {
        return devices.get(id);
    }

    /** Number of VMs. */
    public synchronized int size() {
        return vms.size();
    }

    /** Calls made so far, reads included: what would be statements. */
    public synchronized int calls() {
        return calls;
    }

    /** Rows touched so far. */
    public synchronized int rows() {
        return rows;
    }

    /** Every runtime change handed in so far, refused ones included. */
    public synchronized List<RuntimeChange> runtimeWrites() {
        return List.copyOf(runtimeWrites);
    }

    @Override
    public synchronized WriteOutcome writeRuntimes(List<RuntimeChange> changes) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        runtimeWrites.addAll(changes);
        requireSorted(changes.stream().map(RuntimeChange::vmId).toList());
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        for (RuntimeChange change : changes) {
            String refusal = refusals.get(change.vmId());
            StoredVm stored = vms.get(change.vmId());
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(change.vmId().toString(), refusal));
            } else if (stored != null) {
                VmRuntime.Draft draft = stored.runtime().edit();
                change.fields().forEach(field -> copy(field, change.runtime(), draft));
                VmRuntime next = draft.build();
                if (!next.equals(stored.runtime())) {
                    touched++;
                    vms.put(
                            stored.id(),
                            new StoredVm(
                                    stored.id(), stored.definition(), next, stored.placement()));
                }
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, rejected);
    }

    private static void copy(RuntimeField field, VmRuntime from, VmRuntime.Draft to) {
        to.set(field, from.value(field));
    }

    @Override
    public synchronized WriteOutcome writePlacements(List<PlacementChange> changes) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        requireSorted(changes.stream().map(PlacementChange::vmId).toList());
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        for (PlacementChange change : changes) {
            String refusal = refusals.get(change.vmId());
            StoredVm stored = vms.get(change.vmId());
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(change.vmId().toString(), refusal));
            } else if (stored != null && !stored.placement().equals(storable(change.placement()))) {
                touched++;
                VmPlacement next = storable(change.placement());
                vms.put(
                        stored.id(),
                        new StoredVm(stored.id(), stored.definition(), stored.runtime(), next));
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, rejected);
    }

    /** A database column keeps microseconds. */
    private static VmPlacement storable(VmPlacement placement) {
        return placement
                .withLastStart(micros(placement.lastStart()))
                .withLastStop(micros(placement.lastStop()));
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
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(vm.id().toString(), refusal));
            } else if (vms.putIfAbsent(vm.id(), vm) == null) {
                touched++;
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, rejected);
    }

    @Override
    public synchronized WriteOutcome replaceDevices(List<StoredDevices> replaced) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        requireSorted(replaced.stream().map(StoredDevices::vmId).toList());
        int touched = 0;
        for (StoredDevices next : replaced) {
            if (vms.containsKey(next.vmId())
                    && !Objects.equals(devices.put(next.vmId(), next), next)) {
                touched += next.devices().size();
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, List.of());
    }

    @Override
    public synchronized void loadAll(Consumer<StoredVm> receiver) throws StoreUnavailable {
        read();
        vms.values().forEach(receiver);
    }

    @Override
    public synchronized void loadDevices(Consumer<StoredDevices> receiver) throws StoreUnavailable {
        read();
        devices.values().forEach(receiver);
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
