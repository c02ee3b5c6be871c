package org.stillwater.ovirt.fleet;

import java.util.Map;

/**
 * Subjects of other programs' events beside a VM and a host: the event keeps the given identity.
 * Stateless.
 */
public final class ExternalEvents {

    /** Paths of collections, by the element that refers to an entity of each. */
    public static final Map<String, String> SUBJECTS =
            Map.of(
                    "cluster", "clusters",
                    "data_center", "datacenters",
                    "storage_domain", "storagedomains",
                    "template", "templates",
                    "user", "users");

    private ExternalEvents() {}

    /** Name of the detail of an event that holds the identity of an element's entity. */
    public static String about(String element) {
        return "about." + element;
    }
}
