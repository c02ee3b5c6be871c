package org.stillwater.testkit.memory;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ExternalDataStore;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/**
 * TPM and NVRAM data in memory, of the VMs of an {@link InMemoryVmStore}: it is unavailable, and
 * refuses rows, when that one does. Thread-safe.
 */
public final class InMemoryExternalDataStore implements ExternalDataStore {

    private final InMemoryVmStore vms;
    private final Map<VmId, Map<ExternalDataKind, ExternalDataUpdate>> saved = new TreeMap<>();
    private int calls;

    /** No data yet. */
    public InMemoryExternalDataStore(InMemoryVmStore vms) {
        this.vms = vms;
    }

    /** A VM's data as stored, or null. */
    public synchronized @Nullable ExternalDataUpdate of(VmId vm, ExternalDataKind kind) {
        return saved.getOrDefault(vm, Map.of()).get(kind);
    }

    /** Calls made so far, reads included. */
    public synchronized int calls() {
        return calls;
    }

    @Override
    public synchronized WriteOutcome save(List<ExternalDataUpdate> updates) {
        calls++;
        String unavailable = vms.unavailable();
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        for (ExternalDataUpdate update : updates) {
            String refusal = vms.refusal(update.vmId());
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(update.vmId().toString(), refusal));
            } else if (vms.vm(update.vmId()) != null) {
                ExternalDataUpdate before = of(update.vmId(), update.kind());
                if (before == null || !before.hash().equals(update.hash())) {
                    saved.computeIfAbsent(update.vmId(), _ -> new EnumMap<>(ExternalDataKind.class))
                            .put(update.kind(), update);
                    touched++;
                }
            }
        }
        return new WriteOutcome.Written(touched, rejected);
    }

    @Override
    public synchronized void loadHashes(Receiver receiver) throws StoreUnavailable {
        calls++;
        String unavailable = vms.unavailable();
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
        saved.forEach((vm, kinds) ->
                kinds.forEach((kind, update) -> receiver.accept(vm, kind, update.hash())));
    }
}
