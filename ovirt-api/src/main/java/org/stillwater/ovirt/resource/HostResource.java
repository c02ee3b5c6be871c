package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Host;
import org.stillwater.ovirt.model.Topology;
import org.stillwater.ovirt.model.Version;
import org.stillwater.ovirt.query.Fields;

/** Hosts (chapter 3.4). */
final class HostResource extends Resource<Resource.Root, HostView> {

    private static final String NO_ARGUMENTS = "";
    private static final Set<HostStatus> IN_MAINTENANCE =
            Set.of(HostStatus.MAINTENANCE, HostStatus.PREPARING_FOR_MAINTENANCE);

    private final Supplier<FleetFields> fields;

    HostResource(Supplier<FleetFields> fields) {
        super(Kind.HOST);
        this.fields = fields;
    }

    @Override
    List<HostView> list(Scope scope, Root parent) {
        return scope.fleet().hosts().stream().filter(scope::sees).toList();
    }

    @Override
    @Nullable HostView find(Scope scope, Root parent, String id) {
        return scope.host(id);
    }

    @Override
    String id(HostView item) {
        return item.state().definition().id().toString();
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<HostView> fields(Scope scope) {
        return fields.get().hosts(scope);
    }

    @Override
    boolean isLive() {
        return true;
    }

    static String status(HostStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    @Override
    Host tell(Scope scope, At<Root, HostView> at) {
        HostView host = at.item();
        HostState state = host.state();
        HostDefinition definition = state.definition();
        HostCapabilities capabilities = state.capabilities();
        HostStatistics statistics = host.statistics();
        Long physical = capabilities == null ? null : capabilities.memory().physicalMebibytes();
        return new Host(
                definition.id().toString(),
                at.href(),
                scope.actions(Kind.HOST, at.href()),
                definition.name(),
                "",
                definition.traits().comment(),
                scope.links(this, at),
                definition.address(),
                capabilities == null ? null : autoNuma(capabilities),
                capabilities == null ? null : cpu(capabilities),
                "ok",
                state.hardware() == null ? null : hardware(state.hardware()),
                scope.request().allContent() && statistics != null
                        ? hostedEngine(statistics)
                        : null,
                capabilities == null || capabilities.storage().iscsiInitiator() == null
                        ? null
                        : new Host.Iscsi(capabilities.storage().iscsiInitiator()),
                capabilities == null ? null : kdump(capabilities),
                statistics == null || statistics.ksm().running() == null
                        ? null
                        : new Host.Ksm(statistics.ksm().running()),
                capabilities == null || capabilities.software().packages().libvirt() == null
                        ? null
                        : Versions.of(
                                "libvirt-" + capabilities.software().packages().libvirt(),
                                capabilities.software().packages().libvirt()),
                physical == null ? null : schedulable(host, physical) * VmResource.MEBIBYTE,
                physical == null ? null : physical * VmResource.MEBIBYTE,
                false,
                capabilities == null ? null : capabilities.numaNodes().size() > 1,
                system(capabilities),
                definition.port(),
                new Host.PowerManagement(
                        true,
                        definition.traits().powerManagement(),
                        definition.traits().kdumpIntegration()),
                "stomp",
                capabilities == null ? null : seLinux(capabilities),
                new Host.Spm(
                        5,
                        definition.traits().storagePoolManager() && state.status() == HostStatus.UP
                                ? "spm"
                                : "none"),
                status(state.status()),
                detail(state.condition()),
                summary(host, statistics),
                statistics == null || statistics.memory().transparentHugePages() == null
                        ? null
                        : new Host.HugePages(
                                !statistics.memory().transparentHugePages().equals("never")),
                type(capabilities),
                false,
                capabilities == null ? null : agent(capabilities),
                scope.reference(Kind.CLUSTER, definition.cluster().toString()),
                scope.inlined(this, at));
    }

    private static @Nullable String autoNuma(HostCapabilities capabilities) {
        Integer code = capabilities.memory().autoNumaBalancing();
        return code == null
                ? null
                : switch (code) {
                    case 0 -> "disable";
                    case 1 -> "enable";
                    default -> "unknown";
                };
    }

    /** Clock speed is a whole number, also if the host reports a fraction (rule 10). */
    static @Nullable Cpu cpu(HostCapabilities capabilities) {
        HostCapabilities.Cpu cpu = capabilities.cpu();
        Double speed = cpu.speedMegahertz();
        Integer sockets = cpu.sockets();
        Integer cores = cpu.cores();
        Integer threads = cpu.threads();
        Topology topology = null;
        if (sockets != null && cores != null && sockets > 0 && cores > 0) {
            topology =
                    new Topology(
                            Math.max(1, cores / sockets),
                            sockets,
                            threads == null ? 1 : Math.max(1, threads / cores));
        }
        return new Cpu(
                null,
                cpu.model(),
                speed == null || !Double.isFinite(speed) ? null : Numbers.decimal(speed, 0),
                topology,
                model(cpu.flags()));
    }

    /** The newest of the models that the host names among its flags. */
    private static @Nullable String model(@Nullable String flags) {
        if (flags == null) {
            return null;
        }
        for (String flag : flags.split(",", 2_000)) {
            if (flag.startsWith("model_")) {
                return flag.substring("model_".length());
            }
        }
        return null;
    }

    private static Host.HardwareInformation hardware(HostHardware hardware) {
        return new Host.HardwareInformation(
                hardware.family(),
                hardware.manufacturer(),
                hardware.productName(),
                hardware.serialNumber(),
                hardware.uuid(),
                hardware.version());
    }

    private static Host.HostedEngine hostedEngine(HostStatistics statistics) {
        HostStatistics.HostedEngine engine = statistics.hostedEngine();
        return new Host.HostedEngine(
                engine.active(),
                engine.configured(),
                engine.globalMaintenance(),
                engine.localMaintenance(),
                engine.score());
    }

    private static String kdump(HostCapabilities capabilities) {
        Integer status = capabilities.kdumpStatus();
        return status == null || status < 0 ? "unknown" : status == 0 ? "disabled" : "enabled";
    }

    static long schedulable(HostView host, long physicalMebibytes) {
        return Math.max(0, physicalMebibytes - host.committedMemoryMebibytes());
    }

    /**
     * The system of a host, always there: no kernel has arguments of the engine's, and Ansible's
     * {@code ovirt_host} parses them.
     */
    private static Host.OperatingSystem system(@Nullable HostCapabilities capabilities) {
        if (capabilities == null) {
            return new Host.OperatingSystem(NO_ARGUMENTS, null, null, null);
        }
        HostCapabilities.OperatingSystem system = capabilities.software().operatingSystem();
        String version = system.version();
        String full =
                version == null
                        ? null
                        : system.release() == null || system.release().isBlank()
                                ? version
                                : version + " - " + system.release();
        return new Host.OperatingSystem(
                NO_ARGUMENTS,
                capabilities.software().kernelArguments(),
                system.name(),
                version == null || full == null ? null : Versions.of(full, version));
    }

    private static Host.@Nullable SeLinux seLinux(HostCapabilities capabilities) {
        Integer mode = capabilities.security().selinuxMode();
        return mode == null
                ? null
                : new Host.SeLinux(mode < 0 ? "disabled" : mode == 0 ? "permissive" : "enforcing");
    }

    private static @Nullable String detail(HostCondition condition) {
        if (condition.status() == HostStatus.NON_OPERATIONAL) {
            return condition.nonOperational().name().toLowerCase(Locale.ROOT);
        }
        return IN_MAINTENANCE.contains(condition.status()) ? condition.maintenanceReason() : null;
    }

    private static Host.Summary summary(HostView host, @Nullable HostStatistics statistics) {
        Integer active = statistics == null ? null : statistics.vms().active();
        Integer migrating = statistics == null ? null : statistics.vms().migrating();
        return new Host.Summary(
                active == null ? host.vms() : active,
                migrating == null ? 0 : migrating,
                host.vms());
    }

    private static String type(@Nullable HostCapabilities capabilities) {
        HostCapabilities.OperatingSystem system =
                capabilities == null ? null : capabilities.software().operatingSystem();
        String name = system == null ? null : system.label();
        return name != null && name.toLowerCase(Locale.ROOT).contains("node")
                ? "ovirt_node"
                : "rhel";
    }

    static @Nullable Version agent(HostCapabilities capabilities) {
        String version = capabilities.software().version();
        return version == null ? null : Versions.of("vdsm-" + version, version);
    }

    /** The thirteen of a host, and two for each size of huge pages. */
    static List<Reading> readings(Scope scope, HostView host) {
        HostCapabilities capabilities = host.state().capabilities();
        HostStatistics numbers = host.statistics();
        Long physical = capabilities == null ? null : capabilities.memory().physicalMebibytes();
        Integer percent = host.usage().memoryPercent();
        long total = physical == null ? 0 : physical * VmResource.MEBIBYTE;
        List<Reading> readings = new ArrayList<>(17);
        readings.add(new Reading(Measure.MEMORY_TOTAL, Numbers.of(total)));
        readings.add(
                new Reading(
                        Measure.MEMORY_USED,
                        Numbers.of(percent == null ? 0 : total * percent / 100)));
        HostStatistics.Memory memory = numbers == null ? null : numbers.memory();
        Long swapTotal = memory == null ? null : memory.swapTotalMebibytes();
        Long swapFree = memory == null ? null : memory.swapFreeMebibytes();
        readings.add(
                new Reading(
                        Measure.MEMORY_FREE,
                        Numbers.of(bytes(memory == null ? null : memory.freeMebibytes()))));
        readings.add(
                new Reading(
                        Measure.MEMORY_SHARED,
                        Numbers.of(bytes(memory == null ? null : memory.sharedMebibytes()))));
        readings.add(new Reading(Measure.SWAP_TOTAL, Numbers.of(bytes(swapTotal))));
        readings.add(new Reading(Measure.SWAP_FREE, Numbers.of(bytes(swapFree))));
        readings.add(
                new Reading(
                        Measure.SWAP_USED,
                        Numbers.of(
                                bytes(
                                        swapTotal == null || swapFree == null
                                                ? null
                                                : (Long) Math.max(0, swapTotal - swapFree)))));
        HostStatistics.Cpu cpu = numbers == null ? null : numbers.cpu();
        readings.add(
                new Reading(
                        Measure.KSM_CPU,
                        Numbers.of(numbers == null ? null : numbers.ksm().cpuPercent())));
        readings.add(
                new Reading(
                        Measure.CPU_USER,
                        Numbers.orZero(Numbers.of(cpu == null ? null : cpu.userPercent()))));
        readings.add(
                new Reading(
                        Measure.CPU_SYSTEM,
                        Numbers.orZero(Numbers.of(cpu == null ? null : cpu.systemPercent()))));
        readings.add(
                new Reading(Measure.CPU_IDLE, Numbers.of(cpu == null ? null : cpu.idlePercent())));
        readings.add(new Reading(Measure.CPU_LOAD, Numbers.of(cpu == null ? null : cpu.load())));
        readings.add(
                new Reading(
                        Measure.BOOT_TIME,
                        Numbers.of(numbers == null ? null : numbers.bootTimeEpochSeconds())));
        if (memory != null) {
            memory.hugePages()
                    .forEach((size, pages) -> {
                        readings.add(
                                new Reading(
                                        Measure.hugePages(size, "free"), Numbers.of(pages.free())));
                        readings.add(
                                new Reading(
                                        Measure.hugePages(size, "total"),
                                        Numbers.of(pages.total())));
                    });
        }
        return readings;
    }

    private static @Nullable Long bytes(@Nullable Long mebibytes) {
        return mebibytes == null ? null : (Long) (mebibytes * VmResource.MEBIBYTE);
    }

    /** Name of a host; null if it is not there. */
    static @Nullable String name(Scope scope, @Nullable HostId id) {
        HostView host = id == null ? null : scope.fleet().host(id);
        return host == null ? null : host.state().definition().name();
    }
}
