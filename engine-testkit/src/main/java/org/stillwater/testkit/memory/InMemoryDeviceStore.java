package org.stillwater.testkit.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.store.WriteOutcome;

/**
 * Devices in memory, with the semantics of the database, of the VMs of an {@link InMemoryVmStore}:
 * it is unavailable, and refuses rows, when that one does. Counts calls and rows. Thread-safe.
 */
public final class InMemoryDeviceStore implements DeviceStore {

    private final InMemoryVmStore vms;
    private final Map<VmId, Map<UUID, VmDevice>> devices = new TreeMap<>();
    private final Map<VmId, String> hashes = new TreeMap<>();
    private final Map<VmId, Integer> generations = new HashMap<>();
    private int calls;
    private int deviceRows;
    private int hashRows;

    /** No devices yet. */
    public InMemoryDeviceStore(InMemoryVmStore vms) {
        this.vms = vms;
    }

    /** Inserts devices without counting them. */
    public synchronized void put(VmId vm, String hash, List<VmDevice> list) {
        Map<UUID, VmDevice> own = new LinkedHashMap<>();
        list.forEach(device -> own.put(device.id(), device));
        devices.put(vm, own);
        hashes.put(vm, hash);
    }

    /** A VM's devices as stored. */
    public synchronized List<VmDevice> of(VmId vm) {
        return List.copyOf(devices.getOrDefault(vm, Map.of()).values());
    }

    /** A VM's hash as stored, empty for none. */
    public synchronized String hash(VmId vm) {
        return hashes.getOrDefault(vm, "");
    }

    /** How often the devices of a VM changed. */
    public synchronized int generation(VmId vm) {
        return generations.getOrDefault(vm, 0);
    }

    /** Calls made so far, reads included: the statements of a database. */
    public synchronized int calls() {
        return calls;
    }

    /** Rows of devices touched so far. */
    public synchronized int deviceRows() {
        return deviceRows;
    }

    /** Hashes written so far. */
    public synchronized int hashRows() {
        return hashRows;
    }

    @Override
    public synchronized WriteOutcome add(List<VmWithDevices> added) {
        calls++;
        List<VmWithDevices> fresh =
                added.stream().filter(one -> vms.vm(one.vm().id()) == null).toList();
        WriteOutcome outcome = vms.add(added.stream().map(VmWithDevices::vm).toList());
        if (outcome instanceof WriteOutcome.Written) {
            for (VmWithDevices one : fresh) {
                if (vms.vm(one.vm().id()) != null) {
                    addDevices(one);
                }
            }
        }
        return outcome;
    }

    private void addDevices(VmWithDevices added) {
        VmId vm = added.vm().id();
        Map<UUID, VmDevice> own = new LinkedHashMap<>();
        added.devices().forEach(device -> own.put(device.id(), device));
        devices.put(vm, own);
        deviceRows += own.size();
        vms.specifications().follow(vm, added.specification());
        String hash = added.deviceHash();
        if (hash != null) {
            hashes.put(vm, hash);
            hashRows++;
        }
    }

    @Override
    public synchronized WriteOutcome save(List<DeviceUpdate> updates) {
        calls++;
        String unavailable = vms.unavailable();
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        for (int i = 1; i < updates.size(); i++) {
            if (updates.get(i - 1).vmId().compareTo(updates.get(i).vmId()) >= 0) {
                throw new IllegalArgumentException("rows are not sorted by VM, or named twice");
            }
        }
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        for (DeviceUpdate update : updates) {
            String refusal = vms.refusal(update.vmId());
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(update.vmId().toString(), refusal));
            } else if (vms.vm(update.vmId()) != null) {
                touched += save(update);
            }
        }
        return new WriteOutcome.Written(touched, rejected);
    }

    private int save(DeviceUpdate update) {
        Map<UUID, VmDevice> own =
                devices.computeIfAbsent(update.vmId(), _ -> new LinkedHashMap<>());
        int touched = 0;
        for (VmDevice device : update.updates()) {
            VmDevice before = own.get(device.id());
            if (before != null && !before.equals(monitored(before, device))) {
                own.put(device.id(), monitored(before, device));
                touched++;
            }
        }
        for (UUID removal : update.removals()) {
            touched += own.remove(removal) == null ? 0 : 1;
        }
        for (VmDevice device : update.additions()) {
            VmDevice before = own.get(device.id());
            VmDevice next = before == null ? device : monitored(before, device);
            if (!next.equals(before)) {
                own.put(device.id(), next);
                touched++;
            }
        }
        deviceRows += touched;
        if (update.nics() != null) {
            vms.redefine(update.vmId(), update.nics());
        }
        vms.specifications().follow(update.vmId(), update.specification());
        if (update.hash() != null && !update.hash().equals(hash(update.vmId()))) {
            hashes.put(update.vmId(), update.hash());
            hashRows++;
            touched++;
        }
        if (update.changesDevices()) {
            generations.merge(update.vmId(), 1, Integer::sum);
        }
        return touched;
    }

    private static VmDevice monitored(VmDevice before, VmDevice device) {
        return new VmDevice(
                before.id(),
                before.type(),
                before.device(),
                device.address(),
                device.alias(),
                before.managed(),
                device.plugged(),
                before.readOnly(),
                device.logicalName(),
                device.hostDevice(),
                before.specParams(),
                before.customProperties(),
                before.snapshotId(),
                device.volume());
    }

    @Override
    public synchronized Map<VmId, List<VmDevice>> load(List<VmId> wanted) throws StoreUnavailable {
        read();
        Map<VmId, List<VmDevice>> found = new HashMap<>();
        for (VmId vm : wanted) {
            if (!of(vm).isEmpty()) {
                found.put(vm, of(vm));
            }
        }
        return found;
    }

    @Override
    public synchronized void loadHashes(BiConsumer<VmId, String> receiver) throws StoreUnavailable {
        read();
        hashes.forEach((vm, hash) -> {
            StoredVm stored = vms.vm(vm);
            boolean defined =
                    stored == null
                            || !stored.definition().origin().isFound()
                            || vms.specifications().of(vm) != null;
            if (!hash.isEmpty() && defined) {
                receiver.accept(vm, hash);
            }
        });
    }

    private void read() throws StoreUnavailable {
        calls++;
        String unavailable = vms.unavailable();
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
    }
}
