package org.stillwater.ovirt.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;

class PowerAgentsTest {

    private static final HostId HOST = new HostId(new UUID(1, 2));

    @Test
    void neitherPasswordsNorSecretOptionsAreKept() {
        PowerAgents agents =
                new PowerAgents((type, option) ->
                        type.equals("ipmilan") && option.equals("hexadecimal_kg"));
        FenceAgent agent =
                new FenceAgent(
                        "ipmilan",
                        "192.0.2.8",
                        623,
                        "operator",
                        "password",
                        Map.of("lanplus", "1", "hexadecimal_kg", "cafe"));
        agents.replaced(HOST, List.of(agent));
        assertThat(agents.of(HOST))
                .containsExactly(
                        new FenceAgent(
                                "ipmilan",
                                "192.0.2.8",
                                623,
                                "operator",
                                null,
                                Map.of("lanplus", "1")));
        agents.replaced(HOST, List.of());
        assertThat(agents.of(HOST)).isEmpty();
    }
}
