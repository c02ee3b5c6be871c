package org.stillwater.server.api.cluster;

import io.swagger.v3.oas.annotations.Parameter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.id.ClusterId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.rows.AgedRow;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.JsonListWriter;
import org.stillwater.server.api.rows.ListChanges;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.rows.ListResponses;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;
import org.stillwater.server.api.rows.Sink;
import org.stillwater.server.api.rows.Table;
import org.stillwater.server.api.rows.ValueAge;
import org.stillwater.server.api.rows.Wildcard;
import org.stillwater.server.api.web.QueryRecord;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Pages of clusters, and changed clusters. Thread-safe. */
@Component
class ClusterLists {

    private final FleetReader fleet;
    private final RestSettings settings;
    private final JsonMapper mapper;
    private final Table<Row> table;
    private final ClusterRevisions revisions;

    /**
     * Which clusters are requested.
     *
     * @param name part of the name, or all of it with wildcards
     * @param dataCentre id
     */
    record Filter(
            @Parameter(
                            description =
                                    "Part of the name, or all of it with * and ?; case is ignored.",
                            example = "*")
                    @Nullable String name,
            @Parameter(description = "Data centre by id or name.") @Nullable String dataCentre)
            implements QueryRecord {}

    /** A cluster as answers show it: few, so that a tree of each may be made. */
    private record Row(UUID id, JsonNode tree) implements AgedRow {

        private static final Page.ToIds<Row> IDS =
                new Page.ToIds<>() {
                    @Override
                    public long upper(Row row) {
                        return row.id.getMostSignificantBits();
                    }

                    @Override
                    public long lower(Row row) {
                        return row.id.getLeastSignificantBits();
                    }
                };

        @Override
        public ValueAge age(Column.Origin origin) {
            return ValueAge.CURRENT;
        }
    }

    ClusterLists(FleetReader fleet, RestSettings settings, JsonMapper mapper) {
        this.fleet = fleet;
        this.settings = settings;
        this.mapper = mapper;
        this.revisions = new ClusterRevisions(fleet::revision, fleet.changes()::nextRevision);
        JsonNode sample =
                mapper.valueToTree(new ClusterJsonModule.ClusterView(Cluster.DEFAULT, 0, 0));
        List<Column<Row>> columns = new ArrayList<>();
        for (String name : sample.propertyNames()) {
            columns.add(
                    Column.of(
                            name,
                            type(sample.path(name)),
                            Column.Origin.DEFINED,
                            (row, to) -> value(to, row.tree.path(name))));
        }
        this.table = new Table<>(columns, Map.of());
    }

    private static Column.Type type(JsonNode value) {
        if (value.isContainer()) {
            return Column.Type.LIST;
        }
        if (value.isBoolean()) {
            return Column.Type.FLAG;
        }
        return value.isNumber() ? Column.Type.WHOLE : Column.Type.TEXT;
    }

    private void value(Sink to, JsonNode value) {
        if (value.isString()) {
            to.text(value.asString());
        } else if (value.isBoolean()) {
            to.flag(value.asBoolean());
        } else if (value.isIntegralNumber()) {
            to.whole(value.asLong());
        } else if (value.isNull() || value.isMissingNode()) {
            to.unknown();
        } else {
            to.composite(json -> json.generated(generator -> mapper.writeTree(generator, value)));
        }
    }

    void answer(
            Filter filter,
            ListQuery query,
            Caller caller,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        ListResponses.jsonOnly(request.getHeader(HttpHeaders.ACCEPT));
        List<Column<Row>> columns = table.select(FilterText.text(query.fields()), false);
        Predicate<Cluster> wanted = wanted(filter, caller);
        Map<ClusterId, Cluster> clusters = new LinkedHashMap<>();
        ClusterRevisions.Present present =
                revisions.look(() -> {
                    Map<ClusterId, JsonNode> trees = new LinkedHashMap<>();
                    for (Cluster cluster : fleet.clusters().clusters()) {
                        clusters.put(cluster.id(), cluster);
                        trees.put(cluster.id(), mapper.valueToTree(view(cluster)));
                    }
                    return trees;
                });
        Long since = query.sinceRevision();
        if (since != null) {
            changes(
                    since,
                    query,
                    columns,
                    cluster -> wanted.test(Objects.requireNonNull(clusters.get(cluster))),
                    present,
                    caller,
                    response);
            return;
        }
        Page<Row, Row> page =
                new Page<>(
                        new Order<>(table, query.order()),
                        FilterText.text(query.cursor()),
                        query.limit(settings.maxListSize(), settings.maxListSize()),
                        mapper,
                        row -> row,
                        Row.IDS);
        int total = 0;
        for (Cluster cluster : clusters.values()) {
            if (wanted.test(cluster)) {
                total++;
                page.offer(row(cluster.id(), present));
            }
        }
        List<Row> rows = page.rows();
        JsonListWriter.page(
                response,
                mapper,
                query.hasAges(),
                to -> rows.forEach(row -> to.row(row, columns)),
                total,
                page.next(),
                present.revision());
    }

    private static Row row(ClusterId id, ClusterRevisions.Present present) {
        return new Row(id.value(), Objects.requireNonNull(present.clusters().get(id)).tree());
    }

    private Predicate<Cluster> wanted(Filter filter, Caller caller) {
        Wildcard name =
                FilterText.blank(filter.name())
                        ? null
                        : new Wildcard("name", FilterText.text(filter.name()).strip());
        String dataCentre = FilterText.text(filter.dataCentre()).strip();
        return cluster ->
                caller.has(Role.READER, cluster.id())
                        && (name == null || name.matches(cluster.name()))
                        && (dataCentre.isEmpty() || isIn(cluster, dataCentre));
    }

    private void changes(
            long since,
            ListQuery query,
            List<Column<Row>> columns,
            Predicate<ClusterId> wanted,
            ClusterRevisions.Present present,
            Caller caller,
            HttpServletResponse response)
            throws IOException {
        if (since < present.oldest() || since > fleet.revision() || since < Callers.sameSince()) {
            throw ListChanges.forgotten(since, "/api/v1/clusters");
        }
        List<Row> changed = new ArrayList<>();
        List<ClusterId> removed = new ArrayList<>();
        present.clusters()
                .forEach((id, seen) -> {
                    if (seen.revision() > since && caller.has(Role.READER, id)) {
                        if (wanted.test(id)) {
                            changed.add(row(id, present));
                        } else {
                            removed.add(id);
                        }
                    }
                });
        present.gone()
                .forEach((id, revision) -> {
                    if (revision > since && caller.has(Role.READER, id)) {
                        removed.add(id);
                    }
                });
        JsonListWriter.changes(
                response,
                mapper,
                query.hasAges(),
                to -> changed.forEach(row -> to.row(row, columns)),
                removed,
                present.revision());
    }

    private boolean isIn(Cluster cluster, String dataCentre) {
        return cluster.dataCentre().toString().equalsIgnoreCase(dataCentre)
                || fleet.clusters().dataCentres().stream()
                        .anyMatch(each ->
                                each.id().equals(cluster.dataCentre())
                                        && each.name().equals(dataCentre));
    }

    private ClusterJsonModule.ClusterView view(Cluster cluster) {
        return new ClusterJsonModule.ClusterView(
                cluster,
                fleet.clusters().hosts(cluster.id()).size(),
                fleet.clusters().silentPercent(cluster.id()));
    }
}
