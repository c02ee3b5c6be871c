package org.stillwater.server.api.vm;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.rows.BlockRows;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.JsonListWriter;
import org.stillwater.server.api.rows.ListChanges;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.rows.ListResponses;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;
import org.stillwater.server.api.web.EntityTag;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Pages of VMs, and changed VMs: one pass over memory, which keeps only the page. Thread-safe. */
@Component
public class VmLists {

    private final FleetReader fleet;
    private final EngineClock clock;
    private final RestSettings settings;
    private final Duration staleAfter;
    private final VmOrders orders;
    private final Streams streams;
    private final JsonMapper mapper;

    public VmLists(
            FleetReader fleet,
            EngineClock clock,
            RestSettings settings,
            CycleSettings cycle,
            VmOrders orders,
            Streams streams,
            JsonMapper mapper) {
        this.fleet = fleet;
        this.clock = clock;
        this.settings = settings;
        this.staleAfter = cycle.interval().multipliedBy(2);
        this.orders = orders;
        this.streams = streams;
        this.mapper = mapper;
    }

    /** A row buffer as of now. */
    public VmRow row() {
        return new VmRow(fleet, clock.now(), staleAfter);
    }

    void answer(
            VmFilter filter,
            ListQuery query,
            Caller caller,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        ListResponses.jsonOnly(request.getHeader(HttpHeaders.ACCEPT));
        List<Column<VmRow>> columns =
                VmTable.COLUMNS.select(FilterText.text(query.fields()), query.hasStatistics());
        Long since = query.sinceRevision();
        if (since == null) {
            page(filter, query, columns, caller, request, response);
        } else {
            changes(since, filter, query, columns, caller, response);
        }
    }

    private void page(
            VmFilter filter,
            ListQuery query,
            List<Column<VmRow>> columns,
            Caller caller,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        boolean aged = query.hasAges();
        Order<VmRow> order = new Order<>(VmTable.COLUMNS, query.order());
        int limit = query.limit(settings.defaultPageSize(), settings.maxListSize());
        Page<VmRow, VmRow.Pinned> page =
                new Page<>(
                        order,
                        FilterText.text(query.cursor()),
                        limit,
                        mapper,
                        VmRow::pinned,
                        VmRow.IDS);
        Predicate<VmRow> wanted = filter.predicate(fleet, caller);
        boolean volatileNumbers =
                filter.usesStatistics()
                        || order.usesStatistics()
                        || columns.stream().anyMatch(Column::isStatistic);
        long revision = fleet.revision();
        EntityTag tag = tag(revision, caller, request);
        if (!aged && !volatileNumbers && ListResponses.isKnown(request, response, tag)) {
            return;
        }
        Instant now = clock.now();
        VmRow row = new VmRow(fleet, now, staleAfter);
        boolean readsAll = caller.has(Role.READER);
        boolean everything = filter.isEmpty() && readsAll;
        boolean counted = query.wantsTotal() || everything;
        Set<VmStatus> statuses = counted && readsAll ? filter.onlyStatuses() : null;
        int total = fill(page, order, wanted, row, counted && statuses == null, everything);
        if (statuses != null) {
            total = fleet.vmCount(statuses); // counted while VMs change
        }
        List<VmRow.Pinned> rows = page.rows();
        String next = page.next();
        if (!aged && volatileNumbers) {
            for (VmRow.Pinned pinned : rows) {
                number(tag, row.scan(pinned));
            }
            tag.add(FilterText.text(next)).add(counted ? total : -1);
            if (ListResponses.isKnown(request, response, tag)) {
                return;
            }
        }
        JsonListWriter.page(
                response,
                mapper,
                aged,
                new BlockRows<>(rows, () -> encoder(now, columns)),
                counted ? total : null,
                next,
                revision);
    }

    private BlockRows.RowEncoder<VmRow.Pinned> encoder(Instant now, List<Column<VmRow>> columns) {
        VmRow row = new VmRow(fleet, now, staleAfter);
        return (pinned, to) -> to.row(row.of(pinned), columns);
    }

