package org.stillwater.monitoring;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Inserts the rows of VMs that are already in memory.
 *
 * @param written called once with the VMs without a row and the reasons
 */
record KnownVmInsertion(VmStore store, List<StoredVm> vms, Consumer<Map<VmId, String>> written)
        implements StoreTask {

    KnownVmInsertion {
        vms = List.copyOf(vms);
    }

    @Override
    public WriteOutcome write() {
        return store.add(vms);
    }

    @Override
    public void written(WriteOutcome.Written outcome) {
        Map<VmId, String> refused = new HashMap<>();
        outcome.rejected().forEach(row -> refused.put(VmId.parse(row.key()), row.reason()));
        written.accept(Map.copyOf(refused));
    }

    @Override
    public void abandoned() {
        Map<VmId, String> refused = new HashMap<>();
        vms.forEach(vm -> refused.put(vm.id(), "the engine failed to write it; see the log"));
        written.accept(Map.copyOf(refused));
    }
}
