package org.stillwater.testkit;

import org.stillwater.core.store.SeriesPointStore;

class InMemorySeriesPointStoreTest extends SeriesPointStoreContract {

    @Override
    protected SeriesPointStore emptyPoints() {
        return new InMemorySeriesPointStore();
    }
}
