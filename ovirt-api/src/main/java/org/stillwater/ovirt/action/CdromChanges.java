package org.stillwater.ovirt.action;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.monitoring.vm.VmView;

/**
 * The CD in the drive of a VM: {@code /vms/{id}/cdroms/{id}}. The definition names an image by its
 * path on the hosts; a VM that runs has it from its next start on. With {@code current}, the CD of
 * a VM that runs is exchanged at once, until its run ends.
 */
final class CdromChanges {

    /** The elements of a drive. */
    static final BodyRules RULES =
            BodyRules.of("CD drive", "cdrom", "change CD")
                    .kept(List.of("file/id"))
                    .unsupported(
                            List.of("name", "description", "comment"),
                            "the engine does not store this member of a drive")
                    .ignored(
                            List.of("file/name", "file/type", "file/content"),
                            "file/id names the image")
                    .ignored(List.of("id", "vm"), "the path names it")
                    .ignored(List.of("template", "instance_type", "vms"), "not of a VM's drive")
                    .table();

    private static final String VERB = "change CD";

    /** A VM has one drive. */
    private static final String DRIVE = new UUID(0, 0).toString();

    private final Access access;
    private final DefinitionEdits edits;
    private final Operations operations;

    CdromChanges(Access access, DefinitionEdits edits, Operations operations) {
        this.access = access;
        this.edits = edits;
        this.operations = operations;
    }

    Outcome update(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change, VERB);
        if (!change.at(3).equals(DRIVE)) {
            throw Refused.notFound("Cdrom", change.at(3));
        }
        String image = body.text("file", "id");
        if (change.flag("current")) {
            if (!body.has("file")) {
                throw Refused.incomplete("Cdrom [file] is required for update.");
            }
            exchange(change, vm, image);
        } else if (body.has("file")) {
            Definition _ = edits.edit(change, vm, VERB, before -> with(before, image));
        }
        return Outcome.showing(200, "vms/" + vm.id() + "/cdroms/" + DRIVE);
    }

    /**
     * Lets the host of a running VM exchange the CD; the VM's definition stays. A caller may name
     * the same images as in a definition.
     */
    private void exchange(Change change, VmView vm, @Nullable String image) {
        Definition stored = operations.stored(vm.id());
        VmSpecification specification = stored.specification();
        if (specification == null || !DefinitionEdits.isDefined(stored)) {
            throw Refused.conflict(
                    "Cannot change CD: the engine found the VM on its host and does not define"
                            + " it.");
        }
        String changed = vm.state().runtime().text(RuntimeField.CURRENT_CD);
        boolean isIn = image != null && changed != null && changed.endsWith("/" + image);
        Definition next = with(stored, isIn ? changed : image);
        if (!isIn) {
            Access.refuseReach(change, stored, next, VERB);
        }
        if (specification.cdrom() == null) {
            throw Refused.conflict(
                    "Cannot change CD: the VM has no drive; without current, it has one from its"
                            + " next start on.");
        }
        VmCdrom drive = DefinitionEdits.of(next).cdrom();
        OperationRequest wanted =
                new OperationRequest(
                        vm.id(),
                        OperationKind.CHANGE_CD,
                        new OperationParameters.Cd(drive == null ? null : drive.imagePath()));
        operations.requireDone(
                operations.ended(operations.begin(wanted, change.origin(), VERB)), VERB);
    }

    /**
     * A definition with another CD.
     *
     * @param image path on the hosts, or the name of the image of the definition; null for none
     */
    static Definition with(Definition before, @Nullable String image) {
        VmSpecification specification = DefinitionEdits.of(before);
        VmCdrom drive = specification.cdrom();
        String present = drive == null ? null : drive.imagePath();
        String path = image;
        if (image != null && !image.startsWith("/")) {
            if (present == null || !present.endsWith("/" + image)) {
                throw Refused.conflict(
                        "Cannot change CD: the engine keeps no ISO images; file/id is the path of"
                                + " one on the hosts, which begins with a slash.");
            }
            path = present;
        }
        if (drive == null && path == null) {
            return before;
        }
        return DefinitionEdits.with(
                before,
                specification.withDevices(
                        specification.disks(),
                        new VmCdrom(drive == null ? UUID.randomUUID() : drive.id(), path),
                        specification.interfaces()));
    }
}
