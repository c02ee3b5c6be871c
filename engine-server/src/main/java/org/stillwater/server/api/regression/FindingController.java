package org.stillwater.server.api.regression;

import io.swagger.v3.oas.annotations.Parameter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.server.api.regression.FindingJson.FindingDetails;
import org.stillwater.server.api.regression.FindingJson.FindingItem;
import org.stillwater.server.api.regression.FindingJson.FindingList;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.Rejected;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;

/**
 * Regressions that the engine found: {@code /api/v1/findings}. Answered from memory. A finding
 * about a storage domain is shown to readers of everything; any other one to readers of its object.
 */
@RestController
@RequestMapping("/api/v1/findings")
class FindingController {

    private static final int LONGEST_COMMENT = 1_000;
    private static final int MOST_MINUTES = 60 * 24 * 365;

    private static final Set<String> LEVELS =
            Set.of(
                    SeriesOwner.DISK,
                    SeriesOwner.INTERFACE,
                    SeriesOwner.VM,
                    SeriesOwner.STORAGE_PATH,
                    SeriesOwner.HOST,
                    SeriesOwner.STORAGE_DOMAIN,
                    SeriesOwner.CLUSTER,
                    BenchmarkMatrix.CELL,
                    BenchmarkMatrix.OPERATION,
                    BenchmarkMatrix.RECORD_SIZE,
                    BenchmarkMatrix.ALL_CELLS);

    private final RegressionMonitor regressions;
    private final FindingJson json;
    private final CallerScope scope;
    private final EngineClock clock;
    private final RestSettings settings;

    FindingController(
            RegressionMonitor regressions,
            FleetReader fleet,
            CallerScope scope,
            EngineClock clock,
            RestSettings settings) {
        this.regressions = regressions;
        this.json = new FindingJson(fleet);
        this.scope = scope;
        this.clock = clock;
        this.settings = settings;
    }

    @GetMapping
    FindingList list(
            @Parameter(description = "open or ended; both when left out.")
                    @RequestParam(defaultValue = "")
                    String state,
            @Parameter(description = "Only findings about this kind of object.")
                    @RequestParam(defaultValue = "")
                    String level,
            @Parameter(
                            description =
                                    "A cluster by id or name: only findings about it, or about an"
                                            + " object with a host or VM in it.")
                    @RequestParam(defaultValue = "")
                    String cluster,
            @RequestParam(required = false) @Nullable Integer limit) {
        Boolean open =
                switch (state.strip()) {
                    case "" -> null;
                    case "open" -> true;
                    case "ended" -> false;
                    default -> throw ApiException.badRequest("state must be open or ended");
                };
        String wanted = level.strip();
        if (!wanted.isEmpty() && !LEVELS.contains(wanted)) {
            throw ApiException.badRequest(
                    "level must be one of " + String.join(", ", LEVELS.stream().sorted().toList()));
        }
        int most = limit == null ? settings.defaultPageSize() : limit;
        if (most < 1 || most > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        ClusterId within = cluster.isBlank() ? null : scope.cluster(cluster.strip());
        Caller caller = scope.caller();
        List<Finding> all =
                regressions.findings().stream()
                        .filter(finding -> open == null || finding.isOpen() == open)
                        .filter(finding ->
                                wanted.isEmpty() || finding.where().level().equals(wanted))
                        .filter(finding ->
                                within == null || json.clusters(finding).contains(within))
                        .filter(finding -> has(Role.READER, finding, caller))
                        .toList();
        Instant now = clock.now();
        return new FindingList(
                all.stream().limit(most).map(finding -> json.item(finding, now)).toList(),
                all.size());
    }

    @GetMapping("/{id}")
    FindingDetails one(@PathVariable String id) {
        return json.details(known(id), clock.now(), regressions.measuredSince());
    }

    @PostMapping("/{id}/acknowledge")
    FindingItem acknowledge(
            @PathVariable String id, @RequestBody(required = false) @Nullable JsonNode body) {
        JsonObjectReader asked =
                body == null ? JsonObjectReader.empty() : JsonObjectReader.of(body);
        String comment = asked.text("comment", "", LONGEST_COMMENT);
        asked.end();
        Finding.Acknowledgement by =
                new Finding.Acknowledgement(scope.caller().name(), clock.now(), comment);
        return decide(id, finding -> finding.acknowledged(by));
    }

    @DeleteMapping("/{id}/acknowledge")
    FindingItem forget(@PathVariable String id) {
        return decide(id, finding -> finding.acknowledged(null));
    }

    @PostMapping("/{id}/silence")
    FindingItem silence(@PathVariable String id, @RequestBody JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        int minutes = asked.requiredNumber("minutes");
        asked.end();
        if (minutes < 0 || minutes > MOST_MINUTES) {
            throw ApiException.badRequest("minutes must be 0 to " + MOST_MINUTES);
        }
        Instant until = minutes == 0 ? null : clock.now().plus(Duration.ofMinutes(minutes));
        return decide(id, finding -> finding.silenced(until));
    }

    private FindingItem decide(String text, UnaryOperator<Finding> decision) {
        Finding finding = known(text);
        if (!has(Role.OPERATOR, finding, scope.caller())) {
            throw Rejected.forbidden("This takes the role of an operator of the object.");
        }
        try {
            Finding decided = regressions.decide(finding.id(), decision);
            if (decided == null) {
                throw unknown(text);
            }
            return json.item(decided, clock.now());
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "Nothing was changed, because the database does not answer: " + e.getMessage());
        }
    }

    private Finding known(String text) {
        UUID id = Ids.uuid(text);
        Finding finding = regressions.finding(id);
        if (finding == null || !has(Role.READER, finding, scope.caller())) {
            throw unknown(text);
        }
        return finding;
    }

    private static ApiException unknown(String text) {
        return ApiException.notFound("There is no finding " + Ids.shortened(text) + ".");
    }

    private boolean has(Role role, Finding finding, Caller caller) {
        if (caller.has(role)) {
            return true;
        }
        FindingNames names = json.names();
        VmId vm = names.vm(finding.where());
        HostId host = names.host(finding.where());
        ClusterId cluster = names.cluster(finding.where());
        return vm != null
                ? scope.has(role, vm, caller)
                : host != null
                        ? scope.has(role, host, caller)
                        : cluster != null && caller.has(role, cluster);
    }
}
