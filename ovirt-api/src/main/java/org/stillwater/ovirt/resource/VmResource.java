package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Identified;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Property;
import org.stillwater.ovirt.model.Topology;
import org.stillwater.ovirt.model.Version;
import org.stillwater.ovirt.model.Vm;
import org.stillwater.ovirt.query.Fields;

/** VMs (chapter 3.5). */
final class VmResource extends Resource<Resource.Root, VmView> {

    static final long MEBIBYTE = 1L << 20;
    private static final Listing<String> FROM_DISK = Listing.of("device", List.of("hd"));
    private static final Vm.Sso SSO =
            new Vm.Sso(Listing.of("method", List.of(new Identified("guest_agent"))));

    private static final Vm.Io ONE_THREAD = new Vm.Io(1);
    private static final Vm.SerialNumber SERIAL_OF_HOST = new Vm.SerialNumber("host");
    private static final Vm.Usb NO_USB = new Vm.Usb(false);

    private final Supplier<FleetFields> fields;

    VmResource(Supplier<FleetFields> fields) {
        super(Kind.VM);
        this.fields = fields;
    }

    @Override
    List<VmView> list(Scope scope, Root parent) {
        return scope.vms();
    }

    @Override
    @Nullable VmView find(Scope scope, Root parent, String id) {
        return scope.vm(id);
    }

    @Override
    String id(VmView item) {
        return item.id().toString();
    }

    @Override
    boolean isSearchable() {
        return true;
    }

    @Override
    Fields<VmView> fields(Scope scope) {
        return fields.get().vms(scope);
    }

    /** As the API names it; no client knows more than it names (chapter 2.2). */
    static String status(VmStatus status) {
        return switch (status) {
            case MIGRATING_FROM, MIGRATING_TO -> "migrating";
            case IMAGE_ILLEGAL -> "image_locked";
            default -> status.label();
        };
    }

    static String architecture(@Nullable CpuArchitecture own, @Nullable Cluster cluster) {
        CpuArchitecture architecture =
                own != null ? own : cluster == null ? null : cluster.requirements().architecture();
        return architecture == null ? "x86_64" : Word.of(architecture);
    }

