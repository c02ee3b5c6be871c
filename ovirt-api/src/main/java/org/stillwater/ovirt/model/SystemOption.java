package org.stillwater.ovirt.model;

/** A setting of the system, by version of clusters. */
public record SystemOption(
        @Attribute String id, @Attribute String href, String name, Listing<OptionValue> values)
        implements Entity {

    /** A value for a version; {@code general} for all. */
    public record OptionValue(String value, String version) {}
}
