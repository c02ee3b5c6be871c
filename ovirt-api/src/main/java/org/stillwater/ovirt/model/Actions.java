package org.stillwater.ovirt.model;

import java.util.List;

/** What can be done to an entity. */
public record Actions(@Unwrapped List<Link> link) {

    public Actions {
        link = List.copyOf(link);
    }
}
