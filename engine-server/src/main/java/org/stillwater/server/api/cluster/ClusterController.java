package org.stillwater.server.api.cluster;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.Callers;
import org.stillwater.server.security.ClusterRemoved;
import tools.jackson.databind.JsonNode;

/** Clusters: {@code /api/v1/clusters}. */
@RestController
@RequestMapping("/api/v1/clusters")
class ClusterController {

    private final HostAdministration administration;
    private final Clusters clusters;
    private final ClusterLists lists;
    private final Callers access;
    private final ApplicationEventPublisher events;

    ClusterController(
            FleetReader fleet,
            HostAdministration administration,
            ClusterLists lists,
            Callers access,
            ApplicationEventPublisher events) {
        this.events = events;
        this.administration = administration;
        this.lists = lists;
        this.access = access;
        this.clusters = fleet.clusters();
    }

    @GetMapping
    void list(
            @ParameterObject ClusterLists.Filter filter,
            @ParameterObject ListQuery query,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        lists.answer(filter, query, access.current(), request, response);
    }

    @GetMapping("/{id}")
    ClusterJsonModule.ClusterView one(@PathVariable String id) {
        return view(known(id));
    }

    /** By id or name, among those that the caller may see. */
    private Cluster known(String text) {
        Caller caller = access.current();
        List<Cluster> seen =
                clusters.clusters().stream()
                        .filter(each -> caller.has(Role.READER, each.id()))
                        .toList();
        return Ids.one("cluster", text, seen, Cluster::id, Cluster::name);
    }

    @PostMapping
    ResponseEntity<ClusterJsonModule.ClusterView> add(@RequestBody JsonNode body) {
        Cluster cluster = read(new ClusterId(UUID.randomUUID()), Hypervisor.VDSM, body);
        Saving saving;
        try {
            saving = administration.addCluster(cluster);
        } catch (StoreUnavailable e) {
            throw unavailable("added", e);
        }
        return switch (saving) {
            case SAVED ->
                    ResponseEntity.created(URI.create("/api/v1/clusters/" + cluster.id()))
                            .body(view(cluster));
            case NAME_TAKEN -> throw taken(cluster);
            case UNKNOWN -> throw ApiException.badRequest("The data centre is not there any more.");
            case TOO_MANY ->
                    throw ApiException.conflict(
                            "There are as many clusters as stillwater.clusters.most allows.");
        };
    }

    @PutMapping("/{id}")
    ClusterJsonModule.ClusterView change(@PathVariable String id, @RequestBody JsonNode body) {
        Cluster present = known(id);
        Cluster cluster = read(present.id(), present.hypervisor(), body);
        Saving saving;
        try {
            saving = administration.updateCluster(cluster);
        } catch (StoreUnavailable e) {
            throw unavailable("changed", e);
        }
        return switch (saving) {
            case SAVED -> view(cluster);
            case NAME_TAKEN -> throw taken(cluster);
            case UNKNOWN, TOO_MANY -> throw unknown(id);
        };
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        ClusterId wanted = known(id).id();
        String refusal;
        try {
            refusal = administration.removeCluster(wanted);
        } catch (StoreUnavailable e) {
            throw unavailable("removed", e);
        } catch (IllegalArgumentException e) {
            throw unknown(id); // another request removed it meanwhile
        }
        if (refusal != null) {
            throw ApiException.conflict("The cluster cannot be removed: " + refusal + ".");
        }
        events.publishEvent(new ClusterRemoved(wanted));
        return ResponseEntity.noContent().build();
    }

    private ClusterJsonModule.ClusterView view(Cluster cluster) {
        return new ClusterJsonModule.ClusterView(
                cluster, clusters.hosts(cluster.id()).size(), clusters.silentPercent(cluster.id()));
    }

    private Cluster read(ClusterId id, Hypervisor managedBy, JsonNode body) {
        return ClusterJson.read(id, managedBy, JsonObjectReader.of(body), this::dataCentre);
    }

    private DataCentre dataCentre(String text) {
        return clusters.dataCentres().stream()
                .filter(each ->
                        each.name().equals(text) || each.id().toString().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() ->
                        ApiException.badRequest(
                                "There is no data centre " + Ids.shortened(text) + "."));
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no cluster " + Ids.shortened(id) + ".");
    }

    private static ApiException taken(Cluster cluster) {
        return ApiException.conflict("There is already a cluster " + cluster.name() + ".");
    }

    private static ApiException unavailable(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                "The cluster was not %s, because the database does not answer: %s"
                        .formatted(what, e.getMessage()));
    }
}
