package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Dismissals;
import org.stillwater.ovirt.fleet.ExternalEvents;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Event;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.query.Fields;

/**
 * Events (chapter 3.9): the newest, as many as memory keeps ({@code stillwater.audit.recent}). The
 * native API, which may read the database, serves older ones. Dismissed events are not shown here;
 * they stay in the log.
 */
final class EventResource extends Resource<Resource.Root, AuditEntry> {

    private static final int LONGEST_CORRELATION = 36;

    private final Supplier<FleetFields> fields;

    EventResource(Supplier<FleetFields> fields) {
        super(Kind.EVENT);
        this.fields = fields;
    }

    @Override
    List<AuditEntry> list(Scope scope, Root parent) {
        Long from =
                scope.request().segments().size() == 1
                        ? scope.request().parameters().number("from")
                        : null;
        return Dismissals.shown(scope.fleet().events()).stream()
                .filter(event -> from == null || event.id() > from)
                .filter(event -> isSeen(scope, event))
                .toList();
    }

    /**
     * Whether the event concerns an object that the caller may see; only callers that see
     * everything see events about the whole engine.
     */
    static boolean isSeen(Scope scope, AuditEntry event) {
        if (scope.readsAll()) {
            return true;
        }
        VmView vm = event.vmId() == null ? null : scope.fleet().vm(event.vmId());
        if (event.vmId() != null) {
            return vm != null && scope.sees(vm);
        }
        HostView host = event.hostId() == null ? null : scope.fleet().host(event.hostId());
        return host != null && scope.sees(host);
    }

    @Override
    String id(AuditEntry item) {
        return Long.toString(item.id());
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<AuditEntry> fields(Scope scope) {
        return fields.get().events(scope);
    }

    @Override
    Event tell(Scope scope, At<Root, AuditEntry> at) {
        AuditEntry event = at.item();
        VmId vmId = event.vmId();
        HostId hostId = event.hostId();
        VmView vm = vmId == null ? null : scope.fleet().vm(vmId);
        HostView host = host(scope, event);
        ClusterId cluster = cluster(scope, event);
        String user = event.details().get("user");
        Entity storage = said(scope, event, Kind.STORAGE_DOMAIN);
        Entity about = said(scope, event, Kind.USER);
        Entity itsCluster = said(scope, event, Kind.CLUSTER);
        Entity itsCentre = said(scope, event, Kind.DATA_CENTER);
        return new Event(
                Long.toString(event.id()),
                at.href(),
                event.text(),
                event.event().code(),
                correlation(event),
                event.details().get("customData"),
                customId(event),
                (int) event.event().flood().toSeconds(),
                event.id(),
                origin(event),
                event.event().severity().label(),
                event.at(),
                itsCluster != null || cluster == null
                        ? itsCluster
                        : scope.reference(Kind.CLUSTER, cluster.toString()),
                itsCentre != null || cluster == null
                        ? itsCentre
                        : scope.reference(
                                Kind.DATA_CENTER,
                                scope.surroundings().dataCentre(cluster).toString()),
                subject(scope, Kind.HOST, hostId, event.hostName(), host != null),
                storage != null ? storage : storage(scope, event.details().get("storage")),
                said(scope, event, Kind.TEMPLATE),
                about != null || user == null ? about : Users.reference(scope, user),
                subject(scope, Kind.VM, vmId, event.vmName(), vm != null));
    }

    /** Subject that the event's program named; null for none. */
    private static @Nullable Entity said(Scope scope, AuditEntry event, Kind kind) {
        String id = event.details().get(ExternalEvents.about(kind.item()));
        return id == null ? null : scope.reference(kind, id);
    }

    /** The host, if it is still there and the caller may see it. */
    static @Nullable HostView host(Scope scope, AuditEntry event) {
        HostView host = event.hostId() == null ? null : scope.fleet().host(event.hostId());
        return host == null || !scope.sees(host) ? null : host;
    }

    /** The cluster of the VM, else of the host; null if both were removed. */
    static @Nullable ClusterId cluster(Scope scope, AuditEntry event) {
        VmView vm = event.vmId() == null ? null : scope.fleet().vm(event.vmId());
        HostView host = event.hostId() == null ? null : scope.fleet().host(event.hostId());
        return vm != null
                ? vm.definition().cluster()
                : host != null ? host.state().definition().cluster() : null;
    }

    /** Program that reported the event. */
    static String origin(AuditEntry event) {
        return event.details().getOrDefault("origin", "oVirt");
    }

    /** Id that another program gave its event. */
    static int customId(AuditEntry event) {
        String given = event.details().get("customId");
        try {
            return given == null ? -1 : Integer.parseInt(given);
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    static @Nullable String correlation(AuditEntry event) {
        String given = event.details().get(AuditEntry.CORRELATION);
        return given == null || given.length() > LONGEST_CORRELATION ? null : given;
    }

    private static @Nullable Entity storage(Scope scope, @Nullable String name) {
        if (name == null) {
            return null;
        }
        UnmanagedObjects.Storage known =
                scope.surroundings().storages().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElse(null);
        String id = known == null ? null : known.id();
        return subject(scope, Kind.STORAGE_DOMAIN, id, name, id != null);
    }

    /** A removed object keeps only its name. */
    private static @Nullable Entity subject(
            Scope scope, Kind kind, @Nullable Object id, @Nullable String name, boolean there) {
        if (id == null) {
            return name == null ? null : new Reference(null, null, name);
        }
        return there
                ? new Reference(id.toString(), scope.base() + "/" + kind.path() + "/" + id, name)
                : new Reference(null, null, name == null ? id.toString() : name);
    }
}
