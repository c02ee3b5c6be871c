package org.stillwater.testkit;

import org.stillwater.core.access.Scope;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.port.UserStore;

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
