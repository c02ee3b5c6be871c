package org.stillwater.server.api.explain;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.belief.BeliefLog;
import org.stillwater.monitoring.explain.Explainer.Explained;
import org.stillwater.monitoring.explain.GroupExplanation;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.explain.BeliefJson.HostBeliefs;
import org.stillwater.server.api.explain.BeliefJson.VmBeliefs;
import org.stillwater.server.api.explain.ExplainJson.HostExplanation;
import org.stillwater.server.api.explain.ExplainJson.VmExplanation;
import org.stillwater.server.api.host.HostTable;
import org.stillwater.server.api.vm.VmTable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;

/**
 * Origin of a VM's or host's values, and the engine's beliefs about it: {@code explain} and {@code
 * beliefs} below {@code /api/v1/vms/{id}} and {@code /api/v1/hosts/{id}}.
 */
@RestController
@RequestMapping("/api/v1")
class ExplainController {

    private final FleetReader fleet;
    private final CallerScope scope;
    private final EngineClock clock;

    ExplainController(FleetReader fleet, CallerScope scope, EngineClock clock) {
        this.fleet = fleet;
        this.scope = scope;
        this.clock = clock;
    }

    @GetMapping("/vms/{id}/explain")
    VmExplanation vm(@PathVariable String id) {
        VmId vm = Ids.vm(id);
        VmView view = fleet.vm(vm);
        Caller caller = scope.caller();
        Explained explained =
                fleet.explainer().vm(vm, host -> scope.has(Role.READER, host, caller));
        if (view == null || explained == null) {
            throw ApiException.notFound("There is no VM " + vm + ".");
        }
        HostId host = view.state().placement().runOn();
        return new VmExplanation(
                vm.toString(),
                view.definition().name(),
                Json.word(view.state().runtime().status()),
                ExplainJson.text(host),
                nameOf(host),
                explained.at().toString(),
                explained.stale(),
                isBehind(explained),
                ExplainJson.summary(explained),
                ExplainJson.groups(explained, VmTable.COLUMNS, false));
    }

    @GetMapping("/hosts/{id}/explain")
    HostExplanation host(@PathVariable String id) {
        HostId host = Ids.host(id);
        HostView view = fleet.host(host);
        Explained explained = fleet.explainer().host(host);
        if (view == null || explained == null) {
            throw ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
        }
        return new HostExplanation(
                host.toString(),
                view.state().definition().name(),
                Json.word(view.state().status()),
                explained.at().toString(),
                explained.stale(),
                isBehind(explained),
                ExplainJson.summary(explained),
                ExplainJson.groups(explained, HostTable.COLUMNS, true));
    }

    @GetMapping("/vms/{id}/beliefs")
    VmBeliefs beliefsOfVm(
            @PathVariable String id, @RequestParam(required = false) @Nullable String at) {
        VmId vm = Ids.vm(id);
        Instant time = time(at);
        VmView view = fleet.vm(vm);
        BeliefLog.Past past = time == null ? fleet.beliefs(vm) : fleet.beliefs(vm, time);
        if (view == null || past == null) {
            throw ApiException.notFound("There is no VM " + vm + ".");
        }
        return new VmBeliefs(
                vm.toString(),
                view.definition().name(),
                ExplainJson.text(time),
                past.missing(),
                BeliefJson.text(past, time, true, this::label),
                BeliefJson.items(past, true, this::nameOf));
    }

    @GetMapping("/hosts/{id}/beliefs")
    HostBeliefs beliefsOfHost(
            @PathVariable String id, @RequestParam(required = false) @Nullable String at) {
        HostId host = Ids.host(id);
        Instant time = time(at);
        HostView view = fleet.host(host);
        BeliefLog.Past past = time == null ? fleet.beliefs(host) : fleet.beliefs(host, time);
        if (view == null || past == null) {
            throw ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
        }
        return new HostBeliefs(
                host.toString(),
                view.state().definition().name(),
                ExplainJson.text(time),
                past.missing(),
                BeliefJson.text(past, time, false, this::label),
                BeliefJson.items(past, false, this::nameOf));
    }

    private @Nullable Instant time(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        Instant time;
        try {
            // A plus sign that was not escaped arrives as a blank.
            time = OffsetDateTime.parse(text.strip().replace(' ', '+')).toInstant();
        } catch (DateTimeException _) {
            throw ApiException.badRequest(
                    "at must be a time such as 2026-11-20T03:12:00Z, not \"%s\""
                            .formatted(Ids.shortened(text)));
        }
        if (time.isAfter(clock.now())) {
            throw ApiException.badRequest("at must not be in the future");
        }
        return time;
    }

    private String label(HostId id) {
        String name = nameOf(id);
        return name == null ? id.toString() : name;
    }

    private static boolean isBehind(Explained explained) {
        return explained.groups().stream().anyMatch(GroupExplanation::databaseBehind);
    }

    private @Nullable String nameOf(@Nullable HostId id) {
        HostView host = id == null ? null : fleet.host(id);
        return host == null ? null : host.state().definition().name();
    }
}
