package org.stillwater.ovirt.model;

import java.util.List;

/** Actions on an entity. */
public record Actions(@Unwrapped List<Link> link) {

    public Actions {
        link = List.copyOf(link);
    }
}
