package org.stillwater.ovirt.model;

/** A picture. */
public record Icon(@Attribute String id, @Attribute String href, String data, String mediaType)
        implements Entity {}
