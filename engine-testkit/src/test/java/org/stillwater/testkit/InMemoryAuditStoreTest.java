package org.stillwater.testkit;

import org.stillwater.core.store.AuditStore;

class InMemoryAuditStoreTest extends AuditStoreContract {

    @Override
    protected AuditStore emptyLog() {
        return new InMemoryAuditStore();
    }
}
