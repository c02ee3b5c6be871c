package org.stillwater.server.api.alert;

import io.swagger.v3.oas.annotations.Parameter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
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
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.server.api.alert.AlertJson.AlertItem;
import org.stillwater.server.api.alert.AlertJson.AlertList;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;

/**
 * Alerts of rules: {@code /api/v1/alerts}. Answered from memory. An alert about a VM or host, or a
 * disk or interface of it, is shown to its readers; any other one to readers of everything.
 */
@RestController
@RequestMapping("/api/v1/alerts")
class AlertController {

    private static final int LONGEST_COMMENT = 1_000;

    private final AlertMonitor monitor;
    private final CallerScope scope;
    private final EngineClock clock;
    private final RestSettings settings;

    AlertController(
            AlertMonitor monitor, CallerScope scope, EngineClock clock, RestSettings settings) {
        this.monitor = monitor;
        this.scope = scope;
        this.clock = clock;
        this.settings = settings;
    }

    @GetMapping
    AlertList list(
            @Parameter(description = "firing or resolved; both when left out.")
                    @RequestParam(defaultValue = "")
                    String state,
            @Parameter(
                            description =
                                    "info, warning or critical, or several by commas; all when"
                                            + " left out.")
                    @RequestParam(defaultValue = "")
                    String severity,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        Boolean firing =
                switch (state.strip()) {
                    case "" -> null;
                    case "firing" -> true;
                    case "resolved" -> false;
                    default -> throw ApiException.badRequest("state must be firing or resolved");
                };
        int most = limit == null ? settings.defaultPageSize() : limit;
        if (most < 1 || most > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        Set<AlertSeverity> severities = AlertPage.severities(severity);
        Caller caller = scope.caller();
        List<Alert> all =
                monitor.alerts().stream()
                        .filter(alert -> firing == null || alert.isFiring() == firing)
                        .filter(alert -> severities.contains(alert.severity()))
                        .filter(alert -> has(Role.READER, alert, caller))
                        .toList();
        AlertPage page = AlertPage.of(all, cursor, most);
        return new AlertList(
                page.alerts().stream().map(this::item).toList(), page.total(), page.next());
    }

    @GetMapping("/{id}")
    AlertItem one(@PathVariable String id) {
        return item(known(id));
    }

    @PostMapping("/{id}/acknowledge")
    AlertItem acknowledge(
            @PathVariable String id, @RequestBody(required = false) @Nullable JsonNode body) {
        JsonObjectReader asked =
                body == null ? JsonObjectReader.empty() : JsonObjectReader.of(body);
        String comment = asked.text("comment", "", LONGEST_COMMENT);
        asked.end();
        return acknowledge(
                id, new Alert.Acknowledgement(scope.caller().name(), clock.now(), comment));
    }

    @DeleteMapping("/{id}/acknowledge")
    AlertItem forget(@PathVariable String id) {
        return acknowledge(id, (Alert.Acknowledgement) null);
    }

    private AlertItem acknowledge(String text, Alert.@Nullable Acknowledgement by) {
        try {
            Alert after = monitor.acknowledge(known(text).id(), by);
            if (after == null) {
                throw unknown(text);
            }
            return item(after);
        } catch (StoreUnavailable e) {
            throw AlertRuleController.unavailable(e);
        }
    }

    private AlertItem item(Alert alert) {
        return AlertJson.alert(alert, monitor.isSilenced(alert));
    }

    private Alert known(String text) {
        Alert alert = monitor.alert(Ids.uuid(text));
        if (alert == null || !has(Role.READER, alert, scope.caller())) {
            throw unknown(text);
        }
        return alert;
    }

    private static ApiException unknown(String text) {
        return ApiException.notFound("There is no alert " + Ids.shortened(text) + ".");
    }

    private boolean has(Role role, Alert alert, Caller caller) {
        UUID vm = alert.subject().vmOrOwner();
        UUID host = alert.subject().hostOrOwner();
        return caller.has(role)
                || (vm != null && scope.has(role, VmId.of(vm), caller))
                || (host != null && scope.has(role, new HostId(host), caller));
    }
}
