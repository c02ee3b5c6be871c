package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.operation.OperationParameters.DeviceType;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.action.Operations.Subject;
import org.stillwater.ovirt.model.Network;
import org.stillwater.ovirt.model.VnicProfile;

/**
 * Interfaces of VMs, added, changed and removed in the definition: {@code /vms/{id}/nics}. A VM
 * that runs has them from its next start on; only whether one is plugged changes at once.
 */
final class NicChanges {

    /** The elements of an interface. */
    static final BodyRules RULES =
            rules(BodyRules.of("network interface of a VM", "nic", "edit Interface"), "").table();

    private static final String ADD = "add Interface";
    private static final String EDIT = "edit Interface";
    private static final String REMOVE = "remove Interface";

    private final Access access;
    private final DefinitionEdits edits;
    private final DevicePlugs plugs;

    NicChanges(Access access, DefinitionEdits edits, DevicePlugs plugs) {
        this.access = access;
        this.edits = edits;
        this.plugs = plugs;
    }

    /** Adds the elements of an interface below a path that ends with a slash, or at the root. */
    static BodyRules.Builder rules(BodyRules.Builder table, String path) {
        UnaryOperator<List<String>> below =
                names -> names.stream().map(name -> path + name).toList();
        return table.kept(path + "name", "`interfaces.name`")
                .kept(path + "mac/address", "`interfaces.mac`")
                .kept(path + "linked", "`interfaces.linked`")
                .kept(path + "interface", "`interfaces.model`")
                .reference(path + "network", "`interfaces.network`")
                .reference(
                        path + "vnic_profile",
                        "`interfaces.vnicProfile` and `interfaces.network`; by its id")
                .kept(path + "plugged", "`interfaces.plugged`")
                .ignored(
                        below.apply(List.of("description", "comment")),
                        "an interface has a name only; oVirt ignores it here too")
                .unsupported(
                        path + "network_filter_parameters",
                        "the engine keeps one filter, against foreign MAC addresses")
                .unsupported(
                        below.apply(List.of("boot_protocol", "on_boot")),
                        "the engine does not configure a guest at its first start")
                .unsupported(
                        below.apply(
                                List.of(
                                        "network_attachments",
                                        "network_labels",
                                        "virtual_function_allowed_labels",
                                        "virtual_function_allowed_networks")),
                        "it belongs to an interface of a host")
                .ignored(
                        below.apply(List.of("id", "vm")),
                        "the path names it, and the engine gives a new interface its id")
                .ignored(
                        below.apply(
                                List.of(
                                        "instance_type",
                                        "reported_devices",
                                        "statistics",
                                        "synced",
                                        "template",
                                        "vms")),
                        "read-only");
    }

    /**
     * Connection of an interface.
     *
     * @param profile the vNIC profile that was named; null for that of the network
     * @param network name of the network, null for none
     */
    record Connection(@Nullable UUID profile, @Nullable String network) {}

