package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.stillwater.ovirt.model.ClusterLevel;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Icon;
import org.stillwater.ovirt.model.InstanceType;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.MacPool;
import org.stillwater.ovirt.model.OperatingSystemInfo;
import org.stillwater.ovirt.model.SchedulingPolicy;
import org.stillwater.ovirt.model.SystemOption;
import org.stillwater.ovirt.model.Topology;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.Root;

/**
 * Constants of the engine that clients read (chapters 3.11, 3.13): icons, systems, options, levels
 * of clusters, sizes of instances, one policy of scheduling and one MAC pool. Every identity in
 * other answers is found here.
 */
final class ReferenceResources {

    static final String MAC_POOL = Uuids.of("mac_pool", "Default");
    static final String SCHEDULING_POLICY = Uuids.of("scheduling_policy", "stillwater");

    /** A grey point. */
    private static final String PICTURE =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

    private ReferenceResources() {}

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
