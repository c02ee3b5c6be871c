package org.stillwater.ovirt.model;

/** A link to a collection or an action. */
public record Link(@Attribute String href, @Attribute String rel) {}
