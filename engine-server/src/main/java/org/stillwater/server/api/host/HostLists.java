package org.stillwater.server.api.host;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.JsonListWriter;
import org.stillwater.server.api.rows.ListChanges;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.rows.ListResponses;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.json.JsonMapper;

/** Pages of hosts, and changed hosts. Thread-safe. */
@Component
public class HostLists {

    private final FleetReader fleet;
    private final EngineClock clock;
    private final RestSettings settings;
    private final Duration staleAfter;
    private final JsonMapper mapper;

    HostLists(
            FleetReader fleet,
            EngineClock clock,
            RestSettings settings,
            CycleSettings cycle,
            JsonMapper mapper) {
        this.fleet = fleet;
        this.clock = clock;
        this.settings = settings;
        this.staleAfter = cycle.interval().multipliedBy(2);
        this.mapper = mapper;
    }

    /** Every host as of now, by name. */
    public List<HostRow> rows() {
        Instant now = clock.now();
        return fleet.hosts().stream()
                .map(view -> HostRow.of(fleet, view, now, staleAfter))
                .toList();
    }

    void answer(
            HostFilter filter,
            ListQuery query,
            Caller caller,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        ListResponses.jsonOnly(request.getHeader(HttpHeaders.ACCEPT));
        List<Column<HostRow>> columns =
                HostTable.COLUMNS.select(FilterText.text(query.fields()), query.hasStatistics());
        Predicate<HostRow> wanted = filter.predicate(fleet, caller);
        Long since = query.sinceRevision();
        if (since != null) {
            changes(since, query, columns, wanted, caller, response);
            return;
        }
        Order<HostRow> order = new Order<>(HostTable.COLUMNS, query.order());
        int limit = query.limit(settings.maxListSize(), settings.maxListSize());
        Page<HostRow, HostRow> page =
                new Page<>(
                        order,
                        FilterText.text(query.cursor()),
                        limit,
                        mapper,
                        row -> row,
                        HostRow.IDS);
        long revision = fleet.revision();
        int total = 0;
        for (HostRow row : rows()) {
            if (wanted.test(row)) {
                total++;
                page.offer(row);
            }
        }
        List<HostRow> rows = page.rows();
        JsonListWriter.page(
                response,
                mapper,
                query.hasAges(),
                to -> rows.forEach(row -> to.row(row, columns)),
                total,
                page.next(),
                revision);
    }

    private void changes(
            long since,
            ListQuery query,
            List<Column<HostRow>> columns,
            Predicate<HostRow> wanted,
            Caller caller,
            HttpServletResponse response)
            throws IOException {
        ChangeFeed.Changes changes = ListChanges.since(fleet, since, "/api/v1/hosts");
        Map<HostId, Boolean> touched = new LinkedHashMap<>(); // and whether the caller saw it
        for (Delta delta : changes.deltas()) {
            switch (delta) {
                case Delta.HostAdded added ->
                        touched.merge(
                                added.state().definition().id(),
                                caller.has(Role.READER, added.state().definition().cluster()),
                                Boolean::logicalOr);
                case Delta.HostChanged changed ->
                        touched.merge(
                                changed.hostId(),
                                caller.has(Role.READER, changed.cluster()),
                                Boolean::logicalOr);
                case Delta.HostRemoved removed ->
                        touched.merge(
                                removed.hostId(),
                                caller.has(Role.READER, removed.cluster()),
                                Boolean::logicalOr);
                case Delta.VmAdded _,
                        Delta.VmChanged _,
                        Delta.VmRedefined _,
                        Delta.VmTagged _,
                        Delta.VmRemoved _,
                        Delta.Audited _,
                        Delta.Alerted _,
                        Delta.Untold _ -> {}
            }
        }
        List<HostRow> present = new ArrayList<>();
        List<HostId> removed = new ArrayList<>();
        Instant now = clock.now();
        touched.forEach((id, seen) -> {
            HostView view = fleet.host(id);
            HostRow row = view == null ? null : HostRow.of(fleet, view, now, staleAfter);
            if (row != null && wanted.test(row)) {
                present.add(row);
            } else if (seen || visible(id, caller) != null) {
                removed.add(id);
            }
        });
        JsonListWriter.changes(
                response,
                mapper,
                query.hasAges(),
                to -> present.forEach(row -> to.row(row, columns)),
                removed,
                changes.revision());
    }

    /** A host that the caller may see, or null. */
    @Nullable HostView visible(HostId id, Caller caller) {
        HostView host = fleet.host(id);
        return host != null && caller.has(Role.READER, host.state().definition().cluster())
                ? host
                : null;
    }
}
