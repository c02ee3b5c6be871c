package org.stillwater.testkit;

import org.stillwater.core.store.HistoryStore;

class InMemoryHistoryStoreTest extends HistoryStoreContract {

    @Override
    protected HistoryStore newHistory() {
        return new InMemoryHistoryStore();
    }
}
