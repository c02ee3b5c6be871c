package org.stillwater.ovirt.resource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.query.Reference;

/**
 * Searchable fields (chapter 2.5). A search reveals no value that the API hides from a filtered
 * caller: for such a caller VMs have no host.
 *
 * <p>It is long because it is a table with a row for each searchable field.
 */
final class FleetFields {

    private static final double GIBIBYTE = 1L << 30;

    private static final List<String> SEVERITIES =
            Arrays.stream(AuditSeverity.values()).map(AuditSeverity::label).toList();

    /** Names that are looked up again and again while a list is searched. */
    private static final class Names {
        private final Map<HostId, HostView> hosts = new HashMap<>();
        private final Map<ClusterId, Cluster> clusters = new HashMap<>();
        private final Map<DataCentreId, String> dataCentres = new HashMap<>();

        Names(Scope scope) {
            for (HostView host : scope.fleet().hosts()) {
                hosts.put(host.state().definition().id(), host);
            }
            for (Cluster cluster : scope.fleet().clusters()) {
                clusters.put(cluster.id(), cluster);
            }
            for (DataCentre dataCentre : scope.fleet().dataCentres()) {
                dataCentres.put(dataCentre.id(), dataCentre.name());
            }
        }

        @Nullable String cluster(ClusterId id) {
            Cluster cluster = clusters.get(id);
            return cluster == null ? null : cluster.name();
        }

        @Nullable String dataCentreOf(ClusterId id) {
            Cluster cluster = clusters.get(id);
            return cluster == null ? null : dataCentres.get(cluster.dataCentre());
        }
    }

    private static <T, R> Reference<T, R> reference(
            String name,
            Function<T, Collection<R>> targets,
            java.util.function.Supplier<Fields<R>> fields) {
        return new Reference<>(name, targets, fields);
    }

    private static Function<VmView, @Nullable String> words(
            Scope scope, Function<VmSpecification, @Nullable String> which) {
        return vm -> VmResource.words(scope.fleet().specification(vm.id()), which);
    }

