package org.stillwater.server.api.history;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.host.HostFilter;
import org.stillwater.server.api.host.HostLists;
import org.stillwater.server.api.host.HostRow;
import org.stillwater.server.api.host.HostTable;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.CsvSink;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.JsonListWriter;
import org.stillwater.server.api.rows.JsonSink;
import org.stillwater.server.api.rows.ListResponses;
import org.stillwater.server.api.rows.Sink;
import org.stillwater.server.api.rows.Table;
import org.stillwater.server.api.vm.VmDeviceJson;
import org.stillwater.server.api.vm.VmFilter;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.vm.VmRow;
import org.stillwater.server.api.vm.VmTable;
import org.stillwater.server.api.web.EntityTag;
import org.stillwater.server.api.web.JsonText;
import org.stillwater.server.api.web.QueryRecord;
import org.stillwater.server.security.Callers;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.io.SerializedString;
import tools.jackson.databind.json.JsonMapper;

/**
 * The numbers of all VMs or hosts in one call: {@code /api/v1/statistics}. Rows are written as they
 * are read, so that a hundred thousand need no more memory than one.
 */
@RestController
@RequestMapping("/api/v1/statistics")
class StatisticsController {

    private static final SerializedString NICS = new SerializedString("nics");
    private static final SerializedString DISKS = new SerializedString("disks");

    /** The columns beside the numbers. */
    private static final Set<String> BESIDE =
            Set.of("id", "name", "status", "hostId", "hostName", "clusterId", "clusterName");

    private static final Table<VmRow> VMS =
            new Table<>(flat(VmTable.COLUMNS, Set.of("nics", "disks")), Map.of());
    private static final Table<HostRow> HOSTS =
            new Table<>(flat(HostTable.COLUMNS, Set.of("nics")), Map.of());

    private final FleetReader fleet;
    private final VmLists vms;
    private final HostLists hosts;
    private final Callers access;
    private final JsonMapper mapper;

    StatisticsController(
            FleetReader fleet, VmLists vms, HostLists hosts, Callers access, JsonMapper mapper) {
        this.fleet = fleet;
        this.vms = vms;
        this.hosts = hosts;
        this.access = access;
        this.mapper = mapper;
    }

    /** The columns that a row of statistics has, outside any group. */
    private static <R> List<Column<R>> flat(Table<R> table, Set<String> lists) {
        List<Column<R>> all = new ArrayList<>();
        for (Column<R> column : table.columns()) {
            if (!column.isStatistic() && BESIDE.contains(column.name())) {
                all.add(column.name().endsWith("Name") ? column : column.flat());
            } else if (column.isStatistic() && !lists.contains(column.name())) {
                all.add(column.flat());
            }
        }
        return all;
    }

    /**
     * The form of rows.
     *
     * @param fields names of columns, by commas
     * @param age whether every value comes with its age
     * @param nics whether rows contain interfaces
     * @param disks whether rows contain disks
     * @param format {@code json}, {@code ndjson} or {@code csv}
     */
    record Form(
            @Parameter(description = "Fields by commas, such as id,cpuUserPercent.")
                    @QueryRecord.Several
                    @Nullable String fields,
            @Parameter(
                            description = "Include the age of every value.",
                            schema = @Schema(type = "boolean", defaultValue = "false"))
                    @Nullable String age,
            @Parameter(
                            description = "Include interfaces.",
                            schema = @Schema(type = "boolean", defaultValue = "false"))
                    @Nullable String nics,
            @Parameter(
                            description = "Include disks.",
                            schema = @Schema(type = "boolean", defaultValue = "false"))
                    @Nullable String disks,
            @Parameter(
                            description = "Instead of the header Accept.",
                            schema =
                                    @Schema(
                                            type = "string",
                                            allowableValues = {"json", "ndjson", "csv"}))
                    @Nullable String format)
            implements QueryRecord {

        private boolean hasAges() {
            return FilterText.flag("age", FilterText.text(age));
        }

        private boolean hasNics() {
            return FilterText.flag("nics", FilterText.text(nics));
        }

        private boolean hasDisks() {
            return FilterText.flag("disks", FilterText.text(disks));
        }
    }

