package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.function.Supplier;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Topology;
import org.stillwater.ovirt.model.Vm;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/** Pools. */
final class PoolResource extends Resource<Root, VmPool> {
    private static final Vm.Sso NO_SSO = new Vm.Sso(Listing.of("method", List.of()));
    private final Supplier<FleetFields> fields;

    PoolResource(Supplier<FleetFields> fields) {
        super(Kind.VM_POOL);
        this.fields = fields;
    }

    @Override
    List<VmPool> list(Scope scope, Root parent) {
        return scope.fleet().pools().stream().filter(scope::sees).toList();
    }

    @Override
    String id(VmPool item) {
        return item.id().toString();
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<VmPool> fields(Scope scope) {
        return fields.get().pools(scope);
    }

    @Override
    Object tell(Scope scope, At<Root, VmPool> at) {
        VmPool pool = at.item();
        List<VmId> seen = scope.seen(pool.cluster(), pool.members().keySet());
        VmView first = seen.isEmpty() ? null : scope.fleet().vm(seen.getFirst());
        Entity known = first == null ? null : VmResource.reference(scope, first);
        Topology topology =
                first == null
                        ? new Topology(1, 1, 1)
                        : new Topology(
                                first.definition().coresPerSocket(),
                                first.definition().sockets(),
                                (int) first.definition().threadsPerCore());
        return new org.stillwater.ovirt.model.VmPool(
                pool.id().toString(),
                at.href(),
                scope.actions(Kind.VM_POOL, at.href()),
                pool.name(),
                pool.description(),
                "",
                scope.links(this, at),
                false,
                pool.mostPerUser(),
                pool.prestarted(),
                pool.members().size(),
                pool.stateful(),
                "automatic",
                false,
                scope.reference(Kind.CLUSTER, pool.cluster().toString()),
                scope.reference(Kind.TEMPLATE, Uuids.ZERO),
                new org.stillwater.ovirt.model.VmPool.PoolVm(
                        known == null ? null : known.id(),
                        known == null ? null : known.href(),
                        Cpu.of("x86_64", topology),
                        (first == null ? 1_024 : first.definition().memoryMebibytes())
                                * VmResource.MEBIBYTE,
                        new Vm.Os(null, "other"),
                        NO_SSO,
                        "server"),
                scope.inlined(this, at));
    }
}