    Fields<VmView> vms(Scope scope) {
        Names names = new Names(scope);
        TagRegistry tags = scope.fleet().tags();
        boolean filtered = scope.filtered();
        Function<VmView, @Nullable HostView> host =
                vm -> {
                    HostId id = vm.state().placement().runOn();
                    return filtered || id == null ? null : names.hosts.get(id);
                };
        Function<VmView, Collection<HostView>> hosts =
                vm -> {
                    HostView on = host.apply(vm);
                    return on == null ? List.of() : List.of(on);
                };
        Fields.Builder<VmView> fields = Fields.of();
        fields.text("name", vm -> vm.definition().name())
                .text("comment", words(scope, VmSpecification::comment))
                .text("description", words(scope, VmSpecification::description))
                .id("id", vm -> vm.id().toString())
                .words("status", FleetFields::statusWords)
                .texts("ip", FleetFields::addresses)
                .text("fqdn", vm -> vm.state().runtime().text(RuntimeField.FQDN))
                .text(
                        "on_host",
                        vm -> {
                            HostView on = host.apply(vm);
                            return on == null ? null : on.state().definition().name();
                        })
                .text("cluster", vm -> names.cluster(vm.definition().cluster()))
                .text("datacenter", vm -> names.dataCentreOf(vm.definition().cluster()))
                .text(
                        "pool",
                        vm -> {
                            VmPool pool = scope.fleet().poolOf(vm.id());
                            return pool == null ? null : pool.name();
                        })
                .text(
                        "os",
                        vm -> VmResource.traits(scope.fleet().specification(vm.id())).guestSystem())
                .word("type", vm -> VmResource.type(scope.fleet().specification(vm.id())))
                .span(
                        "uptime",
                        vm -> {
                            VmStatisticsView numbers = scope.fleet().statistics(vm.id());
                            Long elapsed = numbers == null ? null : numbers.elapsedSeconds();
                            return elapsed == null ? null : Duration.ofSeconds(elapsed);
                        })
                .time("creationdate", vm -> scope.fleet().created(vm.id()))
                .text("address", vm -> vm.state().runtime().clientIp())
                .number("cpu_usage", vm -> usage(scope, vm, VmStatisticsView::usageCpuPercent))
                .number("mem_usage", vm -> usage(scope, vm, VmStatisticsView::usageMemoryPercent))
                .number(
                        "network_usage",
                        vm -> usage(scope, vm, VmStatisticsView::usageNetworkPercent))
                .number("memory", vm -> EffectiveDefinition.told(scope, vm).memoryMebibytes())
                .number(
                        "guaranteed_memory",
                        vm -> EffectiveDefinition.told(scope, vm).guaranteedMemoryMebibytes())
                .number("vcpus", vm -> EffectiveDefinition.told(scope, vm).cpus())
                .number(
                        "migration_progress_percent",
                        vm -> usage(scope, vm, VmStatisticsView::migrationProgressPercent))
                .texts("apps", VmParts::applications)
                .texts("tag", vm -> tags.words(vm.id()))
                .text("quota", _ -> null)
                .word(
                        "architecture",
                        vm -> {
                            VmSpecification specification =
                                    EffectiveDefinition.told(scope, vm).specification();
                            return VmResource.architecture(
                                    specification == null ? null : specification.architecture(),
                                    names.clusters.get(vm.definition().cluster()));
                        })
                .text("loggedinuser", vm -> vm.state().placement().run().consoleUser())
                .flag(
                        "next_run_config_exists",
                        vm -> EffectiveDefinition.changes(scope.fleet(), vm))
                .flag(
                        "has_illegal_images",
                        vm -> vm.state().runtime().status() == VmStatus.IMAGE_ILLEGAL)
                .word(
                        "bios_type",
                        vm -> {
                            VmSpecification specification =
                                    EffectiveDefinition.told(scope, vm).specification();
                            return specification == null
                                    ? "q35_sea_bios"
                                    : VmResource.biosType(specification);
                        })
                .text("compatibility_level", vm -> level(names, vm.definition().cluster()))
                .id("created_by_user_id", _ -> null)
                .text("template", _ -> "Blank")
                .id(
                        "_host_id",
                        vm -> {
                            HostId id = vm.state().placement().runOn();
                            return filtered || id == null ? null : id.toString();
                        });
        for (String name : List.of("host", "hosts")) {
            fields.reference(reference(name, hosts, () -> hosts(scope)));
        }
        for (String name : List.of("event", "events")) {
            fields.reference(
                    reference(
                            name,
                            (VmView vm) ->
                                    scope.fleet().events().stream()
                                            .filter(event -> vm.id().equals(event.vmId()))
                                            .filter(event -> EventResource.isSeen(scope, event))
                                            .toList(),
                            () -> events(scope)));
        }
        fields.reference(
                reference("storage", (VmView vm) -> storagesOf(scope, vm), () -> storages(scope)));
        fields.reference(
                reference(
                        "vnic",
                        (VmView vm) -> vm.definition().nics(),
                        () ->
                                Fields.<VmNic>of()
                                        .text("name", VmNic::name)
                                        .text("mac", VmNic::mac)
                                        .build()));
        fields.reference(
                reference("templates", (VmView _) -> List.of("Blank"), () -> templates(scope)));
        fields.reference(
                reference(
                        "users",
                        (VmView vm) -> {
                            String user = vm.state().placement().run().consoleUser();
                            return user == null ? List.of() : List.of(user);
                        },
                        FleetFields::users));
        return fields.build();
    }

    private static Collection<UnmanagedObjects.Storage> storagesOf(Scope scope, VmView vm) {
        var wanted =
                KnownDisk.of(scope.fleet(), vm).stream()
                        .map(disk -> disk.domain(scope.surroundings()))
                        .toList();
        return scope.surroundings().storages().stream()
                .filter(storage -> wanted.contains(storage.id()))
                .toList();
    }

    private static Collection<String> statusWords(VmView vm) {
        VmStatus status = vm.state().runtime().status();
        String told = VmResource.status(status);
        return told.equals(status.label()) ? List.of(told) : List.of(told, status.label());
    }

    private static Collection<String> addresses(VmView vm) {
        String ips = vm.state().runtime().guestIps();
        return ips == null || ips.isBlank() ? List.of() : List.of(ips.strip().split(" +"));
    }

    private static @Nullable Integer usage(
            Scope scope, VmView vm, Function<VmStatisticsView, @Nullable Integer> value) {
        VmStatisticsView numbers = scope.fleet().statistics(vm.id());
        return numbers == null ? null : value.apply(numbers);
    }

