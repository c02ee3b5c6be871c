package org.stillwater.server.health;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.server.alert.AlertDelivery;

/**
 * State of the receivers of alerts. A receiver in trouble is named and makes nothing DOWN: a
 * restart would lose the alerts that wait for it.
 */
@Component
class AlertsHealthIndicator implements HealthIndicator {

    private final AlertDelivery delivery;

    AlertsHealthIndicator(AlertDelivery delivery) {
        this.delivery = delivery;
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        for (AlertDelivery.Condition each : delivery.conditions()) {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("waiting", each.waiting());
            details.put("dropped", each.dropped());
            if (each.failingSince() != null && each.trouble() != null) {
                details.put("failingSince", each.failingSince().toString());
                details.put("reason", each.trouble());
            }
            health.withDetail(each.receiver(), details);
        }
        return health.build();
    }
}
