package org.stillwater.server.api.alert;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.stereotype.Component;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.server.api.alert.AlertJson.RuleItem;
import org.stillwater.server.api.alert.AlertJson.ScopeItem;

/**
 * Adds to rules the names of their scopes that do not exist now. As in Prometheus, such a rule is
 * valid: its objects may be there later, and a rule outlives them. Reads memory. Thread-safe.
 */
@Component
class RuleNotices {

    private final FleetReader fleet;

    RuleNotices(FleetReader fleet) {
        this.fleet = fleet;
    }

    /**
     * A rule with the clusters, tags, VMs, hosts and storage domains of its scope that do not exist
     * now; a storage domain exists while a host reports it.
     */
    RuleItem item(AlertRule rule) {
        AlertScope scope = rule.scope();
        return AlertJson.rule(
                rule,
                new ScopeItem(
                        scope.clusters().stream()
                                .filter(id -> fleet.cluster(new ClusterId(id)) == null)
                                .map(UUID::toString)
                                .sorted()
                                .toList(),
                        scope.tags().stream()
                                .filter(name -> fleet.tags().named(name) == null)
                                .sorted()
                                .toList(),
                        scope.vms().stream()
                                .filter(id -> fleet.reading(VmId.of(id)) == null)
                                .map(UUID::toString)
                                .sorted()
                                .toList(),
                        scope.hosts().stream()
                                .filter(id -> fleet.host(new HostId(id)) == null)
                                .map(UUID::toString)
                                .sorted()
                                .toList(),
                        unknownDomains(scope)));
    }

    private List<String> unknownDomains(AlertScope scope) {
        if (scope.storageDomains().isEmpty()) {
            return List.of();
        }
        Set<String> unknown = new TreeSet<>();
        scope.storageDomains().forEach(id -> unknown.add(id.toString()));
        for (HostView host : fleet.hosts()) {
            HostStatistics statistics = host.statistics();
            if (statistics != null) {
                unknown.removeAll(statistics.storageDomains().keySet());
            }
        }
        return List.copyOf(unknown);
    }
}
