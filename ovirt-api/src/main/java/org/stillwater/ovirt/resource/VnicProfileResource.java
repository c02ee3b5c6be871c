package org.stillwater.ovirt.resource;

import java.util.List;
import org.stillwater.ovirt.resource.Resource.At;

/** vNIC profiles of the root or of a network. */
final class VnicProfileResource<P> extends Resource<P, UnmanagedObjects.Profile> {
    VnicProfileResource() {
        super(Kind.VNIC_PROFILE);
    }

    @Override
    List<UnmanagedObjects.Profile> list(Scope scope, P parent) {
        return scope.surroundings().profiles().stream()
                .filter(profile -> DataCenterResource.isSeen(scope, profile.network().dataCentre()))
                .filter(profile ->
                        !(parent instanceof UnmanagedObjects.Net net)
                                || profile.network().id().equals(net.id()))
                .toList();
    }

    @Override
    String id(UnmanagedObjects.Profile item) {
        return item.id();
    }

    @Override
    long most(Scope scope) {
        return scope.surroundings().profiles().size();
    }

    @Override
    Object tell(Scope scope, At<P, UnmanagedObjects.Profile> at) {
        UnmanagedObjects.Profile profile = at.item();
        return new org.stillwater.ovirt.model.VnicProfile(
                profile.id(),
                at.href(),
                profile.name(),
                "",
                scope.links(this, at),
                new org.stillwater.ovirt.model.VnicProfile.PassThrough("disabled"),
                false,
                scope.reference(Kind.NETWORK, profile.network().id()),
                scope.inlined(this, at));
    }
}
