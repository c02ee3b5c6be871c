package org.stillwater.testkit;

import org.stillwater.core.port.AuditStore;

class InMemoryAuditStoreTest extends AuditStoreContract {

    @Override
    protected AuditStore emptyLog() {
        return new InMemoryAuditStore();
    }
}
