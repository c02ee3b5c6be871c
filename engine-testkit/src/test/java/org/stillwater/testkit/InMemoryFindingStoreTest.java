package org.stillwater.testkit;

import org.stillwater.core.store.FindingStore;

class InMemoryFindingStoreTest extends FindingStoreContract {

    @Override
    protected FindingStore emptyFindings() {
        return new InMemoryFindingStore();
    }
}
