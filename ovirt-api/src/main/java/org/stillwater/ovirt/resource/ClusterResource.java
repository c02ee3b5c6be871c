package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.id.ClusterId;
import org.stillwater.ovirt.model.Cluster.Bandwidth;
import org.stillwater.ovirt.model.Cluster.ErrorHandling;
import org.stillwater.ovirt.model.Cluster.HugePages;
import org.stillwater.ovirt.model.Cluster.Ksm;
import org.stillwater.ovirt.model.Cluster.MemoryPolicy;
import org.stillwater.ovirt.model.Cluster.Migration;
import org.stillwater.ovirt.model.Cluster.OverCommit;
import org.stillwater.ovirt.model.Cluster.SkipIf;
import org.stillwater.ovirt.model.Cluster.SkipIfActive;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.query.Fields;

/** Clusters (chapter 3.3). */
final class ClusterResource extends Resource<Resource.Root, Cluster> {

    private final Supplier<FleetFields> fields;

    ClusterResource(Supplier<FleetFields> fields) {
        super(Kind.CLUSTER);
        this.fields = fields;
    }

    @Override
    List<Cluster> list(Scope scope, Root parent) {
        return scope.fleet().clusters().stream()
                .filter(cluster -> scope.sees(cluster.id()))
                .toList();
    }

    @Override
    @Nullable Cluster find(Scope scope, Root parent, String id) {
        UUID uuid = Uuids.parse(id);
        Cluster cluster = uuid == null ? null : scope.fleet().cluster(new ClusterId(uuid));
        return cluster == null || !scope.sees(cluster.id()) ? null : cluster;
    }

    @Override
    String id(Cluster item) {
        return item.id().toString();
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<Cluster> fields(Scope scope) {
        return fields.get().clusters(scope);
    }

    @Override
    org.stillwater.ovirt.model.Cluster tell(Scope scope, At<Root, Cluster> at) {
        Cluster cluster = at.item();
        HostRequirements requirements = cluster.requirements();
        FencingPolicy fencing = cluster.fencing();
        Integer silent = fencing.mostSilentPercent();
        return new org.stillwater.ovirt.model.Cluster(
                cluster.id().toString(),
                at.href(),
                cluster.name(),
                cluster.description(),
                "",
                scope.links(this, at),
                true,
                "q35_sea_bios",
                new Cpu(
                        VmResource.architecture(null, cluster),
                        null,
                        null,
                        null,
                        requirements.cpuType() == null ? "" : requirements.cpuType().name()),
                new MemoryPolicy(new OverCommit(100), new HugePages(true)),
                new Migration("inherit", new Bandwidth("auto"), "inherit"),
                new ErrorHandling(
                        switch (cluster.migrateOnError()) {
                            case NONE -> "do_not_migrate";
                            case ALL -> "migrate";
                            case HIGHLY_AVAILABLE -> "migrate_highly_available";
                        }),
                new org.stillwater.ovirt.model.Cluster.FencingPolicy(
                        fencing.enabled(),
                        new SkipIf(silent != null, silent == null ? 50 : silent),
                        false,
                        false,
                        new SkipIfActive(fencing.leaseRespected())),
                false,
                false,
                false,
                false,
                false,
                true,
                "legacy",
                requirements.fips() == null
                        ? "undefined"
                        : requirements.fips() ? "enabled" : "disabled",
                new Ksm(false, true),
                false,
                false,
                Listing.of(
                        "rng_source",
                        requirements.rngSources().isEmpty()
                                ? List.of("urandom") // which every host has
                                : List.copyOf(requirements.rngSources())),
                VmResource.version(cluster),
                scope.reference(Kind.DATA_CENTER, cluster.dataCentre().toString()),
                scope.reference(Kind.MAC_POOL, ReferenceResources.MAC_POOL),
                scope.reference(Kind.SCHEDULING_POLICY, ReferenceResources.SCHEDULING_POLICY),
                scope.inlined(this, at));
    }
}
