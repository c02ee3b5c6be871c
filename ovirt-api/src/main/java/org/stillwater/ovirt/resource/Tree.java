package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.stillwater.core.access.Scope.Everything;
import org.stillwater.core.access.Scope.OfCluster;
import org.stillwater.core.access.Scope.OfVm;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.query.Search;
import org.stillwater.ovirt.resource.Resource.Root;

/** All collections, as they hang together. Made once; thread-safe. */
final class Tree {

    private final Fleet fleet;
    private final Search search;
    private final Limits limits;
    private final Writes writes;
    private final Map<String, Resource<Root, ?>> tops = new LinkedHashMap<>();
    private final Map<Kind, Resource<?, ?>> byKind;

    Tree(Fleet fleet, Search search, Limits limits, Writes writes) {
        this.fleet = fleet;
        this.search = search;
        this.limits = limits;
        this.writes = writes;
        FleetFields fields = new FleetFields();
        VmResource vms = top(new VmResource(() -> fields));
        HostResource hosts = top(new HostResource(() -> fields));
        ClusterResource clusters = top(new ClusterResource(() -> fields));
        DataCenterResource dataCenters = top(new DataCenterResource(() -> fields));
        top(new EventResource(() -> fields));
        DiskResource disks = top(new DiskResource(() -> fields, new DiskIndex(fleet)));
        JobResource jobs = top(new JobResource(() -> fields));
        var storage = top(new StorageResources.StorageDomains(() -> fields));
        var networks = top(new NetworkResource<Root>((_, _) -> true, () -> fields));
        var profiles = top(new VnicProfileResource<Root>());
        var templates = top(new TemplateResource());
        var pools = top(new PoolResource(() -> fields));
        var users = top(new AccountResources.UserList());
        var groups = top(new AccountResources.Groups());
        var domains = top(new AccountResources.Domains());
        var roles = top(new AccountResources.Roles());
        top(AccountResources.<Root>permissions((_, scope) -> scope instanceof Everything));
        top(TagResources.all());
        top(ReferenceResources.icons());
        top(ReferenceResources.operatingSystems());
        top(ReferenceResources.options());
        top(ReferenceResources.instanceTypes());
        top(ReferenceResources.clusterLevels());
        top(ReferenceResources.macPools());
        top(ReferenceResources.schedulingPolicies());
        for (Kind kind :
                List.of(
                        Kind.BOOKMARK,
                        Kind.STORAGE_CONNECTION,
                        Kind.DISK_PROFILE,
                        Kind.CPU_PROFILE,
                        Kind.SCHEDULING_POLICY_UNIT,
                        Kind.NETWORK_FILTER,
                        Kind.AFFINITY_LABEL,
                        Kind.IMAGE_TRANSFER,
                        Kind.EXTERNAL_HOST_PROVIDER,
                        Kind.OPENSTACK_NETWORK_PROVIDER)) {
            top(new EmptyResource<Root>(kind));
        }
        ofVms(vms, disks);
        ofHosts(hosts);
        ofClusters(clusters, vms);
        ofDataCentres(dataCenters, clusters);
        disks.sub(
                new StatisticsResource<KnownDisk>(
                        StatisticsResource.Owner.DISK, (_, disk) -> VmStatisticsReadings.of(disk)));
        empty(disks, Kind.PERMISSION);
        var steps = jobs.sub(new JobResource.Steps());
        steps.sub(
                new StatisticsResource<Operation>(
                        StatisticsResource.Owner.STEP, (_, _) -> List.of()));
        storage.sub(
                SmallResource.<UnmanagedObjects.Storage, KnownDisk>of(
                                disks,
                                (scope, parent) ->
                                        disks.list(scope, Root.ROOT).stream()
                                                .filter(disk ->
                                                        disk.lun() == null
                                                                && disk.domain(scope.surroundings())
                                                                        .equals(parent.id()))
                                                .toList())
                        .most(scope -> scope.fleet().vms().size()));
        empty(
                storage,
                Kind.PERMISSION,
                Kind.FILE,
                Kind.STORAGE_CONNECTION,
                Kind.DISK_PROFILE,
                Kind.TEMPLATE,
                Kind.VM);
        networks.sub(new VnicProfileResource<UnmanagedObjects.Net>());
        empty(networks, Kind.PERMISSION, Kind.NETWORK_LABEL);
        empty(profiles, Kind.PERMISSION);
        empty(
                templates,
                Kind.NIC,
                Kind.DISK_ATTACHMENT,
                Kind.CDROM,
                Kind.GRAPHICS_CONSOLE,
                Kind.WATCHDOG,
                Kind.TAG,
                Kind.PERMISSION,
                Kind.MEDIATED_DEVICE);
        empty(pools, Kind.PERMISSION);
        users.sub(AccountResources.<String>permissions((_, _) -> true));
        empty(users, Kind.GROUP, Kind.ROLE, Kind.TAG, Kind.SSH_KEY, Kind.EVENT_SUBSCRIPTION);
        users.sub(new EmptyResource<String>(Kind.USER_OPTION));
        empty(groups, Kind.PERMISSION, Kind.ROLE, Kind.TAG);
        empty(domains, Kind.USER, Kind.GROUP);
        roles.sub(AccountResources.permits());
        byKind = kinds();
    }

