package org.stillwater.fake.world;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.JsonBody;
import tools.jackson.databind.JsonNode;

/**
 * The verbs that plug and unplug NICs and disks of running VMs. The device is an element of a
 * libvirt XML, with the host agent's metadata beside it. Nothing is announced; the next polls have
 * another hash.
 */
final class HotplugVerbs {

    /** Most free root ports of a machine. */
    private static final int MOST_DEVICES = 16;

    private final HostVerbs verbs;
    private final FakeHost host;

    HotplugVerbs(HostVerbs verbs, FakeHost host) {
        this.verbs = verbs;
        this.host = host;
    }

    JsonBody plugNic(Arguments arguments) {
        return plug(
                arguments,
                (domain, order) -> {
                    Machine machine = domain.machine;
                    Nic nic =
                            machine.definedNic(
                                    DomainDefinition.NicDefinition.of(order.device),
                                    domain.host.moment().now());
                    requireFree(machine, order, VdsmError.HOTPLUG_NIC_FAILED);
                    if (machine.nics.size() >= MOST_DEVICES) {
                        throw noSlot(VdsmError.HOTPLUG_NIC_FAILED);
                    }
                    machine.plug(nic);
                    domain.nicPlugged();
                    return new JsonOut(64)
                            .object()
                            .name("macAddr")
                            .text(nic.macText())
                            .name("alias")
                            .text(aliasOf(order.device, nic.deviceId().toString()))
                            .endObject();
                });
    }

    JsonBody plugDisk(Arguments arguments) {
        return plug(
                arguments,
                (domain, order) -> {
                    Machine machine = domain.machine;
                    String target = order.device.childAttribute("target", "dev");
                    Disk disk =
                            machine.definedDisk(
                                    DomainDefinition.DiskDefinition.of(
                                            order.device,
                                            DomainDefinition.diskMetadata(
                                                            DomainDefinition.agentMetadata(
                                                                    order.root))
                                                    .get(target)),
                                    domain.host.moment().now());
                    requireFree(machine, order, VdsmError.HOTPLUG_DISK_FAILED);
                    if (machine.disks.stream()
                            .anyMatch(other -> other.device().equals(disk.device()))) {
                        throw VdsmError.HOTPLUG_DISK_FAILED.saying(
                                "operation failed: target %s already exists"
                                        .formatted(disk.device()));
                    }
                    if (machine.disks.size() >= MOST_DEVICES) {
                        throw noSlot(VdsmError.HOTPLUG_DISK_FAILED);
                    }
                    machine.plug(disk);
                    domain.devicesChanged();
                    return new JsonOut(64)
                            .object()
                            .name("alias")
                            .text(aliasOf(order.device, disk.deviceId().toString()))
                            .name("name")
                            .text(disk.device())
                            .endObject();
                });
    }

    JsonBody unplugNic(Arguments arguments) {
        return unplug(
                arguments,
                (domain, order) -> {
                    Machine machine = domain.machine;
                    String alias = order.device.childAttribute("alias", "name");
                    String mac = order.device.childAttribute("mac", "address");
                    int index =
                            indexOf(
                                    machine.nics,
                                    nic ->
                                            alias.isEmpty()
                                                    ? nic.macText().equalsIgnoreCase(mac)
                                                    : aliasOf(nic).equals(alias),
                                    VdsmError.HOTUNPLUG_NIC_FAILED,
                                    "device not found: no matching network device was found");
                    forget(
                            machine,
                            device ->
                                    device.attribute("mac_address")
                                            .equalsIgnoreCase(machine.nics.get(index).macText()));
                    machine.unplugNic(index);
                    domain.nicUnplugged(index);
                });
    }

    JsonBody unplugDisk(Arguments arguments) {
        return unplug(
                arguments,
                (domain, order) -> {
                    Machine machine = domain.machine;
                    String alias = order.device.childAttribute("alias", "name");
                    String target = order.device.childAttribute("target", "dev");
                    int index =
                            indexOf(
                                    machine.disks,
                                    disk ->
                                            !disk.isCd()
                                                    && (alias.isEmpty()
                                                            ? disk.device().equals(target)
                                                            : aliasOf(disk).equals(alias)),
                                    VdsmError.HOTUNPLUG_DISK_FAILED,
                                    "Disk not found");
                    String device = machine.disks.get(index).device();
                    forget(
                            machine,
                            entry ->
                                    entry.attribute("devtype").equals("disk")
                                            && entry.attribute("name").equals(device));
                    machine.unplugDisk(index);
                    domain.devicesChanged();
                });
    }

    // ---- shared by all verbs

    /** The device of a call, and the document around it. */
    private record Order(XmlElement root, XmlElement device) {}

