package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.operation.OperationParameters.DeviceType;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.action.Operations.Subject;
import org.stillwater.ovirt.model.StorageDomain;
import org.stillwater.ovirt.resource.DefinedDisk;

/**
 * Existing disks, attached to VMs, changed and detached: {@code /vms/{id}/diskattachments}. The
 * engine makes and removes no disks. It knows those that definitions name, and takes the name of a
 * volume on a storage domain. A VM that runs has its disks from its next start on; only whether one
 * is active changes at once.
 */
final class DiskAttachmentChanges {

    /** The elements of an attachment. */
    static final BodyRules RULES =
            BodyRules.of("disk attachment", "disk_attachment", "edit Virtual Disk")
                    .kept(
                            List.of(
                                    "active",
                                    "bootable",
                                    "interface",
                                    "read_only",
                                    "disk/id",
                                    "disk/image_id",
                                    "disk/storage_domains/storage_domain/id",
                                    "disk/format",
                                    "disk/name",
                                    "disk/alias",
                                    "disk/shareable"))
                    .ignored("disk", "a disk is attached as it is")
                    .fixed("pass_discard", "false", "the engine does not pass discards on")
                    .fixed(
                            "uses_scsi_reservation",
                            "false",
                            "the engine does not pass reservations on")
                    .unsupported(
                            List.of("name", "description", "comment"),
                            "the engine does not store this member of an attachment")
                    .ignored(List.of("id", "vm"), "the path names it")
                    .ignored("logical_name", "only read: the guest chooses it")
                    .ignored("template", "not of a VM's disk")
                    .table();

    private static final String ADD = "attach Virtual Disk";
    private static final String EDIT = "edit Virtual Disk";
    private static final String REMOVE = "detach Virtual Disk";

    /** Members of a disk that only identify it. */
    private static final Set<String> NAMING = Set.of("id", "href", "rel");

    private final Access access;
    private final DefinitionEdits edits;
    private final DevicePlugs plugs;

    DiskAttachmentChanges(Access access, DefinitionEdits edits, DevicePlugs plugs) {
        this.access = access;
        this.edits = edits;
        this.plugs = plugs;
    }

