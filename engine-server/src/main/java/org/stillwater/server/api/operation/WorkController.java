package org.stillwater.server.api.operation;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.work.PendingWorkQueue;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.settings.RestSettings;

/** Work that monitoring left to commands and no command has taken over: {@code /api/v1/work}. */
@RestController
@RequestMapping("/api/v1/work")
class WorkController {

    private static final Set<String> KINDS =
            Stream.concat(
                            Arrays.stream(WorkKind.values()).map(WorkKind::label),
                            Arrays.stream(HostWorkKind.values()).map(HostWorkKind::label))
                    .collect(Collectors.toCollection(TreeSet::new));

    private final FleetReader fleet;
    private final PendingWorkQueue work;
    private final RestSettings settings;
    private final CallerScope scope;

    WorkController(
            FleetReader fleet, PendingWorkQueue work, RestSettings settings, CallerScope scope) {
        this.fleet = fleet;
        this.work = work;
        this.scope = scope;
        this.settings = settings;
    }

    @GetMapping
    OperationJsonModule.Works list(
            @RequestParam(defaultValue = "") String kind,
            @RequestParam(defaultValue = "") String vm,
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        int size = checked(limit);
        List<WorkEntry> all =
                Stream.<WorkEntry>concat(
                                work.open().stream().map(WorkEntry.OfVm::new),
                                work.openAboutHosts().stream().map(WorkEntry.OfHost::new))
                        .filter(of(kind).and(onVm(vm)).and(onHost(host)))
                        .sorted(WorkEntry.OLDEST_FIRST)
                        .toList();
        Place after = cursor.isEmpty() ? null : Place.parse(cursor);
        List<WorkEntry> rest = after == null ? all : all.stream().filter(after::isBefore).toList();
        List<WorkEntry> page = rest.subList(0, Math.min(size, rest.size()));
        return new OperationJsonModule.Works(
                page.stream().map(this::named).toList(),
                all.size(),
                page.size() < rest.size() ? Place.of(page.getLast()).cursor() : null);
    }

    private OperationJsonModule.Work named(WorkEntry entry) {
        VmId vmId = entry.vmId();
        HostId hostId = entry.hostId();
        VmView vm = vmId == null ? null : fleet.vm(vmId);
        HostView host = hostId == null ? null : fleet.host(hostId);
        return new OperationJsonModule.Work(
                entry,
                vm == null ? null : vm.definition().name(),
                host == null ? null : host.state().definition().name());
    }

    private static Predicate<WorkEntry> of(String kind) {
        if (kind.isBlank()) {
            return entry -> true;
        }
        if (!KINDS.contains(kind)) {
            throw ApiException.badRequest(
                    "kind \"%s\" is not one of %s"
                            .formatted(Ids.shortened(kind), String.join(", ", KINDS)));
        }
        return entry -> entry.kind().equals(kind);
    }

    private Predicate<WorkEntry> onVm(String text) {
        if (text.isBlank()) {
            return entry -> true;
        }
        VmId vm = scope.vm(text);
        return entry -> vm.equals(entry.vmId());
    }

    private Predicate<WorkEntry> onHost(String text) {
        if (text.isBlank()) {
            return entry -> true;
        }
        HostId host = Ids.host(fleet, text);
        return entry -> host.equals(entry.hostId());
    }

    private int checked(@Nullable Integer limit) {
        int wanted = limit == null ? settings.defaultPageSize() : limit;
        if (wanted < 1 || wanted > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        return wanted;
    }

    /**
     * A position in the order: work that is taken over meanwhile moves no other one.
     *
     * @param since age of the last work shown
     * @param key its key
     */
    private record Place(Instant since, String key) {

        static Place of(WorkEntry last) {
            return new Place(last.since(), last.key());
        }

        boolean isBefore(WorkEntry entry) {
            int byAge = since.compareTo(entry.since());
            return byAge < 0 || (byAge == 0 && key.compareTo(entry.key()) < 0);
        }

        String cursor() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString((since + " " + key).getBytes(StandardCharsets.UTF_8));
        }

        static Place parse(String cursor) {
            try {
                String text =
                        new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
                String[] parts = text.split(" ", -1);
                if (parts.length == 2) {
                    return new Place(Instant.parse(parts[0]), parts[1]);
                }
            } catch (IllegalArgumentException | DateTimeException _) {
                // answered below like any other cursor that was not given out for this list
            }
            throw ApiException.badRequest("cursor does not belong to this list");
        }
    }
}