    /**
     * Fills a page in the way that touches least.
     *
     * @param everything whether all VMs are wanted
     * @return how many are wanted, if they are counted
     */
    private int fill(
            Page<VmRow, VmRow.Pinned> page,
            Order<VmRow> order,
            Predicate<VmRow> wanted,
            VmRow row,
            boolean counted,
            boolean everything) {
        if (everything && orders.firstRows().fill(page, order, row)) {
            return fleet.vmCount();
        }
        VmOrders.Kept kept = orders.of(order);
        if (kept != null) {
            int total = walk(kept, order, wanted, row, page, counted && !everything);
            return everything ? kept.size() : total;
        }
        VmRanking ranking = VmRanking.of(order, orders);
        if (ranking != null) {
            int total = ranking.fill(page, wanted, row, counted && !everything);
            return everything ? ranking.size() : total;
        }
        return order.beginsWith(VmTable.TROUBLE)
                ? byTrouble(wanted, row, page, counted, everything)
                : lookAtAll(wanted, row, page);
    }

    /**
     * Looks at the trouble of every VM, and at the other keys only of those that may be on the
     * page: this is the first list of a console, for which a person waits.
     *
     * @return how many are wanted, if they are counted
     */
    private int byTrouble(
            Predicate<VmRow> wanted,
            VmRow row,
            Page<VmRow, VmRow.Pinned> page,
            boolean counted,
            boolean everything) {
        int total = 0;
        double last = page.lastNumber();
        for (VmReading vm : fleet.readings()) {
            row.scan(vm);
            boolean behind = row.trouble() > last;
            if (behind && everything) {
                page.leaveOut();
                total++;
            } else if ((!behind || counted || !page.hasMore())
                    && (everything || wanted.test(row))) {
                total++;
                if (behind) {
                    page.leaveOut();
                } else {
                    page.offer(row);
                    last = page.lastNumber();
                }
            }
        }
        return total;
    }

    /** Keeps the rows for the first page of the console; called from time to time. */
    public void refresh() {
        orders.firstRows().refresh();
    }

    /** Makes a page as for a reader of everything, and drops it: the next one is made faster. */
    public void rehearse(ListQuery query) {
        List<Column<VmRow>> columns =
                VmTable.COLUMNS.select(FilterText.text(query.fields()), query.hasStatistics());
        Order<VmRow> order = new Order<>(VmTable.COLUMNS, query.order());
        Page<VmRow, VmRow.Pinned> page =
                new Page<>(
                        order,
                        "",
                        query.limit(settings.defaultPageSize(), settings.maxListSize()),
                        mapper,
                        VmRow::pinned,
                        VmRow.IDS);
        VmRow row = row();
        int total = fill(page, order, _ -> true, row, true, true);
        List<VmRow.Pinned> rows = page.rows();
        try (JsonGenerator json = mapper.createGenerator(OutputStream.nullOutputStream())) {
            JsonListWriter.page(
                    json,
                    query.hasAges(),
                    to -> rows.forEach(pinned -> to.row(row.of(pinned), columns)),
                    total,
                    page.next(),
                    fleet.revision());
        }
    }

    /**
     * Looks at every VM.
     *
     * @return how many are wanted
     */
    private int lookAtAll(Predicate<VmRow> wanted, VmRow row, Page<VmRow, VmRow.Pinned> page) {
        int total = 0;
        List<? extends VmReading> all = fleet.readings();
        for (int i = 0; i < all.size(); i++) {
            row.scan(all.get(i));
            if (wanted.test(row)) {
                total++;
                page.offer(row);
            }
        }
        return total;
    }