    @FunctionalInterface
    private interface Plug {
        JsonOut apply(Domain domain, Order order);
    }

    @FunctionalInterface
    private interface Unplug {
        void apply(Domain domain, Order order);
    }

    private JsonBody plug(Arguments arguments, Plug plug) {
        Order order = order(arguments);
        JsonOut answer = new JsonOut(4096).object().name("devices").array();
        verbs.change(
                arguments,
                (_, domain) -> {
                    synchronized (host) {
                        requirePluggable(domain);
                        answer.raw(plug.apply(domain, order).bytes());
                        note(domain.machine, order);
                        answer.endArray().name("xml").text(DomainXml.of(domain));
                    }
                });
        return answer.endObject().body();
    }

    private JsonBody unplug(Arguments arguments, Unplug unplug) {
        Order order = order(arguments);
        verbs.change(
                arguments,
                (_, domain) -> {
                    synchronized (host) {
                        requirePluggable(domain);
                        unplug.apply(domain, order);
                    }
                });
        return JsonBody.of("{}");
    }

    private static Order order(Arguments arguments) {
        JsonNode params = arguments.required("params");
        JsonNode xml = params.get("xml");
        if (params.get("vmId") == null) {
            throw VdsmError.MISSING_PARAMETER.error();
        }
        if (xml == null || !xml.isString()) {
            throw VdsmError.GENERAL.of("can only parse strings");
        }
        try {
            XmlElement root = XmlElement.parse(xml.asString());
            XmlElement devices = root.child("devices");
            if (devices == null || devices.children().isEmpty()) {
                throw VdsmError.GENERAL.of("no device");
            }
            return new Order(root, devices.children().getFirst());
        } catch (IllegalArgumentException e) {
            throw VdsmError.GENERAL.of(String.valueOf(e.getMessage()));
        }
    }

    private static void requirePluggable(Domain domain) {
        if (domain.isLeaving()) {
            throw VdsmError.MIGRATION_IN_PROGRESS.about("vmId", domain.machine.idText);
        }
        requireDomain(domain);
    }

    /** A VM that has ended, or has not begun, has no libvirt domain. */
    static void requireDomain(Domain domain) {
        if (!domain.phase.isRunningGuest()) {
            throw VdsmError.GENERAL.of(
                    "VM '%s' was not defined yet or was undefined"
                            .formatted(domain.machine.idText));
        }
    }

    private static void requireFree(Machine machine, Order order, VdsmError error) {
        String alias = order.device.childAttribute("alias", "name");
        boolean taken =
                machine.nics.stream().anyMatch(nic -> aliasOf(nic).equals(alias))
                        || machine.disks.stream().anyMatch(disk -> aliasOf(disk).equals(alias));
        if (taken) {
            throw error.saying("XML error: non unique alias detected: " + alias);
        }
    }

    private static VerbError noSlot(VdsmError error) {
        return error.saying("internal error: No more available PCI slots");
    }

    /** Adds the host agent's data of a device to its metadata of the VM. */
    private static void note(Machine machine, Order order) {
        XmlElement metadata = DomainDefinition.agentMetadata(order.root);
        if (metadata != null) {
            changeMetadata(
                    machine,
                    kept -> {
                        XmlElement more = kept;
                        for (XmlElement device : metadata.children("device")) {
                            more = more.plus(device.withPrefix(kept.prefix()));
                        }
                        return more;
                    });
        }
    }

    private static void forget(Machine machine, Predicate<XmlElement> device) {
        changeMetadata(
                machine,
                kept ->
                        kept.minus(
                                entry -> entry.localName().equals("device") && device.test(entry)));
    }

    private static void changeMetadata(Machine machine, UnaryOperator<XmlElement> change) {
        XmlElement definition = machine.definition;
        if (definition != null) {
            machine.definition =
                    definition.changing("metadata", metadata -> metadata.changing("vm", change));
        }
    }

    private static String aliasOf(Nic nic) {
        return aliasOf(nic.xml(), nic.deviceId().toString());
    }

    private static String aliasOf(Disk disk) {
        return aliasOf(disk.xml(), disk.deviceId().toString());
    }

    private static String aliasOf(@Nullable XmlElement xml, String id) {
        String alias = xml == null ? "" : xml.childAttribute("alias", "name");
        return alias.isEmpty() ? "ua-" + id : alias;
    }

    /** Index of a device of a VM; the call fails with this error if the VM does not have it. */
    private static <T> int indexOf(
            List<T> all, Predicate<T> wanted, VdsmError missing, String text) {
        for (int i = 0; i < all.size(); i++) {
            if (wanted.test(all.get(i))) {
                return i;
            }
        }
        throw missing.saying(text);
    }
}
