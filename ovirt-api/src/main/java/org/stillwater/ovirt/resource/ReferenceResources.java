package org.stillwater.ovirt.resource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.DataCentre;
import org.stillwater.core.model.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.ClusterLevel;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Domain;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Group;
import org.stillwater.ovirt.model.HostNic;
import org.stillwater.ovirt.model.Icon;
import org.stillwater.ovirt.model.InstanceType;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.MacPool;
import org.stillwater.ovirt.model.Network;
import org.stillwater.ovirt.model.OperatingSystemInfo;
import org.stillwater.ovirt.model.Permission;
import org.stillwater.ovirt.model.Permit;
import org.stillwater.ovirt.model.SchedulingPolicy;
import org.stillwater.ovirt.model.StorageDomain;
import org.stillwater.ovirt.model.SystemOption;
import org.stillwater.ovirt.model.Template;
import org.stillwater.ovirt.model.Topology;
import org.stillwater.ovirt.model.Vm;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/**
 * Collections that the engine does not manage and clients expect (chapters 3.11, 3.13): small,
 * constant except for names of hosts and VMs, and consistent, so that every identity in other
 * answers is found here.
 */
final class ReferenceResources {

    static final String MAC_POOL = Uuids.of("mac_pool", "Default");
    static final String SCHEDULING_POLICY = Uuids.of("scheduling_policy", "stillwater");

    /** A grey point. */
    private static final String PICTURE =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

    private ReferenceResources() {}

    // Storage

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

    // Networks

    static <P> Network network(
            Scope scope,
            Resource<P, UnmanagedObjects.Net> resource,
            At<P, UnmanagedObjects.Net> at) {
        UnmanagedObjects.Net net = at.item();
        boolean ofRoot = at.parent() instanceof Root;
        List<String> usages = new ArrayList<>(2);
        if (net.forVms()) {
            usages.add("vm");
        }
        if (net.name().equals(scope.surroundings().data().networkName())) {
            usages.add("management");
        }
        return new Network(
                net.id(),
                at.href(),
                net.name(),
                "",
                "",
                scope.links(resource, at),
                net.mtu(),
                ofRoot ? null : net.required(),
                net.stp(),
                ofRoot ? null : "operational",
                Listing.of("usage", usages),
                net.name(),
                net.vlan() == null ? null : new HostNic.Vlan(net.vlan()),
                scope.reference(Kind.DATA_CENTER, net.dataCentre().toString()),
                scope.inlined(resource, at));
    }

    /** Networks of the root, a data centre or a cluster. */
    static final class Networks<P> extends Resource<P, UnmanagedObjects.Net> {
        private final java.util.function.BiPredicate<Scope, At<P, UnmanagedObjects.Net>> ofParent;
        private final @Nullable Supplier<FleetFields> fields;

        Networks(
                java.util.function.BiPredicate<Scope, At<P, UnmanagedObjects.Net>> ofParent,
                @Nullable Supplier<FleetFields> fields) {
            super(Kind.NETWORK);
            this.ofParent = ofParent;
            this.fields = fields;
        }

        @Override
        List<UnmanagedObjects.Net> list(Scope scope, P parent) {
            return scope.surroundings().networks().stream()
                    .filter(net -> DataCenterResource.isSeen(scope, net.dataCentre()))
                    .filter(net ->
                            ofParent.test(scope, new At<>(parent, "", net, "", Follow.NOTHING)))
                    .toList();
        }

        @Override
        String id(UnmanagedObjects.Net item) {
            return item.id();
        }

        @Override
        boolean isSearchable() {
            return fields != null;
        }

        @Override
        @Nullable Fields<UnmanagedObjects.Net> fields(Scope scope) {
            return fields == null ? null : fields.get().networks(scope);
        }

        @Override
        long most(Scope scope) {
            return scope.surroundings().networks().size();
        }

        @Override
        Object tell(Scope scope, At<P, UnmanagedObjects.Net> at) {
            return network(scope, this, at);
        }
    }

