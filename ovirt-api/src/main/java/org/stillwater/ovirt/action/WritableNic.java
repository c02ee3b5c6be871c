package org.stillwater.ovirt.action;

import java.util.List;

/** The elements of a VM's network interface that a client may write. */
final class WritableNic {

    private WritableNic() {}

    /** Adds them below a path that ends with a slash, or at the root. */
    static void addTo(WritableElements.Builder table, String path) {
        table.ignored(path + "id", "the engine gives a new interface its id")
                .kept(path + "name", "`interfaces.name`")
                .kept(path + "mac/address", "`interfaces.mac`")
                .kept(path + "linked", "`interfaces.linked`")
                .kept(path + "interface", "`interfaces.model`")
                .kept(path + "network/name", "`interfaces.network`")
                .unsupported(path + "network", "name the network by its name")
                .kept(path + "vnic_profile/id", "`interfaces.vnicProfile`")
                .unsupported(path + "vnic_profile", "name the vNIC profile by its id")
                .fixed(path + "plugged", "true", "every interface of a definition is plugged")
                .unsupported(
                        List.of(path + "description", path + "comment"),
                        "an interface has a name only")
                .unsupported(
                        List.of(path + "boot_protocol", path + "on_boot"),
                        "the engine does not configure a guest at its first start")
                .unsupported(
                        path + "network_filter_parameters",
                        "filters of the engine have no parameters")
                .unsupported(
                        List.of(
                                path + "network_attachments",
                                path + "network_labels",
                                path + "virtual_function_allowed_labels",
                                path + "virtual_function_allowed_networks"),
                        "it belongs to an interface of a host")
                .ignored(
                        List.of(
                                path + "instance_type",
                                path + "reported_devices",
                                path + "statistics",
                                path + "synced",
                                path + "template",
                                path + "vm",
                                path + "vms"),
                        "read-only");
    }
}