    @Override
    Vm tell(Scope scope, At<Root, VmView> at) {
        VmView vm = at.item();
        VmStatic definition = vm.definition();
        VmRuntime runtime = vm.state().runtime();
        VmPlacement placement = vm.state().placement();
        VmStatus status = runtime.status();
        VmSpecification stored = scope.fleet().specification(vm.id());
        EffectiveDefinition shape = EffectiveDefinition.told(scope, vm);
        VmSpecification specification = shape.specification();
        Cluster cluster = scope.fleet().cluster(definition.cluster());
        VmPool pool = scope.fleet().poolOf(vm.id());
        HostId host = placement.runOn();
        boolean running = status.isRunningOrPaused() || status == VmStatus.UNKNOWN;
        boolean all = scope.request().allContent();
        return new Vm(
                vm.id().toString(),
                at.href(),
                scope.actions(Kind.VM, at.href()),
                definition.name(),
                words(stored, VmSpecification::description),
                words(stored, VmSpecification::comment),
                scope.links(this, at),
                bios(specification),
                all ? new Vm.Console(specification != null && specification.serialConsole()) : null,
                Cpu.of(
                        architecture(
                                specification == null ? null : specification.architecture(),
                                cluster),
                        new Topology(
                                shape.coresPerSocket(), shape.sockets(), shape.threadsPerCore()),
                        VmDevices.cpuMode(specification),
                        VmDevices.cpuTune(specification)),
                VmDevices.pinningPolicy(specification),
                traits(specification).cpuShares(),
                scope.fleet().created(vm.id()),
                null,
                VmDevices.cpuModel(specification),
                specification == null ? null : specification.machineType(),
                properties(specification),
                traits(stored).deleteProtected(),
                display(runtime, specification, running),
                runtime.text(RuntimeField.FQDN),
                guestSystem(runtime),
                guestZone(runtime),
                status == VmStatus.IMAGE_ILLEGAL ? Boolean.TRUE : null,
                new Vm.HighAvailability(
                        definition.highlyAvailable(), scope.fleet().priority(vm.id())),
                all ? new Vm.Initialization(runtime.text(RuntimeField.GUEST_HOST_NAME)) : null,
                ONE_THREAD,
                scope.reference(Kind.ICON, Icons.LARGE),
                lease(scope, vm),
                shape.memoryMebibytes() * MEBIBYTE,
                memoryPolicy(shape),
                specification == null ? null : false,
                EffectiveDefinition.changes(scope.fleet(), vm),
                VmDevices.numaMode(specification),
                Word.of(definition.origin()),
                new Vm.Os(new Vm.Boot(bootDevices(specification)), traits(stored).guestSystem()),
                scope.filtered() ? null : new Vm.PlacementPolicy("migratable"),
                all ? VmDevices.randomness(specification) : null,
                placement.run().volatileRun(),
                specification == null ? null : SERIAL_OF_HOST,
                all ? Boolean.FALSE : null,
                scope.reference(Kind.ICON, Icons.SMALL),
                SSO,
                false,
                running
                        ? Objects.requireNonNullElse(
                                placement.run().bootTime(),
                                Objects.requireNonNullElse(
                                        placement.lastStart(), vm.state().observedAt()))
                        : null,
                pool != null && !pool.stateful(),
                status(status),
                status == VmStatus.PAUSED && runtime.pauseStatus() != PauseStatus.NONE
                        ? Word.of(runtime.pauseStatus())
                        : null,
                placement.run().stopReason(),
                running ? null : placement.lastStop(),
                VmDevices.resume(specification),
                new Vm.TimeZone(
                        specification == null || specification.timeZone() == null
                                ? "Etc/GMT"
                                : specification.timeZone(),
                        null),
                all ? specification != null && specification.tpm() : null,
                type(stored),
                NO_USB,
                all ? new Vm.VirtioScsi(true) : null,
                scope.reference(Kind.CLUSTER, definition.cluster().toString()),
                host == null || !running || scope.filtered()
                        ? null
                        : scope.reference(Kind.HOST, host.toString()),
                scope.reference(Kind.TEMPLATE, Uuids.ZERO),
                scope.reference(Kind.TEMPLATE, Uuids.ZERO),
                pool == null ? null : scope.reference(Kind.VM_POOL, pool.id().toString()),
                scope.inlined(this, at));
    }

    static VmTraits traits(@Nullable VmSpecification specification) {
        return specification == null ? VmTraits.USUAL : specification.traits();
    }

    static String type(@Nullable VmSpecification specification) {
        return Word.of(traits(specification).workload());
    }

    /** Text of users about a VM: present even if empty (rule 11). */
    static String words(
            @Nullable VmSpecification specification,
            Function<VmSpecification, @Nullable String> which) {
        String said = specification == null ? null : which.apply(specification);
        return said == null ? "" : said;
    }

    private static Vm.@Nullable Lease lease(Scope scope, VmView vm) {
        UUID domain = scope.fleet().lease(vm.id());
        return domain == null
                ? null
                : new Vm.Lease(scope.reference(Kind.STORAGE_DOMAIN, domain.toString()));
    }

    private static Vm.Bios bios(@Nullable VmSpecification specification) {
        return new Vm.Bios(
                new Vm.BootMenu(specification != null && specification.bootMenu()),
                specification == null ? "q35_sea_bios" : biosType(specification));
    }

    static String biosType(VmSpecification specification) {
        String machine = specification.machineType();
        return switch (specification.firmware()) {
            case BIOS ->
                    machine != null && (machine.equals("pc") || machine.startsWith("pc-i440fx"))
                            ? "i440fx_sea_bios"
                            : "q35_sea_bios";
            case UEFI -> "q35_ovmf";
            case UEFI_SECURE_BOOT -> "q35_secure_boot";
        };
    }

    private static @Nullable Listing<Property> properties(@Nullable VmSpecification specification) {
        if (specification == null || specification.customProperties().isEmpty()) {
            return null;
        }
        List<Property> properties = new ArrayList<>();
        specification
                .customProperties()
                .forEach((name, value) -> properties.add(new Property(name, value)));
        return Listing.of("custom_property", properties);
    }

