package org.stillwater.testkit.memory;

import org.stillwater.core.store.HistoryStore;
import org.stillwater.testkit.contract.HistoryStoreContract;

class InMemoryHistoryStoreTest extends HistoryStoreContract {

    @Override
    protected HistoryStore newHistory() {
        return new InMemoryHistoryStore();
    }
}
