package org.stillwater.testkit.memory;

import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.testkit.contract.SeriesPointStoreContract;

class InMemorySeriesPointStoreTest extends SeriesPointStoreContract {

    @Override
    protected SeriesPointStore emptyPoints() {
        return new InMemorySeriesPointStore();
    }
}
