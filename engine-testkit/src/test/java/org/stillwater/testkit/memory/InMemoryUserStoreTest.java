package org.stillwater.testkit.memory;

import org.stillwater.core.access.Scope;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.UserStore;
import org.stillwater.testkit.contract.UserStoreContract;

class InMemoryUserStoreTest extends UserStoreContract {

    private final InMemoryUserStore users = new InMemoryUserStore();

    @Override
    protected UserStore emptyUsers() {
        users.there(new Scope.OfVm(VM));
        users.there(new Scope.OfCluster(ClusterId.DEFAULT));
        return users;
    }

    @Override
    protected void forgetVm() {
        users.gone(new Scope.OfVm(VM));
    }
}
