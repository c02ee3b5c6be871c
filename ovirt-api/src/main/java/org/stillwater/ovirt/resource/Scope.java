package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;
import org.stillwater.ovirt.model.Actions;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Inlined;
import org.stillwater.ovirt.model.Link;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/**
 * One request as resources see it: the fleet, the caller, and the start of addresses. Several
 * threads may make the items of a long list.
 */
final class Scope {

    private final Request request;
    private final Fleet fleet;
    private final Tree tree;
    private final UnmanagedObjects surroundings;
    private final boolean readsAll;
    private final boolean nextRun;
    private final Map<String, Object> found = new ConcurrentHashMap<>();

    Scope(Request request, Tree tree, UnmanagedObjects surroundings) {
        this(request, tree, surroundings, request.nextRun());
    }

    /** The same with VMs as they are to run next, or as they run. */
    Scope(Request request, Tree tree, UnmanagedObjects surroundings, boolean nextRun) {
        this.nextRun = nextRun;
        this.request = request;
        this.fleet = tree.fleet();
        this.tree = tree;
        this.surroundings = surroundings;
        this.readsAll = request.caller().has(Role.READER);
    }

    Fleet fleet() {
        return fleet;
    }

    Request request() {
        return request;
    }

    /** Whether VMs appear as they are to run next, instead of as they run. */
    boolean nextRun() {
        return nextRun;
    }

    UnmanagedObjects surroundings() {
        return surroundings;
    }

    Tree tree() {
        return tree;
    }

    String base() {
        return request.base();
    }

    boolean filtered() {
        return request.filtered();
    }

    /** Computes an expensive value that many items need once per request. */
    @SuppressWarnings("unchecked") // a name always has values of one type
    <V> V once(String name, Supplier<V> value) {
        return (V) found.computeIfAbsent(name, _ -> value.get());
    }

    // Visibility

    boolean readsAll() {
        return readsAll;
    }

    boolean sees(VmView vm) {
        return readsAll || request.caller().has(Role.READER, vm.id(), vm.definition().cluster());
    }

    boolean sees(HostView host) {
        return readsAll || request.caller().has(Role.READER, host.state().definition().cluster());
    }

