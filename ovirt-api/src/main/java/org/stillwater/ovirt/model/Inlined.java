package org.stillwater.ovirt.model;

import java.util.Map;

/**
 * Collections that were requested with their entity ({@code follow}), by element name; each stands
 * where its link would stand.
 */
public record Inlined(Map<String, Listing<?>> collections) {

    /** Nothing was requested. */
    public static final Inlined NONE = new Inlined(Map.of());

    public Inlined {
        collections = java.util.Collections.unmodifiableMap(collections);
    }
}