    private static @Nullable String level(Names names, ClusterId id) {
        Cluster cluster = names.clusters.get(id);
        var version = cluster == null ? null : cluster.requirements().version();
        return version == null ? "4.7" : version.toString();
    }

    Fields<HostView> hosts(Scope scope) {
        Names names = new Names(scope);
        TagRegistry tags = scope.fleet().tags();
        Function<HostView, ClusterId> cluster = host -> host.state().definition().cluster();
        Fields.Builder<HostView> fields = Fields.of();
        fields.text("name", host -> host.state().definition().name())
                .text("comment", host -> host.state().definition().traits().comment())
                .text("address", host -> host.state().definition().address())
                .text("cluster", host -> names.cluster(cluster.apply(host)))
                .text("datacenter", host -> names.dataCentreOf(cluster.apply(host)))
                .word("status", host -> HostResource.status(host.state().status()))
                .word("external_status", _ -> "ok")
                .id("id", host -> host.state().definition().id().toString())
                .id(
                        "hw_id",
                        host ->
                                host.state().hardware() == null
                                        ? null
                                        : host.state().hardware().uuid())
                .number("spm_id", _ -> null)
                .number("active_vms", HostView::vms)
                .number("migrating_vms", host -> vmsOf(host, HostStatistics.Vms::migrating))
                .number("mem_usage", host -> host.usage().memoryPercent())
                .number("cpu_usage", host -> host.usage().cpuPercent())
                .number("network_usage", host -> host.usage().networkPercent())
                .number(
                        "load",
                        host -> host.statistics() == null ? null : host.statistics().cpu().load())
                .text(
                        "version",
                        host -> of(host, capabilities -> capabilities.software().version()))
                .number("cpus", host -> of(host, capabilities -> capabilities.cpu().cores()))
                .number(
                        "memory",
                        host -> of(host, capabilities -> capabilities.memory().physicalMebibytes()))
                .number(
                        "cpu_speed",
                        host -> of(host, capabilities -> capabilities.cpu().speedMegahertz()))
                .text("cpu_model", host -> of(host, capabilities -> capabilities.cpu().model()))
                .number("committed_mem", HostView::committedMemoryMebibytes)
                .texts("tag", host -> tags.words(host.state().definition().id()))
                .word("type", _ -> "rhel")
                .word(
                        "architecture",
                        host ->
                                VmResource.architecture(
                                        null, names.clusters.get(cluster.apply(host))))
                .flag("update_available", _ -> false)
                .number(
                        "ha_score",
                        host ->
                                host.statistics() == null
                                        ? null
                                        : host.statistics().hostedEngine().score());
        for (String name : List.of("vm", "vms")) {
            fields.reference(
                    reference(name, (HostView host) -> vmsOn(scope, host), () -> vms(scope)));
        }
        for (String name : List.of("event", "events")) {
            fields.reference(
                    reference(
                            name,
                            (HostView host) ->
                                    scope.fleet().events().stream()
                                            .filter(event ->
                                                    host.state()
                                                            .definition()
                                                            .id()
                                                            .equals(event.hostId()))
                                            .filter(event -> EventResource.isSeen(scope, event))
                                            .toList(),
                            () -> events(scope)));
        }
        fields.reference(
                reference("templates", (HostView _) -> List.of("Blank"), () -> templates(scope)));
        fields.reference(
                reference(
                        "users",
                        (HostView host) ->
                                vmsOn(scope, host).stream()
                                        .map(vm -> vm.state().placement().run().consoleUser())
                                        .filter(Objects::nonNull)
                                        .toList(),
                        FleetFields::users));
        fields.reference(
                reference(
                        "storage",
                        (HostView host) -> {
                            DataCentreId home =
                                    scope.surroundings().dataCentre(cluster.apply(host));
                            return scope.surroundings().storages().stream()
                                    .filter(storage -> storage.dataCentre().equals(home))
                                    .toList();
                        },
                        () -> storages(scope)));
        fields.reference(
                reference(
                        "nic",
                        HostParts::cards,
                        () ->
                                Fields.<HostParts.Card>of()
                                        .text("name", HostParts.Card::name)
                                        .text("mac", HostParts.Card::mac)
                                        .text("network_name", HostParts.Card::network)
                                        .build()));
        return fields.build();
    }

