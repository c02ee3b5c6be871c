package org.stillwater.testkit.memory;

import org.stillwater.core.store.BenchmarkStore;
import org.stillwater.testkit.contract.BenchmarkStoreContract;

class InMemoryBenchmarkStoreTest extends BenchmarkStoreContract {

    @Override
    protected BenchmarkStore emptyBenchmarks() {
        return new InMemoryBenchmarkStore();
    }
}