    private static Vm.MemoryPolicy memoryPolicy(EffectiveDefinition shape) {
        VmSpecification specification = shape.specification();
        long most =
                Math.max(
                        specification == null ? 0 : specification.maximumMemoryMebibytes(),
                        shape.memoryMebibytes());
        return new Vm.MemoryPolicy(
                specification == null || specification.balloon(),
                shape.guaranteedMemoryMebibytes() * MEBIBYTE,
                most * MEBIBYTE);
    }

    private static Listing<String> bootDevices(@Nullable VmSpecification specification) {
        if (specification == null || specification.boot().isEmpty()) {
            return FROM_DISK;
        }
        return Listing.of(
                "device",
                specification.boot().stream()
                        .map(device ->
                                switch (device) {
                                    case DISK -> "hd";
                                    case CDROM -> "cdrom";
                                    case NETWORK -> "network";
                                })
                        .toList());
    }

    private static Vm.@Nullable Display display(
            VmRuntime runtime, @Nullable VmSpecification specification, boolean running) {
        Integer vnc = (Integer) runtime.value(RuntimeField.VNC_PORT);
        Integer spice = (Integer) runtime.value(RuntimeField.SPICE_PORT);
        Integer spiceTls = (Integer) runtime.value(RuntimeField.SPICE_TLS_PORT);
        boolean isSpice =
                spice != null
                        || spiceTls != null
                        || (specification != null
                                && vnc == null
                                && specification.consoles().stream()
                                        .anyMatch(console ->
                                                console.protocol() == VmConsole.Protocol.SPICE));
        if (specification != null
                && specification.consoles().isEmpty()
                && vnc == null
                && !isSpice) {
            return null;
        }
        String video = VmDevices.video(specification);
        return isSpice
                ? new Vm.Display(
                        running ? runtime.text(RuntimeField.SPICE_IP) : null,
                        VmDevices.keyboard(specification),
                        1,
                        running ? spice : null,
                        running ? spiceTls : null,
                        "spice",
                        video)
                : new Vm.Display(
                        running ? runtime.text(RuntimeField.VNC_IP) : null,
                        VmDevices.keyboard(specification),
                        1,
                        running ? vnc : null,
                        running ? (Integer) runtime.value(RuntimeField.VNC_TLS_PORT) : null,
                        "vnc",
                        video);
    }

    private static Vm.@Nullable GuestOperatingSystem guestSystem(VmRuntime runtime) {
        String distribution = runtime.text(RuntimeField.GUEST_OS_DISTRIBUTION);
        String version = runtime.text(RuntimeField.GUEST_OS_VERSION);
        String kernel = runtime.text(RuntimeField.GUEST_OS_KERNEL);
        if (distribution == null && version == null && kernel == null) {
            return null;
        }
        return new Vm.GuestOperatingSystem(
                runtime.text(RuntimeField.GUEST_OS_ARCH),
                runtime.text(RuntimeField.GUEST_OS_CODENAME),
                distribution,
                runtime.text(RuntimeField.GUEST_OS_TYPE),
                kernel == null ? null : new Vm.Kernel(Versions.of(kernel)),
                version == null ? null : Versions.of(version));
    }

    private static Vm.@Nullable TimeZone guestZone(VmRuntime runtime) {
        String name = runtime.text(RuntimeField.GUEST_TIMEZONE_NAME);
        Integer minutes = (Integer) runtime.value(RuntimeField.GUEST_TIMEZONE_OFFSET);
        if (name == null || name.isBlank()) {
            return null;
        }
        return new Vm.TimeZone(name, minutes == null ? null : offset(minutes));
    }

    /** Offset from UTC as the API writes it, such as {@code +01:00}. */
    static String offset(int minutes) {
        int hours = Math.abs(minutes) / 60;
        int rest = Math.abs(minutes) % 60;
        return (minutes < 0 ? "-" : "+")
                + (hours < 10 ? "0" : "")
                + hours
                + (rest < 10 ? ":0" : ":")
                + rest;
    }

    /** A reference to a VM. */
    static Entity reference(Scope scope, VmView vm) {
        return scope.reference(Kind.VM, vm.id().toString());
    }

    /** Compatibility level of a cluster. */
    static Version version(@Nullable Cluster cluster) {
        var version = cluster == null ? null : cluster.requirements().version();
        return version == null ? Version.of(4, 7) : Version.of(version.major(), version.minor());
    }
}
