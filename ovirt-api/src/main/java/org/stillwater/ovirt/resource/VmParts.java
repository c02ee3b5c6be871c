package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Application;
import org.stillwater.ovirt.model.Cdrom;
import org.stillwater.ovirt.model.DiskAttachment;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.GraphicsConsole;
import org.stillwater.ovirt.model.Ip;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Mac;
import org.stillwater.ovirt.model.Nic;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.model.ReportedDevice;
import org.stillwater.ovirt.model.Session;
import org.stillwater.ovirt.model.Snapshot;
import org.stillwater.ovirt.model.Watchdog;
import org.stillwater.ovirt.resource.Resource.At;

/** Collections of VMs (chapters 3.6, 3.7, 3.12, 3.13). */
final class VmParts {

    private VmParts() {}

    /** Interfaces. */
    static final class Nics extends Resource<VmView, KnownNic> {
        Nics() {
            super(Kind.NIC);
        }

        @Override
        List<KnownNic> list(Scope scope, VmView parent) {
            return KnownNic.of(scope, parent);
        }

        @Override
        String id(KnownNic item) {
            return item.nic().id().toString();
        }

        @Override
        Nic tell(Scope scope, At<VmView, KnownNic> at) {
            KnownNic nic = at.item();
            var defined = nic.defined();
            return new Nic(
                    nic.nic().id().toString(),
                    at.href(),
                    scope.actions(Kind.NIC, at.href()),
                    nic.nic().name(),
                    null,
                    scope.links(this, at),
                    defined == null || defined.linked(),
                    new Mac(nic.nic().mac()),
                    defined == null || !defined.unplugged(),
                    nic.model(),
                    true,
                    null,
                    owner(scope, at),
                    scope.reference(
                            Kind.VNIC_PROFILE,
                            scope.surroundings()
                                    .profile(
                                            nic.vm().definition().cluster(),
                                            nic.nic(),
                                            defined == null ? null : defined.network())),
                    scope.inlined(this, at));
        }
    }

    /** A reference to the VM that the collection belongs to. */
    private static <T> Entity owner(Scope scope, At<VmView, T> at) {
        return VmResource.reference(scope, at.parent());
    }

    /** A guest's interface, and its VM. */
    record Device(VmView vm, GuestNic nic) {
        String id() {
            return Uuids.of("reported_device", vm.id().toString(), nic.name(), nic.mac());
        }
    }

    static List<Device> devices(VmView vm) {
        return vm.state().runtime().guestNics().nics().stream()
                .map(nic -> new Device(vm, nic))
                .toList();
    }

    static List<Device> devices(KnownNic nic) {
        return devices(nic.vm()).stream()
                .filter(device -> device.nic().mac().equalsIgnoreCase(nic.nic().mac()))
                .toList();
    }

    static ReportedDevice device(Scope scope, String href, Device device) {
        List<Ip> ips = new ArrayList<>();
        device.nic().ipv4().forEach(ip -> ips.add(new Ip(ip, null, null, "v4")));
        device.nic().ipv6().forEach(ip -> ips.add(new Ip(ip, null, null, "v6")));
        return new ReportedDevice(
                device.id(),
                href,
                device.nic().name(),
                "guest reported data",
                Listing.of("ip", ips),
                device.nic().mac().isBlank() ? null : new Mac(device.nic().mac()),
                "network",
                VmResource.reference(scope, device.vm()));
    }

    /** Attached disks. */
    static final class Attachments extends Resource<VmView, KnownDisk> {
        Attachments() {
            super(Kind.DISK_ATTACHMENT);
        }

        @Override
        List<KnownDisk> list(Scope scope, VmView parent) {
            return KnownDisk.of(scope.fleet(), parent);
        }

        @Override
        String id(KnownDisk item) {
            return item.id();
        }

        @Override
        boolean isLive() {
            return true;
        }

