package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Disk;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Identified;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.query.Fields;

/** Disks of all VMs (chapter 3.7). */
final class DiskResource extends Resource<Resource.Root, KnownDisk> {

    private final Supplier<FleetFields> fields;
    private final DiskIndex index;

    DiskResource(Supplier<FleetFields> fields, DiskIndex index) {
        super(Kind.DISK);
        this.fields = fields;
        this.index = index;
    }

    @Override
    List<KnownDisk> list(Scope scope, Root parent) {
        List<KnownDisk> disks = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (VmView vm : scope.vms()) {
            for (KnownDisk disk : KnownDisk.of(scope.fleet(), vm)) {
                if (seen.add(disk.id())) {
                    disks.add(disk);
                }
            }
        }
        return disks;
    }

    @Override
    @Nullable KnownDisk find(Scope scope, Root parent, String id) {
        KnownDisk disk = index.find(id);
        return disk == null || !scope.sees(disk.vm()) ? null : disk;
    }

    @Override
    String id(KnownDisk item) {
        return item.id();
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<KnownDisk> fields(Scope scope) {
        return fields.get().disks(scope);
    }

    @Override
    boolean isLive() {
        return true;
    }

    @Override
    Disk tell(Scope scope, At<Root, KnownDisk> at) {
        return disk(scope, this, at);
    }

    /** A disk without a known size gets the size that it occupies now. */
    static Disk disk(Scope scope, Resource<?, KnownDisk> resource, At<?, KnownDisk> at) {
        KnownDisk disk = at.item();
        Long actual = disk.actualBytes();
        long size = actual == null ? 0 : actual;
        boolean lun = disk.lun() != null;
        List<Entity> domains =
                lun
                        ? List.of()
                        : List.of(
                                scope.reference(
                                        Kind.STORAGE_DOMAIN, disk.domain(scope.surroundings())));
        boolean cow = disk.format().equals("cow");
        return new Disk(
                disk.id(),
                at.href(),
                disk.name(),
                "",
                scope.links(resource, at),
                size,
                disk.name(),
                "none",
                "data",
                disk.format(),
                lun ? null : disk.image(),
                null,
                lun
                        ? new Disk.LunStorage(
                                Listing.of(
                                        "logical_unit",
                                        List.of(new Identified(String.valueOf(disk.lun())))))
                        : null,
                false,
                size,
                cow ? "qcow2_v3" : null,
                disk.readOnly(),
                disk.shareable(),
                cow,
                "ok",
                lun ? "lun" : "image",
                Listing.of("storage_domain", domains),
                size,
                false,
                null,
                scope.inlined(resource, at));
    }
}