    /** Resource of each kind of entities: those of the root before those of other resources. */
    private Map<Kind, Resource<?, ?>> kinds() {
        Map<Kind, Resource<?, ?>> found = new EnumMap<>(Kind.class);
        for (List<Resource<?, ?>> level = List.copyOf(tops.values()); !level.isEmpty(); ) {
            level.forEach(each -> found.putIfAbsent(each.kind(), each));
            level =
                    level.stream()
                            .filter(each -> each.shown().equals(each))
                            .<Resource<?, ?>>flatMap(each -> each.subs().values().stream())
                            .toList();
        }
        return found;
    }

    private <R extends Resource<Root, ?>> R top(R resource) {
        tops.put(resource.kind().path(), resource);
        return resource;
    }

    private static <T> void empty(Resource<?, T> owner, Kind... kinds) {
        for (Kind kind : kinds) {
            owner.sub(new EmptyResource<T>(kind));
        }
    }

    private static void ofVms(VmResource vms, DiskResource disks) {
        var nics = vms.sub(new VmParts.Nics());
        nics.sub(
                new StatisticsResource<KnownNic>(
                        StatisticsResource.Owner.NIC, VmStatisticsReadings::of));
        nics.sub(
                new SmallResource<KnownNic, VmParts.Device>(
                        Kind.REPORTED_DEVICE,
                        (_, nic) -> VmParts.devices(nic),
                        VmParts.Device::id,
                        (scope, at) -> VmParts.device(scope, at.href(), at.item())));
        empty(nics, Kind.NETWORK_FILTER_PARAMETER);
        vms.sub(new VmParts.Attachments());
        vms.sub(
                new StatisticsResource<VmView>(
                        StatisticsResource.Owner.VM, VmStatisticsReadings::of));
        var snapshots = vms.sub(new VmParts.Snapshots());
        snapshots.sub(
                SmallResource.<VmView, KnownDisk>like(
                        disks,
                        (scope, vm) -> KnownDisk.of(scope.fleet(), vm),
                        (scope, at) -> DiskResource.disk(scope, disks, at)));
        snapshots.sub(
                SmallResource.<VmView, KnownNic>like(
                        nics,
                        KnownNic::of,
                        (scope, at) ->
                                nics.tell(
                                        scope,
                                        new Resource.At<>(
                                                at.parent(),
                                                at.parentHref(),
                                                at.item(),
                                                at.href(),
                                                at.follow()))));
        empty(snapshots, Kind.CDROM);
        vms.sub(
                new SmallResource<VmView, VmParts.Screen>(
                        Kind.GRAPHICS_CONSOLE,
                        VmParts::screens,
                        VmParts.Screen::id,
                        VmParts::screen));
        vms.sub(
                new SmallResource<VmView, VmParts.Device>(
                        Kind.REPORTED_DEVICE,
                        (_, vm) -> VmParts.devices(vm),
                        VmParts.Device::id,
                        (scope, at) -> VmParts.device(scope, at.href(), at.item())));
        vms.sub(
                new SmallResource<VmView, VmView>(
                        Kind.CDROM, (_, vm) -> List.of(vm), _ -> Uuids.ZERO, VmParts::cdrom));
        vms.sub(
                new SmallResource<VmView, String>(
                        Kind.APPLICATION,
                        (_, vm) -> VmParts.applications(vm),
                        name -> Uuids.of("application", name),
                        VmParts::application));
        vms.sub(
                new SmallResource<VmView, VmParts.Sitting>(
                        Kind.SESSION,
                        (_, vm) -> VmParts.sittings(vm),
                        VmParts.Sitting::id,
                        VmParts::sitting));
        vms.sub(
                new SmallResource<VmView, VmWatchdog>(
                        Kind.WATCHDOG, VmParts::watchdogs, _ -> Uuids.ZERO, VmParts::watchdog));
        vms.sub(
                new SmallResource<VmView, VmNumaNode>(
                        Kind.VM_NUMA_NODE,
                        (scope, vm) -> scope.fleet().numa(vm.id()),
                        VmParts::numaId,
                        VmParts::numaNode,
                        true));
        vms.sub(
                AccountResources.<VmView>permissions((vm, scope) ->
                        switch (scope) {
                            case Everything _ -> true;
                            case OfCluster of -> of.cluster().equals(vm.definition().cluster());
                            case OfVm of -> of.vm().equals(vm.id());
                        }));
        vms.sub(TagResources.ofVm());
        empty(
                vms,
                Kind.VM_HOST_DEVICE,
                Kind.AFFINITY_LABEL,
                Kind.MEDIATED_DEVICE,
                Kind.BACKUP,
                Kind.CHECKPOINT,
                Kind.KATELLO_ERRATUM);
    }

