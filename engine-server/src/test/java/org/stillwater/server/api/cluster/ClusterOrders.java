package org.stillwater.server.api.cluster;

import java.util.Objects;
import org.springframework.http.HttpStatusCode;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The controller of clusters, for tests of other subjects. */
public final class ClusterOrders {

    private final ClusterController controller;

    /**
     * @param engine has the clusters
     * @param callers the caller
     */
    public ClusterOrders(
            MonitoringEngine engine, RestSettings settings, JsonMapper mapper, Callers callers) {
        controller =
                new ClusterController(
                        engine.fleet(),
                        engine.administration(),
                        new ClusterLists(engine.fleet(), settings, mapper),
                        callers,
                        _ -> {});
    }

    /** Adds a cluster and returns its id. */
    public String add(JsonNode body) {
        return Objects.requireNonNull(controller.add(body).getBody()).cluster().id().toString();
    }

    /** Removes a cluster and returns the status of the answer. */
    public HttpStatusCode remove(String id) {
        return controller.remove(id).getStatusCode();
    }
}