    /**
     * Looks at VMs in order until the page is full.
     *
     * @param counting whether all are counted, before and behind the page
     * @return how many are wanted, if they are counted
     */
    private static int walk(
            VmOrders.Kept kept,
            Order<VmRow> order,
            Predicate<VmRow> wanted,
            VmRow row,
            Page<VmRow, VmRow.Pinned> page,
            boolean counting) {
        int total = 0;
        int from = kept.after(order, page.after());
        for (int i = counting ? 0 : from; i < kept.size(); i++) {
            row.scan(kept.vm(i));
            if (wanted.test(row)) {
                total++;
                if (i >= from && !page.take(row, kept.place(i)) && !counting) {
                    break;
                }
            }
        }
        return total;
    }

    /** Adds the values that a row's numbers depend on to a tag. */
    public static void number(EntityTag tag, VmRow row) {
        tag.add(row.id().mostSignificantBits())
                .add(row.id().leastSignificantBits())
                .add(row.state().revision())
                .add(row.observedEpochMillis())
                .add(row.whole(VmNumber.MIGRATION_PROGRESS)) // events change it between polls
                .add(row.isStale() ? 1 : 0);
    }

    public EntityTag tag(long revision, Caller caller, HttpServletRequest request) {
        EntityTag tag =
                new EntityTag()
                        .add(streams.ids().epoch())
                        .add(revision)
                        .add(caller.grants().hashCode())
                        .add(request.getRequestURI())
                        .add(FilterText.text(request.getQueryString()))
                        .add(FilterText.text(request.getHeader(HttpHeaders.ACCEPT)));
        fleet.clusters().clusters().forEach(cluster -> tag.add(cluster.name()));
        return tag;
    }

    private void changes(
            long since,
            VmFilter filter,
            ListQuery query,
            List<Column<VmRow>> columns,
            Caller caller,
            HttpServletResponse response)
            throws IOException {
        boolean aged = query.hasAges();
        Predicate<VmRow> wanted = filter.predicate(fleet, caller);
        ChangeFeed.Changes changes = ListChanges.since(fleet, since, "/api/v1/vms");
        Touched touched = new Touched(caller);
        for (Delta delta : changes.deltas()) {
            switch (delta) {
                case Delta.VmAdded added -> touched.in(added.vmId(), added.definition().cluster());
                case Delta.VmChanged changed -> touched.in(changed.vmId(), null);
                case Delta.VmRedefined redefined ->
                        touched.in(redefined.vmId(), redefined.cluster());
                case Delta.VmTagged tagged -> touched.in(tagged.vmId(), null);
                case Delta.VmRemoved removed -> touched.in(removed.vmId(), removed.cluster());
                case Delta.HostAdded _,
                        Delta.HostChanged _,
                        Delta.HostRemoved _,
                        Delta.Audited _,
                        Delta.Alerted _,
                        Delta.Untold _ -> {}
            }
        }
        VmRow row = row();
        List<VmRow.Pinned> present = new ArrayList<>();
        List<VmId> removed = new ArrayList<>();
        touched.seen.forEach((id, seen) -> {
            VmReading vm = fleet.reading(id);
            if (vm != null && wanted.test(row.of(vm))) {
                present.add(row.pinned());
            } else if (seen
                    || (vm != null && caller.has(Role.READER, id, vm.definition().cluster()))) {
                removed.add(id);
            }
        });
        JsonListWriter.changes(
                response,
                mapper,
                aged,
                to -> present.forEach(pinned -> to.row(row.of(pinned), columns)),
                removed,
                changes.revision());
    }

    /** VMs that changed, and whether the caller could see them where they were meanwhile. */
    private static final class Touched {

        private final Caller caller;
        private final Map<VmId, Boolean> seen = new LinkedHashMap<>();

        Touched(Caller caller) {
            this.caller = caller;
        }

        void in(VmId id, @Nullable ClusterId cluster) {
            seen.merge(id, caller.has(Role.READER, id, cluster), Boolean::logicalOr);
        }
    }

    /** One VM that the caller may see, or null. */
    @Nullable VmReading visible(VmId id, Caller caller) {
        VmReading vm = fleet.reading(id);
        return vm != null && caller.has(Role.READER, id, vm.definition().cluster()) ? vm : null;
    }
}
