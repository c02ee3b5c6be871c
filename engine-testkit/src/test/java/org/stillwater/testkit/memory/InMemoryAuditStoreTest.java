package org.stillwater.testkit.memory;

import org.stillwater.core.store.AuditStore;
import org.stillwater.testkit.contract.AuditStoreContract;

class InMemoryAuditStoreTest extends AuditStoreContract {

    @Override
    protected AuditStore emptyLog() {
        return new InMemoryAuditStore();
    }
}