    /** VMs that run on a host, by name; found once for all hosts. */
    private static List<VmView> vmsOn(Scope scope, HostView host) {
        if (scope.filtered()) {
            return List.of();
        }
        Map<HostId, List<VmView>> running =
                scope.once(
                        "running",
                        () -> {
                            Map<HostId, List<VmView>> found = new HashMap<>();
                            for (VmView vm : scope.vms()) {
                                HostId on = vm.state().placement().runOn();
                                if (on != null) {
                                    found.computeIfAbsent(on, _ -> new ArrayList<>()).add(vm);
                                }
                            }
                            return found;
                        });
        return running.getOrDefault(host.state().definition().id(), List.of());
    }

    private static <V> @Nullable V of(
            HostView host, Function<HostCapabilities, @Nullable V> value) {
        HostCapabilities capabilities = host.state().capabilities();
        return capabilities == null ? null : value.apply(capabilities);
    }

    private static @Nullable Integer vmsOf(
            HostView host, Function<HostStatistics.Vms, @Nullable Integer> value) {
        return host.statistics() == null ? null : value.apply(host.statistics().vms());
    }

    Fields<Cluster> clusters(Scope scope) {
        return Fields.<Cluster>of()
                .text("name", Cluster::name)
                .text("description", Cluster::description)
                .text("comment", _ -> "")
                .id("id", cluster -> cluster.id().toString())
                .word("architecture", cluster -> VmResource.architecture(null, cluster))
                .text(
                        "compatibility_level",
                        cluster ->
                                cluster.requirements().version() == null
                                        ? "4.7"
                                        : cluster.requirements().version().toString())
                .text(
                        "cpu_type",
                        cluster ->
                                cluster.requirements().cpuType() == null
                                        ? null
                                        : cluster.requirements().cpuType().name())
                .text(
                        "datacenter",
                        cluster ->
                                scope.fleet().dataCentres().stream()
                                        .filter(each -> each.id().equals(cluster.dataCentre()))
                                        .map(DataCentre::name)
                                        .findFirst()
                                        .orElse(null))
                .build();
    }

    Fields<DataCentre> dataCentres(Scope scope) {
        return Fields.<DataCentre>of()
                .text("name", DataCentre::name)
                .text("description", DataCentre::description)
                .text("comment", _ -> "")
                .id("id", each -> each.id().toString())
                .word("status", each -> DataCenterResource.status(scope, each.id()))
                .flag("local", _ -> false)
                .text(
                        "compatibility_version",
                        each -> {
                            var version = DataCenterResource.version(scope, each.id());
                            return version.major() + "." + version.minor();
                        })
                .reference(
                        reference(
                                "clusters",
                                (DataCentre each) ->
                                        scope.fleet().clusters().stream()
                                                .filter(cluster ->
                                                        cluster.dataCentre().equals(each.id()))
                                                .filter(cluster -> scope.sees(cluster.id()))
                                                .toList(),
                                () -> clusters(scope)))
                .build();
    }

    Fields<KnownDisk> disks(Scope scope) {
        Names names = new Names(scope);
        return Fields.<KnownDisk>of()
                .text("alias", KnownDisk::name)
                .text("name", KnownDisk::name)
                .text("description", _ -> "")
                .id("id", KnownDisk::id)
                .number("provisioned_size", disk -> inGibibytes(disk.actualBytes()))
                .number("size", disk -> inGibibytes(disk.actualBytes()))
                .number("actual_size", disk -> inGibibytes(disk.actualBytes()))
                .time("creation_date", disk -> scope.fleet().created(disk.vm().id()))
                .word("status", _ -> "ok")
                .word("disk_type", disk -> disk.lun() == null ? "image" : "lun")
                .word("disk_content_type", _ -> "data")
                .flag("shareable", KnownDisk::shareable)
                .number("number_of_vms", disk -> users(scope, disk).size())
                .texts("vm_names", disk -> users(scope, disk))
                .text("quota", _ -> null)
                .time("last_modified", _ -> null)
                .text("datacenter", disk -> names.dataCentreOf(disk.vm().definition().cluster()))
                .reference(
                        reference(
                                "storage",
                                (KnownDisk disk) -> {
                                    if (disk.lun() != null) {
                                        return List.of();
                                    }
                                    String wanted = disk.domain(scope.surroundings());
                                    return scope.surroundings().storages().stream()
                                            .filter(each -> each.id().equals(wanted))
                                            .toList();
                                },
                                () -> storages(scope)))
                .reference(
                        reference(
                                "datacenter",
                                (KnownDisk disk) ->
                                        dataCentreOf(scope, disk.vm().definition().cluster()),
                                () -> dataCentres(scope)))
                .reference(
                        reference("vms", (KnownDisk disk) -> List.of(disk.vm()), () -> vms(scope)))
                .build();
    }

