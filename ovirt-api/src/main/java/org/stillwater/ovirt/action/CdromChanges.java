package org.stillwater.ovirt.action;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmCdrom;
import org.stillwater.core.model.VmSpecification;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;

/**
 * The CD in the drive of a VM: {@code /vms/{id}/cdroms/{id}}. The definition names an image by its
 * path on the hosts. A VM that runs has another CD from its next start on.
 */
final class CdromChanges {

    /** The elements of a drive. */
    static final BodyRules RULES =
            BodyRules.of("CD drive", "cdrom", "change CD")
                    .kept(List.of("file/id"))
                    .unsupported(
                            List.of("name", "description", "comment"),
                            "the engine keeps no words on a drive")
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

    CdromChanges(Access access, DefinitionEdits edits) {
        this.access = access;
        this.edits = edits;
    }

    Outcome update(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change.body(), VERB);
        if (!change.at(3).equals(DRIVE)) {
            throw Refused.notFound("Cdrom", change.at(3));
        }
        if (change.flag("current")) {
            throw Refused.unsupported(
                    "Cannot change CD: the engine does not exchange the CD of a VM that runs;"
                            + " without current, the VM has it from its next start on.");
        }
        if (body.has("file")) {
            String image = body.text("file", "id");
            Definition _ = edits.edit(change, vm, VERB, before -> with(before, image));
        }
        return Outcome.showing(200, "vms/" + vm.id() + "/cdroms/" + DRIVE);
    }

    /**
     * A definition with another CD.
     *
     * @param image path on the hosts, or the name of the image that is in the drive; null for none
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
