package org.stillwater.server.rest;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatisticsView;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;

/** VMs: {@code /api/v1/vms}. */
@RestController
@RequestMapping("/api/v1/vms")
class VmController {

    private static final Map<String, VmStatus> STATUSES =
            Arrays.stream(VmStatus.values())
                    .collect(Collectors.toUnmodifiableMap(VmStatus::label, status -> status));

    private final MonitoringEngine engine;
    private final EngineClock clock;
    private final RestSettings settings;
    private final Duration staleAfter;

    VmController(
            MonitoringEngine engine,
            EngineClock clock,
            RestSettings settings,
            CycleSettings cycle) {
        this.engine = engine;
        this.clock = clock;
        this.settings = settings;
        this.staleAfter = cycle.interval().multipliedBy(2);
    }

    @GetMapping
    ApiJson.Vms list(
            @RequestParam(defaultValue = "") String status,
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String name,
            @RequestParam(defaultValue = "name") String sort,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        VmPage page = new VmPage(VmPage.Sort.of(sort), cursor, checked(limit));
        Predicate<VmView> filter = statuses(status).and(onHost(host)).and(named(name));
        engine.vms().filter(filter).forEach(page::offer);
        return page.build();
    }

    @GetMapping("/{id}")
    VmView one(@PathVariable String id) {
        return known(Ids.vm(id));
    }

    @GetMapping("/{id}/statistics")
    ApiJson.Statistics statistics(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        VmStatisticsView view = engine.statistics(vm.id());
        return new ApiJson.Statistics(vm.id(), view, view == null || isStale(vm, view));
    }

    @GetMapping("/{id}/jobs")
    ApiJson.Jobs jobs(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        return new ApiJson.Jobs(vm.id(), engine.jobs().of(vm.id()));
    }

    @GetMapping("/{id}/numa")
    ApiJson.VmNuma numa(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        return new ApiJson.VmNuma(vm.id(), engine.numa(vm.id()));
    }

    private boolean isStale(VmView vm, VmStatisticsView view) {
        Instant now = clock.now();
        return !vm.state().runtime().status().isRunningOrPaused()
                || view.observedAt().plus(staleAfter).isBefore(now);
    }

    private VmView known(VmId id) {
        VmView vm = engine.vm(id);
        if (vm == null) {
            throw ApiException.notFound("There is no VM " + id + ".");
        }
        return vm;
    }

    private int checked(@Nullable Integer limit) {
        int wanted = limit == null ? settings.defaultPageSize() : limit;
        if (wanted < 1 || wanted > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        return wanted;
    }

    private static Predicate<VmView> statuses(String text) {
        if (text.isBlank()) {
            return vm -> true;
        }
        Set<VmStatus> wanted = EnumSet.noneOf(VmStatus.class);
        for (String word : text.split(",")) {
            VmStatus status = STATUSES.get(word.strip().toLowerCase(Locale.ROOT));
            if (status == null) {
                throw ApiException.badRequest(
                        "status \"%s\" is none of %s"
                                .formatted(
                                        Ids.shortened(word),
                                        STATUSES.keySet().stream()
                                                .sorted()
                                                .collect(Collectors.joining(", "))));
            }
            wanted.add(status);
        }
        return vm -> wanted.contains(vm.state().runtime().status());
    }

    /** By id or name; an unknown host has no VMs. */
    private Predicate<VmView> onHost(String text) {
        if (text.isBlank()) {
            return vm -> true;
        }
        HostView named = engine.hostNamed(text);
        HostId id = named == null ? parsed(text) : named.state().definition().id();
        return id == null ? vm -> false : vm -> vm.state().placement().isOn(id);
    }

    private static @Nullable HostId parsed(String text) {
        try {
            return HostId.parse(text);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private static Predicate<VmView> named(String text) {
        String part = text.toLowerCase(Locale.ROOT);
        return part.isEmpty()
                ? vm -> true
                : vm -> vm.definition().name().toLowerCase(Locale.ROOT).contains(part);
    }
}