    /** Names of the VMs that have a disk: of one that is not shared, its one. */
    private static List<String> users(Scope scope, KnownDisk disk) {
        String name = disk.vm().definition().name();
        if (!disk.shareable()) {
            return List.of(name);
        }
        Map<String, List<String>> shared =
                scope.once(
                        "shared",
                        () -> {
                            Map<String, List<String>> found = new HashMap<>();
                            for (VmView vm : scope.vms()) {
                                for (KnownDisk each : KnownDisk.of(scope.fleet(), vm)) {
                                    if (each.shareable()) {
                                        found.computeIfAbsent(each.id(), _ -> new ArrayList<>())
                                                .add(vm.definition().name());
                                    }
                                }
                            }
                            return found;
                        });
        return shared.getOrDefault(disk.id(), List.of(name));
    }

    private static List<DataCentre> dataCentreOf(Scope scope, ClusterId cluster) {
        DataCentreId home = scope.surroundings().dataCentre(cluster);
        return scope.fleet().dataCentres().stream().filter(each -> each.id().equals(home)).toList();
    }

    private static @Nullable Double inGibibytes(@Nullable Long bytes) {
        return bytes == null ? null : (Double) (bytes / GIBIBYTE);
    }

    Fields<AuditEntry> events(Scope scope) {
        Names names = new Names(scope);
        return Fields.<AuditEntry>of()
                .number("type", event -> event.event().code())
                .ranked("severity", event -> event.event().severity().label(), SEVERITIES)
                .text("message", AuditEntry::text)
                .time("time", AuditEntry::at)
                .text("usrname", event -> event.details().get("user"))
                .text("event_host", AuditEntry::hostName)
                .text("event_vm", AuditEntry::vmName)
                .text("event_template", _ -> null)
                .text("event_storage", event -> event.details().get("storage"))
                .text(
                        "event_datacenter",
                        event -> {
                            ClusterId cluster = EventResource.cluster(scope, event);
                            return cluster == null ? null : names.dataCentreOf(cluster);
                        })
                .text("event_volume", _ -> null)
                .text("correlation_id", EventResource::correlation)
                .text("origin", EventResource::origin)
                .number("custom_event_id", EventResource::customId)
                .flag("deleted", _ -> false)
                .number("id", AuditEntry::id)
                .id("_event_vm_id", event -> event.vmId() == null ? null : event.vmId().toString())
                .id(
                        "_event_host_id",
                        event ->
                                event.hostId() == null
                                                || !(scope.readsAll()
                                                        || EventResource.host(scope, event) != null)
                                        ? null
                                        : event.hostId().toString())
                .build();
    }

    Fields<Operation> jobs(Scope scope) {
        return Fields.<Operation>of()
                .text("correlation_id", operation -> operation.origin().correlation())
                .id("id", operation -> operation.id().toString())
                .word("status", operation -> JobResource.status(operation.state()))
                .text("description", operation -> JobResource.description(scope, operation))
                .time("start_time", Operation::createdAt)
                .time("end_time", Operation::endedAt)
                .text("owner", operation -> operation.origin().requestedBy())
                .build();
    }

    Fields<UnmanagedObjects.Storage> storages(Scope scope) {
        Map<DataCentreId, String> names = new HashMap<>();
        scope.fleet().dataCentres().forEach(each -> names.put(each.id(), each.name()));
        ReferenceData data = scope.surroundings().data();
        Function<UnmanagedObjects.Storage, Long> used =
                storage -> StorageResources.used(scope).getOrDefault(storage.id(), 0L);
        return Fields.<UnmanagedObjects.Storage>of()
                .text("name", UnmanagedObjects.Storage::name)
                .word("status", storage -> storage.valid() ? "active" : "inactive")
                .word("shared_status", storage -> storage.valid() ? "active" : "inactive")
                .word("external_status", storage -> storage.valid() ? "ok" : "error")
                .text("datacenter", storage -> names.get(storage.dataCentre()))
                .word("type", _ -> "data")
                .number(
                        "free_size",
                        storage -> inGibibytes(data.availableBytes(used.apply(storage))))
                .number(
                        "used_size",
                        storage ->
                                data.storageBytes() == null
                                        ? null
                                        : inGibibytes(used.apply(storage)))
                .number("total_size", _ -> inGibibytes(data.storageBytes()))
                .number("committed", storage -> inGibibytes(used.apply(storage)))
                .text("comment", _ -> "")
                .text("description", _ -> "")
                .flag("backup", _ -> false)
                .id("id", UnmanagedObjects.Storage::id)
                .build();
    }

