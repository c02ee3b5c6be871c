package org.stillwater.server.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.ObservationSettings;
import org.stillwater.server.xapi.PoolAdministration;
import org.stillwater.server.xapi.PoolView;
import org.stillwater.server.xapi.XapiPools;

/**
 * State of XAPI pools. A pool in trouble is named and makes nothing DOWN: the engine reports its
 * hosts correctly.
 */
@Component
class XapiHealthIndicator implements HealthIndicator {

    private final XapiPools pools;
    private final PoolAdministration administration;
    private final int names;

    XapiHealthIndicator(
            XapiPools pools, PoolAdministration administration, ObservationSettings settings) {
        this.pools = pools;
        this.administration = administration;
        this.names = settings.namesInHealth();
    }

    @Override
    public Health health() {
        List<XapiPools.Condition> all = pools.conditions();
        TreeMap<String, String> well = new TreeMap<>();
        TreeMap<String, String> failing = new TreeMap<>();
        for (XapiPools.Condition pool : all) {
            String trouble = pool.trouble();
            if (trouble != null) {
                failing.put(pool.name(), trouble);
            } else {
                well.put(
                        pool.name(),
                        "coordinator %s, %s, hosts: %d, VMs: %d, templates: %d, snapshots: %d, control domains: %d, last answer %s"
                                .formatted(
                                        pool.coordinator(),
                                        pool.encoding(),
                                        pool.hosts(),
                                        pool.vms(),
                                        pool.leftOut().templates(),
                                        pool.leftOut().snapshots(),
                                        pool.leftOut().controlDomains(),
                                        ago(pool.heard())));
            }
        }
        for (PoolView each : administration.pools()) {
            String trouble = each.trouble();
            if (each.removing()) {
                failing.put(each.name(), "its hosts and VMs are being removed" + because(trouble));
            } else if (trouble != null) {
                failing.put(each.name(), "it is not watched" + because(trouble));
            }
        }
        Health.Builder health = Health.up().withDetail("pools", all.size());
        add(health, "watched", well);
        add(health, "failing", failing);
        List<String> refused = pools.refused();
        if (!refused.isEmpty()) {
            health.withDetail("refused", refused.stream().limit(names).toList());
        }
        return health.build();
    }

    private static String because(@Nullable String trouble) {
        return trouble == null ? "" : ": " + trouble;
    }

    private static String ago(@Nullable Duration heard) {
        return heard == null ? "never" : heard.toSeconds() + " s ago";
    }

    private void add(Health.Builder health, String detail, Map<String, String> pools) {
        if (!pools.isEmpty()) {
            TreeMap<String, String> first = new TreeMap<>();
            pools.entrySet().stream()
                    .limit(names)
                    .forEach(each -> first.put(each.getKey(), each.getValue()));
            health.withDetail(detail, first);
        }
    }
}
