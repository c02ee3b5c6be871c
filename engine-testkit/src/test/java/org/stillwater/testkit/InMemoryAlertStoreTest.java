package org.stillwater.testkit;

import org.stillwater.core.store.AlertStore;

class InMemoryAlertStoreTest extends AlertStoreContract {

    @Override
    protected AlertStore emptyAlerts() {
        return new InMemoryAlertStore();
    }
}
