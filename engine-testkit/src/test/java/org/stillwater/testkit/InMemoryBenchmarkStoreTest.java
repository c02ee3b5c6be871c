package org.stillwater.testkit;

import org.stillwater.core.port.BenchmarkStore;

class InMemoryBenchmarkStoreTest extends BenchmarkStoreContract {

    @Override
    protected BenchmarkStore emptyBenchmarks() {
        return new InMemoryBenchmarkStore();
    }
}
