package org.stillwater.core.store;

import java.util.List;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;

/** Durable TPM and NVRAM data of VMs. Called by the one batch writer and at start; thread-safe. */
public interface ExternalDataStore {

    /**
     * Saves data with its hash, where the hash differs. A removed VM is no error.
     *
     * @param updates at most one per VM and kind, sorted by VM and kind
     * @return a refused row is a VM
     */
    WriteOutcome save(List<ExternalDataUpdate> updates);

    /**
     * Streams the hash of all data that is saved.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadHashes(Receiver receiver) throws StoreUnavailable;

    /** Takes hashes. */
    @FunctionalInterface
    interface Receiver {
        /** One VM's data of one kind is saved with this hash. */
        void accept(VmId vmId, ExternalDataKind kind, String hash);
    }
}
