package org.stillwater.testkit.memory;

import java.util.List;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.LunStore;
import org.stillwater.testkit.contract.LunStoreContract;

class InMemoryLunStoreTest extends LunStoreContract {

    private final InMemoryLunStore store = new InMemoryLunStore();

    @Override
    protected LunStore tenGibibytes(List<String> luns, VmId vm, VmId other) {
        luns.forEach(lun -> {
            store.define(lun, 10);
            store.plug(vm, lun);
        });
        return store;
    }

    @Override
    protected int sizeOf(String lunId) {
        return store.size(lunId);
    }
}
