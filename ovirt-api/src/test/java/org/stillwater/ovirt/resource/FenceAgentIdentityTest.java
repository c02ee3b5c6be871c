package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;

class FenceAgentIdentityTest {

    private static final HostId HOST = new HostId(new UUID(5, 1));

    private static FenceAgent agent(String address, String user) {
        return new FenceAgent("apc", address, null, user, null, Map.of());
    }

    @Test
    void theRemovalOfAnotherAgentChangesNoIdentity() {
        List<FenceAgent> agents =
                List.of(agent("192.0.2.1", "a"), agent("192.0.2.2", "b"), agent("192.0.2.2", "c"));
        String second = FenceAgentIdentity.of(HOST, agents, 1);
        String third = FenceAgentIdentity.of(HOST, agents, 2);
        assertThat(third).isNotEqualTo(second);
        List<FenceAgent> left = agents.subList(1, 3);
        assertThat(FenceAgentIdentity.of(HOST, left, 0)).isEqualTo(second);
        assertThat(FenceAgentIdentity.of(HOST, left, 1)).isEqualTo(third);
        assertThat(FenceAgentIdentity.of(new HostId(new UUID(5, 2)), left, 0)).isNotEqualTo(second);
    }
}