    private static void ofHosts(HostResource hosts) {
        var nics = hosts.sub(new HostParts.Nics());
        nics.sub(
                new StatisticsResource<HostParts.Card>(
                        StatisticsResource.Owner.HOST_NIC, HostParts::readings));
        empty(nics, Kind.NETWORK_ATTACHMENT, Kind.NETWORK_LABEL);
        var nodes = hosts.sub(new HostParts.Nodes());
        nodes.sub(
                new StatisticsResource<HostParts.Node>(
                        StatisticsResource.Owner.HOST_NUMA_NODE, HostParts::readings));
        hosts.sub(
                new StatisticsResource<HostView>(
                        StatisticsResource.Owner.HOST, HostResource::readings));
        hosts.sub(
                AccountResources.<HostView>permissions((host, scope) ->
                        switch (scope) {
                            case Everything _ -> true;
                            case OfCluster of ->
                                    of.cluster().equals(host.state().definition().cluster());
                            case OfVm _ -> false;
                        }));
        hosts.sub(
                new SmallResource<HostView, HostParts.Switch>(
                        Kind.FENCE_AGENT,
                        HostParts::switches,
                        HostParts.Switch::id,
                        HostParts::told));
        hosts.sub(TagResources.ofHost());
        empty(
                hosts,
                Kind.HOST_DEVICE,
                Kind.HOOK,
                Kind.HOST_STORAGE,
                Kind.NETWORK_ATTACHMENT,
                Kind.UNMANAGED_NETWORK,
                Kind.AFFINITY_LABEL,
                Kind.KATELLO_ERRATUM);
    }

    private static void ofClusters(ClusterResource clusters, VmResource vms) {
        clusters.sub(
                new NetworkResource<Cluster>(
                        (_, at) -> at.item().dataCentre().equals(at.parent().dataCentre()), null));
        clusters.sub(
                AccountResources.<Cluster>permissions((cluster, scope) ->
                        switch (scope) {
                            case Everything _ -> true;
                            case OfCluster of -> of.cluster().equals(cluster.id());
                            case OfVm _ -> false;
                        }));
        var groups =
                clusters.sub(
                        new SmallResource<Cluster, AffinityGroup>(
                                        Kind.AFFINITY_GROUP,
                                        (scope, cluster) ->
                                                scope.fleet().affinityGroups().stream()
                                                        .filter(group ->
                                                                group.cluster()
                                                                        .equals(cluster.id()))
                                                        .filter(scope::sees)
                                                        .toList(),
                                        group -> group.id().toString(),
                                        Tree::affinityGroup,
                                        true)
                                .most(scope ->
                                        scope.fleet().affinityGroups().stream()
                                                .mapToLong(group ->
                                                        Math.max(1, group.members().size()))
                                                .sum()));
        groups.sub(
                new SmallResource<AffinityGroup, VmView>(
                                Kind.VM,
                                (scope, group) -> members(scope, group),
                                vms::id,
                                (scope, at) -> ofRoot(scope, vms, at),
                                true)
                        .most(scope -> scope.fleet().vms().size()));
        empty(groups, Kind.HOST);
        empty(
                clusters,
                Kind.CPU_PROFILE,
                Kind.GLUSTER_VOLUME,
                Kind.ENABLED_FEATURE,
                Kind.OPENSTACK_NETWORK_PROVIDER);
    }