        @Override
        DiskAttachment tell(Scope scope, At<VmView, KnownDisk> at) {
            KnownDisk disk = at.item();
            return new DiskAttachment(
                    disk.id(),
                    at.href(),
                    disk.active(),
                    disk.bootable(),
                    disk.bus(),
                    disk.logicalName(),
                    false,
                    disk.readOnly(),
                    false,
                    scope.reference(Kind.DISK, disk.id()),
                    owner(scope, at));
        }
    }

    /** Snapshots: the engine takes none, so there is the active one. */
    static final class Snapshots extends Resource<VmView, VmView> {
        Snapshots() {
            super(Kind.SNAPSHOT);
        }

        @Override
        List<VmView> list(Scope scope, VmView parent) {
            return List.of(parent);
        }

        @Override
        String id(VmView item) {
            return Uuids.of("snapshot", item.id().toString());
        }

        @Override
        boolean isLinked(VmView item) {
            return false;
        }

        @Override
        Snapshot tell(Scope scope, At<VmView, VmView> at) {
            return new Snapshot(
                    id(at.item()),
                    at.href(),
                    "Active VM",
                    scope.links(this, at),
                    scope.fleet().created(at.item().id()),
                    false,
                    "ok",
                    "active",
                    owner(scope, at),
                    scope.inlined(this, at));
        }
    }

    /** A way to a VM's screen. */
    record Screen(
            String protocol,
            @Nullable String address,
            @Nullable Integer port,
            @Nullable Integer tlsPort) {
        String id() {
            return Uuids.hex(protocol);
        }
    }

    static List<Screen> screens(Scope scope, VmView vm) {
        VmRuntime runtime = vm.state().runtime();
        boolean running = vm.state().runtime().status().isRunningOrPaused();
        boolean current = Boolean.TRUE.equals(scope.request().flag("current"));
        VmSpecification specification = EffectiveDefinition.told(scope, vm).specification();
        List<Screen> screens = new ArrayList<>(2);
        for (VmConsole.Protocol protocol : VmConsole.Protocol.values()) {
            boolean spice = protocol == VmConsole.Protocol.SPICE;
            Integer port = number(runtime, spice ? RuntimeField.SPICE_PORT : RuntimeField.VNC_PORT);
            Integer tlsPort =
                    number(
                            runtime,
                            spice ? RuntimeField.SPICE_TLS_PORT : RuntimeField.VNC_TLS_PORT);
            boolean open = running && (port != null || tlsPort != null);
            boolean defined =
                    specification != null
                            && specification.consoles().stream()
                                    .anyMatch(console -> console.protocol() == protocol);
            if (open || (defined && !current)) {
                screens.add(
                        new Screen(
                                protocol.name().toLowerCase(Locale.ROOT),
                                open
                                        ? runtime.text(
                                                spice ? RuntimeField.SPICE_IP : RuntimeField.VNC_IP)
                                        : null,
                                open ? port : null,
                                open ? tlsPort : null));
            }
        }
        return screens;
    }

    private static @Nullable Integer number(VmRuntime runtime, RuntimeField field) {
        Integer number = (Integer) runtime.value(field);
        return number == null || number < 0 ? null : number;
    }

    static GraphicsConsole screen(Scope scope, At<VmView, Screen> at) {
        Screen screen = at.item();
        return new GraphicsConsole(
                screen.id(),
                at.href(),
                scope.actions(Kind.GRAPHICS_CONSOLE, at.href()),
                screen.address(),
                screen.port(),
                screen.protocol(),
                screen.tlsPort(),
                owner(scope, at));
    }

    static Cdrom cdrom(Scope scope, At<VmView, VmView> at) {
        VmView vm = at.item();
        boolean current = Boolean.TRUE.equals(scope.request().flag("current"));
        String image =
                current ? currentCd(scope, vm) : cd(scope.fleet().specification(vm.id()), vm);
        return new Cdrom(
                Uuids.ZERO,
                at.href(),
                image == null || image.isBlank()
                        ? null
                        : new Reference(image.substring(image.lastIndexOf('/') + 1), null, null),
                owner(scope, at));
    }