    Outcome add(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change.body(), ADD);
        String id = body.text("disk", "id");
        if (id == null) {
            throw body.object("disk").names().stream().allMatch(NAMING::contains)
                    ? Refused.incomplete("DiskAttachment [disk.id] is required for add.")
                    : Refused.unsupported(
                            "Cannot add Virtual Disk: the engine makes no disks. Attach one that is"
                                    + " there by disk/id.");
        }
        VmDisk disk = disk(change, vm, id);
        Definition _ = edits.edit(change, vm, ADD, before -> added(before, disk, body));
        return Outcome.showing(201, path(vm, DefinedDisk.id(disk)));
    }

    Outcome update(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change, EDIT);
        if (!body.object("disk").names().stream().allMatch(NAMING::contains)) {
            throw Refused.unsupported(
                    "Cannot edit Virtual Disk: the engine changes how a disk is attached, not the"
                            + " disk itself; leave out the members of disk.");
        }
        String id = change.at(3);
        Boolean active = body.flag("active");
        UnaryOperator<Definition> edit = before -> changed(before, id, body);
        if (active != null) {
            Definition before = plugs.defined(vm, EDIT);
            Definition _ = edits.checked(change, vm, before, EDIT, edit);
            VmDisk present = present(before, id);
            if (active == present.unplugged()) {
                plug(change, vm, present, active, EDIT);
            }
        }
        Definition _ = edits.edit(change, vm, EDIT, edit);
        return Outcome.showing(200, path(vm, id));
    }

    /** Plugs a disk in or out, at once if the VM runs. */
    Outcome plug(Change change, boolean in) {
        Change _ = Changes.ofAction(change);
        VmView vm = access.vm(change, change.at(1));
        String id = change.at(3);
        String verb = in ? "activate Virtual Disk" : "deactivate Virtual Disk";
        VmDisk present = present(plugs.defined(vm, verb), id);
        if (in != present.unplugged()) {
            throw Refused.conflict(
                    "Cannot %s: the disk is %s already."
                            .formatted(verb, in ? "active" : "inactive"));
        }
        plug(change, vm, present, in, verb);
        Definition _ = edits.edit(change, vm, verb, before -> plugged(before, id, in));
        return Operations.done(change, Subject.vm(vm.id()), null);
    }

    private void plug(Change change, VmView vm, VmDisk disk, boolean in, String verb) {
        if (disk.bus() == VmDisk.Bus.SATA && DevicePlugs.isOnHost(DeviceType.DISK, vm)) {
            throw Refused.conflict(
                    "Cannot %s: a disk on a SATA bus is plugged while its VM is down."
                            .formatted(verb));
        }
        plugs.plug(change, vm, DeviceType.DISK, disk.id(), in, verb);
    }

    Outcome remove(Change change) {
        VmView vm = access.vm(change, change.at(1));
        String id = change.at(3);
        Definition _ = edits.edit(change, vm, REMOVE, before -> without(before, id));
        return Operations.removed(change, null);
    }

    private static String path(VmView vm, String id) {
        return "vms/" + vm.id() + "/diskattachments/" + id;
    }

    // ------------------------------------------------------------------------------- the disk

    /** The disk that a body names, as a device of its own. */
    private VmDisk disk(Change change, VmView vm, String id) {
        List<DefinedDisk> known = change.lookup().disks(id);
        if (known.isEmpty()) {
            return unknown(change, vm, id);
        }
        if (known.stream().anyMatch(each -> each.vm().id().equals(vm.id()))) {
            throw Refused.conflict(
                    "Cannot attach Virtual Disk. The disk is already attached to VM.");
        }
        VmView owner = known.getFirst().vm();
        if (!change.caller().has(Role.READER, owner.id(), owner.definition().cluster())) {
            throw Refused.notFound("Disk", id);
        }
        VmDisk disk = known.getFirst().disk();
        if (!disk.shareable()) {
            throw Refused.conflict(
                    "Cannot attach Virtual Disk. Non Shareable Disk is already attached to a VM: %s."
                            .formatted(owner.definition().name()));
        }
        if (!(disk.place() instanceof VmDisk.Place.Volume)) {
            throw Refused.conflict(
                    "Cannot attach Virtual Disk: it is on a path of its host, and has no identity"
                            + " beyond its VM; share it with PUT /api/v1/vms/{id}/definition.");
        }
        return new VmDisk(
                UUID.randomUUID(),
                disk.name(),
                disk.place(),
                disk.bus(),
                disk.format(),
                null,
                disk.readOnly(),
                true);
    }

    /** A volume on a storage domain that no definition names yet. */
    private VmDisk unknown(Change change, VmView vm, String id) {
        Body disk = change.body().object("disk");
        UUID image = Access.uuid(id);
        String volume = disk.text("image_id");
        List<Body> domains = disk.items("storage_domains", "storage_domain");
        String domain = domains.isEmpty() ? null : domains.getFirst().text("id");
        UUID volumeId = volume == null ? null : Access.uuid(volume);
        UUID domainId = domain == null ? null : Access.uuid(domain);
        if (image == null) {
            throw Refused.notFound("Disk", id);
        }
        if (volumeId == null || domainId == null) {
            throw Refused.notFound(
                    "Disk",
                    id
                            + "; a disk that no VM has is named by disk/id, disk/image_id,"
                            + " disk/format and disk/storage_domains together");
        }
        boolean block =
                change.lookup().entity("storagedomains", domainId.toString())
                                instanceof StorageDomain told
                        && Set.of("iscsi", "fcp").contains(told.storage().type());
        Cluster cluster = access.fleet().cluster(vm.definition().cluster());
        UUID pool =
                Objects.requireNonNull(
                        Access.uuid(cluster == null ? "" : cluster.dataCentre().toString()),
                        "a cluster is in a data center");
        String alias = disk.text("alias");
        String name = alias == null ? disk.text("name") : alias;
        return new VmDisk(
                UUID.randomUUID(),
                name == null ? id : name,
                new VmDisk.Place.Volume(pool, domainId, image, volumeId, block),
                VmDisk.Bus.VIRTIO,
                format(disk),
                null,
                false,
                Boolean.TRUE.equals(disk.flag("shareable")));
    }

    private static VmDisk.Format format(Body disk) {
        String format = disk.text("format");
        return switch (format) {
            case null ->
                    throw Refused.incomplete("DiskAttachment [disk.format] is required for add.");
            case "raw" -> VmDisk.Format.RAW;
            case "cow" -> VmDisk.Format.QCOW2;
            default ->
                    throw Refused.invalid(
                            "disk/format is raw or cow, not " + Refused.shortened(format));
        };
    }

    // -------------------------------------------------------------------------- the definition

    /**
     * A definition with one more disk.
     *
     * @throws IllegalArgumentException if there cannot be such a disk
     */
    static Definition added(Definition before, VmDisk disk, Body body) {
        List<VmDisk> disks = new ArrayList<>(disks(before));
        disks.add(attached(disk, body, disks, ADD));
        return with(before, disks);
    }

    /**
     * A definition with an attachment changed: members that the body lacks keep their values.
     *
     * @throws IllegalArgumentException if there cannot be such a disk
     */
    static Definition changed(Definition before, String id, Body body) {
        List<VmDisk> disks = new ArrayList<>(disks(before));
        int at = at(disks, id);
        VmDisk present = disks.remove(at);
        disks.add(at, attached(present, body, disks, EDIT));
        return with(before, disks);
    }

    private static VmDisk present(Definition definition, String id) {
        List<VmDisk> disks = disks(definition);
        return disks.get(at(disks, id));
    }

    /** A definition with a disk plugged in or out. */
    static Definition plugged(Definition before, String id, boolean in) {
        List<VmDisk> disks = new ArrayList<>(disks(before));
        int at = at(disks, id);
        disks.set(at, disks.get(at).plugged(in));
        return with(before, disks);
    }

    /** A definition without a disk. */
    static Definition without(Definition before, String id) {
        List<VmDisk> disks = new ArrayList<>(disks(before));
        disks.remove(at(disks, id));
        return with(before, disks);
    }

    private static int at(List<VmDisk> disks, String id) {
        for (int i = 0; i < disks.size(); i++) {
            if (DefinedDisk.id(disks.get(i)).equals(id)) {
                return i;
            }
        }
        throw Refused.notFound("DiskAttachment", id);
    }

    /** A disk attached by a body, beside others. */
    private static VmDisk attached(VmDisk disk, Body body, List<VmDisk> others, String verb) {
        Boolean readOnly = body.flag("read_only");
        Boolean active = body.flag("active");
        return new VmDisk(
                disk.id(),
                disk.name(),
                disk.place(),
                bus(body, disk.bus()),
                disk.format(),
                order(body.flag("bootable"), disk.bootOrder(), others, verb),
                readOnly == null ? disk.readOnly() : readOnly,
                disk.shareable(),
                active == null ? disk.unplugged() : !active);
    }

    /** One disk of a VM at most is bootable, as the API has it. */
    private static @Nullable Integer order(
            @Nullable Boolean bootable,
            @Nullable Integer before,
            List<VmDisk> others,
            String verb) {
        if (bootable == null) {
            return before;
        }
        if (!bootable) {
            return null;
        }
        if (before != null) {
            return before;
        }
        for (VmDisk other : others) {
            if (other.bootOrder() != null) {
                throw Refused.conflict(
                        "Cannot %s. Disk %s in VM is already marked as boot."
                                .formatted(verb, other.name()));
            }
        }
        return 1;
    }

    private static VmDisk.Bus bus(Body body, VmDisk.Bus before) {
        String name = body.text("interface");
        return switch (name) {
            case null -> before;
            case "virtio" -> VmDisk.Bus.VIRTIO;
            case "virtio_scsi" -> VmDisk.Bus.VIRTIO_SCSI;
            case "sata" -> VmDisk.Bus.SATA;
            default ->
                    throw Refused.invalid(
                            "interface is virtio, virtio_scsi or sata, not "
                                    + Refused.shortened(name));
        };
    }

    private static List<VmDisk> disks(Definition definition) {
        return DefinitionEdits.of(definition).disks();
    }

    private static Definition with(Definition before, List<VmDisk> disks) {
        VmSpecification specification = DefinitionEdits.of(before);
        return DefinitionEdits.with(
                before,
                specification.withDevices(
                        disks, specification.cdrom(), specification.interfaces()));
    }
}
