package org.stillwater.ovirt.resource;

import java.time.Instant;
import java.util.List;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Template;
import org.stillwater.ovirt.model.Topology;
import org.stillwater.ovirt.model.Vm;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/** The blank template. */
final class TemplateResource extends Resource<Root, String> {
    TemplateResource() {
        super(Kind.TEMPLATE);
    }

    @Override
    List<String> list(Scope scope, Root parent) {
        return List.of("Blank");
    }

    @Override
    String id(String item) {
        return Uuids.ZERO;
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<String> fields(Scope scope) {
        return FleetFields.templates(scope);
    }

    @Override
    Template tell(Scope scope, At<Root, String> at) {
        List<org.stillwater.core.cluster.Cluster> clusters =
                scope.fleet().clusters().stream().filter(it -> scope.sees(it.id())).toList();
        return new Template(
                Uuids.ZERO,
                at.href(),
                at.item(),
                "Blank template",
                "",
                scope.links(this, at),
                new Vm.Bios(new Vm.BootMenu(false), "cluster_default"),
                Cpu.of("x86_64", new Topology(1, 1, 1)),
                Instant.EPOCH,
                false,
                new Vm.Display(null, null, 1, null, null, "vnc", null),
                1_024 * VmResource.MEBIBYTE,
                new Vm.MemoryPolicy(true, 1_024 * VmResource.MEBIBYTE, 4_096 * VmResource.MEBIBYTE),
                new Vm.Os(new Vm.Boot(Listing.of("device", List.of("hd"))), "other"),
                "ovirt",
                false,
                "ok",
                new Vm.TimeZone("Etc/GMT", null),
                "server",
                new Template.TemplateVersion(
                        scope.reference(Kind.TEMPLATE, Uuids.ZERO), "base version", 1),
                clusters.isEmpty()
                        ? null
                        : scope.reference(Kind.CLUSTER, clusters.getFirst().id().toString()),
                scope.inlined(this, at));
    }
}
