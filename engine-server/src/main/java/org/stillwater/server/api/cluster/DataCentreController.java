package org.stillwater.server.api.cluster;

import java.net.URI;
import java.util.List;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.JsonNode;

/** Data centres: {@code /api/v1/data-centres}. */
@RestController
@RequestMapping("/api/v1/data-centres")
class DataCentreController {

    private final Clusters clusters;
    private final CallerScope scope;

    DataCentreController(FleetReader fleet, CallerScope scope) {
        this.clusters = fleet.clusters();
        this.scope = scope;
    }

    /** A data centre as answers show it. */
    record View(String id, String name, String description) {

        static View of(DataCentre dataCentre) {
            return new View(
                    dataCentre.id().toString(), dataCentre.name(), dataCentre.description());
        }
    }

    /** A list with its size. */
    record Views(List<View> items, int total) {}

    @GetMapping
    Views list() {
        Caller caller = scope.caller();
        List<View> all =
                clusters.dataCentres().stream()
                        .filter(each -> scope.sees(each.id(), caller))
                        .map(View::of)
                        .toList();
        return new Views(all, all.size());
    }

    @GetMapping("/{id}")
    View one(@PathVariable String id) {
        return View.of(known(id));
    }

    /** By id or name, among those that the caller may see. */
    private DataCentre known(String text) {
        Caller caller = scope.caller();
        List<DataCentre> seen =
                clusters.dataCentres().stream()
                        .filter(each -> scope.sees(each.id(), caller))
                        .toList();
        return Ids.one("data centre", text, seen, DataCentre::id, DataCentre::name);
    }

    @PostMapping
    ResponseEntity<View> add(@RequestBody JsonNode body) {
        DataCentre dataCentre = read(new DataCentreId(UUID.randomUUID()), body);
        Saving saving;
        try {
            saving = clusters.add(dataCentre);
        } catch (StoreUnavailable e) {
            throw unavailable("added", e);
        }
        return switch (saving) {
            case SAVED ->
                    ResponseEntity.created(URI.create("/api/v1/data-centres/" + dataCentre.id()))
                            .body(View.of(dataCentre));
            case NAME_TAKEN, UNKNOWN -> throw taken(dataCentre);
            case TOO_MANY ->
                    throw ApiException.conflict(
                            "There are as many data centres as stillwater.clusters.most allows.");
        };
    }

    @PutMapping("/{id}")
    View change(@PathVariable String id, @RequestBody JsonNode body) {
        DataCentre dataCentre = read(known(id).id(), body);
        Saving saving;
        try {
            saving = clusters.update(dataCentre);
        } catch (StoreUnavailable e) {
            throw unavailable("changed", e);
        }
        return switch (saving) {
            case SAVED -> View.of(dataCentre);
            case NAME_TAKEN -> throw taken(dataCentre);
            case UNKNOWN, TOO_MANY -> throw unknown(id);
        };
    }

    private static DataCentre read(DataCentreId id, JsonNode body) {
        JsonObjectReader members = JsonObjectReader.of(body);
        String given = members.text("id");
        if (given != null && !given.strip().equalsIgnoreCase(id.toString())) {
            throw ApiException.badRequest("id is that of another data centre");
        }
        String name = members.requiredName("name");
        String description = members.text("description", "");
        members.end();
        try {
            return new DataCentre(id, name, description);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no data centre " + Ids.shortened(id) + ".");
    }

    private static ApiException taken(DataCentre dataCentre) {
        return ApiException.conflict("There is already a data centre " + dataCentre.name() + ".");
    }

    private static ApiException unavailable(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                "The data centre was not %s, because the database does not answer: %s"
                        .formatted(what, e.getMessage()));
    }
}