    private static @Nullable String cd(@Nullable VmSpecification specification, VmView vm) {
        return specification == null
                ? vm.state().runtime().text(RuntimeField.CURRENT_CD)
                : specification.cdrom() == null ? null : specification.cdrom().imagePath();
    }

    /** The CD that is in the drive: the one that was put in since the start, else the first one. */
    private static @Nullable String currentCd(Scope scope, VmView vm) {
        if (!vm.state().runtime().status().isRunningOrPaused()) {
            return null;
        }
        String changed = vm.state().runtime().text(RuntimeField.CURRENT_CD);
        return changed != null
                ? changed
                : cd(EffectiveDefinition.told(scope, vm).specification(), vm);
    }

    static List<String> applications(VmView vm) {
        String all = vm.state().runtime().text(RuntimeField.APP_LIST);
        if (all == null || all.isBlank()) {
            return List.of();
        }
        Set<String> names = new TreeSet<>();
        Arrays.stream(all.split(","))
                .map(String::strip)
                .filter(it -> !it.isEmpty())
                .forEach(names::add);
        return List.copyOf(names);
    }

    static Application application(Scope scope, At<VmView, String> at) {
        return new Application(
                Uuids.of("application", at.item()), at.href(), at.item(), owner(scope, at));
    }

    /** A user at a guest's console. */
    record Sitting(String user, boolean console, @Nullable String address) {
        String id() {
            return Uuids.of("session", user, String.valueOf(console));
        }
    }

    static List<Sitting> sittings(VmView vm) {
        VmRuntime runtime = vm.state().runtime();
        List<Sitting> sittings = new ArrayList<>(2);
        String console = vm.state().placement().run().consoleUser();
        String address = runtime.clientIp();
        boolean connected = address != null && !address.isBlank();
        if (console != null || connected) {
            sittings.add(
                    new Sitting(console == null ? "" : console, true, connected ? address : null));
        }
        String guest = runtime.text(RuntimeField.GUEST_USER);
        if (guest != null && !guest.isBlank() && !guest.equalsIgnoreCase("None")) {
            for (String user : new TreeSet<>(Arrays.asList(guest.split(",")))) {
                sittings.add(new Sitting(user.strip(), false, null));
            }
        }
        return sittings;
    }

    static Session sitting(Scope scope, At<VmView, Sitting> at) {
        Sitting sitting = at.item();
        return new Session(
                sitting.id(),
                at.href(),
                sitting.console(),
                sitting.address() == null ? null : new Ip(sitting.address(), null, null, null),
                null,
                new Session.SessionUser(null, null, sitting.user()),
                owner(scope, at));
    }

    static List<VmWatchdog> watchdogs(Scope scope, VmView vm) {
        VmSpecification specification = EffectiveDefinition.told(scope, vm).specification();
        VmWatchdog watchdog = specification == null ? null : specification.watchdog();
        return watchdog == null ? List.of() : List.of(watchdog);
    }

    static Watchdog watchdog(Scope scope, At<VmView, VmWatchdog> at) {
        return new Watchdog(
                Uuids.ZERO,
                at.href(),
                switch (at.item().action()) {
                    case NONE -> "none";
                    case RESET -> "reset";
                    case POWER_OFF -> "poweroff";
                    case PAUSE -> "pause";
                    case DUMP -> "dump";
                },
                "i6300esb",
                owner(scope, at));
    }

    static org.stillwater.ovirt.model.VmNumaNode numaNode(Scope scope, At<VmView, VmNumaNode> at) {
        VmNumaNode node = at.item();
        return new org.stillwater.ovirt.model.VmNumaNode(
                numaId(node),
                at.href(),
                node.index(),
                Listing.of(
                        "numa_node_pin",
                        node.hostNodes().stream()
                                .map(org.stillwater.ovirt.model.VmNumaNode.Pin::new)
                                .toList()),
                owner(scope, at));
    }

    static String numaId(VmNumaNode node) {
        return Uuids.of("vm_numa_node", String.valueOf(node.index()));
    }
}
