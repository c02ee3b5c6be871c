package org.stillwater.testkit.memory;

import org.stillwater.core.store.FindingStore;
import org.stillwater.testkit.contract.FindingStoreContract;

class InMemoryFindingStoreTest extends FindingStoreContract {

    @Override
    protected FindingStore emptyFindings() {
        return new InMemoryFindingStore();
    }
}
