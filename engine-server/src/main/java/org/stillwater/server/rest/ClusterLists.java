package org.stillwater.server.rest;

import io.swagger.v3.oas.annotations.Parameter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.model.Cluster;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Pages of clusters. Thread-safe. */
@Component
class ClusterLists {

    private final MonitoringEngine engine;
    private final RestSettings settings;
    private final JsonMapper mapper;
    private final Table<Row> table;

    /**
     * Which clusters are asked for.
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
            @Parameter(description = "Data centre by id or name.") @Nullable String dataCentre) {}

    /** A cluster as it is told: few, so that a tree of each may be made. */
    private record Row(UUID id, JsonNode tree) implements Aged {

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
        public Age age(Column.Origin origin) {
            return Age.CURRENT;
        }
    }

    ClusterLists(MonitoringEngine engine, RestSettings settings, JsonMapper mapper) {
        this.engine = engine;
        this.settings = settings;
        this.mapper = mapper;
        JsonNode sample = mapper.valueToTree(new ApiJson.ClusterView(Cluster.DEFAULT, 0, 0));
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
            to.composite(json -> mapper.writeTree(json, value));
        }
    }

    void answer(
            Filter filter,
            ListQuery query,
            Caller caller,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Answers.jsonOnly(request.getHeader(HttpHeaders.ACCEPT));
        if (query.sinceRevision() != null) {
            throw ApiException.badRequest(
                    "clusters have no revisions: read them with If-None-Match instead of since");
        }
        List<Column<Row>> columns = table.select(VmFilter.text(query.fields()), false);
        Page<Row, Row> page =
                new Page<>(
                        new Order<>(table, query.order()),
                        VmFilter.text(query.cursor()),
                        query.limit(settings.maxListSize(), settings.maxListSize()),
                        mapper,
                        row -> row,
                        Row.IDS);
        Wildcard name =
                VmFilter.blank(filter.name())
                        ? null
                        : new Wildcard("name", VmFilter.text(filter.name()).strip());
        String dataCentre = VmFilter.text(filter.dataCentre()).strip();
        long revision = engine.revision();
        int total = 0;
        for (Cluster cluster : engine.clusters().clusters()) {
            if (caller.has(Role.READER, cluster.id())
                    && (name == null || name.matches(cluster.name()))
                    && (dataCentre.isEmpty() || isIn(cluster, dataCentre))) {
                total++;
                page.offer(new Row(cluster.id().value(), mapper.valueToTree(view(cluster))));
            }
        }
        List<Row> rows = page.rows();
        Writing.page(
                response,
                mapper,
                query.hasAges(),
                to -> rows.forEach(row -> to.row(row, columns)),
                total,
                page.next(),
                revision);
    }

    private boolean isIn(Cluster cluster, String dataCentre) {
        return cluster.dataCentre().toString().equalsIgnoreCase(dataCentre)
                || engine.clusters().dataCentres().stream()
                        .anyMatch(each ->
                                each.id().equals(cluster.dataCentre())
                                        && each.name().equals(dataCentre));
    }

    private ApiJson.ClusterView view(Cluster cluster) {
        return new ApiJson.ClusterView(
                cluster,
                engine.clusters().hosts(cluster.id()).size(),
                engine.clusters().silentPercent(cluster.id()));
    }
}
