package org.stillwater.testkit.memory;

import org.stillwater.core.store.AlertStore;
import org.stillwater.testkit.contract.AlertStoreContract;

class InMemoryAlertStoreTest extends AlertStoreContract {

    @Override
    protected AlertStore emptyAlerts() {
        return new InMemoryAlertStore();
    }
}
