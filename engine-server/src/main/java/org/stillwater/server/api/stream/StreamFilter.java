package org.stillwater.server.api.stream;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.monitoring.Attention;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.FilterReferences;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.vm.VmJson;
import org.stillwater.server.api.vm.VmRow;
import org.stillwater.server.api.vm.VmTable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.FieldNames;
import org.stillwater.server.api.web.Ids;

/**
 * The part of the stream that one reader gets: the requested objects among those that it may see.
 * Thread-safe.
 *
 * <p>It is long because it has every condition by which a reader gets an object or not.
 */
final class StreamFilter {

    private static final Set<String> PLACEMENT =
            Set.of("hostId", "hostName", "migratingToHostId", "lastStartAt", "lastStopAt");
    private static final Duration MOST_SPACING = Duration.ofSeconds(5);
    private static final Set<String> STAMPS = Set.of("id", "observedAt", "revision");

    /** Kinds of objects that the stream reports. */
    enum Entity {
        VM,
        HOST,
        EVENT,
        /** Alerts of rules, for readers that name them. */
        ALERT,
        /** Findings of regressions, for readers that name them and may read everything. */
        FINDING,
        /** The engine itself, for readers that name it and may read everything. */
        ENGINE
    }

    /** The entities of a stream for a reader that names none. */
    private static final Set<Entity> USUAL = EnumSet.of(Entity.VM, Entity.HOST, Entity.EVENT);

    private final FleetReader fleet;
    private final Caller caller;
    private final Set<Entity> entities;
    private final VmJson.Form form;
    private final @Nullable Set<VmId> vms;
    private final @Nullable Set<HostId> hosts;
    private final @Nullable Set<ClusterId> clusters;
    private final @Nullable List<Column<VmRow>> columns;
    private final @Nullable List<Column<VmRow>> numbers;
    private final @Nullable Duration spacing;
    private final SnapshotForm snapshotForm;
    private final boolean readsAll;

    StreamFilter(FleetReader fleet, Caller caller, StreamQuery query) {
        this.fleet = fleet;
        this.caller = caller;
        this.readsAll = caller.has(Role.READER);
        this.entities = entities(query);
        if (entities.contains(Entity.ENGINE) && !readsAll) {
            throw ApiException.forbidden("entity engine is only for readers of everything");
        }
        if (entities.contains(Entity.FINDING) && !readsAll) {
            throw ApiException.forbidden("entity finding is only for readers of everything");
        }
        this.form =
                switch (FilterText.text(query.view()).strip()) {
                    case "", "full" -> VmJson.Form.FULL;
                    case "light" -> VmJson.Form.LIGHT;
                    default -> throw ApiException.badRequest("view must be full or light");
                };
        this.vms =
                FilterText.blank(query.vm())
                        ? null
                        : Set.copyOf(
                                Ids.vms(
                                        fleet,
                                        caller,
                                        FilterText.words(FilterText.text(query.vm()))));
        this.hosts =
                FilterText.blank(query.host())
                        ? null
                        : FilterReferences.hosts(fleet, caller, FilterText.text(query.host()));
        this.clusters =
                FilterText.blank(query.cluster())
                        ? null
                        : FilterReferences.clusters(
                                fleet, caller, FilterText.text(query.cluster()));
        List<Column<VmRow>> selected =
                FilterText.blank(query.fields())
                        ? null
                        : VmTable.COLUMNS.select(FilterText.text(query.fields()), false);
        this.columns =
                selected == null
                        ? null
                        : selected.stream().filter(column -> !column.isLeftOut()).toList();
        boolean told = FilterText.flag("statistics", FilterText.text(query.statistics()));
        if (!told && selected != null && selected.stream().anyMatch(Column::isLeftOut)) {
            throw ApiException.badRequest(
                    "fields names statistics, which the stream has with statistics=true only");
        }
        this.numbers = told ? numbers(selected) : null;
        this.spacing =
                FilterText.blank(query.spacing())
                        ? null
                        : spacing(FilterText.number("spacing", FilterText.text(query.spacing())));
        this.snapshotForm =
                SnapshotForm.of(FilterText.text(query.snapshot()).strip(), this.columns != null);
    }

    private static Duration spacing(double millis) {
        if (millis < 0 || millis > MOST_SPACING.toMillis()) {
            throw ApiException.badRequest(
                    "spacing must be 0 to %d milliseconds".formatted(MOST_SPACING.toMillis()));
        }
        return Duration.ofMillis(Math.round(millis));
    }

    private StreamFilter(StreamFilter of, Caller caller) {
        this.fleet = of.fleet;
        this.caller = caller;
        this.readsAll = caller.has(Role.READER);
        this.entities = of.entities;
        this.form = of.form;
        this.vms = of.vms;
        this.hosts = of.hosts;
        this.clusters = of.clusters;
        this.columns = of.columns;
        this.numbers = of.numbers;
        this.spacing = of.spacing;
        this.snapshotForm = of.snapshotForm;
    }

