package org.stillwater.server.api.host;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.ovirt.action.FenceAgentAccess;
import org.stillwater.ovirt.fleet.PowerAgents;
import org.stillwater.ovirt.fleet.Specifications;
import org.stillwater.server.fence.FenceAgentCatalog;
import org.stillwater.server.fence.FenceAgentHealth;

/** Fence agents of hosts, for all interfaces that change them. Thread-safe. */
@Component
final class FenceAgentAdministration implements FenceAgentAccess {

    private final DefinitionStore store;
    private final FenceAgentCatalog catalog;
    private final FenceAgentHealth health;
    private final PowerAgents told;

    FenceAgentAdministration(
            DefinitionStore store,
            FenceAgentCatalog catalog,
            FenceAgentHealth health,
            Specifications specifications) {
        this.store = store;
        this.catalog = catalog;
        this.health = health;
        this.told = specifications.agents();
    }

    @Override
    public List<FenceAgent> agents(HostId host) throws StoreUnavailable {
        return store.fenceAgents(host);
    }

    @Override
    public @Nullable String refusal(FenceAgent agent) {
        return catalog.refusal(agent);
    }

    @Override
    public boolean isSecret(String type, String option) {
        return catalog.isSecret(type, option);
    }

    @Override
    public boolean replace(HostId host, List<FenceAgent> agents) throws StoreUnavailable {
        if (!store.saveFenceAgents(host, agents)) {
            return false;
        }
        told.replaced(host, agents);
        health.replaced(host, agents);
        return true;
    }
}
