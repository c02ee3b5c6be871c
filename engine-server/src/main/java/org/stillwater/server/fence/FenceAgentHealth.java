package org.stillwater.server.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Which defined agents are not run, and why: earlier versions took options that are not allowed,
 * and a key may be missing. Looked at once at the start and whenever agents or keys change; each
 * agent that is not run is reported once. Thread-safe; bounded by the number of hosts that have
 * agents.
 */
public final class FenceAgentHealth {

    private final FenceAgentCatalog catalog;
    private final BiConsumer<HostId, Refused> told;
    private final Map<HostId, List<Refused>> refused = new ConcurrentHashMap<>();

    /**
     * An agent that is not run.
     *
     * @param agent the agent, without secrets
     * @param reason one clause for people
     */
    public record Refused(String agent, String reason) {}

    /**
     * Nothing is known at first.
     *
     * @param told receives every newly refused agent
     */
    public FenceAgentHealth(FenceAgentCatalog catalog, BiConsumer<HostId, Refused> told) {
        this.catalog = catalog;
        this.told = told;
    }

    /** Looks at all agents. */
    public void look(DefinitionStore store) throws StoreUnavailable {
        Set<HostId> hosts = store.hostsWithFenceAgents();
        refused.keySet().retainAll(hosts);
        for (HostId host : hosts) {
            replaced(host, store.fenceAgents(host));
        }
    }

    /** A host has these agents from now on. */
    public void replaced(HostId host, List<FenceAgent> agents) {
        List<Refused> now = new ArrayList<>();
        for (FenceAgent agent : agents) {
            String reason = agent.trouble() == null ? catalog.refusal(agent) : agent.trouble();
            if (reason != null) {
                now.add(new Refused(agent.toString(), reason));
            }
        }
        List<Refused> before = now.isEmpty() ? refused.remove(host) : refused.put(host, now);
        List<Refused> known = before == null ? List.of() : before;
        now.stream().filter(each -> !known.contains(each)).forEach(each -> told.accept(host, each));
    }

    /** Agents that are not run, by host. */
    public Map<HostId, List<Refused>> refused() {
        return Map.copyOf(refused);
    }
}
