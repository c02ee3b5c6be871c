package org.stillwater.testkit.memory;

import java.time.Instant;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.testkit.contract.BeliefStoreContract;

class InMemoryBeliefStoreTest extends BeliefStoreContract {

    @Override
    protected BeliefStore emptyBeliefs() {
        return new InMemoryBeliefStore();
    }

    @Override
    protected Instant now() {
        return Instant.parse("2026-11-20T03:12:00Z");
    }
}
