package org.stillwater.ovirt.action;

import java.util.List;
import org.stillwater.ovirt.resource.DefinedDisk;
import tools.jackson.databind.JsonNode;

/** Look-ups of a change: entities as the API shows them to the caller, and disks. */
public interface EntityLookup {

    /**
     * The entity at a path.
     *
     * @param path segments after the base, for example {@code vnicprofiles} and an identity
     * @return a record of the package {@code model}
     * @throws Refused with 404 if there is none, as far as the caller may know
     */
    Object entity(String... path);

    /**
     * The same as JSON.
     *
     * @param path segments after the base
     * @throws Refused with 404 if there is none, as far as the caller may know
     */
    JsonNode json(List<String> path);

    /** The definitions that have the disk of this identity, whether or not the caller sees them. */
    List<DefinedDisk> disks(String id);
}
