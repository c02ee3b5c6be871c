package org.stillwater.testkit.memory;

import java.util.List;
import java.util.UUID;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.Sample;
import org.stillwater.testkit.contract.StatisticsStoreContract;

class InMemoryStatisticsStoreTest extends StatisticsStoreContract {

    private final InMemoryStatisticsStore store = new InMemoryStatisticsStore();

    @Override
    protected StatisticsStore emptyStatistics(List<VmId> vms) {
        return store;
    }

    @Override
    protected int rowsOf(int interfaces) {
        return 1;
    }

    @Override
    protected Sample sampleOf(VmId vm) {
        return store.sample(vm);
    }

    @Override
    protected UUID interfaceOf(VmId vm) {
        return new UUID(1, vm.leastSignificantBits());
    }
}
