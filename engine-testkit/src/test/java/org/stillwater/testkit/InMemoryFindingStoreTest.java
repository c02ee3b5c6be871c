package org.stillwater.testkit;

import org.stillwater.core.port.FindingStore;

class InMemoryFindingStoreTest extends FindingStoreContract {

    @Override
    protected FindingStore emptyFindings() {
        return new InMemoryFindingStore();
    }
}
