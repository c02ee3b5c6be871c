package org.stillwater.ovirt.resource;

import java.util.List;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;

/**
 * Identities of fence agents, which have none of their own: made of the host, the type, the address
 * and, if several agents share these, of the number among them. The removal of another agent does
 * not change it.
 */
public final class FenceAgentIdentity {

    private FenceAgentIdentity() {}

    /**
     * The identity of an agent.
     *
     * @param agents agents of the host, in their order
     * @param at index of the agent
     */
    public static String of(HostId host, List<FenceAgent> agents, int at) {
        FenceAgent agent = agents.get(at);
        long before = agents.subList(0, at).stream().filter(each -> isLike(each, agent)).count();
        return Uuids.of(
                "fence_agent",
                host.toString(),
                agent.type(),
                agent.address(),
                String.valueOf(before));
    }

    private static boolean isLike(FenceAgent one, FenceAgent other) {
        return one.type().equals(other.type()) && one.address().equals(other.address());
    }
}