    /** Those that are selected, else all that do not grow with interfaces and disks. */
    private static List<Column<VmRow>> numbers(@Nullable List<Column<VmRow>> selected) {
        List<Column<VmRow>> of = selected == null ? List.of() : selected;
        List<Column<VmRow>> named = of.stream().filter(Column::isLeftOut).toList();
        return (named.isEmpty()
                        ? VmTable.COLUMNS.columns().stream()
                                .filter(column ->
                                        column.isLeftOut()
                                                && column.standard()
                                                && column.type() != Column.Type.LIST)
                        : named.stream())
                .map(Column::flat)
                .toList();
    }

    /** Those that are named, else all; a reader that names VMs and no hosts wants no hosts. */
    private static Set<Entity> entities(StreamQuery query) {
        Set<Entity> wanted = EnumSet.noneOf(Entity.class);
        for (String word : FilterText.words(FilterText.text(query.entity()))) {
            wanted.add(
                    switch (word) {
                        case "vm" -> Entity.VM;
                        case "host" -> Entity.HOST;
                        case "event" -> Entity.EVENT;
                        case "alert" -> Entity.ALERT;
                        case "engine" -> Entity.ENGINE;
                        case "finding" -> Entity.FINDING;
                        default ->
                                throw ApiException.badRequest(
                                        "entity must be vm, host, event, alert, finding or engine");
                    });
        }
        if (!wanted.isEmpty()) {
            return wanted;
        }
        return !FilterText.blank(query.vm()) && FilterText.blank(query.host())
                ? EnumSet.of(Entity.VM, Entity.EVENT)
                : EnumSet.copyOf(USUAL);
    }

    /**
     * Selection of frames: readers with equal audiences get the same frames.
     *
     * @param grants of a reader that may not read everything, else null
     */
    record Audience(
            Set<Entity> entities,
            VmJson.Form form,
            @Nullable Set<VmId> vms,
            @Nullable Set<HostId> hosts,
            @Nullable Set<ClusterId> clusters,
            @Nullable List<String> columns,
            @Nullable Set<Grant> grants) {}

    /** The reader that this filter serves. */
    Audience audience() {
        return new Audience(
                entities,
                form,
                vms,
                hosts,
                clusters,
                columns == null ? null : columns.stream().map(Column::path).toList(),
                readsAll ? null : caller.grants());
    }

    VmJson.Form form() {
        return form;
    }

    /** Fields of VMs that the reader gets, null for all of the form. */
    @Nullable List<Column<VmRow>> columns() {
        return columns;
    }

    /** Shortest time between two writes; null if the reader requested none of its own. */
    @Nullable Duration spacing() {
        return spacing;
    }

    /** The form of the VMs of a snapshot. */
    SnapshotForm snapshotForm() {
        return snapshotForm;
    }

    /** Numbers that the reader gets, null for none. */
    @Nullable List<Column<VmRow>> numbers() {
        return numbers;
    }

    boolean tellsVms() {
        return entities.contains(Entity.VM);
    }

    boolean tellsHosts() {
        return entities.contains(Entity.HOST);
    }

    /** Whether the reader gets audit events. */
    boolean tellsEvents() {
        return entities.contains(Entity.EVENT);
    }

    /** Whether the reader gets alerts of rules. */
    boolean tellsAlerts() {
        return entities.contains(Entity.ALERT);
    }

    /**
     * Whether the reader gets an alert: one about a VM or host, or a disk or interface of it, goes
     * to its readers, any other one to readers of everything.
     */
    boolean tells(Alert alert) {
        UUID vmOrOwner = alert.subject().vmOrOwner();
        UUID hostOrOwner = alert.subject().hostOrOwner();
        VmId vm = vmOrOwner == null ? null : VmId.of(vmOrOwner);
        HostId host = hostOrOwner == null ? null : new HostId(hostOrOwner);
        VmReading knownVm = vm == null ? null : fleet.reading(vm);
        HostView knownHost = host == null ? null : fleet.host(host);
        if (vms != null && (vm == null || !vms.contains(vm))) {
            return false;
        }
        if (hosts != null) {
            HostId on = knownVm == null ? host : knownVm.state().placement().runOn();
            if (!looksAt(on)) {
                return false;
            }
        }
        ClusterId cluster =
                knownVm != null
                        ? knownVm.definition().cluster()
                        : knownHost == null ? null : knownHost.state().definition().cluster();
        if (clusters != null && (cluster == null || !clusters.contains(cluster))) {
            return false;
        }
        return readsAll
                || (cluster != null
                        && (vm == null
                                ? caller.has(Role.READER, cluster)
                                : caller.has(Role.READER, vm, cluster)));
    }

    /** Announces the VMs and hosts that the reader names, as viewed objects. */
    void announceTo(Attention attention) {
        if (vms != null) {
            vms.forEach(attention::viewed);
        } else if (hosts != null) {
            hosts.forEach(attention::viewed);
        }
    }

    /** Whether the reader gets the engine's own numbers, once a second. */
    boolean tellsEngine() {
        return entities.contains(Entity.ENGINE) && readsAll;
    }

    /** Whether the reader gets findings of regressions. */
    boolean tellsFindings() {
        return entities.contains(Entity.FINDING) && readsAll;
    }

