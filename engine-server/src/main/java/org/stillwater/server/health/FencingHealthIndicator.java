package org.stillwater.server.health;

import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.server.fence.FenceAgentHealth;
import org.stillwater.server.secrets.StoredSecrets;
import org.stillwater.server.settings.PowerFenceSettings;

/**
 * Whether hosts can be fenced as they are defined: keys of passwords exist, and agents are allowed.
 * Being down does not make the engine unready: monitoring continues.
 */
@Component
class FencingHealthIndicator implements HealthIndicator {

    private static final int MOST = 20;

    private final FenceAgentHealth agents;
    private final StoredSecrets secrets;
    private final PowerFenceSettings settings;

    FencingHealthIndicator(
            FenceAgentHealth agents, StoredSecrets secrets, PowerFenceSettings settings) {
        this.agents = agents;
        this.secrets = secrets;
        this.settings = settings;
    }

    @Override
    public Health health() {
        Map<?, List<FenceAgentHealth.Refused>> refused = agents.refused();
        String trouble = secrets.trouble();
        Health.Builder health = refused.isEmpty() && trouble == null ? Health.up() : Health.down();
        health.withDetail("dryRun", settings.dryRun());
        if (trouble != null) {
            health.withDetail("secrets", trouble);
        }
        if (!refused.isEmpty()) {
            health.withDetail("hostsWithRefusedAgents", refused.size());
            health.withDetail(
                    "refusedAgents",
                    refused.values().stream()
                            .flatMap(List::stream)
                            .map(each -> each.agent() + ": " + each.reason())
                            .sorted()
                            .limit(MOST)
                            .toList());
        }
        return health.build();
    }
}
