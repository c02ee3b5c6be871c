package org.stillwater.ovirt.resource;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.stillwater.core.access.Scope.Everything;
import org.stillwater.core.access.Scope.OfCluster;
import org.stillwater.core.access.Scope.OfVm;
import org.stillwater.core.model.Cluster;
import org.stillwater.core.model.DataCentre;
import org.stillwater.core.model.VmNumaNode;
import org.stillwater.core.model.VmWatchdog;
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
        var storage = top(new ReferenceResources.StorageDomains(() -> fields));
        var networks = top(new ReferenceResources.Networks<Root>((_, _) -> true, () -> fields));
        var profiles = top(new ReferenceResources.Profiles<Root>());
        var templates = top(new ReferenceResources.Templates());
        var pools = top(new ReferenceResources.Pools(() -> fields));
        var users = top(new ReferenceResources.UserList());
        var groups = top(new ReferenceResources.Groups());
        var domains = top(new ReferenceResources.Domains());
        var roles = top(new ReferenceResources.Roles());
        top(ReferenceResources.<Root>permissions((_, scope) -> scope instanceof Everything));
        top(ReferenceResources.tags());
        top(ReferenceResources.icons());
        top(ReferenceResources.operatingSystems());
        top(ReferenceResources.options());
        top(ReferenceResources.instanceTypes());
        top(ReferenceResources.clusterLevels());
        top(ReferenceResources.macPools());
        for (Kind kind :
                List.of(
                        Kind.BOOKMARK,
                        Kind.STORAGE_CONNECTION,
                        Kind.DISK_PROFILE,
                        Kind.CPU_PROFILE,
                        Kind.SCHEDULING_POLICY,
                        Kind.SCHEDULING_POLICY_UNIT,
                        Kind.NETWORK_FILTER,
                        Kind.AFFINITY_LABEL,
                        Kind.IMAGE_TRANSFER,
                        Kind.EXTERNAL_HOST_PROVIDER,
                        Kind.OPENSTACK_NETWORK_PROVIDER)) {
            top(new EmptyResource<Root>(kind));
        }
        ofVms(vms);
        ofHosts(hosts);
        ofClusters(clusters);
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
                new SmallResource<Surroundings.Storage, KnownDisk>(
                        Kind.DISK,
                        (scope, parent) ->
                                disks.list(scope, Root.ROOT).stream()
                                        .filter(disk ->
                                                disk.lun() == null
                                                        && scope.surroundings()
                                                                .storage(
                                                                        disk.vm()
                                                                                .definition()
                                                                                .cluster(),
                                                                        disk.domain())
                                                                .equals(parent.id()))
                                        .toList(),
                        KnownDisk::id,
                        (scope, at) ->
                                disks.tell(
                                        scope,
                                        new Resource.At<>(
                                                Root.ROOT,
                                                scope.base(),
                                                at.item(),
                                                scope.base() + "/disks/" + at.item().id(),
                                                at.follow())),
                        true));
        empty(
                storage,
                Kind.PERMISSION,
                Kind.FILE,
                Kind.STORAGE_CONNECTION,
                Kind.DISK_PROFILE,
                Kind.TEMPLATE,
                Kind.VM);
        networks.sub(new ReferenceResources.Profiles<Surroundings.Net>());
        empty(networks, Kind.PERMISSION, Kind.NETWORK_LABEL);
        empty(profiles, Kind.PERMISSION);
        profiles.refersTo("network", () -> networks);
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
        templates.refersTo("cluster", () -> clusters);
        empty(pools, Kind.PERMISSION);
        pools.refersTo("cluster", () -> clusters);
        pools.refersTo("template", () -> templates);
        users.sub(ReferenceResources.<String>permissions((_, _) -> true));
        empty(users, Kind.GROUP, Kind.ROLE, Kind.TAG, Kind.SSH_KEY, Kind.EVENT_SUBSCRIPTION);
        users.sub(new EmptyResource<String>(Kind.USER_OPTION));
        empty(groups, Kind.PERMISSION, Kind.ROLE, Kind.TAG);
        empty(domains, Kind.USER, Kind.GROUP);
        roles.sub(ReferenceResources.permits());
        vms.refersTo("cluster", () -> clusters);
        vms.refersTo("host", () -> hosts);
        vms.refersTo("template", () -> templates);
        vms.refersTo("original_template", () -> templates);
        vms.refersTo("vm_pool", () -> pools);
        hosts.refersTo("cluster", () -> clusters);
        clusters.refersTo("data_center", () -> dataCenters);
        refer(vms, "nics", "vnic_profile", profiles);
        refer(vms, "diskattachments", "disk", disks);
        refer(hosts, "nics", "network", networks);
    }

    private static <T> void refer(
            Resource<Root, T> owner, String path, String element, Resource<Root, ?> target) {
        Resource<T, ?> sub = owner.subs().get(path);
        if (sub != null) {
            sub.refersTo(element, () -> target);
        }
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

    private static void ofVms(VmResource vms) {
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
                new SmallResource<VmView, KnownDisk>(
                        Kind.DISK,
                        (scope, vm) -> KnownDisk.of(scope.fleet(), vm),
                        KnownDisk::id,
                        (scope, at) -> snapshotDisk(scope, at),
                        true));
        snapshots.sub(
                new SmallResource<VmView, KnownNic>(
                        Kind.NIC,
                        KnownNic::of,
                        nic -> nic.nic().id().toString(),
                        (scope, at) ->
                                nics.tell(
                                        scope,
                                        new Resource.At<>(
                                                at.parent(),
                                                at.parentHref(),
                                                at.item(),
                                                at.href(),
                                                Follow.NOTHING))));
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
                ReferenceResources.<VmView>permissions((vm, scope) ->
                        switch (scope) {
                            case Everything _ -> true;
                            case OfCluster of -> of.cluster().equals(vm.definition().cluster());
                            case OfVm of -> of.vm().equals(vm.id());
                        }));
        empty(
                vms,
                Kind.TAG,
                Kind.VM_HOST_DEVICE,
                Kind.AFFINITY_LABEL,
                Kind.MEDIATED_DEVICE,
                Kind.BACKUP,
                Kind.CHECKPOINT,
                Kind.KATELLO_ERRATUM);
    }

    private static Object snapshotDisk(Scope scope, Resource.At<VmView, KnownDisk> at) {
        return DiskResource.disk(scope, new EmptyOwner<VmView, KnownDisk>(Kind.DISK), at);
    }

    /** A collection without collections of its own, for what is told in another place. */
    private static final class EmptyOwner<P, T> extends Resource<P, T> {
        EmptyOwner(Kind kind) {
            super(kind);
        }

        @Override
        List<T> list(Scope scope, P parent) {
            return List.of();
        }

        @Override
        String id(T item) {
            return "";
        }

        @Override
        Object tell(Scope scope, At<P, T> at) {
            throw new IllegalStateException("nothing is told here");
        }
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
                ReferenceResources.<HostView>permissions((host, scope) ->
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
        empty(
                hosts,
                Kind.TAG,
                Kind.HOST_DEVICE,
                Kind.HOOK,
                Kind.HOST_STORAGE,
                Kind.NETWORK_ATTACHMENT,
                Kind.UNMANAGED_NETWORK,
                Kind.AFFINITY_LABEL,
                Kind.KATELLO_ERRATUM);
    }

    private static void ofClusters(ClusterResource clusters) {
        clusters.sub(
                new ReferenceResources.Networks<Cluster>(
                        (_, at) -> at.item().dataCentre().equals(at.parent().dataCentre()), null));
        clusters.sub(
                ReferenceResources.<Cluster>permissions((cluster, scope) ->
                        switch (scope) {
                            case Everything _ -> true;
                            case OfCluster of -> of.cluster().equals(cluster.id());
                            case OfVm _ -> false;
                        }));
        clusters.sub(
                new SmallResource<Cluster, AffinityGroup>(
                        Kind.AFFINITY_GROUP,
                        (scope, cluster) ->
                                scope.fleet().affinityGroups().stream()
                                        .filter(group -> group.cluster().equals(cluster.id()))
                                        .toList(),
                        group -> group.id().toString(),
                        (scope, at) ->
                                new org.stillwater.ovirt.model.AffinityGroup(
                                        at.item().id().toString(),
                                        at.href(),
                                        at.item().name(),
                                        at.item().enforcing(),
                                        at.item().positive(),
                                        Listing.of(
                                                "vm",
                                                at.item().members().stream()
                                                        .sorted()
                                                        .map(vm ->
                                                                scope.reference(
                                                                        Kind.VM, vm.toString()))
                                                        .toList()),
                                        scope.reference(
                                                Kind.CLUSTER, at.item().cluster().toString())),
                        true));
        empty(
                clusters,
                Kind.CPU_PROFILE,
                Kind.GLUSTER_VOLUME,
                Kind.ENABLED_FEATURE,
                Kind.OPENSTACK_NETWORK_PROVIDER);
    }

    private static void ofDataCentres(DataCenterResource dataCenters, ClusterResource clusters) {
        dataCenters.sub(
                new SmallResource<DataCentre, Cluster>(
                        Kind.CLUSTER,
                        (scope, dataCentre) ->
                                scope.fleet().clusters().stream()
                                        .filter(it -> it.dataCentre().equals(dataCentre.id()))
                                        .filter(it -> scope.sees(it.id()))
                                        .toList(),
                        cluster -> cluster.id().toString(),
                        (scope, at) ->
                                clusters.tell(
                                        scope,
                                        new Resource.At<>(
                                                Root.ROOT,
                                                scope.base(),
                                                at.item(),
                                                scope.base() + "/clusters/" + at.item().id(),
                                                at.follow()))));
        dataCenters.sub(new ReferenceResources.AttachedStorage());
        dataCenters.sub(
                new ReferenceResources.Networks<DataCentre>(
                        (_, at) -> at.item().dataCentre().equals(at.parent().id()), null));
        dataCenters.sub(
                ReferenceResources.<DataCentre>permissions(
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