    Fields<UnmanagedObjects.Net> networks(Scope scope) {
        Map<DataCentreId, String> names = new HashMap<>();
        scope.fleet().dataCentres().forEach(each -> names.put(each.id(), each.name()));
        return Fields.<UnmanagedObjects.Net>of()
                .text("name", UnmanagedObjects.Net::name)
                .text("description", _ -> "")
                .text("comment", _ -> "")
                .number("vlanid", UnmanagedObjects.Net::vlan)
                .number("mtu", UnmanagedObjects.Net::mtu)
                .flag("vmnetwork", UnmanagedObjects.Net::forVms)
                .text("datacenter", net -> names.get(net.dataCentre()))
                .text("label", _ -> null)
                .flag("stp", UnmanagedObjects.Net::stp)
                .text("provider_name", _ -> null)
                .id("id", UnmanagedObjects.Net::id)
                .build();
    }

    Fields<VmPool> pools(Scope scope) {
        Names names = new Names(scope);
        return Fields.<VmPool>of()
                .text("name", VmPool::name)
                .text("description", VmPool::description)
                .text("comment", _ -> "")
                .word("type", _ -> "automatic")
                .text("cluster", pool -> names.cluster(pool.cluster()))
                .text("datacenter", pool -> names.dataCentreOf(pool.cluster()))
                .number(
                        "assigned_vm_count",
                        pool ->
                                scope.seen(pool.cluster(), pool.members().keySet()).stream()
                                        .filter(vm -> pool.members().get(vm) != null)
                                        .count())
                .number(
                        "running_vm_count",
                        pool ->
                                scope.seen(pool.cluster(), pool.members().keySet()).stream()
                                        .map(scope.fleet()::vm)
                                        .filter(vm ->
                                                vm != null
                                                        && vm.state()
                                                                .runtime()
                                                                .status()
                                                                .isRunning())
                                        .count())
                .id("id", pool -> pool.id().toString())
                .build();
    }

    static Fields<String> templates(Scope scope) {
        Cluster first =
                scope.fleet().clusters().stream()
                        .filter(each -> scope.sees(each.id()))
                        .findFirst()
                        .orElse(null);
        String dataCentre =
                first == null
                        ? null
                        : scope.fleet().dataCentres().stream()
                                .filter(each -> each.id().equals(first.dataCentre()))
                                .map(DataCentre::name)
                                .findFirst()
                                .orElse(null);
        return Fields.<String>of()
                .text("name", name -> name)
                .text("comment", _ -> "")
                .text("description", _ -> "Blank template")
                .word("status", _ -> "ok")
                .text("cluster", _ -> first == null ? null : first.name())
                .text("datacenter", _ -> dataCentre)
                .text("os", _ -> "other")
                .number("mem", _ -> 1024)
                .number("childcount", _ -> 0)
                .time("creationdate", _ -> java.time.Instant.EPOCH)
                .text("version_name", _ -> "base version")
                .texts("tag", _ -> List.of())
                .word("architecture", _ -> "x86_64")
                .flag("sealed", _ -> false)
                .id("id", _ -> Uuids.ZERO)
                .build();
    }

    static Fields<String> users() {
        return Fields.<String>of()
                .text("name", Users::login)
                .text("lastname", _ -> "")
                .text("usrname", name -> Users.login(name) + "@" + Users.DOMAIN)
                .text("directory", _ -> Users.DOMAIN)
                .text("login", Users::login)
                .text("department", _ -> "")
                .texts("tag", _ -> List.of())
                .word("type", _ -> "user")
                .id("id", Users::id)
                .build();
    }

    static Fields<String> named() {
        return Fields.<String>of().text("name", name -> name).build();
    }
}
