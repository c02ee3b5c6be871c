package org.stillwater.testkit;

import org.stillwater.core.store.BenchmarkStore;

class InMemoryBenchmarkStoreTest extends BenchmarkStoreContract {

    @Override
    protected BenchmarkStore emptyBenchmarks() {
        return new InMemoryBenchmarkStore();
    }
}
