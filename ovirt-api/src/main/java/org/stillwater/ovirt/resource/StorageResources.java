package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.StorageDomain;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/**
 * Storage domains of the root and of data centres: the engine does not manage them, and clients
 * expect them (chapter 3.11).
 */
final class StorageResources {

    private StorageResources() {}

    /**
     * Storage domains: those of the root have their connection, those of a data centre their
     * status.
     */
    static <P> StorageDomain storage(
            Scope scope,
            Resource<P, UnmanagedObjects.Storage> resource,
            At<P, UnmanagedObjects.Storage> at,
            boolean attached) {
        UnmanagedObjects.Storage storage = at.item();
        ReferenceData data = scope.surroundings().data();
        long used = used(scope).getOrDefault(storage.id(), 0L);
        Entity home = scope.reference(Kind.DATA_CENTER, storage.dataCentre().toString());
        return new StorageDomain(
                storage.id(),
                at.href(),
                storage.name(),
                "",
                "",
                scope.links(resource, at),
                data.availableBytes(used),
                false,
                512,
                used,
                false,
                storage.valid() ? "ok" : "error",
                storage.master(),
                attached ? (storage.valid() ? "active" : "inactive") : null,
                scope.filtered()
                        ? new StorageDomain.Storage(null, null, data.storageType())
                        : new StorageDomain.Storage(
                                data.storageAddress(), data.storagePath(), data.storageType()),
                "v5",
                false,
                "data",
                data.storageBytes() == null ? null : (Long) used,
                false,
                attached ? home : null,
                attached ? null : Listing.of("data_center", List.of(home)),
                scope.inlined(resource, at));
    }

    /** Bytes that the disks of each storage domain take. */
    static Map<String, Long> used(Scope scope) {
        return scope.once(
                "storage", () -> StorageReport.taken(scope.fleet(), scope.surroundings()));
    }

    /** Storage domains of the root. */
    static final class StorageDomains extends Resource<Root, UnmanagedObjects.Storage> {
        private final Supplier<FleetFields> fields;

        StorageDomains(Supplier<FleetFields> fields) {
            super(Kind.STORAGE_DOMAIN);
            this.fields = fields;
        }

        @Override
        List<UnmanagedObjects.Storage> list(Scope scope, Root parent) {
            return scope.surroundings().storages().stream()
                    .filter(it -> DataCenterResource.isSeen(scope, it.dataCentre()))
                    .toList();
        }

        @Override
        String id(UnmanagedObjects.Storage item) {
            return item.id();
        }

        @Override
        boolean isSearchable() {
            return true;
        }

        @Override
        Fields<UnmanagedObjects.Storage> fields(Scope scope) {
            return fields.get().storages(scope);
        }

        @Override
        boolean isLive() {
            return true;
        }

        @Override
        Object tell(Scope scope, At<Root, UnmanagedObjects.Storage> at) {
            return storage(scope, this, at, false);
        }
    }

    /** Storage domains of a data centre. */
    static final class AttachedStorage extends Resource<DataCentre, UnmanagedObjects.Storage> {
        AttachedStorage() {
            super(Kind.STORAGE_DOMAIN);
        }

        @Override
        List<UnmanagedObjects.Storage> list(Scope scope, DataCentre parent) {
            return scope.surroundings().storages().stream()
                    .filter(storage -> storage.dataCentre().equals(parent.id()))
                    .toList();
        }

        @Override
        String id(UnmanagedObjects.Storage item) {
            return item.id();
        }

        @Override
        boolean isLive() {
            return true;
        }

        @Override
        long most(Scope scope) {
            return scope.surroundings().storages().size();
        }

        @Override
        Object tell(Scope scope, At<DataCentre, UnmanagedObjects.Storage> at) {
            return storage(scope, this, at, true);
        }
    }
}
