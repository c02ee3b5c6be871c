package org.stillwater.server.rest;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.WorkKind;
import org.stillwater.core.port.OpenWork;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.settings.RestSettings;

/** What monitoring left to commands and none has taken over: {@code /api/v1/work}. */
@RestController
@RequestMapping("/api/v1/work")
class WorkController {

    private static final Map<String, WorkKind> KINDS =
            Arrays.stream(WorkKind.values())
                    .collect(Collectors.toUnmodifiableMap(WorkKind::label, kind -> kind));

    private final MonitoringEngine engine;
    private final RestSettings settings;

    WorkController(MonitoringEngine engine, RestSettings settings) {
        this.engine = engine;
        this.settings = settings;
    }

    @GetMapping
    ApiJson.Works list(
            @RequestParam(defaultValue = "") String kind,
            @RequestParam(defaultValue = "") String vm,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        int size = checked(limit);
        List<OpenWork> all = engine.pendingWork().stream().filter(of(kind).and(on(vm))).toList();
        OpenWork after = cursor.isEmpty() ? null : parse(cursor);
        List<OpenWork> rest =
                after == null
                        ? all
                        : all.stream()
                                .filter(open -> OpenWork.OLDEST_FIRST.compare(open, after) > 0)
                                .toList();
        List<OpenWork> page = rest.subList(0, Math.min(size, rest.size()));
        return new ApiJson.Works(
                page.stream().map(this::named).toList(),
                all.size(),
                page.size() < rest.size() ? cursor(page.getLast()) : null);
    }

    private ApiJson.Work named(OpenWork open) {
        VmView vm = engine.vm(open.work().vmId());
        return new ApiJson.Work(open, vm == null ? null : vm.definition().name());
    }

    private static Predicate<OpenWork> of(String text) {
        if (text.isBlank()) {
            return open -> true;
        }
        WorkKind kind = KINDS.get(text);
        if (kind == null) {
            throw ApiException.badRequest(
                    "kind \"%s\" is none of %s"
                            .formatted(
                                    Ids.shortened(text),
                                    KINDS.keySet().stream()
                                            .sorted()
                                            .collect(Collectors.joining(", "))));
        }
        return open -> open.work().kind() == kind;
    }

    private static Predicate<OpenWork> on(String text) {
        if (text.isBlank()) {
            return open -> true;
        }
        VmId vm = Ids.vm(text);
        return open -> open.work().vmId().equals(vm);
    }

    private int checked(@Nullable Integer limit) {
        int wanted = limit == null ? settings.defaultPageSize() : limit;
        if (wanted < 1 || wanted > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        return wanted;
    }

    /** A place in the order: work that is taken over meanwhile moves nobody else. */
    private static String cursor(OpenWork last) {
        PendingWork work = last.work();
        String text =
                last.since()
                        + " "
                        + work.vmId()
                        + " "
                        + work.kind().code()
                        + " "
                        + work.generation();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static OpenWork parse(String cursor) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            String[] parts = text.split(" ", -1);
            if (parts.length == 4) {
                return new OpenWork(
                        new PendingWork(
                                VmId.parse(parts[1]),
                                WorkKind.ofCode(Integer.parseInt(parts[2])),
                                Long.parseLong(parts[3]),
                                null,
                                ""),
                        Instant.parse(parts[0]));
            }
        } catch (IllegalArgumentException | DateTimeException _) {
            // answered below like any other cursor that was not given out for this list
        }
        throw ApiException.badRequest("cursor does not belong to this list");
    }
}
