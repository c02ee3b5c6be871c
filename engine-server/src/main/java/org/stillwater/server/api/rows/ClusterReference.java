package org.stillwater.server.api.rows;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.id.ClusterId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/** Resolves the cluster that a request body names. */
public final class ClusterReference {

    private ClusterReference() {}

    /**
     * The cluster of this name or id.
     *
     * @param text a name or an id; null or blank for the default cluster
     * @throws ApiException 400 if there is no such cluster
     */
    public static ClusterId of(FleetReader fleet, @Nullable String text) {
        if (text == null || text.isBlank()) {
            return ClusterId.DEFAULT;
        }
        String wanted = text.strip();
        return fleet.clusters().clusters().stream()
                .filter(each ->
                        each.name().equals(wanted) || each.id().toString().equalsIgnoreCase(wanted))
                .map(Cluster::id)
                .findFirst()
                .orElseThrow(() ->
                        ApiException.badRequest(
                                "There is no cluster " + Ids.shortened(wanted) + "."));
    }
}