    Outcome add(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change.body(), ADD);
        if (body.text("name") == null) {
            throw Refused.incomplete("Nic [name] is required for add.");
        }
        Connection connection = connection(access, change, body, vm.definition().cluster());
        UUID id = UUID.randomUUID();
        String mac = body.text("mac", "address");
        String free = mac == null ? edits.nextMac() : mac;
        Definition _ =
                edits.edit(change, vm, ADD, before -> added(before, body, connection, id, free));
        return Outcome.showing(201, path(vm, id));
    }

    Outcome update(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change, EDIT);
        Connection connection = connection(access, change, body, vm.definition().cluster());
        UUID id = known(change.at(3));
        Boolean plugged = body.flag("plugged");
        UnaryOperator<Definition> edit = before -> changed(before, body, connection, id);
        if (plugged != null) {
            Definition before = plugs.defined(vm, EDIT);
            Definition _ = edits.checked(change, vm, before, EDIT, edit);
            if (plugged == present(before, id).unplugged()) {
                plugs.plug(change, vm, DeviceType.INTERFACE, id, plugged, EDIT);
            }
        }
        Definition _ = edits.edit(change, vm, EDIT, edit);
        return Outcome.showing(200, path(vm, id));
    }

    /** Plugs an interface in or out, at once if the VM runs. */
    Outcome plug(Change change, boolean in) {
        Change _ = Changes.ofAction(change);
        VmView vm = access.vm(change, change.at(1));
        UUID id = known(change.at(3));
        String verb = in ? "activate Interface" : "deactivate Interface";
        VmInterface _ = present(plugs.defined(vm, verb), id);
        plugs.plug(change, vm, DeviceType.INTERFACE, id, in, verb);
        Definition _ = edits.edit(change, vm, verb, before -> plugged(before, id, in));
        return Operations.done(change, Subject.vm(vm.id()), null);
    }

    Outcome remove(Change change) {
        VmView vm = access.vm(change, change.at(1));
        UUID id = known(change.at(3));
        Definition _ = edits.edit(change, vm, REMOVE, before -> without(before, id));
        return Operations.removed(change, null);
    }

    private static String path(VmView vm, UUID id) {
        return "vms/" + vm.id() + "/nics/" + id;
    }

    private static UUID known(String id) {
        UUID uuid = Access.uuid(id);
        if (uuid == null) {
            throw Refused.notFound("Nic", id);
        }
        return uuid;
    }

    // ----------------------------------------------------------------------------- the network

    /**
     * Connection of an interface by its elements; null if they name none.
     *
     * @param nic the elements of the interface, which may be part of a larger body
     * @param cluster cluster of the VM; the network is in its data centre
     */
    static @Nullable Connection connection(
            Access access, Change change, Body nic, ClusterId cluster) {
        if (nic.has("vnic_profile")) {
            String id = nic.text("vnic_profile", "id");
            if (id == null && nic.text("vnic_profile", "name") != null) {
                throw Refused.incomplete("Nic [vnicProfile.id] names the vNIC profile.");
            }
            if (id == null) {
                return new Connection(null, null);
            }
            if (!(change.lookup().entity("vnicprofiles", id) instanceof VnicProfile profile)) {
                throw Refused.notFound("VnicProfile", id);
            }
            return new Connection(
                    Access.uuid(id), network(access, change, profile.network().id() + "", cluster));
        }
        if (!nic.has("network")) {
            return null;
        }
        String id = nic.text("network", "id");
        return new Connection(
                null,
                id == null ? nic.text("network", "name") : network(access, change, id, cluster));
    }

    /** The name of a network of the cluster's data centre. */
    private static String network(Access access, Change change, String id, ClusterId of) {
        if (!(change.lookup().entity("networks", id) instanceof Network network)) {
            throw Refused.notFound("Network", id);
        }
        Cluster cluster = access.fleet().cluster(of);
        if (cluster != null && !cluster.dataCentre().toString().equals(network.dataCenter().id())) {
            throw Refused.conflict(
                    "Cannot connect the Interface: the network %s is in another data center."
                            .formatted(network.name()));
        }
        return network.name();
    }

    // -------------------------------------------------------------------------- the definition

    /**
     * A definition with one more interface.
     *
     * @param mac its MAC address, also if the body names another one
     * @throws IllegalArgumentException if there cannot be such an interface
     */
    static Definition added(
            Definition before, Body body, @Nullable Connection connection, UUID id, String mac) {
        Connection connected = connection == null ? new Connection(null, null) : connection;
        String name = String.valueOf(body.text("name"));
        refuseTaken(before, name, id, ADD);
        Boolean linked = body.flag("linked");
        VmInterface nic =
                new VmInterface(
                        id,
                        name,
                        mac.toLowerCase(Locale.ROOT),
                        connected.network(),
                        model(body, VmInterface.Model.VIRTIO),
                        linked == null || linked,
                        null,
                        true,
                        isUnplugged(body));
        return with(
                before,
                Stream.concat(interfaces(before).stream(), Stream.of(nic)).toList(),
                Stream.concat(
                                before.definition().nics().stream(),
                                Stream.of(nic.nic(connected.profile())))
                        .toList());
    }

    /**
     * A definition with an interface changed: members that the body lacks keep their values.
     *
     * @throws IllegalArgumentException if there cannot be such an interface
     */
    static Definition changed(
            Definition before, Body body, @Nullable Connection connection, UUID id) {
        VmInterface present = present(before, id);
        String name = body.text("name");
        String mac = body.text("mac", "address");
        Boolean linked = body.flag("linked");
        Boolean plugged = body.flag("plugged");
        if (name != null) {
            refuseTaken(before, name, id, EDIT);
        }
        VmInterface nic =
                new VmInterface(
                        id,
                        name == null ? present.name() : name,
                        mac == null ? present.mac() : mac.toLowerCase(Locale.ROOT),
                        connection == null ? present.network() : connection.network(),
                        model(body, present.model()),
                        linked == null ? present.linked() : linked,
                        present.mtuBytes(),
                        present.filtered(),
                        plugged == null ? present.unplugged() : !plugged);
        List<VmNic> nics = new ArrayList<>();
        for (VmNic each : before.definition().nics()) {
            boolean same = each.id().equals(id);
            nics.add(
                    same
                            ? nic.nic(
                                    connection == null ? each.vnicProfile() : connection.profile())
                            : each);
        }
        return with(
                before,
                interfaces(before).stream().map(each -> each.id().equals(id) ? nic : each).toList(),
                nics);
    }

    /** Whether a body unplugs its interface; a body without the element does not. */
    static boolean isUnplugged(Body nic) {
        return Boolean.FALSE.equals(nic.flag("plugged"));
    }

    private static VmInterface present(Definition definition, UUID id) {
        return interfaces(definition).stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow(() -> Refused.notFound("Nic", id.toString()));
    }

    /** A definition with an interface plugged in or out. */
    static Definition plugged(Definition before, UUID id, boolean in) {
        VmInterface present = present(before, id);
        return with(
                before,
                interfaces(before).stream()
                        .map(each -> each.equals(present) ? each.plugged(in) : each)
                        .toList(),
                before.definition().nics());
    }

    /** A definition without an interface. */
    static Definition without(Definition before, UUID id) {
        List<VmInterface> left =
                interfaces(before).stream().filter(each -> !each.id().equals(id)).toList();
        if (left.size() == interfaces(before).size()) {
            throw Refused.notFound("Nic", id.toString());
        }
        return with(
                before,
                left,
                before.definition().nics().stream().filter(each -> !each.id().equals(id)).toList());
    }

    private static List<VmInterface> interfaces(Definition definition) {
        return DefinitionEdits.of(definition).interfaces();
    }

    private static Definition with(
            Definition before, List<VmInterface> interfaces, List<VmNic> nics) {
        VmSpecification specification = DefinitionEdits.of(before);
        return new Definition(
                before.definition().withNics(nics),
                specification.withDevices(specification.disks(), specification.cdrom(), interfaces),
                before.priority(),
                before.lease(),
                before.savedMemory());
    }

    private static void refuseTaken(Definition before, String name, UUID id, String verb) {
        if (interfaces(before).stream()
                .anyMatch(each -> each.name().equals(name) && !each.id().equals(id))) {
            throw Refused.conflict(
                    "Cannot %s. The Network Interface name is already in use. Please choose a unique name and try again."
                            .formatted(verb));
        }
    }

    static VmInterface.Model model(Body body, VmInterface.Model before) {
        String name = body.text("interface");
        if (name == null) {
            return before;
        }
        List<VmInterface.Model> models = List.of(VmInterface.Model.values());
        return models.stream()
                .filter(each -> each.label().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        Refused.invalid(
                                "interface is %s, not %s"
                                        .formatted(
                                                models.stream()
                                                        .map(VmInterface.Model::label)
                                                        .collect(Collectors.joining(", ")),
                                                Refused.shortened(name))));
    }
}
