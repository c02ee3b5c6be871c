package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.HostNic;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Network;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/** Networks of the root, a data centre or a cluster. */
final class NetworkResource<P> extends Resource<P, UnmanagedObjects.Net> {
    private final BiPredicate<Scope, At<P, UnmanagedObjects.Net>> ofParent;
    private final @Nullable Supplier<FleetFields> fields;

    NetworkResource(
            BiPredicate<Scope, At<P, UnmanagedObjects.Net>> ofParent,
            @Nullable Supplier<FleetFields> fields) {
        super(Kind.NETWORK);
        this.ofParent = ofParent;
        this.fields = fields;
    }

    @Override
    List<UnmanagedObjects.Net> list(Scope scope, P parent) {
        return scope.surroundings().networks().stream()
                .filter(net -> DataCenterResource.isSeen(scope, net.dataCentre()))
                .filter(net -> ofParent.test(scope, new At<>(parent, "", net, "", Follow.NOTHING)))
                .toList();
    }

    @Override
    String id(UnmanagedObjects.Net item) {
        return item.id();
    }

    @Override
    boolean isSearchable() {
        return fields != null;
    }

    @Override
    @Nullable Fields<UnmanagedObjects.Net> fields(Scope scope) {
        return fields == null ? null : fields.get().networks(scope);
    }

    @Override
    long most(Scope scope) {
        return scope.surroundings().networks().size();
    }

    @Override
    Object tell(Scope scope, At<P, UnmanagedObjects.Net> at) {
        return network(scope, this, at);
    }

    private static <P> Network network(
            Scope scope,
            Resource<P, UnmanagedObjects.Net> resource,
            At<P, UnmanagedObjects.Net> at) {
        UnmanagedObjects.Net net = at.item();
        boolean ofRoot = at.parent() instanceof Root;
        List<String> usages = new ArrayList<>(2);
        if (net.forVms()) {
            usages.add("vm");
        }
        if (net.name().equals(scope.surroundings().data().networkName())) {
            usages.add("management");
        }
        return new Network(
                net.id(),
                at.href(),
                net.name(),
                "",
                "",
                scope.links(resource, at),
                net.mtu(),
                ofRoot ? null : net.required(),
                net.stp(),
                ofRoot ? null : "operational",
                Listing.of("usage", usages),
                net.name(),
                net.vlan() == null ? null : new HostNic.Vlan(net.vlan()),
                scope.reference(Kind.DATA_CENTER, net.dataCentre().toString()),
                scope.inlined(resource, at));
    }
}