    private static List<VmView> members(Scope scope, AffinityGroup group) {
        List<VmView> members = new ArrayList<>();
        for (VmId id : scope.seen(group.cluster(), group.members())) {
            VmView vm = scope.fleet().vm(id);
            if (vm != null) {
                members.add(vm);
            }
        }
        return members;
    }

    /** A VM in the form of the root collection, which alone has its subcollections. */
    private static Object ofRoot(Scope scope, VmResource vms, Resource.At<?, VmView> at) {
        return vms.tell(
                scope,
                new Resource.At<>(
                        Root.ROOT,
                        scope.base(),
                        at.item(),
                        scope.base() + "/" + vms.kind().path() + "/" + vms.id(at.item()),
                        at.follow()));
    }

    private static org.stillwater.ovirt.model.AffinityGroup affinityGroup(
            Scope scope, Resource.At<Cluster, AffinityGroup> at) {
        AffinityGroup group = at.item();
        return new org.stillwater.ovirt.model.AffinityGroup(
                group.id().toString(),
                at.href(),
                group.name(),
                group.description(),
                group.enforcing(),
                group.positive(),
                1,
                new org.stillwater.ovirt.model.AffinityGroup.Rule(
                        true, group.enforcing(), group.positive()),
                new org.stillwater.ovirt.model.AffinityGroup.Rule(false, false, false),
                Listing.of("host", List.of()),
                Listing.of(
                        "vm",
                        scope.seen(group.cluster(), group.members()).stream()
                                .map(vm -> scope.reference(Kind.VM, vm.toString()))
                                .toList()),
                Listing.of("affinity_label", List.of()),
                Listing.of("affinity_label", List.of()),
                scope.reference(Kind.CLUSTER, group.cluster().toString()));
    }

    private static void ofDataCentres(DataCenterResource dataCenters, ClusterResource clusters) {
        dataCenters.sub(
                SmallResource.<DataCentre, Cluster>of(
                                clusters,
                                (scope, dataCentre) ->
                                        clusters.list(scope, Root.ROOT).stream()
                                                .filter(it ->
                                                        it.dataCentre().equals(dataCentre.id()))
                                                .toList())
                        .most(scope -> scope.fleet().clusters().size()));
        dataCenters.sub(new StorageResources.AttachedStorage());
        dataCenters.sub(
                new NetworkResource<DataCentre>(
                        (_, at) -> at.item().dataCentre().equals(at.parent().id()), null));
        dataCenters.sub(
                AccountResources.<DataCentre>permissions(
                        (_, scope) -> scope instanceof Everything));
        empty(dataCenters, Kind.QUOTA, Kind.QOS, Kind.ISCSI_BOND);
    }

    Fleet fleet() {
        return fleet;
    }

    Search search() {
        return search;
    }

    Limits limits() {
        return limits;
    }

    Writes writes() {
        return writes;
    }

    /** Resource with the entities of a kind. */
    Resource<?, ?> of(Kind kind) {
        return Objects.requireNonNull(byKind.get(kind), kind.path());
    }

    Map<String, Resource<Root, ?>> tops() {
        return tops;
    }

    /** Every path that is served, sorted, with {@code {id}} for identities. */
    Set<String> paths() {
        Set<String> paths = new TreeSet<>();
        paths.add("/");
        tops.values().forEach(top -> collect(paths, "", top, 0));
        return paths;
    }

    private static void collect(Set<String> paths, String prefix, Resource<?, ?> at, int depth) {
        String path = prefix + "/" + at.kind().path();
        paths.add(path);
        if (at instanceof EmptyResource || depth > 4) {
            return;
        }
        paths.add(path + "/{id}");
        at.subs().values().forEach(sub -> collect(paths, path + "/{id}", sub, depth + 1));
    }
}
