package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.function.Supplier;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.ovirt.model.DataCenter;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Version;
import org.stillwater.ovirt.query.Fields;

/** Data centres (chapter 3.2). */
final class DataCenterResource extends Resource<Resource.Root, DataCentre> {

    private final Supplier<FleetFields> fields;

    DataCenterResource(Supplier<FleetFields> fields) {
        super(Kind.DATA_CENTER);
        this.fields = fields;
    }

    @Override
    List<DataCentre> list(Scope scope, Root parent) {
        return scope.fleet().dataCentres().stream().filter(it -> isSeen(scope, it.id())).toList();
    }

    /** With any cluster in it. */
    static boolean isSeen(Scope scope, DataCentreId id) {
        return scope.readsAll()
                || scope.fleet().clusters().stream()
                        .anyMatch(cluster ->
                                cluster.dataCentre().equals(id) && scope.sees(cluster.id()));
    }

    @Override
    String id(DataCentre item) {
        return item.id().toString();
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<DataCentre> fields(Scope scope) {
        return fields.get().dataCentres(scope);
    }

    /** Up as soon as one of its hosts was ever added. */
    static String status(Scope scope, DataCentreId id) {
        boolean any = false;
        for (var host : scope.fleet().hosts()) {
            if (scope.surroundings().dataCentre(host.state().definition().cluster()).equals(id)) {
                any = true;
                if (host.state().status() == HostStatus.UP) {
                    return "up";
                }
            }
        }
        return any ? "not_operational" : "uninitialized";
    }

    /** The least version of its clusters. */
    static Version version(Scope scope, DataCentreId id) {
        CompatibilityVersion least = null;
        for (Cluster cluster : scope.fleet().clusters()) {
            CompatibilityVersion version = cluster.requirements().version();
            if (cluster.dataCentre().equals(id)
                    && version != null
                    && (least == null || version.compareTo(least) < 0)) {
                least = version;
            }
        }
        return least == null ? Version.of(4, 7) : Version.of(least.major(), least.minor());
    }

    @Override
    DataCenter tell(Scope scope, At<Root, DataCentre> at) {
        DataCentre dataCentre = at.item();
        Version version = version(scope, dataCentre.id());
        return new DataCenter(
                dataCentre.id().toString(),
                at.href(),
                dataCentre.name(),
                dataCentre.description(),
                "",
                scope.links(this, at),
                false,
                "disabled",
                status(scope, dataCentre.id()),
                "v5",
                Listing.of("version", List.of(version)),
                version,
                scope.reference(Kind.MAC_POOL, ReferenceResources.MAC_POOL),
                scope.inlined(this, at));
    }
}