    /** The same for another reader, or for the same one with other grants. */
    StreamFilter forCaller(Caller other) {
        return new StreamFilter(this, other);
    }

    boolean tells(VmReading vm) {
        return tells(vm.id(), vm.definition(), vm.state());
    }

    boolean tells(VmId id, VmStatic definition, VmState state) {
        if (vms != null && !vms.contains(id)) {
            return false;
        }
        if (clusters != null && !clusters.contains(definition.cluster())) {
            return false;
        }
        if (!looksAt(state.placement().runOn())) {
            return false;
        }
        return readsAll || caller.has(Role.READER, id, definition.cluster());
    }

    /** Whether the reader gets VMs on a host; null stands for VMs that run nowhere. */
    private boolean looksAt(@Nullable HostId host) {
        return hosts == null || (host != null && hosts.contains(host));
    }

    /** Whether a VM that left a cluster and a host, or became invisible, may have been sent. */
    boolean mayHaveTold(VmId id, ClusterId cluster, @Nullable HostId host) {
        return (vms == null || vms.contains(id))
                && (clusters == null || clusters.contains(cluster))
                && looksAt(host)
                && (readsAll || caller.has(Role.READER, id, cluster));
    }

    /** Whether a VM's host decides whether the reader gets it. */
    boolean looksAtPlaces() {
        return hosts != null;
    }

    /** Whether its snapshot can be as long as the fleet: it names neither VMs nor hosts. */
    boolean looksAtFleet() {
        return vms == null && hosts == null && (tellsVms() || tellsHosts());
    }

    /** Whether a VM's definition decides whether the reader gets it. */
    boolean looksAtDefinitions() {
        return clusters != null || !readsAll;
    }

    /** Whether a change touches anything that the reader gets. */
    boolean shows(Delta.VmChanged change) {
        if (columns == null) {
            return form == VmJson.Form.FULL || VmJson.showsInLightForm(change);
        }
        for (Column<VmRow> column : columns) {
            if (shows(change, column)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the reader gets a reported field. */
    boolean shows(RuntimeField field) {
        return columns == null
                ? form == VmJson.Form.FULL || VmJson.showsInLightForm(field)
                : columns.stream().anyMatch(it -> it.name().equals(FieldNames.of(field)));
    }

    /** Whether the reader gets any member about a VM's placement. */
    boolean showsPlacement() {
        return columns == null || columns.stream().anyMatch(it -> PLACEMENT.contains(it.name()));
    }

    /** Whether a change touches a column. */
    static boolean shows(Delta.VmChanged change, Column<VmRow> column) {
        if (PLACEMENT.contains(column.name())) {
            return change.placementChanged();
        }
        for (RuntimeField field : RuntimeField.values()) {
            if (FieldNames.of(field).equals(column.name())) {
                return change.changed().contains(field);
            }
        }
        return false;
    }

    /** Whether the reader gets the tags of VMs. */
    boolean showsTags() {
        return columns == null
                ? form == VmJson.Form.FULL
                : columns.stream().anyMatch(StreamFilter::isTags);
    }

    static boolean isTags(Column<VmRow> column) {
        return column.name().equals(VmTable.TAGS);
    }

    static boolean isStamp(Column<VmRow> column) {
        return STAMPS.contains(column.name());
    }

    boolean tells(HostView host) {
        return tells(host.state());
    }

    boolean tells(HostState host) {
        HostId id = host.definition().id();
        if (hosts != null && !hosts.contains(id)) {
            return false;
        }
        if (clusters != null && !clusters.contains(host.definition().cluster())) {
            return false;
        }
        return readsAll || caller.has(Role.READER, host.definition().cluster());
    }

    /** Whether a host that left a cluster may have been sent. */
    boolean mayHaveTold(HostId id, ClusterId cluster) {
        return (hosts == null || hosts.contains(id))
                && (clusters == null || clusters.contains(cluster))
                && (readsAll || caller.has(Role.READER, cluster));
    }

    boolean tells(AuditEntry entry) {
        if (!entities.contains(Entity.EVENT)) {
            return false;
        }
        VmId vm = entry.vmId();
        HostId host = entry.hostId();
        if (vms != null && (vm == null || !vms.contains(vm))) {
            return false;
        }
        if (hosts != null && (host == null || !hosts.contains(host))) {
            return false;
        }
        if (clusters == null && readsAll) {
            return true;
        }
        Set<ClusterId> about = new HashSet<>();
        VmReading known = vm == null ? null : fleet.reading(vm);
        if (known != null) {
            about.add(known.definition().cluster());
        }
        HostView on = host == null || vm != null ? null : fleet.host(host);
        if (on != null) {
            about.add(on.state().definition().cluster());
        }
        if (clusters != null && about.stream().noneMatch(clusters::contains)) {
            return false;
        }
        return readsAll
                || (vm != null
                        ? caller.has(
                                Role.READER,
                                vm,
                                known == null ? null : known.definition().cluster())
                        : about.stream().anyMatch(each -> caller.has(Role.READER, each)));
    }
}