    /** vNIC profiles of the root or of a network. */
    static final class Profiles<P> extends Resource<P, UnmanagedObjects.Profile> {
        Profiles() {
            super(Kind.VNIC_PROFILE);
        }

        @Override
        List<UnmanagedObjects.Profile> list(Scope scope, P parent) {
            return scope.surroundings().profiles().stream()
                    .filter(profile ->
                            DataCenterResource.isSeen(scope, profile.network().dataCentre()))
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

    // Templates and pools

    /** The blank template. */
    static final class Templates extends Resource<Root, String> {
        Templates() {
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
            List<org.stillwater.core.model.Cluster> clusters =
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
                    new Vm.MemoryPolicy(
                            true, 1_024 * VmResource.MEBIBYTE, 4_096 * VmResource.MEBIBYTE),
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

    /** Pools. */
    static final class Pools extends Resource<Root, VmPool> {
        private static final Vm.Sso NO_SSO = new Vm.Sso(Listing.of("method", List.of()));
        private final Supplier<FleetFields> fields;

        Pools(Supplier<FleetFields> fields) {
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

    // Users and their rights

    /** A role as clients know it, with the permits that they look for. */
    record KnownRole(
            String id,
            String name,
            String description,
            boolean administrative,
            List<String> permits) {}

    private static final List<String> READING = List.of("login");
    private static final List<String> OPERATING =
            List.of(
                    "login",
                    "vm_basic_operations",
                    "run_vm",
                    "shut_down_vm",
                    "stop_vm",
                    "reboot_vm",
                    "reset_vm",
                    "hibernate_vm",
                    "connect_to_vm",
                    "migrate_vm");
    private static final List<String> EVERYTHING =
            List.of(
                    "login",
                    "create_vm",
                    "delete_vm",
                    "edit_vm_properties",
                    "vm_basic_operations",
                    "run_vm",
                    "shut_down_vm",
                    "stop_vm",
                    "reboot_vm",
                    "reset_vm",
                    "hibernate_vm",
                    "connect_to_vm",
                    "change_vm_cd",
                    "migrate_vm",
                    "vm_pool_basic_operations",
                    "create_vm_pool",
                    "delete_vm_pool",
                    "edit_vm_pool_configuration",
                    "manipulate_host",
                    "create_host",
                    "delete_host",
                    "edit_host_configuration",
                    "create_cluster",
                    "delete_cluster",
                    "edit_cluster_configuration",
                    "inject_external_events",
                    "audit_log_management");

    static final KnownRole SUPER_USER =
            new KnownRole(
                    "00000000-0000-0000-0000-000000000001",
                    "SuperUser",
                    "Everything",
                    true,
                    EVERYTHING);
    static final KnownRole USER_ROLE =
            new KnownRole(
                    "00000000-0000-0000-0001-000000000001",
                    "UserRole",
                    "Acts on VMs and reads",
                    false,
                    OPERATING);
    static final KnownRole READ_ONLY =
            new KnownRole(
                    "def00023-0000-0000-0000-def000000023",
                    "ReadOnlyAdmin",
                    "Reads",
                    true,
                    READING);

    static final List<KnownRole> ROLES = List.of(SUPER_USER, USER_ROLE, READ_ONLY);

    private static KnownRole of(Role role) {
        return switch (role) {
            case ADMINISTRATOR -> SUPER_USER;
            case OPERATOR -> USER_ROLE;
            case READER, SCRAPER, BENCHMARKER -> READ_ONLY;
        };
    }

    /** Roles. */
    static final class Roles extends Resource<Root, KnownRole> {
        Roles() {
            super(Kind.ROLE);
        }

        @Override
        List<KnownRole> list(Scope scope, Root parent) {
            return ROLES;
        }

        @Override
        String id(KnownRole item) {
            return item.id();
        }

        @Override
        Object tell(Scope scope, At<Root, KnownRole> at) {
            KnownRole role = at.item();
            return new org.stillwater.ovirt.model.Role(
                    role.id(),
                    at.href(),
                    role.name(),
                    role.description(),
                    scope.links(this, at),
                    role.administrative(),
                    false,
                    scope.inlined(this, at));
        }
    }

    static Resource<KnownRole, String> permits() {
        return new SmallResource<>(
                Kind.PERMIT,
                (_, role) -> role.permits(),
                permit -> Integer.toString(EVERYTHING.indexOf(permit) + 1),
                (scope, at) ->
                        new Permit(
                                Integer.toString(EVERYTHING.indexOf(at.item()) + 1),
                                at.href(),
                                at.item(),
                                at.parent().administrative(),
                                scope.reference(Kind.ROLE, at.parent().id())));
    }

    /** A grant of the caller. */
    record Held(String user, Grant grant) {
        String id() {
            return Uuids.of("permission", user, grant.toString());
        }
    }

    /** The grants of the caller that a condition picks. */
    static <P> Resource<P, Held> permissions(
            java.util.function.BiPredicate<P, org.stillwater.core.access.Scope> picked) {
        return new SmallResource<P, Held>(
                Kind.PERMISSION,
                (scope, parent) ->
                        scope.request().caller().grants().stream()
                                .filter(grant -> picked.test(parent, grant.scope()))
                                .map(grant -> new Held(scope.request().caller().name(), grant))
                                .sorted(java.util.Comparator.comparing(Held::id))
                                .toList(),
                Held::id,
                ReferenceResources::permission);
    }

    private static <P> Permission permission(Scope scope, At<P, Held> at) {
        Held held = at.item();
        ClusterId cluster =
                held.grant().scope() instanceof org.stillwater.core.access.Scope.OfCluster of
                        ? of.cluster()
                        : null;
        VmId vm =
                held.grant().scope() instanceof org.stillwater.core.access.Scope.OfVm of
                        ? of.vm()
                        : null;
        return new Permission(
                held.id(),
                at.href(),
                cluster == null ? null : scope.reference(Kind.CLUSTER, cluster.toString()),
                null,
                scope.reference(Kind.ROLE, of(held.grant().role()).id()),
                scope.reference(Kind.USER, Users.id(held.user())),
                vm == null ? null : scope.reference(Kind.VM, vm.toString()));
    }

    /** Users: the caller. */
    static final class UserList extends Resource<Root, String> {
        UserList() {
            super(Kind.USER);
        }

        @Override
        List<String> list(Scope scope, Root parent) {
            return Users.list(scope);
        }

        @Override
        @Nullable String find(Scope scope, Root parent, String id) {
            return Users.find(scope, id);
        }

        @Override
        String id(String item) {
            return Users.id(item);
        }

        @Override
        boolean isSearchable() {
            return true;
        }

        @Override
        Fields<String> fields(Scope scope) {
            return FleetFields.users();
        }

        @Override
        Object tell(Scope scope, At<Root, String> at) {
            return Users.tell(scope, this, at);
        }
    }

    /** Groups: everyone. */
    static final class Groups extends Resource<Root, String> {
        private static final String EVERYONE = "eee00000-0000-0000-0000-123456789eee";

        Groups() {
            super(Kind.GROUP);
        }

        @Override
        List<String> list(Scope scope, Root parent) {
            return List.of("Everyone");
        }

        @Override
        String id(String item) {
            return EVERYONE;
        }

        @Override
        boolean isSearchable() {
            return true;
        }

        @Override
        Fields<String> fields(Scope scope) {
            return FleetFields.named();
        }

        @Override
        Object tell(Scope scope, At<Root, String> at) {
            return new Group(
                    EVERYONE,
                    at.href(),
                    at.item(),
                    scope.links(this, at),
                    Users.domain(scope),
                    Uuids.hex(at.item()),
                    "*",
                    scope.inlined(this, at));
        }
    }

    /** Domains: the directory of the engine's own users. */
    static final class Domains extends Resource<Root, String> {
        Domains() {
            super(Kind.DOMAIN);
        }

        @Override
        List<String> list(Scope scope, Root parent) {
            return List.of(Users.DOMAIN);
        }

        @Override
        String id(String item) {
            return Uuids.hex(item);
        }

        @Override
        Object tell(Scope scope, At<Root, String> at) {
            return new Domain(
                    id(at.item()),
                    at.href(),
                    at.item(),
                    scope.links(this, at),
                    scope.inlined(this, at));
        }
    }

    // Constants

    static Resource<Root, String> icons() {
        return new SmallResource<>(
                Kind.ICON,
                (_, _) -> List.of(Icons.LARGE, Icons.SMALL),
                icon -> icon,
                (_, at) -> new Icon(at.item(), at.href(), PICTURE, "image/png"));
    }

    static Resource<Root, String> schedulingPolicies() {
        return new SmallResource<>(
                Kind.SCHEDULING_POLICY,
                (_, _) -> List.of("stillwater"),
                _ -> SCHEDULING_POLICY,
                (_, at) ->
                        new SchedulingPolicy(
                                SCHEDULING_POLICY,
                                at.href(),
                                at.item(),
                                "The engine's own weights",
                                true,
                                true));
    }

    static Resource<Root, String> macPools() {
        return new SmallResource<>(
                Kind.MAC_POOL,
                (_, _) -> List.of("Default"),
                _ -> MAC_POOL,
                (_, at) ->
                        new MacPool(
                                MAC_POOL,
                                at.href(),
                                at.item(),
                                "Default MAC pool",
                                true,
                                true,
                                Listing.of("range", List.of())));
    }

    /** A kind of system. */
    private record GuestSystem(String name, String description, String architecture) {}

    private static final List<GuestSystem> SYSTEMS =
            List.of(
                    new GuestSystem("other", "Other OS", "x86_64"),
                    new GuestSystem("other_linux", "Linux", "x86_64"),
                    new GuestSystem("rhel_7x64", "Red Hat Enterprise Linux 7.x x64", "x86_64"),
                    new GuestSystem("rhel_8x64", "Red Hat Enterprise Linux 8.x x64", "x86_64"),
                    new GuestSystem("rhel_9x64", "Red Hat Enterprise Linux 9.x x64", "x86_64"),
                    new GuestSystem("debian_9", "Debian 9+", "x86_64"),
                    new GuestSystem("ubuntu_18_04", "Ubuntu Bionic Beaver LTS+", "x86_64"),
                    new GuestSystem("sles_11", "SUSE Linux Enterprise Server 11+", "x86_64"),
                    new GuestSystem("windows_10x64", "Windows 10 x64", "x86_64"),
                    new GuestSystem("windows_2016x64", "Windows 2016 x64", "x86_64"),
                    new GuestSystem("windows_2019x64", "Windows 2019 x64", "x86_64"),
                    new GuestSystem("windows_2022", "Windows 2022", "x86_64"),
                    new GuestSystem("other_ppc64", "Other OS", "ppc64"),
                    new GuestSystem("other_s390x", "Other OS", "s390x"));

    static Resource<Root, ?> operatingSystems() {
        return new SmallResource<Root, GuestSystem>(
                Kind.OPERATING_SYSTEM,
                (_, _) -> SYSTEMS,
                system -> Integer.toString(SYSTEMS.indexOf(system)),
                (scope, at) ->
                        new OperatingSystemInfo(
                                Integer.toString(SYSTEMS.indexOf(at.item())),
                                at.href(),
                                at.item().name(),
                                at.item().description(),
                                at.item().architecture(),
                                scope.reference(Kind.ICON, Icons.LARGE),
                                scope.reference(Kind.ICON, Icons.SMALL)));
    }

    /** The option that names the proxy of consoles; a setting has its value. */
    private static final String WEB_SOCKET_PROXY = "WebSocketProxy";

    private static final Map<String, String> OPTIONS =
            Map.ofEntries(
                    Map.entry("MaxNumOfVmSockets", "16"),
                    Map.entry("MaxNumOfCpuPerSocket", "254"),
                    Map.entry("MaxNumOfThreadsPerCpu", "8"),
                    Map.entry("MaxNumOfVmCpus", "710"),
                    Map.entry("SpiceUsbAutoShare", "true"),
                    Map.entry("UserSessionTimeOutInterval", "30"),
                    Map.entry("DefaultGeneralTimeZone", "Etc/GMT"),
                    Map.entry("DefaultWindowsTimeZone", "GMT Standard Time"),
                    Map.entry(WEB_SOCKET_PROXY, ""),
                    Map.entry("ClientModeConsoleDefault", "vnc"),
                    Map.entry("ClientModeVncDefault", "Native"),
                    Map.entry("AlwaysFilterResultsForWebUi", "false"));

    /** Options that differ between levels of clusters. */
    private static final List<String> OF_LEVELS =
            List.of(
                    "MaxNumOfVmSockets",
                    "MaxNumOfCpuPerSocket",
                    "MaxNumOfThreadsPerCpu",
                    "MaxNumOfVmCpus");

    private static final List<String> LEVELS =
            List.of("4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8");

    static Resource<Root, String> options() {
        return new SmallResource<>(
                Kind.OPTION,
                (_, _) -> OPTIONS.keySet().stream().sorted().toList(),
                name -> name,
                (scope, at) -> {
                    String value =
                            at.item().equals(WEB_SOCKET_PROXY)
                                    ? scope.surroundings().data().webSocketProxy()
                                    : OPTIONS.getOrDefault(at.item(), "");
                    List<String> versions =
                            OF_LEVELS.contains(at.item()) ? LEVELS : List.of("general");
                    return new SystemOption(
                            at.item(),
                            at.href(),
                            at.item(),
                            Listing.of(
                                    "system_option_value",
                                    versions.stream()
                                            .map(version ->
                                                    new SystemOption.OptionValue(value, version))
                                            .toList()));
                });
    }

    static Resource<Root, String> clusterLevels() {
        return new SmallResource<>(
                Kind.CLUSTER_LEVEL,
                (_, _) -> LEVELS,
                level -> level,
                (scope, at) -> {
                    List<ClusterLevel.CpuType> types = new ArrayList<>();
                    for (var cluster : scope.fleet().clusters()) {
                        var type = cluster.requirements().cpuType();
                        if (type != null
                                && types.stream()
                                        .noneMatch(known -> known.name().equals(type.name()))) {
                            types.add(
                                    new ClusterLevel.CpuType(
                                            type.name(),
                                            types.size() + 1,
                                            VmResource.architecture(null, cluster)));
                        }
                    }
                    return new ClusterLevel(at.item(), at.href(), Listing.of("cpu_type", types));
                });
    }

    private static final List<String> SIZES = List.of("Tiny", "Small", "Medium", "Large", "XLarge");

    static Resource<Root, String> instanceTypes() {
        return new SmallResource<Root, String>(
                        Kind.INSTANCE_TYPE,
                        (_, _) -> SIZES,
                        size -> Uuids.of("instance_type", size),
                        (_, at) ->
                                new InstanceType(
                                        Uuids.of("instance_type", at.item()),
                                        at.href(),
                                        at.item(),
                                        at.item() + " instance type",
                                        Cpu.of("x86_64", new Topology(1, cpusOf(at.item()), 1)),
                                        mebibytesOf(at.item()) * VmResource.MEBIBYTE))
                .searchable(
                        Fields.<String>of()
                                .text("name", size -> size)
                                .text("description", size -> size + " instance type")
                                .number("mem", ReferenceResources::mebibytesOf)
                                .number("vcpus", ReferenceResources::cpusOf)
                                .id("id", size -> Uuids.of("instance_type", size))
                                .build());
    }

    private static int cpusOf(String size) {
        int step = SIZES.indexOf(size);
        return step < 2 ? 1 : step < 4 ? 2 : 4;
    }

    private static long mebibytesOf(String size) {
        return 512L << SIZES.indexOf(size);
    }
}