    @GetMapping("/vms")
    void vms(
            @ParameterObject VmFilter filter,
            @ParameterObject Form form,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Caller caller = access.current();
        ListResponses.Format format =
                ListResponses.format(form.format(), request.getHeader(HttpHeaders.ACCEPT));
        List<Column<VmRow>> columns = VMS.select(FilterText.text(form.fields()), false);
        boolean aged = form.hasAges();
        boolean nics = form.hasNics();
        boolean disks = form.hasDisks();
        Predicate<VmRow> wanted = filter.predicate(fleet, caller);
        VmRow row = vms.row();
        long revision = fleet.revision();
        List<? extends VmReading> all = fleet.readings();
        if (!aged) {
            EntityTag tag = vms.tag(revision, caller, request);
            for (int i = 0; i < all.size(); i++) {
                if (wanted.test(row.scan(all.get(i)))) {
                    VmLists.number(tag, row);
                }
            }
            if (ListResponses.isKnown(request, response, tag)) {
                return;
            }
        }
        response.setContentType(format.type().toString());
        if (format == ListResponses.Format.CSV) {
            try (Writer out = writer(response)) {
                VmCsvLines lines = new VmCsvLines(new CsvSink(out, aged), columns, nics, disks);
                lines.header();
                for (int i = 0; i < all.size(); i++) {
                    if (wanted.test(row.of(all.get(i)))) {
                        lines.write(row);
                    }
                }
            }
            return;
        }
        try (JsonGenerator json = generator(response)) {
            boolean document = format == ListResponses.Format.JSON;
            if (document) {
                begin(json, aged, revision);
            }
            JsonSink sink = JsonSink.ofMany(json, aged);
            Sink.Composite devices = to -> devices(to, row, nics, disks);
            for (int i = 0; i < all.size(); i++) {
                if (wanted.test(row.of(all.get(i)))) {
                    sink.row(row, columns, devices);
                    if (!document) {
                        json.writeRaw('\n');
                    }
                }
            }
            if (document) {
                json.writeEndArray();
                json.writeEndObject();
            }
        }
    }

    private static void devices(JsonText to, VmRow row, boolean nics, boolean disks) {
        if (nics) {
            to.name(NICS);
            VmDeviceJson.nics(to, row.numbers());
        }
        if (disks) {
            to.name(DISKS);
            VmDeviceJson.disks(to, row.numbers());
        }
    }

    @GetMapping("/hosts")
    void hosts(
            @ParameterObject HostFilter filter,
            @ParameterObject HostForm form,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        ListResponses.Format format =
                ListResponses.format(form.format(), request.getHeader(HttpHeaders.ACCEPT));
        List<Column<HostRow>> columns = HOSTS.select(FilterText.text(form.fields()), false);
        boolean aged = FilterText.flag("age", FilterText.text(form.age()));
        boolean nics = FilterText.flag("nics", FilterText.text(form.nics()));
        Predicate<HostRow> wanted = filter.predicate(fleet, access.current());
        long revision = fleet.revision();
        List<HostRow> all = hosts.rows();
        response.setContentType(format.type().toString());
        if (format == ListResponses.Format.CSV) {
            List<Column<HostRow>> told = new ArrayList<>(columns);
            if (nics) {
                told.add(
                        Column.counted(
                                        "nics",
                                        Column.Type.LIST,
                                        (HostRow host, Sink to) ->
                                                to.composite(json -> HostTable.nics(json, host)))
                                .flat());
            }
            try (Writer out = writer(response)) {
                CsvSink csv = new CsvSink(out, aged);
                csv.header(told);
                csv.end();
                for (HostRow row : all) {
                    if (wanted.test(row)) {
                        csv.row(row, told);
                        csv.end();
                    }
                }
            }
            return;
        }
        try (JsonGenerator json = generator(response)) {
            boolean document = format == ListResponses.Format.JSON;
            if (document) {
                begin(json, aged, revision);
            }
            JsonSink sink = JsonSink.ofMany(json, aged);
            for (HostRow row : all) {
                if (wanted.test(row)) {
                    sink.row(
                            row,
                            columns,
                            to -> {
                                if (nics) {
                                    to.name(NICS);
                                    HostTable.nics(to, row);
                                }
                            });
                    if (!document) {
                        json.writeRaw('\n');
                    }
                }
            }
            if (document) {
                json.writeEndArray();
                json.writeEndObject();
            }
        }
    }

    /**
     * The form of rows of hosts: as {@link Form}, without disks.
     *
     * @param fields names of columns, by commas
     * @param age whether every value comes with its age
     * @param nics whether rows contain interfaces
     * @param format {@code json}, {@code ndjson} or {@code csv}
     */
    record HostForm(
            @Parameter(description = "Fields by commas, such as id,cpuLoad.") @QueryRecord.Several
                    @Nullable String fields,
            @Parameter(schema = @Schema(type = "boolean", defaultValue = "false"))
                    @Nullable String age,
            @Parameter(schema = @Schema(type = "boolean", defaultValue = "false"))
                    @Nullable String nics,
            @Parameter(
                            schema =
                                    @Schema(
                                            type = "string",
                                            allowableValues = {"json", "ndjson", "csv"}))
                    @Nullable String format)
            implements QueryRecord {}

    private static void begin(JsonGenerator json, boolean aged, long revision) {
        json.writeStartObject();
        JsonListWriter.mark(json, aged);
        json.writeNumberProperty("revision", revision);
        json.writeArrayPropertyStart("items");
    }

    private JsonGenerator generator(HttpServletResponse response) throws IOException {
        return mapper.writer()
                .without(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
                .withRootValueSeparator("")
                .createGenerator(response.getOutputStream());
    }

    private static Writer writer(HttpServletResponse response) throws IOException {
        return new BufferedWriter(
                new OutputStreamWriter(response.getOutputStream(), StandardCharsets.UTF_8));
    }
}
