package org.stillwater.ovirt.action;

/**
 * Changes that oVirt makes and this engine does not, refused by their names: a client gets the
 * reason instead of an answer that the path has no such method. Stateless.
 */
final class UnsupportedChanges {

    private static final String NO_DISKS =
            "the engine makes, changes and removes no disks; it attaches those that are there, at"
                    + " /vms/{id}/diskattachments";

    private UnsupportedChanges() {}

    /** Adds the routes of disks. */
    static Routes routes(Routes routes) {
        return routes.add("POST", "disks", it -> refused(it, "add Virtual Disk", NO_DISKS))
                .add("PUT", "disks/{id}", it -> refused(it, "edit Virtual Disk", NO_DISKS))
                .add("DELETE", "disks/{id}", it -> refused(it, "remove Virtual Disk", NO_DISKS));
    }

    /** Refuses, unless there is nothing that the path could name. */
    private static Outcome refused(Change change, String verb, String why) {
        if (change.path().size() > 1) {
            Object _ = change.lookup().entity(change.at(0), change.at(1));
        }
        throw Refused.unsupported("Cannot %s: %s.".formatted(verb, why));
    }
}
