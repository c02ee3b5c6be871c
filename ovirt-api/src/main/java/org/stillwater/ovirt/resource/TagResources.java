package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.resource.Resource.Root;

/** Tags: all of them with the root above them, those of VMs and those of hosts. */
final class TagResources {

    private static final Tag ROOT =
            new Tag(new UUID(0, 0), TagRegistry.ROOT, TagRegistry.ROOT, null);

    private TagResources() {}

    static Resource<Root, Tag> all() {
        return new SmallResource<Root, Tag>(
                        Kind.TAG,
                        (scope, _) -> Stream.concat(seen(scope).stream(), Stream.of(ROOT)).toList(),
                        tag -> tag.id().toString(),
                        (scope, at) -> told(scope, at.item(), at.href(), null, null),
                        true)
                .most(scope -> 1 + scope.fleet().tags().tags().size());
    }

    /** Tags that stand on anything that the caller sees; all of them for readers of everything. */
    private static List<Tag> seen(Scope scope) {
        TagRegistry book = scope.fleet().tags();
        List<Tag> seen = new ArrayList<>(book.tags());
        if (!scope.readsAll()) {
            List<Tag> standing = new ArrayList<>();
            for (VmId id : scope.fleet().vms()) {
                VmView vm = scope.fleet().vm(id);
                if (vm != null && scope.sees(vm)) {
                    standing.addAll(book.of(id));
                }
            }
            for (HostView host : scope.fleet().hosts()) {
                if (scope.sees(host)) {
                    standing.addAll(book.of(id(host)));
                }
            }
            seen.removeIf(
                    tag -> standing.stream().noneMatch(each -> book.isWithin(each.id(), tag.id())));
        }
        return seen;
    }

    static Resource<VmView, Tag> ofVm() {
        return new SmallResource<VmView, Tag>(
                        Kind.TAG,
                        (scope, vm) -> scope.fleet().tags().of(vm.id()),
                        tag -> tag.id().toString(),
                        (scope, at) ->
                                told(
                                        scope,
                                        at.item(),
                                        at.href(),
                                        null,
                                        scope.reference(Kind.VM, at.parent().id().toString())),
                        true)
                .most(scope -> scope.fleet().tags().tags().size());
    }

    static Resource<HostView, Tag> ofHost() {
        return new SmallResource<HostView, Tag>(
                        Kind.TAG,
                        (scope, host) -> scope.fleet().tags().of(id(host)),
                        tag -> tag.id().toString(),
                        (scope, at) ->
                                told(
                                        scope,
                                        at.item(),
                                        at.href(),
                                        scope.reference(Kind.HOST, id(at.parent()).toString()),
                                        null),
                        true)
                .most(scope -> scope.fleet().tags().tags().size());
    }

    private static HostId id(HostView host) {
        return host.state().definition().id();
    }

    private static org.stillwater.ovirt.model.Tag told(
            Scope scope, Tag tag, String href, @Nullable Entity host, @Nullable Entity vm) {
        return new org.stillwater.ovirt.model.Tag(
                tag.id().toString(),
                href,
                tag.name(),
                tag.description(),
                tag.equals(ROOT)
                        ? null
                        : scope.reference(
                                Kind.TAG,
                                Objects.requireNonNullElse(tag.parent(), ROOT.id()).toString()),
                host,
                vm);
    }
}