    /** A cluster is seen with anything in it. */
    boolean sees(ClusterId cluster) {
        Caller caller = request.caller();
        if (readsAll || caller.has(Role.READER, cluster)) {
            return true;
        }
        for (Grant grant : caller.grants()) {
            if (grant.scope() instanceof org.stillwater.core.access.Scope.OfVm(VmId id)
                    && grant.role().contains(Role.READER)) {
                VmView vm = fleet.vm(id);
                if (vm != null && vm.definition().cluster().equals(cluster)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A pool is seen with its cluster, or with a VM of it. */
    boolean sees(VmPool pool) {
        return sees(pool.cluster(), pool.members().keySet());
    }

    /** An affinity group is seen with its cluster, or with a VM of it. */
    boolean sees(AffinityGroup group) {
        return sees(group.cluster(), group.members());
    }

    private boolean sees(ClusterId cluster, Set<VmId> members) {
        Caller caller = request.caller();
        return caller.has(Role.READER, cluster)
                || members.stream().anyMatch(vm -> caller.has(Role.READER, vm, cluster));
    }

    /** The members of a pool or group of this cluster that the caller may see. */
    List<VmId> seen(ClusterId cluster, Set<VmId> members) {
        Caller caller = request.caller();
        return members.stream()
                .filter(vm -> caller.has(Role.READER, vm, cluster))
                .sorted()
                .toList();
    }

    /** The VM of this identity, if there is one and the caller may see it. */
    @Nullable VmView vm(String id) {
        UUID uuid = Uuids.parse(id);
        VmView vm = uuid == null ? null : fleet.vm(VmId.of(uuid));
        return vm == null || !sees(vm) ? null : vm;
    }

    /** The host of this identity, if there is one and the caller may see it. */
    @Nullable HostView host(String id) {
        UUID uuid = Uuids.parse(id);
        HostView host = uuid == null ? null : fleet.host(new HostId(uuid));
        return host == null || !sees(host) ? null : host;
    }

    /** Every VM that the caller may see, by name. */
    List<VmView> vms() {
        List<VmId> ids = fleet.vms();
        List<VmView> seen = new ArrayList<>(ids.size());
        for (VmId id : ids) {
            VmView vm = fleet.vm(id);
            if (vm != null && sees(vm)) {
                seen.add(vm);
            }
        }
        return seen;
    }

    // Links and references

    /** Links to the collections of an item that are not included in it. */
    <T> List<Link> links(Resource<?, T> resource, At<?, T> at) {
        if (!resource.isLinked(at.item())) {
            return List.of();
        }
        List<Link> links = new ArrayList<>(resource.subs().size());
        for (Resource<T, ?> sub : resource.subs().values()) {
            if (followed(sub, at.follow()) == null) {
                links.add(new Link(at.href() + "/" + sub.kind().path(), sub.kind().path()));
            }
        }
        return links;
    }

    /** The collections of an item that appear with it. */
    <T> Inlined inlined(Resource<?, T> resource, At<?, T> at) {
        if (at.follow().isEmpty()) {
            return Inlined.NONE;
        }
        Map<String, Listing<?>> told = new LinkedHashMap<>();
        for (Resource<T, ?> sub : resource.subs().values()) {
            Follow next = followed(sub, at.follow());
            if (next != null) {
                told.put(sub.kind().element(), listing(sub, at.item(), at.href(), next));
            }
        }
        return told.isEmpty() ? Inlined.NONE : new Inlined(told);
    }

    static @Nullable Follow followed(Resource<?, ?> sub, Follow follow) {
        Follow byPath = follow.at(sub.kind().path());
        return byPath != null ? byPath : follow.at(sub.kind().step());
    }

    /** All items of a collection. */
    <P, T> Listing<Object> listing(
            Resource<P, T> resource, P parent, String parentHref, Follow follow) {
        return listing(resource, parent, parentHref, resource.list(this, parent), follow, null);
    }

    /** These items of a collection. */
    <P, T> Listing<Object> listing(
            Resource<P, T> resource,
            P parent,
            String parentHref,
            List<T> items,
            Follow follow,
            @Nullable Integer size) {
        String prefix = parentHref + "/" + resource.kind().path() + "/";
        return new Listing<>(
                resource.kind().item(),
                Lazy.of(
                        items,
                        item ->
                                told(
                                        resource,
                                        new At<>(
                                                parent,
                                                parentHref,
                                                item,
                                                prefix + resource.id(item),
                                                follow))),
                size);
    }

    /** Actions of an item; null if there are none. */
    @Nullable Actions actions(Kind kind, String href) {
        List<String> names = tree.writes().actions(kind);
        if (names.isEmpty()) {
            return null;
        }
        List<Link> links = new ArrayList<>(names.size());
        for (String name : names) {
            links.add(new Link(href + "/" + name, name));
        }
        return new Actions(links);
    }

    /** A reference without more. */
    Entity reference(Kind kind, String id) {
        return new Reference(id, request.base() + "/" + kind.path() + "/" + id);
    }

    /** An item as an answer shows it: with its referenced entities, if requested. */
    <P, T> Object told(Resource<P, T> resource, At<P, T> at) {
        return References.followed(
                resource.tell(this, at), resource.references(), at.follow(), this::referred);
    }

    private @Nullable Object referred(Entity reference, Follow follow) {
        String href = reference.href();
        if (href == null || !href.startsWith(base() + "/")) {
            return null;
        }
        String[] path = href.substring(base().length() + 1).split("/", -1);
        Resource<Root, ?> top = tree.tops().get(path[0]);
        return top == null ? null : referred(top, Root.ROOT, base(), path, 1, follow);
    }

    private <P, T> @Nullable Object referred(
            Resource<P, T> resource,
            P parent,
            String parentHref,
            String[] path,
            int next,
            Follow follow) {
        T item = next < path.length ? resource.find(this, parent, path[next]) : null;
        if (item == null) {
            return null;
        }
        String href = parentHref + "/" + resource.kind().path() + "/" + path[next];
        if (next + 1 == path.length) {
            return told(resource, new At<>(parent, parentHref, item, href, follow));
        }
        Resource<T, ?> sub = resource.subs().get(path[next + 1]);
        return sub == null ? null : referred(sub, item, href, path, next + 2, follow);
    }
}
